/** Watches over WebSockets, on a running server, by a client of its own. */
import { once } from 'node:events';
import { request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import type { WebSocket } from 'ws';
import { decodeEnvelope } from '../../../api/codec/envelope.ts';
import type { ConfigMap } from '../../../api/gen/types.ts';
import { CONFIG_MAPS } from '../../../api/resources.ts';
import { realClock } from '../../../base/clock.ts';
import { createLog } from '../../../base/log.ts';
import { testApiServer, type TestApiServer } from '../../../test/fakes/api-server.ts';
import { eventually } from '../../../test/tools/eventually.ts';
import { dialWebSocket } from '../../../wire/websocket/dial.ts';
import { createMemoryStore } from '../../storage/memory-store.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const ORIGIN = { origin: 'https://console.example.com' };
const BEARER = 'base64url.bearer.authorization.k8s.io.';
const HANDSHAKE = {
	...ORIGIN,
	connection: 'Upgrade',
	upgrade: 'websocket',
	'sec-websocket-version': '13',
	'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

const stop = new AbortController();
const store = createMemoryStore(realClock);
let server: TestApiServer;

test.before(async () => {
	server = await testApiServer({ port: 0, clock: realClock, log: createLog({ level: 'error' }), store }, stop.signal);
});
test.after.always(async () => {
	stop.abort();
	await server.stopped;
});

interface Event {
	readonly type: string;
	readonly object: ConfigMap & { readonly code?: number; readonly kind?: string };
}

/** What comes, in turn: messages, then the code of the end. */
class Watching {
	readonly socket: WebSocket;
	readonly protocol: string;
	readonly #came: (Buffer | string | number)[] = [];
	#wake = (): void => {};

	constructor(socket: WebSocket, protocol: string) {
		this.socket = socket;
		this.protocol = protocol;
		const come = (what: Buffer | string | number): void => {
			this.#came.push(what);
			this.#wake();
		};
		socket.on('message', (data: Buffer, isBinary) => come(isBinary ? data : data.toString()));
		socket.once('close', come);
		socket.resume();
	}

	async next(): Promise<Buffer | string | number> {
		for (;;) {
			const what = this.#came.shift();
			if (what !== undefined) return what;
			await new Promise<void>((resolve) => (this.#wake = resolve));
		}
	}

	async event(): Promise<Event> {
		return JSON.parse(String(await this.next())) as Event;
	}

	/** Its next events, as words. */
	async events(count: number): Promise<string[]> {
		const all: string[] = [];
		for (let i = 0; i < count; i++) {
			const { type, object } = await this.event();
			all.push(`${type} ${object.metadata.name ?? object.code ?? ''}`.trim());
		}
		return all;
	}

	async leave(): Promise<void> {
		this.socket.close();
		if (this.socket.readyState !== this.socket.CLOSED) await once(this.socket, 'close');
	}
}

async function watching(
	path: string,
	headers: Readonly<Record<string, string>> = {},
	protocols: readonly string[] = [],
): Promise<Watching> {
	const target = {
		url: new URL(`${server.url}${path}`),
		tls: { caPem: server.ca },
		headers: { ...ORIGIN, ...(protocols.length === 0 ? { authorization: `Bearer ${server.token}` } : {}), ...headers },
	};
	if (protocols.length === 0) return withoutProtocols(target);
	const { socket, protocol } = await dialWebSocket(target, protocols, stop.signal);
	return new Watching(socket, protocol);
}

async function withoutProtocols({
	url,
	tls,
	headers,
}: {
	url: URL;
	tls: { caPem: string };
	headers: Record<string, string>;
}): Promise<Watching> {
	const { WebSocket } = await import('ws');
	const socket = new WebSocket(url.href.replace('https', 'wss'), { headers, ca: tls.caPem });
	// Messages may come right behind the answer.
	const seen = new Watching(socket, '');
	await once(socket, 'open');
	return Object.assign(seen, { protocol: socket.protocol });
}

const put = (name: string, data: Record<string, string> = {}, namespace = 'default'): Promise<ConfigMap> =>
	server.client.create(CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name }, data });

/** Watches of ConfigMaps that are open over sockets: nobody else's are. */
async function openWatches(): Promise<number> {
	const page = await answer('/metrics', { authorization: `Bearer ${server.token}` });
	return page.body
		.split('\n')
		.filter((line) => line.startsWith('apiserver_longrunning_requests{') && line.includes('"configmaps"') && line.includes('"WATCH"'))
		.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

async function comesTo(t: ExecutionContext, wanted: number, count: () => Promise<number>): Promise<void> {
	await t.notThrowsAsync(eventually(`${wanted}`, async () => (await count()) === wanted));
}

function answer(path: string, headers: Readonly<Record<string, string>>): Promise<{ status: number; headers: object; body: string }> {
	return new Promise((resolve, reject) => {
		const asked = httpsRequest(`${server.url}${path}`, { ca: server.ca, headers, agent: false });
		asked.once('error', reject);
		asked.once('upgrade', (_, socket) => {
			socket.destroy();
			resolve({ status: 101, headers: {}, body: '' });
		});
		asked.once('response', (message) => {
			text(message).then((body) => resolve({ status: message.statusCode ?? 0, headers: message.headers, body }), reject);
		});
		asked.end();
	});
}

test.serial('a collection: what is there, then each change, one text message each; it ends with the client', async (t) => {
	const before = await openWatches();
	await put('a');
	const seen = await watching(`${MAPS}?watch=true`);
	t.is(seen.protocol, '');
	const first = await seen.next();
	t.is(typeof first, 'string');
	t.true(String(first).endsWith('}\n'));
	t.like(JSON.parse(String(first)), { type: 'ADDED', object: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' } } });
	await server.client.patch(CONFIG_MAPS, 'default/a', { type: 'merge', body: { data: { x: 'ü\n€' } } });
	const changed = await seen.event();
	t.is(changed.type, 'MODIFIED');
	t.deepEqual(changed.object.data, { x: 'ü\n€' });
	// Several at once are several messages.
	await Promise.all([put('b'), put('c'), put('d')]);
	t.deepEqual((await seen.events(3)).toSorted(), ['ADDED b', 'ADDED c', 'ADDED d']);
	for (const name of ['a', 'b', 'c', 'd']) await server.client.delete(CONFIG_MAPS, `default/${name}`);
	t.deepEqual(await seen.events(4), ['DELETED a', 'DELETED b', 'DELETED c', 'DELETED d']);
	t.is(await openWatches(), before + 1);
	await seen.leave();
	t.is(await seen.next(), 1005);
	await comesTo(t, before, openWatches);
});

for (const [what, path] of [
	['one name, by field', `${MAPS}?watch=true&fieldSelector=metadata.name%3Dwanted`],
	['one label', `${MAPS}?watch=1&labelSelector=none!%3Dx&fieldSelector=metadata.name%3Dwanted`],
	['the old path of one', '/api/v1/watch/namespaces/default/configmaps/wanted'],
	['the old path of a collection', '/api/v1/watch/namespaces/default/configmaps?fieldSelector=metadata.name%3Dwanted'],
] as const)
	test.serial(`paths: ${what}`, async (t) => {
		const seen = await watching(path);
		await put('other');
		await put('wanted');
		await server.client.delete(CONFIG_MAPS, 'default/other');
		await server.client.delete(CONFIG_MAPS, 'default/wanted');
		t.deepEqual(await seen.events(2), ['ADDED wanted', 'DELETED wanted']);
		await seen.leave();
	});

test.serial('protobuf: each event is a message of bytes, without the length that a stream has before it', async (t) => {
	const seen = await watching(`${MAPS}?watch=true`, { accept: 'application/vnd.kubernetes.protobuf;stream=watch' });
	await Promise.all([put('p'), put('q')]);
	const names: unknown[] = [];
	for (let i = 0; i < 2; i++) {
		const bytes = (await seen.next()) as Buffer;
		t.is(bytes.subarray(0, 7).toString(), '\n\x05ADDED');
		const object = decodeEnvelope(bytes.subarray(bytes.indexOf('k8s\0'))) as unknown as ConfigMap;
		names.push(object.metadata.name);
	}
	t.deepEqual(names.toSorted(), ['p', 'q']);
	for (const name of ['p', 'q']) await server.client.delete(CONFIG_MAPS, `default/${name}`);
	await seen.leave();
});

for (const [view, kind] of [
	['Table', 'Table'],
	['PartialObjectMetadata', 'PartialObjectMetadata'],
] as const)
	test.serial(`views: ${view}`, async (t) => {
		const seen = await watching(`${MAPS}?watch=true`, { accept: `application/json;as=${view};v=v1;g=meta.k8s.io` });
		await put('viewed');
		await server.client.delete(CONFIG_MAPS, 'default/viewed');
		for (const type of ['ADDED', 'DELETED']) t.like(await seen.event(), { type, object: { kind } });
		await seen.leave();
	});

test.serial('a list as a watch: the mark where it is complete is a message of its own', async (t) => {
	for (const name of ['l1', 'l2']) await put(name);
	const query = 'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
	const seen = await watching(`${MAPS}?${query}`);
	t.deepEqual(await seen.events(2), ['ADDED l1', 'ADDED l2']);
	t.like(await seen.event(), { type: 'BOOKMARK', object: { metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } } });
	await seen.leave();
	for (const name of ['l1', 'l2']) await server.client.delete(CONFIG_MAPS, `default/${name}`);
});

test.serial('its time over, the server closes', async (t) => {
	const before = await openWatches();
	const seen = await watching(`${MAPS}?watch=true&timeoutSeconds=1`);
	t.is(await seen.next(), 1000);
	await comesTo(t, before, openWatches);
});

test.serial('from a version that is compacted: an ERROR, then the end', async (t) => {
	await put('old');
	await server.client.delete(CONFIG_MAPS, 'default/old');
	await store.compact(store.revision());
	const seen = await watching(`${MAPS}?watch=true&resourceVersion=1`);
	t.like(await seen.event(), { type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } });
	t.is(await seen.next(), 1000);
});

test.serial('a browser: its token as a subprotocol, and the other one agreed to', async (t) => {
	const carrier = `${BEARER}${Buffer.from(server.token).toString('base64url')}`;
	const seen = await watching(`${MAPS}?watch=true`, {}, [carrier, 'v1.events.example.com']);
	t.is(seen.protocol, 'v1.events.example.com');
	await put('browsed');
	await server.client.delete(CONFIG_MAPS, 'default/browsed');
	t.deepEqual(await seen.events(2), ['ADDED browsed', 'DELETED browsed']);
	await seen.leave();
});

test.serial('what a client says: pings are answered, messages ignored, and one that is too long ends the watch', async (t) => {
	const before = await openWatches();
	const seen = await watching(`${MAPS}?watch=true`);
	seen.socket.send('anything');
	seen.socket.ping('are you there');
	const [pong] = (await once(seen.socket, 'pong')) as [Buffer];
	t.is(pong.toString(), 'are you there');
	await put('said');
	await server.client.delete(CONFIG_MAPS, 'default/said');
	t.deepEqual(await seen.events(2), ['ADDED said', 'DELETED said']);
	seen.socket.send(Buffer.alloc(65 * 1024));
	t.is(await seen.next(), 1009);
	await comesTo(t, before, openWatches);
});

test.serial('a client that goes away without a word leaves nothing behind', async (t) => {
	const before = await openWatches();
	const all = await Promise.all(Array.from({ length: 10 }, () => watching(`${MAPS}?watch=true`)));
	t.is(await openWatches(), before + 10);
	for (const { socket } of all) socket.terminate();
	await comesTo(t, before, openWatches);
});

test.serial('a slow client gets all in order', async (t) => {
	const seen = await watching(`${MAPS}?watch=true`);
	seen.socket.pause();
	const data = { x: 'x'.repeat(500_000) };
	const names = Array.from({ length: 30 }, (_, i) => `slow-${String(i).padStart(2, '0')}`);
	for (const name of names) await put(name, data);
	seen.socket.resume();
	t.deepEqual(
		await seen.events(names.length),
		names.map((name) => `ADDED ${name}`),
	);
	await seen.leave();
	for (const name of names) await server.client.delete(CONFIG_MAPS, `default/${name}`);
});

for (const [what, path, headers, status, body] of [
	['nobody', `${MAPS}?watch=true`, { authorization: 'Bearer wrong' }, 401, /"reason":"Unauthorized"/],
	['a stranger', `${MAPS}?watch=true`, { 'impersonate-user': 'jane' }, 403, /jane\\" cannot watch resource \\"configmaps\\"/],
	['no such kind', '/api/v1/namespaces/default/nothings?watch=true', {}, 404, /could not find the requested resource/],
	['no selector', `${MAPS}?watch=true&labelSelector=a%3D%3D%3Db`, {}, 400, /"reason":"BadRequest"/],
	['a field that is none', `${MAPS}?watch=true&fieldSelector=data%3Dx`, {}, 400, /is not a known field selector/],
	['YAML', `${MAPS}?watch=true`, { accept: 'application/yaml' }, 406, /NotAcceptable/],
	['no key', `${MAPS}?watch=true`, { 'sec-websocket-key': 'short' }, 400, /^mismatch challenge\/response$/],
	['another version', `${MAPS}?watch=true`, { 'sec-websocket-version': '12' }, 400, /^missing or bad WebSocket Version$/],
	['no origin', `${MAPS}?watch=true`, { origin: '' }, 403, /^$/],
	['a hidden origin', `${MAPS}?watch=true`, { origin: 'null' }, 403, /^$/],
	['several subprotocols', `${MAPS}?watch=true`, { 'sec-websocket-protocol': 'a, b' }, 400, /^$/],
] as const)
	test.serial(`refused before the upgrade, with a plain answer: ${what}`, async (t) => {
		const before = await openWatches();
		const refused = await answer(path, { ...HANDSHAKE, authorization: `Bearer ${server.token}`, ...headers });
		t.is(refused.status, status);
		t.regex(refused.body, body);
		t.is(await openWatches(), before);
	});

for (const [what, rest] of [
	['alone: there is none to agree to', []],
	['twice', ['v1.events.example.com', `${BEARER}YQ`]],
] as const)
	test.serial(`refused before the upgrade: a token as a subprotocol ${what}`, async (t) => {
		const carrier = `${BEARER}${Buffer.from(server.token).toString('base64url')}`;
		const refused = await answer(`${MAPS}?watch=true`, { ...HANDSHAKE, 'sec-websocket-protocol': [carrier, ...rest].join(', ') });
		t.is(refused.status, 401);
	});

test.serial('an upgrade to something else is a plain watch', async (t) => {
	const before = await openWatches();
	const headers = { connection: 'Upgrade', upgrade: 'h2c', authorization: `Bearer ${server.token}` };
	const plain = answer(`${MAPS}?watch=true&timeoutSeconds=1`, headers);
	await comesTo(t, before + 1, openWatches);
	await put('plain');
	await server.client.delete(CONFIG_MAPS, 'default/plain');
	const { status, body } = await plain;
	t.is(status, 200);
	t.deepEqual(
		body
			.trim()
			.split('\n')
			.map((line) => (JSON.parse(line) as Event).type),
		['ADDED', 'DELETED'],
	);
	await comesTo(t, before, openWatches);
});
