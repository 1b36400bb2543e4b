import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Duplex, PassThrough } from 'node:stream';
import test from 'ava';
import { WebSocket } from 'ws';
import { acceptPortForward } from './accept.ts';
import { servePortChannels } from './port-channels.ts';

/** Port 80 says back what it hears, 81 says one word and ends, on others nobody listens. */
function dial(port: number): Promise<Duplex> {
	if (port === 80) return Promise.resolve(new PassThrough());
	if (port === 81) return Promise.resolve(Duplex.from([Buffer.from('word')]));
	return Promise.reject(new Error('connection refused'));
}

async function client(protocols: readonly string[], ports: readonly number[]) {
	const server = createServer();
	const served = Promise.withResolvers<void>();
	server.on('upgrade', (request, socket, head) => {
		const serve = async (): Promise<void> => {
			const accepted = await acceptPortForward(request, socket, head);
			if (accepted.type === 'channels') await servePortChannels(accepted.socket, { ports, pod: 'p', isText: accepted.isText }, dial);
		};
		serve().then(served.resolve, served.reject);
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const socket = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, [...protocols]);
	const messages: string[] = [];
	socket.on('message', (data: Buffer) => messages.push(data.toString('latin1')));
	const told = async (count: number): Promise<readonly string[]> => {
		while (messages.length < count) await once(socket, 'message');
		return messages;
	};
	await once(socket, 'open');
	const closed = once(socket, 'close');
	return { socket, told, served: served.promise, messages, closed, end: () => server.close() };
}

for (const [protocols, sent, names, back] of [
	[['v4.channel.k8s.io'], Buffer.from('\x00hello'), ['\x00\x50\x00', '\x01\x50\x00'], '\x00hello'],
	[['v4.base64.channel.k8s.io'], '0aGVsbG8=', ['0UAA=', '1UAA='], '0aGVsbG8='],
	[[], Buffer.from('\x00hello'), ['\x00\x50\x00', '\x01\x50\x00'], '\x00hello'],
] as const)
	test(`a port is named on both of its channels, then carries data: ${protocols[0] ?? 'no protocol'}`, async (t) => {
		const { socket, told, served, end } = await client(protocols, [80]);
		t.is(socket.protocol, protocols[0] ?? '');
		t.deepEqual(await told(2), names);
		socket.send(sent);
		t.is((await told(3))[2], back);
		socket.close();
		await served;
		end();
	});

test('a port that nobody listens on is told of, one that ends too, and after the last one the socket is closed', async (t) => {
	const { messages, closed, served, end } = await client(['v4.channel.k8s.io'], [81, 500]);
	t.is((await closed)[0], 1000);
	await served;
	const [first, second] = [0, 2].map((data) => messages.filter((m) => [data, data + 1].includes(m.charCodeAt(0))));
	t.deepEqual(first, ['\x00\x51\x00', '\x01\x51\x00', '\x00word']);
	t.deepEqual(second, ['\x02\xf4\x01', '\x03\xf4\x01', '\x03error forwarding port 500 to pod p, uid : connection refused']);
	end();
});
