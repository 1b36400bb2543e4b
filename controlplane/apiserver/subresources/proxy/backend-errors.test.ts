/** Failures that a kubelet or a pod can cause, in Go's words. */
import { createServer, type Socket } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import test from 'ava';
import type { ApiRequest } from '../../contracts.ts';
import { requestError } from './backend-errors.ts';
import { Backend } from './backend.ts';

const hangUp = (socket: Socket): void => void socket.destroy();
const junk = (line: string) => (socket: Socket) => void socket.end(`${line}\r\n\r\n`);

for (const [what, serve, scheme, proxied, asked, upgraded, commanded = upgraded] of [
	[
		'nobody',
		undefined,
		'http',
		'dial tcp PLACE: connect: connection refused',
		'dial tcp PLACE: connect: connection refused',
		'error dialing backend: dial tcp PLACE: connect: connection refused',
		'dial tcp PLACE: connect: connection refused',
	],
	['who hangs up', hangUp, 'http', 'EOF', 'EOF', 'unexpected EOF'],
	[
		'who speaks no HTTP',
		junk('JUNK'),
		'http',
		'net/http: HTTP/1.x transport connection broken: malformed HTTP response "JUNK"',
		'net/http: HTTP/1.x transport connection broken: malformed HTTP response "JUNK"',
		'malformed HTTP response "JUNK"',
	],
	[
		'who says no status',
		junk('NOT HTTP'),
		'http',
		'net/http: HTTP/1.x transport connection broken: malformed HTTP status code "HTTP"',
		'net/http: HTTP/1.x transport connection broken: malformed HTTP status code "HTTP"',
		'malformed HTTP status code "HTTP"',
	],
	[
		'who speaks no TLS',
		junk('HTTP/1.1 400 Bad Request'),
		'https',
		'tls: first record does not look like a TLS handshake',
		'http: server gave HTTP response to HTTPS client',
		'error dialing backend: tls: first record does not look like a TLS handshake',
		'tls: first record does not look like a TLS handshake',
	],
	['who does not upgrade', junk('HTTP/1.1 302 Found'), 'http', undefined, undefined, 'invalid upgrade response: status code 302'],
] as const)
	test(`a backend ${what}`, async (t) => {
		const server = createServer((socket) => {
			socket.on('error', () => undefined);
			socket.once('data', () => serve?.(socket));
		}).listen(0, '127.0.0.1');
		await once(server, 'listening');
		const { port } = server.address() as AddressInfo;
		if (serve === undefined) server.close();
		const backend = new Backend(() => ({}));
		t.teardown(() => {
			backend.close();
			if (serve !== undefined) server.close();
		});
		const target = { scheme, host: '127.0.0.1', port, path: '/x' };
		const placed = (text: string): string => text.replaceAll('PLACE', `127.0.0.1:${port}`);
		const { signal } = new AbortController();
		const request = { method: 'GET', headers: {}, remoteAddress: '10.0.0.1', signal };
		const pass = (more: object): Promise<unknown> => backend.pass({ ...request, ...more } as unknown as ApiRequest, target);
		if (proxied !== undefined) await t.throwsAsync(pass({}), { message: `error trying to reach service: ${placed(proxied)}` });
		if (asked !== undefined)
			await t.throwsAsync(backend.get(target, signal), { message: `Get "${scheme}://127.0.0.1:${port}/x": ${placed(asked)}` });
		if (asked !== undefined) {
			const error = await t.throwsAsync(backend.upgrade(target, 'POST', { upgrade: 'x' }, signal));
			t.is(requestError(error, target), `error sending request: Post "${scheme}://127.0.0.1:${port}/x": ${placed(commanded)}`);
		}
		await t.throwsAsync(pass({ headers: { upgrade: 'x' }, upgrade: () => undefined }), { message: placed(upgraded) });
	});
