/** The client's side of exec and attach over a WebSocket: the first byte of each message is the channel. */
import { PassThrough } from 'node:stream';
import type { WebSocket } from 'ws';
import { CHANNEL, channelWriter, HIGH_WATER_BYTES, sendChannel } from './channels.ts';
import type { RemoteCommand } from './remote-command.ts';
import { LOST, parseEnd, type CommandEnd, type CommandWants } from './session.ts';

/** v5 brought the close signal. */
const HALF_CLOSE_VERSION = 5;

export function webSocketCommand(socket: WebSocket, wants: CommandWants, version: number): RemoteCommand {
	const output = (wanted: boolean): PassThrough | undefined => (wanted ? new PassThrough({ highWaterMark: HIGH_WATER_BYTES }) : undefined);
	const outputs = new Map([
		[CHANNEL.stdout as number, output(wants.stdout)],
		[CHANNEL.stderr as number, output(wants.stderr && !wants.tty)],
	]);
	const closed = Promise.withResolvers<void>();
	const ended = Promise.withResolvers<CommandEnd>();
	socket.on('message', (data: Buffer) => {
		const [channel = 0] = data;
		const body = data.subarray(1);
		if (channel === CHANNEL.error) return ended.resolve(parseEnd(body.toString(), version));
		const stream = outputs.get(channel);
		if (stream !== undefined && body.length > 0 && !stream.write(body)) {
			socket.pause();
			stream.once('drain', () => socket.resume());
		}
	});
	socket.once('close', () => {
		for (const stream of outputs.values()) stream?.end();
		ended.resolve(LOST); // unless it was told before
		closed.resolve();
	});
	socket.resume();
	return {
		stdin: wants.stdin ? channelWriter(socket, CHANNEL.stdin, version >= HALF_CLOSE_VERSION) : undefined,
		stdout: outputs.get(CHANNEL.stdout),
		stderr: outputs.get(CHANNEL.stderr),
		resize: ({ width, height }) =>
			void sendChannel(socket, CHANNEL.resize, Buffer.from(JSON.stringify({ Width: width, Height: height }))).catch(() => {}),
		ended: ended.promise,
		leave() {
			socket.close(1000);
			return closed.promise;
		},
		close: () => socket.terminate(),
	};
}
