/** The channels of a remote command's WebSocket messages (apimachinery's remotecommand constants; 255 is v5's close signal). */
import { Writable } from 'node:stream';
import type { WebSocket } from 'ws';

export const CHANNEL = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;
/** Paused above this much that nobody has read. */
export const HIGH_WATER_BYTES = 1024 * 1024;

/** Resolves when the message has been handed to the network. */
export function sendChannel(socket: WebSocket, channel: number, body: Uint8Array): Promise<void> {
	const message = Buffer.allocUnsafe(1 + body.length);
	message[0] = channel;
	message.set(body, 1);
	return new Promise((resolve, reject) => socket.send(message, { binary: true }, (error) => (error ? reject(error) : resolve())));
}

/** Writes to one channel; with `closes`, its end is told by the close signal. */
export function channelWriter(socket: WebSocket, channel: number, closes: boolean): Writable {
	return new Writable({
		write(chunk: Buffer, _encoding, done) {
			sendChannel(socket, channel, chunk).then(() => done(), done);
		},
		final(done) {
			if (!closes) return done();
			sendChannel(socket, CHANNEL.close, Buffer.from([channel])).then(() => done(), done);
		},
	}).on('error', () => {});
}
