/** Joined connections: what was said before an end is heard by whoever is slow, too. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { Duplex } from 'node:stream';
import test from 'ava';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { joinStream } from './stream-proxy.ts';

test('the tail of what the runtime says reaches a client that is slower than its end', async (t) => {
	const heard: string[] = [];
	const slow: (() => void)[] = [];
	let end = (): void => {};
	const client = new Duplex({
		read: () => {},
		// The first write takes until it is let go; what comes after it waits here.
		write: (chunk: Buffer, _encoding, done) => {
			heard.push(chunk.toString());
			if (heard.length > 1) done();
			else slow.push(done);
			end();
		},
	});
	const gone = Promise.withResolvers<void>();
	await using server = createServer((socket) => {
		socket.once('data', () => {
			end = () => void socket.end('tail');
			socket.write('head ');
		});
		socket.once('close', () => gone.resolve());
	});
	await once(server.listen(0, '127.0.0.1'), 'listening');
	const { port } = server.address() as AddressInfo;
	const request = { method: 'POST', rawHeaders: [] } as unknown as IncomingMessage;
	const idle = { clock: new VirtualClock(), idleMs: 1000 };
	const joined = joinStream(request, client, new Uint8Array(), `http://127.0.0.1:${port}/exec`, idle, new AbortController().signal);
	await gone.promise;
	for (let turns = 0; turns < 10; turns++) await new Promise((resolve) => setImmediate(resolve));
	for (const done of slow) done();
	await joined;
	t.is(heard.join(''), 'head tail');
});
