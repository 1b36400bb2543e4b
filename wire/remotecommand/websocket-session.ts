/** Exec and attach over WebSocket (v4 and v5.channel.k8s.io): the first byte of each message is the channel. */
import { PassThrough, Writable } from 'node:stream';
import type { WebSocket } from 'ws';
import { endStatus, parseSize, type CommandSession, type CommandWants, type TerminalSize } from './session.ts';

const CHANNEL = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;
/** Paused above this much unread input. */
const HIGH_WATER_BYTES = 1024 * 1024;

export function webSocketSession(socket: WebSocket, wants: CommandWants): CommandSession {
	const stdin = wants.stdin ? new PassThrough({ highWaterMark: HIGH_WATER_BYTES }) : undefined;
	const closed = Promise.withResolvers<void>();
	let onResize: ((size: TerminalSize) => void) | undefined;
	let last: TerminalSize | undefined;
	socket.on('message', (data: Buffer, isBinary: boolean) => {
		const bytes = Buffer.isBuffer(data) ? data : Buffer.from(data);
		const channel = isBinary ? bytes[0] : Number(String.fromCharCode(bytes[0] ?? 0x30)); // text messages write the channel as a digit
		const body = bytes.subarray(1);
		switch (channel) {
			case CHANNEL.stdin:
				if (stdin !== undefined && body.length > 0 && !stdin.writableEnded && !stdin.write(body)) {
					socket.pause();
					stdin.once('drain', () => socket.resume());
				}
				return;
			case CHANNEL.resize: {
				const size = parseSize(body.toString());
				if (size === undefined) return;
				last = size;
				onResize?.(size);
				return;
			}
			case CHANNEL.close: // v5: the channel named in the next byte is half-closed
				if (body[0] === CHANNEL.stdin) stdin?.end();
				return;
			default:
		}
	});
	socket.on('error', () => {});
	socket.once('close', () => {
		stdin?.end();
		closed.resolve();
	});
	const output = (wanted: boolean, channel: number): Writable | undefined => (wanted ? channelWriter(socket, channel) : undefined);
	const stdout = output(wants.stdout, CHANNEL.stdout);
	const stderr = output(wants.stderr && !wants.tty, CHANNEL.stderr);
	// An empty message tells the client that the connection stands (as the kubelet does).
	socket.send(Buffer.from([wants.stdout ? CHANNEL.stdout : stderr === undefined ? CHANNEL.error : CHANNEL.stderr]));
	return {
		stdin,
		stdout,
		stderr,
		onResize(fn) {
			onResize = fn;
			if (last !== undefined) fn(last);
		},
		closed: closed.promise,
		async finish(end) {
			await Promise.all([stdout, stderr].map(ended));
			if (socket.readyState === socket.OPEN) {
				await send(socket, Buffer.concat([Buffer.from([CHANNEL.error]), Buffer.from(endStatus(end))])).catch(() => {});
				socket.close(1000);
			}
			await closed.promise;
		},
	};
}

function channelWriter(socket: WebSocket, channel: number): Writable {
	const prefix = Buffer.from([channel]);
	return new Writable({
		write(chunk: Buffer, _encoding, done) {
			send(socket, Buffer.concat([prefix, chunk])).then(() => done(), done);
		},
	}).on('error', () => {});
}

function send(socket: WebSocket, data: Buffer): Promise<void> {
	return new Promise((resolve, reject) =>
		socket.send(data, { binary: true }, (error) => (error === undefined || error === null ? resolve() : reject(error))),
	);
}

function ended(stream: Writable | undefined): Promise<void> {
	if (stream === undefined || stream.destroyed || stream.writableFinished) return Promise.resolve();
	return new Promise((resolve) => {
		stream.once('finish', resolve).once('close', resolve);
		if (!stream.writableEnded) stream.end();
	});
}
