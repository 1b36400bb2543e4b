import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import test from 'ava';
import { realClock } from '../../../../base/clock.ts';
import { createAuthority, issue } from '../../../../wire/tls/authority.ts';
import type { ApiRequest } from '../../contracts.ts';
import { Backend } from './backend.ts';

const authority = await createAuthority({ commonName: 'ca', days: 1 }, realClock);
const pair = await issue(authority, { commonName: 'kubelet', ipAddresses: ['127.0.0.1'], usages: ['server'], days: 1 }, realClock);

test('a kubelet that closes a kept connection as the next request comes is asked again on a new one, but not told twice', async (t) => {
	const served = new WeakSet<object>();
	const methods: string[] = [];
	const server = createServer({ cert: pair.certPem, key: pair.keyPem }, ({ socket, method = '' }, response) => {
		methods.push(method);
		if (served.has(socket)) return void socket.destroy();
		served.add(socket);
		response.end('log');
	}).listen(0, '127.0.0.1');
	await once(server, 'listening');
	const target = {
		scheme: 'https',
		host: '127.0.0.1',
		port: (server.address() as AddressInfo).port,
		path: '/containerLogs/n/p/c',
	} as const;
	t.teardown(() => {
		backend.close();
		server.closeAllConnections();
		server.close();
	});
	const backend = new Backend(() => ({ ca: authority.certPem }));
	const pass = async (method: string): Promise<string> => {
		const request = {
			method,
			headers: {},
			remoteAddress: '127.0.0.1',
			signal: new AbortController().signal,
			body: () => Promise.resolve(Buffer.from('x')),
		};
		const answer = await backend.pass(request as unknown as ApiRequest, target);
		const said = answer.type === 'stream' ? await text(answer.body) : answer.type;
		// The connection is free for the next request only after this turn.
		await new Promise(setImmediate);
		return said;
	};

	t.deepEqual([await pass('GET'), await pass('GET')], ['log', 'log']);
	t.deepEqual(methods, ['GET', 'GET', 'GET']);
	await t.throwsAsync(pass('POST'), { message: 'error trying to reach service: EOF' });
	t.deepEqual(methods.slice(3), ['POST']);
});
