import test from 'ava';
import { once, type EventEmitter } from 'node:events';
import {
	connect,
	createServer,
	type ClientHttp2Session,
	type ClientHttp2Stream,
	type Http2Session,
	type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { types } from 'node:util';
import { ownTables } from './session-tables.ts';

interface Both extends AsyncDisposable {
	readonly client: ClientHttp2Session;
	readonly server: Http2Session;
	/** Opens a stream; who serves it answers when told. */
	open(): Promise<{ readonly asked: ClientHttp2Stream; readonly served: ServerHttp2Stream }>;
}

async function connected(): Promise<Both> {
	const http2 = createServer();
	http2.on('session', ownTables);
	http2.on('stream', (stream, { ':path': path }) => {
		stream.on('error', () => {});
		if (path === '/at-once') stream.respond({ ':status': 204 }, { endStream: true });
	});
	http2.listen(0, '127.0.0.1');
	await once(http2, 'listening');
	const client = connect(`http://127.0.0.1:${(http2.address() as AddressInfo).port}`);
	ownTables(client);
	client.on('error', () => {});
	const [server] = (await once(http2, 'session')) as [Http2Session];
	return {
		client,
		server,
		async open() {
			const asked = client.request({ ':path': '/' });
			asked.on('error', () => {}).resume();
			const [served] = (await once(http2, 'stream')) as [ServerHttp2Stream];
			return { asked, served };
		},
		async [Symbol.asyncDispose]() {
			client.destroy();
			await new Promise((resolve) => http2.close(resolve));
		},
	};
}

function tables(session: Http2Session): {
	readonly streams: { readonly size: number };
	readonly pendingStreams: { readonly size: number };
} {
	const symbol = Object.getOwnPropertySymbols(session).find(({ description }) => description === 'state') as symbol;
	return (session as unknown as Record<symbol, ReturnType<typeof tables>>)[symbol] as ReturnType<typeof tables>;
}

/** With or without an error. */
const ended = (stream: EventEmitter): Promise<void> => new Promise((resolve) => void stream.once('close', resolve));

test('ownTables: the Map and the Set of Node.js are replaced, and streams come and go in them', async (t) => {
	await using both = await connected();
	const streams = [await both.open(), await both.open(), await both.open()];
	for (const session of [both.client, both.server]) {
		t.false(types.isMap(tables(session).streams));
		t.false(types.isSet(tables(session).pendingStreams));
		t.is(tables(session).streams.size, 3);
		t.is(tables(session).pendingStreams.size, 0);
	}
	for (const { asked, served } of streams) {
		const closed = Promise.all([ended(asked), ended(served)]);
		served.respond({ ':status': 204 }, { endStream: true });
		await closed;
	}
	t.is(tables(both.client).streams.size, 0);
	t.is(tables(both.server).streams.size, 0);
});

test('ownTables: a stream that is cancelled goes alone', async (t) => {
	await using both = await connected();
	const [gone, stays] = [await both.open(), await both.open()];
	const closed = ended(gone.served);
	gone.asked.close(8);
	await closed;
	t.is(tables(both.server).streams.size, 1);
	const answered = once(stays.asked, 'response');
	stays.served.respond({ ':status': 204 }, { endStream: true });
	t.is((await answered)[0][':status'], 204);
});

test('ownTables: a session that is closed waits for its streams', async (t) => {
	await using both = await connected();
	const { asked, served } = await both.open();
	const closed = once(both.server, 'close');
	both.server.close();
	t.false(both.server.destroyed);
	const answered = once(asked, 'response');
	served.respond({ ':status': 204 }, { endStream: true });
	await Promise.all([answered, closed]);
	t.true(both.server.destroyed);
});

for (const [name, end] of [
	['the server destroys the session', (both) => both.server.destroy()],
	['the client destroys the session', (both) => both.client.destroy()],
	['the connection is lost', (both) => both.client.socket.destroy()],
] as const satisfies readonly (readonly [string, (both: Both) => void])[])
	test(`ownTables: all streams end when ${name}`, async (t) => {
		await using both = await connected();
		const streams = [await both.open(), await both.open()];
		const closed = streams.flatMap(({ asked, served }) => [ended(asked), ended(served)]);
		end(both);
		await Promise.all(closed);
		t.is(tables(both.client).streams.size, 0);
		t.is(tables(both.server).streams.size, 0);
	});

test('ownTables: streams that wait for the connection are sent, or end with it', async (t) => {
	await using both = await connected();
	const { port } = both.server.socket.address() as AddressInfo;
	for (const [isLost, statuses] of [
		[false, [204, 204]],
		[true, []],
	] as const) {
		const client = connect(`http://127.0.0.1:${port}`);
		ownTables(client);
		client.on('error', () => {});
		const got: unknown[] = [];
		const asked = [client.request({ ':path': '/at-once' }), client.request({ ':path': '/at-once' })];
		for (const one of asked) one.on('error', () => {}).on('response', (headers) => got.push(headers[':status']));
		t.is(tables(client).pendingStreams.size, 2);
		const closed = Promise.all(asked.map((one) => ended(one.resume())));
		if (isLost) client.destroy();
		await closed;
		t.deepEqual(got, statuses);
		t.is(tables(client).pendingStreams.size + tables(client).streams.size, 0);
		client.destroy();
	}
});

test('ownTables: a session with open streams keeps its own', async (t) => {
	const http2 = createServer();
	http2.on('stream', (stream) => stream.respond({ ':status': 204 }, { endStream: true }));
	http2.listen(0, '127.0.0.1');
	await once(http2, 'listening');
	const client = connect(`http://127.0.0.1:${(http2.address() as AddressInfo).port}`);
	const asked = client.request({ ':path': '/' });
	ownTables(client);
	t.true(types.isSet(tables(client).pendingStreams));
	await ended(asked.resume());
	client.destroy();
	await new Promise((resolve) => http2.close(resolve));
});
