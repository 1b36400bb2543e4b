/** A container's log as bytes: read from its file, followed by inotify until the container has ended. */
import { watch } from 'node:fs';
import { lstat, type FileHandle } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { openLog } from '../container/log-file.ts';
import { parseLogLine } from './log-format.ts';
import type { LogOptions } from './log-options.ts';
import { tailOffset } from './log-tail.ts';

const NEWLINE = 0x0a;
const BLOCK = 64 * 1024;
/** A look without a cause, for file systems that do not notify; upstream's figure. */
const RECHECK_MS = 1000;

export interface LogSource {
	readonly path: string;
	readonly clock: Clock;
	/** True while more may be written. */
	running(signal: AbortSignal): Promise<boolean>;
}

export async function* readLog(source: LogSource, options: LogOptions, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
	const wakes = new Wakes(source.path, source.clock, options.follow ? signal : undefined);
	let file = await openLog(source.path);
	try {
		let position = options.tailLines === undefined ? 0 : await tailOffset(file, options.tailLines);
		let rest = Buffer.alloc(0);
		let left = options.limitBytes ?? Number.POSITIVE_INFINITY;
		// What is written after its end was found is not of the tail.
		let linesLeft = options.follow ? Number.POSITIVE_INFINITY : (options.tailLines ?? Number.POSITIVE_INFINITY);
		let ending = false;
		while (!signal.aborted && linesLeft > 0) {
			const { buffer, bytesRead } = await file.read(Buffer.alloc(BLOCK), 0, BLOCK, position);
			if (bytesRead > 0) {
				position += bytesRead;
				const data = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
				const whole = data.lastIndexOf(NEWLINE) + 1;
				rest = data.subarray(whole);
				const { bytes, lines } = render(data.subarray(0, whole), options, linesLeft);
				linesLeft -= lines;
				const text = bytes.subarray(0, left);
				left -= text.length;
				if (text.length > 0) yield text;
				if (left <= 0) return;
				continue;
			}
			const rotated = await replacement(file, source.path);
			if (rotated !== undefined && (await file.stat()).size > position) {
				// The last lines before the rotation came in after the read.
				await rotated.close();
				continue;
			}
			if (rotated !== undefined) {
				await file.close();
				file = rotated;
				position = 0;
				continue;
			}
			if (!options.follow || ending) return;
			// The end is known before the last bytes are read: one more round after it.
			if (!(await source.running(signal))) ending = true;
			else await wakes.next(signal);
		}
	} finally {
		wakes.close();
		await file.close();
	}
}

/** Of whole lines, `most` of them; lines that are not asked for count, those that are none do not. */
function render(data: Buffer, options: LogOptions, most: number): { readonly bytes: Buffer; readonly lines: number } {
	const out: Uint8Array[] = [];
	let lines = 0;
	for (let from = 0; from < data.length && lines < most; ) {
		const end = data.indexOf(NEWLINE, from);
		const line = parseLogLine(data.subarray(from, end));
		from = end + 1;
		if (line === undefined) continue;
		lines++;
		if (options.stream !== undefined && line.stream !== options.stream) continue;
		if (options.since !== undefined && Date.parse(line.time) < options.since) continue;
		if (options.timestamps) out.push(Buffer.from(`${line.time} `));
		out.push(line.text);
		if (!line.partial) out.push(Buffer.from('\n'));
	}
	return { bytes: Buffer.concat(out), lines };
}

/** The file that has taken the place of the one being read, after rotation. */
async function replacement(file: FileHandle, path: string): Promise<FileHandle | undefined> {
	const [held, there] = await Promise.all([file.stat(), lstat(path).catch(() => undefined)]);
	return there === undefined || there.ino === held.ino ? undefined : openLog(path);
}

/** Notifications of the folder, kept while nobody waits. */
class Wakes {
	readonly #clock: Clock;
	readonly #close: () => void;
	#pending = false;
	#wake: (() => void) | undefined;

	constructor(path: string, clock: Clock, signal: AbortSignal | undefined) {
		this.#clock = clock;
		if (signal === undefined) {
			this.#close = () => {};
			return;
		}
		const watcher = watch(dirname(path), (_event, name) => {
			if (name !== null && name !== basename(path)) return;
			this.#pending = true;
			this.#wake?.();
		});
		watcher.on('error', () => {});
		this.#close = () => watcher.close();
	}

	async next(signal: AbortSignal): Promise<void> {
		if (!this.#pending) {
			const woken = new Promise<void>((resolve) => (this.#wake = resolve));
			using _timer = this.#clock.after(RECHECK_MS, () => this.#wake?.());
			const onAbort = (): void => this.#wake?.();
			signal.addEventListener('abort', onAbort, { once: true });
			await woken;
			signal.removeEventListener('abort', onAbort);
		}
		this.#wake = undefined;
		this.#pending = false;
	}

	close(): void {
		this.#close();
	}
}
