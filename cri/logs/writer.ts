/** Writes one container's CRI log file. */
import type { FileHandle } from 'node:fs/promises';
import type { Clock } from '../../base/clock.ts';
import type { StreamName } from '../engine/demux.ts';
import { formatEntry, LineSplitter } from './format.ts';
import { openLog } from './log-path.ts';
import { Timestamps } from './timestamp.ts';

/** Above this many waiting bytes the source should pause. */
const HIGH_WATER_BYTES = 1024 * 1024;

export class LogWriter {
	readonly #path: string;
	readonly #root: string;
	readonly #times: Timestamps;
	readonly #splitters: Record<StreamName, LineSplitter> = { stdout: new LineSplitter(), stderr: new LineSplitter() };
	#file: FileHandle | undefined;
	#opening: Promise<FileHandle> | undefined;
	#waiting: Buffer[] = [];
	#waitingBytes = 0;
	#work: Promise<void> = Promise.resolve();
	#scheduled = false;
	#failed: unknown;

	constructor(path: string, root: string, clock: Clock) {
		this.#path = path;
		this.#root = root;
		this.#times = new Timestamps(clock);
	}

	/** Opens (and makes) the file, for appending. Open already is success. */
	async open(): Promise<void> {
		if (this.#file !== undefined) return;
		this.#opening ??= this.#openFile();
		try {
			this.#file = await this.#opening;
		} finally {
			this.#opening = undefined;
		}
	}

	#openFile(): Promise<FileHandle> {
		return openLog(this.#path, this.#root);
	}

	/** False asks the source to wait for `drained`. The time is that of receipt unless told. */
	write(stream: StreamName, data: Buffer, time: string = this.#times.now()): boolean {
		this.#splitters[stream].push(data, (line, full) => this.#add(formatEntry(time, stream, line, full)));
		return this.#waitingBytes < HIGH_WATER_BYTES;
	}

	/** Both streams have ended: writes what had no newline. */
	end(): void {
		const time = this.#times.now();
		for (const stream of ['stdout', 'stderr'] as const)
			this.#splitters[stream].end((line, full) => this.#add(formatEntry(time, stream, line, full)));
	}

	/** Forgets unfinished lines: they will be written again from their beginning. */
	dropUnfinished(): void {
		for (const splitter of Object.values(this.#splitters)) splitter.drop();
	}

	/** Resolves once everything so far is in the file. Throws what writing failed with (a full disk), once. */
	async drained(): Promise<void> {
		while (this.#scheduled || this.#waiting.length > 0) await this.#work;
		const failed = this.#failed;
		this.#failed = undefined;
		if (failed !== undefined) throw failed;
	}

	/** Goes on in a new file of the same path; what came before goes to the old one, which was renamed. */
	async reopen(): Promise<void> {
		await this.drained();
		const old = this.#file;
		this.#file = await this.#openFile();
		await old?.close();
	}

	async close(): Promise<void> {
		await this.#opening?.then((file) => (this.#file = file)).catch(() => {});
		await this.drained().catch(() => {});
		await this.#file?.close();
		this.#file = undefined;
	}

	#add(entry: Buffer): void {
		this.#waiting.push(entry);
		this.#waitingBytes += entry.length;
		if (this.#scheduled) return;
		this.#scheduled = true;
		this.#work = this.#work.then(() => this.#flush());
	}

	async #flush(): Promise<void> {
		try {
			while (this.#waiting.length > 0) {
				const batch = Buffer.concat(this.#waiting);
				this.#waiting = [];
				this.#waitingBytes = 0;
				await this.#file?.appendFile(batch);
			}
		} catch (error) {
			this.#failed = error;
			this.#waiting = [];
			this.#waitingBytes = 0;
		} finally {
			this.#scheduled = false;
		}
	}
}
