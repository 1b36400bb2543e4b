/** The channels of a remote command's WebSocket messages (apimachinery's remotecommand constants; 255 is v5's close signal). */
import { Writable } from 'node:stream';
import type { WebSocket } from 'ws';
import { isBase64 } from '../../base/base64.ts';

export const CHANNEL = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;
/** Paused above this much that nobody has read. */
export const HIGH_WATER_BYTES = 1024 * 1024;

/** "0", the digit of the first channel in a text message. */
const ZERO = 0x30;

/**
 * Resolves when the message has been handed to the network.
 * @param isText the channel as a digit, and base64
 */
export function sendChannel(socket: WebSocket, channel: number, body: Uint8Array, isText = false): Promise<void> {
	return new Promise((resolve, reject) => {
		const message = isText ? `${channel}${Buffer.from(body).toString('base64')}` : binaryMessage(channel, body);
		socket.send(message, { binary: !isText }, (error) => (error ? reject(error) : resolve()));
	});
}

/** The inverse; undefined for what says nothing: no channel, or no base64. */
export function readChannel(message: Buffer, isText: boolean): { readonly channel: number; readonly body: Buffer } | undefined {
	const first = message[0];
	if (first === undefined) return undefined;
	if (!isText) return { channel: first, body: message.subarray(1) };
	const text = message.toString('latin1', 1).replaceAll(/[\r\n]/g, '');
	return isBase64(text) ? { channel: (first - ZERO) & 0xff, body: Buffer.from(text, 'base64') } : undefined;
}

function binaryMessage(channel: number, body: Uint8Array): Buffer {
	const message = Buffer.allocUnsafe(1 + body.length);
	message[0] = channel;
	message.set(body, 1);
	return message;
}

/** Writes to one channel; with `closes`, its end is told by the close signal. */
export function channelWriter(socket: WebSocket, channel: number, closes: boolean, isText = false): Writable {
	return new Writable({
		write(chunk: Buffer, _encoding, done) {
			sendChannel(socket, channel, chunk, isText).then(() => done(), done);
		},
		final(done) {
			if (!closes) return done();
			sendChannel(socket, CHANNEL.close, Buffer.from([channel])).then(() => done(), done);
		},
	}).on('error', () => {});
}
