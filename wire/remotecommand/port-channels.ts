/**
 * Port-forward over the channels of a WebSocket, for clients that speak no SPDY: two a port, its data and its errors, and the first message of both is the port, 16 bits, little-endian.
 * Follows upstream's cri-streaming (portforward/websocket.go) and the messages of its wsstream.
 */
import { PassThrough, type Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { messageOf } from '../../base/errors.ts';
import { HIGH_WATER_BYTES, readChannel, sendChannel } from './channels.ts';
import type { Dial } from './port-forward.ts';

export interface ForwardedPorts {
	/** One connection each, from the start on. */
	readonly ports: readonly number[];
	/** What a message about an error says they are of. */
	readonly pod: string;
	/** Messages are text: the channel as a digit, and base64. */
	readonly isText: boolean;
}

const NOTHING = { channel: 0, body: Buffer.alloc(0) };

/** Serves until all connections or the client have ended; closes the socket. */
export async function servePortChannels(socket: WebSocket, { ports, pod, isText }: ForwardedPorts, dial: Dial): Promise<void> {
	const inputs = ports.map(() => new PassThrough({ highWaterMark: HIGH_WATER_BYTES }).on('error', () => {}));
	const closed = Promise.withResolvers<void>();
	const gone = closed.promise.then(() => inputs.forEach((input) => input.destroy()));
	socket.on('error', () => {});
	socket.once('close', () => closed.resolve());
	socket.on('message', (data: Buffer) => {
		const { channel, body } = readChannel(data, isText) ?? NOTHING;
		const input = channel % 2 === 0 ? inputs[channel / 2] : undefined;
		if (body.length === 0 || input?.writable !== true || input.write(body)) return;
		socket.pause();
		const resume = (): void => socket.resume();
		input.once('drain', resume).once('close', resume);
	});
	socket.resume();
	const send = (channel: number, body: Uint8Array): Promise<void> => sendChannel(socket, channel, body, isText);
	const forward = async (port: number, i: number, input: PassThrough): Promise<void> => {
		const named = new Uint8Array([port & 0xff, port >> 8]);
		for (const channel of [2 * i, 2 * i + 1]) await send(channel, named);
		try {
			await pass(await dial(port), input, (chunk) => send(2 * i, chunk));
		} catch (error) {
			await send(2 * i + 1, Buffer.from(`error forwarding port ${port} to pod ${pod}, uid : ${messageOf(error)}`));
		} finally {
			input.destroy();
		}
	};
	await Promise.allSettled(ports.map((port, i) => forward(port, i, inputs[i] as PassThrough)));
	socket.close(1000);
	await gone;
}

async function pass(target: Duplex, input: PassThrough, send: (chunk: Uint8Array) => Promise<void>): Promise<void> {
	input.once('close', () => target.destroy());
	if (input.destroyed) target.destroy();
	input.pipe(target);
	for await (const chunk of target) await send(chunk as Buffer);
}
