/** The engine's own copy of a container's log, read with time stamps: what bridges the time while no shim was attached. */
import type { Engine } from '../engine/engine.ts';
import { Demultiplexer, type StreamName } from '../engine/demux.ts';

export interface EngineLogRequest {
	readonly id: string;
	readonly tty: boolean;
	/** Entries from this time on, RFC 3339. */
	readonly since: string | undefined;
	readonly follow: boolean;
	readonly signal: AbortSignal;
}

/** Calls `onPiece` with each of the engine's entries: time, stream, text with its newline (none for a piece of a long line). */
export async function readEngineLog(
	engine: Engine,
	{ id, tty, since, follow, signal }: EngineLogRequest,
	onPiece: (time: string, stream: StreamName, text: Buffer) => void | Promise<void>,
): Promise<void> {
	const query = { stdout: true, stderr: true, timestamps: true, follow, since: since === undefined ? undefined : engineTime(since) };
	const response = await engine.stream({ method: 'GET', path: `/containers/${id}/logs`, query, signal });
	const pieces: [string, StreamName, Buffer][] = [];
	const lines: Record<StreamName, Buffer> = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
	const take = (stream: StreamName, data: Buffer): void => {
		let rest = lines[stream].length === 0 ? data : Buffer.concat([lines[stream], data]);
		for (let newline = rest.indexOf(10); newline >= 0; newline = rest.indexOf(10)) {
			pieces.push(cut(stream, rest.subarray(0, newline + 1)));
			rest = rest.subarray(newline + 1);
		}
		lines[stream] = Buffer.from(rest);
	};
	const demultiplexer = new Demultiplexer(take);
	for await (const chunk of response as AsyncIterable<Buffer>) {
		if (tty) take('stdout', chunk);
		else demultiplexer.write(chunk);
		for (const piece of pieces.splice(0)) await onPiece(...piece);
	}
	for (const stream of ['stdout', 'stderr'] as const) if (lines[stream].length > 0) await onPiece(...cut(stream, lines[stream]));
}

function cut(stream: StreamName, line: Buffer): [string, StreamName, Buffer] {
	const space = line.indexOf(32);
	return [line.subarray(0, space).toString('latin1'), stream, line.subarray(space + 1)];
}

/** The engine takes seconds with a fraction. */
function engineTime(time: string): string {
	const fraction = /\.(\d+)/.exec(time)?.[1] ?? '0';
	return `${Math.floor(Date.parse(time) / 1000)}.${fraction.padEnd(9, '0').slice(0, 9)}`;
}
