/** The client's side of exec and attach over SPDY/3.1: opens a stream for each of error, stdin, stdout, stderr and resize. */
import type { Duplex } from 'node:stream';
import type { Clock } from '../../base/clock.ts';
import { SpdyConnection, type SpdyStream } from '../spdy/connection.ts';
import type { RemoteCommand } from './remote-command.ts';
import { LOST, parseEnd, STATUS_VERSION, streamNames, type CommandWants } from './session.ts';

/** How often to say that somebody is there, for what stands between. */
export interface Pings {
	readonly clock: Clock;
	readonly pingMs: number;
}

export async function spdyCommand(
	socket: Duplex,
	head: Uint8Array,
	wants: CommandWants,
	version: number,
	pings?: Pings,
): Promise<RemoteCommand> {
	const connection = new SpdyConnection(socket, head, { side: 'client' });
	if (pings !== undefined) keepPinging(connection, pings);
	const streams = new Map<string, SpdyStream>();
	for (const streamtype of streamNames(wants, version)) streams.set(streamtype, await connection.open({ streamtype }));
	const error = streams.get('error') as SpdyStream;
	error.end();
	for (const name of ['stdout', 'stderr']) streams.get(name)?.end(); // only read
	const resize = streams.get('resize');
	resize?.resume();
	streams.get('stdin')?.resume();
	return {
		stdin: streams.get('stdin'),
		stdout: streams.get('stdout'),
		stderr: streams.get('stderr'),
		resize: ({ width, height }) => void resize?.write(JSON.stringify({ Width: width, Height: height })),
		ended: statusOf(error).then((status) => (status === undefined && version >= STATUS_VERSION ? LOST : parseEnd(status ?? '', version))),
		async leave() {
			await connection.finish();
			await connection.closed;
		},
		close: () => connection.close(),
	};
}

function keepPinging(connection: SpdyConnection, { clock, pingMs }: Pings): void {
	const ping = (): void => {
		connection.ping();
		timer = clock.after(pingMs, ping);
	};
	let timer = clock.after(pingMs, ping);
	connection.closed.then(
		() => timer[Symbol.dispose](),
		() => {},
	);
}

/** Undefined when the stream broke before anything came: upstream's servers break it right after the status instead of ending it. */
function statusOf(error: SpdyStream): Promise<string | undefined> {
	let text = '';
	error.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
	return new Promise((resolve) => {
		error.once('end', () => resolve(text));
		error.once('error', () => {});
		error.once('close', () => resolve(text === '' ? undefined : text));
	});
}
