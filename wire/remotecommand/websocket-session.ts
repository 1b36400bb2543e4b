/** Exec and attach over WebSocket: each message begins with its channel, a byte or, where messages are text, a digit. */
import { PassThrough, type Duplex, type Writable } from 'node:stream';
import type { WebSocket } from 'ws';
import { CHANNEL, channelWriter, HIGH_WATER_BYTES, readChannel, sendChannel } from './channels.ts';
import { endText, type CommandSession, type CommandWants, type TerminalSize } from './session.ts';
import { sizeReader } from './terminal-sizes.ts';

/** v5 brought the close signal. */
const HALF_CLOSE_VERSION = 5;
const NORMAL_CLOSURE = 1000;

/** What the client and we agreed on. */
interface Spoken {
	readonly version: number;
	readonly isText: boolean;
}

/** @param below the WebSocket's own connection, which ends with our word and not with the client's (upstream's servers) */
export function webSocketSession(socket: WebSocket, wants: CommandWants, { version, isText }: Spoken, below: Duplex): CommandSession {
	const stdin = wants.stdin ? new PassThrough({ highWaterMark: HIGH_WATER_BYTES }) : undefined;
	stdin?.on('error', () => {});
	const closed = Promise.withResolvers<void>();
	let onResize: ((size: TerminalSize) => void) | undefined;
	let last: TerminalSize | undefined;
	const readSizes = sizeReader((size) => {
		last = size;
		onResize?.(size);
	});
	const hangUp = (): void => {
		socket.close(NORMAL_CLOSURE);
		below.end();
	};
	socket.on('message', (data: Buffer) => {
		const read = readChannel(data, isText);
		if (read === undefined) return;
		const { channel, body } = read;
		switch (channel) {
			case CHANNEL.stdin:
				if (stdin !== undefined && body.length > 0 && stdin.writable && !stdin.write(body)) {
					socket.pause();
					stdin.once('drain', () => socket.resume());
				}
				return;
			case CHANNEL.resize:
				return readSizes(body.toString());
			case CHANNEL.close: // the channel named in the next byte is half-closed
				if (version < HALF_CLOSE_VERSION) return;
				if (body.length !== 1 || (body[0] ?? 0) > CHANNEL.resize) return hangUp();
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
	socket.resume();
	const output = (wanted: boolean, channel: number): Writable | undefined =>
		wanted ? channelWriter(socket, channel, false, isText) : undefined;
	const stdout = output(wants.stdout, CHANNEL.stdout);
	const stderr = output(wants.stderr && !wants.tty, CHANNEL.stderr);
	// An empty message tells the client that the connection stands (as the kubelet does).
	const first = wants.stdout ? CHANNEL.stdout : stderr === undefined ? CHANNEL.error : CHANNEL.stderr;
	sendChannel(socket, first, new Uint8Array(), isText).catch(() => {});
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
				const text = endText(end, version);
				if (text !== '') await sendChannel(socket, CHANNEL.error, Buffer.from(text), isText).catch(() => {});
				// Input that nobody will read must not hold back the client's answer to the close.
				stdin?.destroy();
				socket.resume();
				hangUp();
			}
			await closed.promise;
		},
	};
}

function ended(stream: Writable | undefined): Promise<void> {
	if (stream === undefined || stream.destroyed || stream.writableFinished) return Promise.resolve();
	return new Promise((resolve) => {
		stream.once('finish', resolve).once('close', resolve);
		if (!stream.writableEnded) stream.end();
	});
}
