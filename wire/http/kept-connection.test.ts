import { once } from 'node:events';
import { Agent, createServer, request, type ClientRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import test from 'ava';
import { metClosing } from './kept-connection.ts';

/** Answers the first request of each connection and closes on the second; closes on all where it is `rude`. */
async function closing(rude: boolean): Promise<{ readonly port: number; readonly [Symbol.asyncDispose]: () => Promise<void> }> {
	const served = new WeakSet<object>();
	const server = createServer(({ socket }, response) => {
		if (rude || served.has(socket)) return void socket.resetAndDestroy();
		served.add(socket);
		response.end('ok');
	}).listen(0, '127.0.0.1');
	await once(server, 'listening');
	return {
		port: (server.address() as AddressInfo).port,
		[Symbol.asyncDispose]: async () => {
			server.closeAllConnections();
			server.close();
			await once(server, 'close');
		},
	};
}

async function send(
	port: number,
	agent: Agent,
	method: string,
): Promise<{ readonly sent: ClientRequest; readonly error: Error | undefined }> {
	const sent = request({ host: '127.0.0.1', port, agent, method });
	const error = await new Promise<Error | undefined>((resolve) => {
		sent.once('error', resolve);
		sent.once('response', (answer) => answer.resume().once('end', () => resolve(undefined)));
		sent.end();
	});
	return { sent, error };
}

for (const [method, again] of [
	['GET', true],
	['HEAD', true],
	['OPTIONS', true],
	['POST', false],
	['DELETE', false],
] as const)
	test(`a ${method} that met a closing connection ${again ? 'may' : 'must not'} be sent again`, async (t) => {
		await using server = await closing(false);
		const agent = new Agent({ keepAlive: true, maxSockets: 1 });
		t.is((await send(server.port, agent, 'GET')).error, undefined);
		// The connection is free for the next one only after this turn.
		await new Promise(setImmediate);
		const { sent, error } = await send(server.port, agent, method);
		t.truthy(error);
		t.is(error !== undefined && metClosing(sent, error), again);
		t.is((await send(server.port, agent, 'GET')).error, undefined, 'the next connection is a new one');
		agent.destroy();
	});

test('a new connection that breaks is the peer speaking', async (t) => {
	await using server = await closing(true);
	const agent = new Agent({ keepAlive: true });
	const { sent, error } = await send(server.port, agent, 'GET');
	t.truthy(error);
	t.false(error !== undefined && metClosing(sent, error));
	agent.destroy();
});
