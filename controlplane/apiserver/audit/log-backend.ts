/** Writes audit events into a file, a line each, as upstream's log backend; rotated by size, old files kept by number and age. */
import { createGzip } from 'node:zlib';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, type FileHandle } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '../../../base/clock.ts';
import { messageOf } from '../../../base/errors.ts';
import type { BatchOptions } from './batches.ts';
import type { AuditEvent } from './event.ts';
import { legacyLine, type AuditFormat } from './legacy-format.ts';
import type { Losses } from './losses.ts';
import type { AuditMode, AuditSink } from './modes.ts';

export interface LogBackendOptions {
	/** "-": standard out. */
	readonly path: string;
	/** Days; 0: whatever their age. */
	readonly maxAgeDays: number;
	/** Old files; 0: all of them. */
	readonly maxBackups: number;
	/** 0: never rotated. */
	readonly maxMegabytes: number;
	readonly compress: boolean;
	readonly format: AuditFormat;
	readonly mode: AuditMode;
	readonly batch: BatchOptions;
}

type FileOptions = Omit<LogBackendOptions, 'mode' | 'batch'>;

export class LogBackend implements AuditSink {
	readonly name = 'log';
	readonly #options: FileOptions;
	readonly #clock: Clock;
	readonly #losses: Losses;
	#gathered: AuditEvent[] = [];
	/** Of the events that are gathered, and of those that are being written. */
	#next: PromiseWithResolvers<boolean> | undefined;
	#writing: Promise<void> = Promise.resolve();
	#file: FileHandle | undefined;
	#size = 0;
	/** A device or a pipe is not moved away. */
	#isFile = true;

	constructor(options: FileOptions, clock: Clock, losses: Losses) {
		this.#options = options;
		this.#clock = clock;
		this.#losses = losses;
	}

	send(events: readonly AuditEvent[]): Promise<boolean> {
		this.#gathered.push(...events);
		if (this.#next === undefined) {
			const next = Promise.withResolvers<boolean>();
			this.#next = next;
			this.#writing = this.#writing.then(async () => next.resolve(await this.#flush()));
		}
		return this.#next.promise;
	}

	async close(sent: Promise<unknown> = Promise.resolve()): Promise<void> {
		await sent;
		await this.#writing;
		await this.#file?.close();
		this.#file = undefined;
	}

	/** One write for all that came while the last one was under way. */
	async #flush(): Promise<boolean> {
		const { path, format } = this.#options;
		const events = this.#gathered;
		this.#gathered = [];
		this.#next = undefined;
		try {
			const text = events.map((event) => `${format === 'legacy' ? legacyLine(event) : JSON.stringify(event)}\n`).join('');
			if (path === '-') process.stdout.write(text);
			else await this.#append(Buffer.from(text));
			return true;
		} catch (error) {
			this.#losses('log', events, messageOf(error));
			return false;
		}
	}

	async #append(bytes: Buffer): Promise<void> {
		const { path, maxMegabytes } = this.#options;
		const limit = maxMegabytes * 1024 * 1024;
		if (limit > 0 && this.#isFile && this.#size > 0 && this.#size + bytes.length > limit) await this.#rotate();
		if (this.#file === undefined) {
			await mkdir(dirname(path), { recursive: true, mode: 0o700 });
			this.#file = await open(path, 'a', 0o600);
			const found = await this.#file.stat();
			this.#size = found.size;
			this.#isFile = found.isFile();
		}
		await this.#file.appendFile(bytes);
		this.#size += bytes.length;
	}

	async #rotate(): Promise<void> {
		const { path, compress } = this.#options;
		await this.#file?.close();
		this.#file = undefined;
		this.#size = 0;
		const extension = extname(path);
		const time = new Date(this.#clock.now()).toISOString().replaceAll(':', '-').replace('Z', '');
		const old = join(dirname(path), `${basename(path, extension)}-${time}${extension}`);
		await rename(path, old);
		if (compress) {
			await pipeline(createReadStream(old), createGzip(), createWriteStream(`${old}.gz`, { mode: 0o600 }));
			await rm(old);
		}
		await this.#prune();
	}

	/** Old files carry the time of their end in their names, so that names sort by age. */
	async #prune(): Promise<void> {
		const { path, maxAgeDays, maxBackups } = this.#options;
		const extension = extname(path);
		const prefix = `${basename(path, extension)}-`;
		const files = (await readdir(dirname(path))).filter(
			(name) => name.startsWith(prefix) && /^\d{4}-\d\d-\d\dT/.test(name.slice(prefix.length)),
		);
		const oldest = this.#clock.now() - maxAgeDays * 86_400_000;
		for (const [age, name] of files.toSorted().toReversed().entries()) {
			const [, day = '', h = '', m = '', s = ''] = /^(\S+)T(\d\d)-(\d\d)-(\d\d)/.exec(name.slice(prefix.length)) ?? [];
			const tooOld = maxAgeDays > 0 && Date.parse(`${day}T${h}:${m}:${s}Z`) < oldest;
			if (tooOld || (maxBackups > 0 && age >= maxBackups)) await rm(join(dirname(path), name), { force: true });
		}
	}
}
