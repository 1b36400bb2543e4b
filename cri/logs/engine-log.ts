/** The engine's own copy of a container's log, read with time stamps: what bridges the time while no attach stream was open. */
import type { Engine } from '../engine/engine.ts';
import type { StreamName } from '../engine/demux.ts';

export interface EngineLogRequest {
	readonly id: string;
	readonly tty: boolean;
	/** Entries from this time on, RFC 3339. */
	readonly since: string | undefined;
	readonly follow: boolean;
	readonly signal: AbortSignal;
}

/** One entry of the engine: a line with its newline, or a piece of a long line without. */
export interface EnginePiece {
	readonly time: string;
	readonly stream: StreamName;
	readonly text: Buffer;
}

/** The engine cuts lines into pieces of this many bytes; each has its own time. */
const ENGINE_PIECE_BYTES = 16 * 1024;
const TIME_BYTES = '2026-01-01T00:00:00.000000000Z '.length;

/** Each of the engine's entries, as they come. */
export async function* readEngineLog(
	engine: Engine,
	{ id, tty, since, follow, signal }: EngineLogRequest,
): AsyncGenerator<EnginePiece, void, undefined> {
	const query = { stdout: true, stderr: true, timestamps: true, follow, since: since === undefined ? undefined : engineTime(since) };
	const response = await engine.stream({ method: 'GET', path: `/containers/${id}/logs`, query, signal });
	const cutter = tty ? new PlainCutter() : new FrameCutter();
	for await (const chunk of response as AsyncIterable<Buffer>) yield* cutter.push(chunk);
	yield* cutter.end();
}

/** Without a terminal each entry is a frame: stream, three zeros, length, "time text". */
export class FrameCutter {
	#rest: Buffer = Buffer.alloc(0);

	push(chunk: Buffer): readonly EnginePiece[] {
		let data = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
		const pieces: EnginePiece[] = [];
		for (;;) {
			const length = data.length < 8 ? Number.POSITIVE_INFINITY : 8 + data.readUInt32BE(4);
			if (data.length < length) break;
			pieces.push(pieceOf(data[0] === 2 ? 'stderr' : 'stdout', data.subarray(8, length)));
			data = data.subarray(length);
		}
		this.#rest = Buffer.from(data);
		return pieces;
	}

	/** A frame that was cut short is none. */
	end(): readonly EnginePiece[] {
		return [];
	}
}

/** With a terminal entries follow each other bare: one ends with its newline, or is as long as a piece can be. */
export class PlainCutter {
	#rest: Buffer = Buffer.alloc(0);

	push(chunk: Buffer): readonly EnginePiece[] {
		let data = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
		const pieces: EnginePiece[] = [];
		for (;;) {
			const newline = data.indexOf(10);
			const whole = newline >= 0 && newline < TIME_BYTES + ENGINE_PIECE_BYTES ? newline + 1 : TIME_BYTES + ENGINE_PIECE_BYTES;
			if (data.length < whole) break;
			pieces.push(pieceOf('stdout', data.subarray(0, whole)));
			data = data.subarray(whole);
		}
		this.#rest = Buffer.from(data);
		return pieces;
	}

	/** Output that ended without a newline. */
	end(): readonly EnginePiece[] {
		return this.#rest.length > TIME_BYTES ? [pieceOf('stdout', this.#rest)] : [];
	}
}

function pieceOf(stream: StreamName, entry: Buffer): EnginePiece {
	const space = entry.indexOf(32);
	return { stream, time: entry.subarray(0, space).toString('latin1'), text: entry.subarray(space + 1) };
}

/** The engine takes seconds with a fraction. */
function engineTime(time: string): string {
	const fraction = /\.(\d+)/.exec(time)?.[1] ?? '0';
	return `${Math.floor(Date.parse(time) / 1000)}.${fraction.padEnd(9, '0').slice(0, 9)}`;
}
