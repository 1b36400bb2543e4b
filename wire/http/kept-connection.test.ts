import { once } from 'node:events';
import { Agent, createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import test from 'ava';
import { KeptConnections, responseTo } from './kept-connection.ts';

type Serve = (response: ServerResponse) => void;
const answer: Serve = (response) => void response.end('ok');
const breakOff: Serve = ({ socket }) => void socket?.resetAndDestroy();

interface Peer extends AsyncDisposable {
	/** Requests so far. */
	readonly asked: () => number;
	send(method: string): Promise<number | undefined>;
	readonly kept: KeptConnections<Agent>;
}

/** @param later for those requests that are not the first on their connection */
async function peer(first: Serve, later: Serve): Promise<Peer> {
	const known = new WeakSet<object>();
	let asked = 0;
	const server = createServer(({ socket }, response) => {
		asked++;
		const serve = known.has(socket) ? later : first;
		known.add(socket);
		serve(response);
	}).listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	const kept = new KeptConnections(new Agent({ keepAlive: true, maxSockets: 1 }));
	return {
		asked: () => asked,
		kept,
		send: async (method) => {
			const start = () => request({ host: '127.0.0.1', port, agent: kept.agent, method }).end();
			const message = await kept.send(start, responseTo);
			await once(message.resume(), 'end');
			// The connection is free for the next one only after this turn.
			await new Promise(setImmediate);
			return message.statusCode;
		},
		[Symbol.asyncDispose]: async () => {
			kept[Symbol.dispose]();
			server.closeAllConnections();
			server.close();
			await once(server, 'close');
		},
	};
}

for (const [method, isRepeated] of [
	['GET', true],
	['HEAD', true],
	['OPTIONS', true],
	['POST', false],
	['DELETE', false],
] as const)
	test(`a ${method} that met a closing connection is ${isRepeated ? '' : 'not '}sent again`, async (t) => {
		await using server = await peer(answer, breakOff);
		await server.send('GET');
		if (isRepeated) t.is(await server.send(method), 200);
		else await t.throwsAsync(server.send(method), { code: 'ECONNRESET' });
		t.is(server.asked(), isRepeated ? 3 : 2);
	});

test('a new connection that breaks is the peer speaking', async (t) => {
	await using server = await peer(breakOff, breakOff);
	await t.throwsAsync(server.send('GET'), { code: 'ECONNRESET' });
	t.is(server.asked(), 1);
});

test('what is under way when we close is not sent again', async (t) => {
	const held = Promise.withResolvers<void>();
	await using server = await peer(answer, () => held.resolve());
	await server.send('GET');
	const sent = server.send('GET');
	await held.promise;
	server.kept[Symbol.dispose]();
	await t.throwsAsync(sent, { code: 'ECONNRESET' });
	t.is(server.asked(), 2);
});
