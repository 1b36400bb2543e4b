import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test from 'ava';
import { WebSocket } from 'ws';
import type { ApiRequest } from '../contracts.ts';
import { answerPieces, readerProtocol } from './stream-messages.ts';

for (const [offered, want] of [
	[undefined, ''],
	['binary.k8s.io', 'binary.k8s.io'],
	['other, base64.binary.k8s.io', 'base64.binary.k8s.io'],
	['base64url.bearer.authorization.k8s.io.dG9r, binary.k8s.io', 'binary.k8s.io'],
	['other', undefined],
] as const)
	test(`readerProtocol(): ${offered ?? 'none'}`, (t) => {
		t.is(readerProtocol({ headers: { 'sec-websocket-protocol': offered } }), want);
	});

for (const [protocol, want] of [
	['binary.k8s.io', ['one\n', 'two\n']],
	['base64.binary.k8s.io', ['b25lCg==', 'dHdvCg==']],
] as const)
	test(`answerPieces(): ${protocol}`, async (t) => {
		async function* body(): AsyncGenerator<Uint8Array> {
			yield Buffer.from('one\n');
			yield Buffer.from('two\n');
		}
		const gone = new AbortController();
		const server = createServer().on('upgrade', ({ method = '', headers }, socket, head) => {
			const request = { method, headers } as unknown as ApiRequest;
			answerPieces(request, () => ({ socket, head }), readerProtocol(request) ?? '', body(), gone).catch((error: Error) =>
				t.fail(error.message),
			);
		});
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, protocol);
		const seen: string[] = [];
		client.on('message', (data: Buffer) => seen.push(data.toString()));
		const [code] = await new Promise<[number]>((resolve) => client.once('close', (...all) => resolve([all[0]])));
		t.deepEqual([code, client.protocol, seen], [1000, protocol, [...want]]);
		if (!gone.signal.aborted) await new Promise((resolve) => gone.signal.addEventListener('abort', resolve));
		server.close();
	});
