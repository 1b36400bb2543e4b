/** Writes audit events into a file, a line each, as upstream's log backend; rotated by size, old files kept by number and age. */
import type { Stats } from 'node:fs';
import { open, rename, stat, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { goJson } from '../../../api/go-json.ts';
import type { Clock } from '../../../base/clock.ts';
import { ignoreErrno, messageOf } from '../../../base/errors.ts';
import type { Log } from '../../../base/log.ts';
import { makeFolder } from '../../../base/make-folder.ts';
import type { BatchOptions } from './batches.ts';
import type { AuditEvent } from './event.ts';
import { legacyLine, type AuditFormat } from './legacy-format.ts';
import type { Losses } from './losses.ts';
import type { AuditMode, AuditSink } from './modes.ts';
import { oldName, tendOldLogs, type OldLogOptions } from './old-logs.ts';

/** The path "-" is standard out. */
export interface LogBackendOptions extends OldLogOptions {
	/** 0: never rotated. */
	readonly maxMegabytes: number;
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
	readonly #log: Log;
	#gathered: AuditEvent[] = [];
	/** Of the events that are gathered, and of those that are being written. */
	#next: PromiseWithResolvers<boolean> | undefined;
	#writing: Promise<void> = Promise.resolve();
	#tending: Promise<void> = Promise.resolve();
	#file: FileHandle | undefined;
	#size = 0;
	/** A device or a pipe is not moved away. */
	#isFile = true;

	constructor(options: FileOptions, clock: Clock, losses: Losses, log: Log) {
		this.#options = options;
		this.#clock = clock;
		this.#losses = losses;
		this.#log = log;
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
		await this.#tending;
	}

	/** One write for all that came while the last one was under way. */
	async #flush(): Promise<boolean> {
		const { path, format } = this.#options;
		const events = this.#gathered;
		this.#gathered = [];
		this.#next = undefined;
		try {
			const text = events.map((event) => `${format === 'legacy' ? legacyLine(event) : goJson(event)}\n`).join('');
			if (path === '-') process.stdout.write(text);
			else await this.#append(Buffer.from(text));
			return true;
		} catch (error) {
			this.#losses('log', events, messageOf(error));
			return false;
		}
	}

	async #append(bytes: Buffer): Promise<void> {
		const { maxMegabytes } = this.#options;
		const limit = maxMegabytes * 1024 * 1024;
		const before = limit > 0 && this.#isFile && this.#size > 0 && this.#size + bytes.length > limit ? await this.#moveAway() : undefined;
		this.#file ??= await this.#open(before);
		await this.#file.appendFile(bytes);
		this.#size += bytes.length;
	}

	/** @param before the file whose place it takes: whoever could read that one can read this one */
	async #open(before: Stats | undefined): Promise<FileHandle> {
		const { path, maxMegabytes } = this.#options;
		await makeFolder(dirname(path), 0o700);
		const file = await open(path, 'a', 0o600);
		if (before !== undefined) {
			await file.chmod(before.mode & 0o777);
			// Only root gives files away.
			await file.chown(before.uid, before.gid).catch(() => undefined);
		}
		const found = await file.stat();
		this.#size = found.size;
		this.#isFile = found.isFile();
		if (this.#isFile && maxMegabytes > 0) this.#tend();
		return file;
	}

	/** Undefined: somebody else has moved it. */
	async #moveAway(): Promise<Stats | undefined> {
		const { path } = this.#options;
		await this.#file?.close();
		this.#file = undefined;
		this.#size = 0;
		const before = await stat(path).catch(ignoreErrno('ENOENT'));
		if (before !== undefined) await rename(path, oldName(path, this.#clock.now()));
		return before;
	}

	/** Beside what is written: nobody waits for a file to be compressed. */
	#tend(): void {
		this.#tending = this.#tending
			.then(() => tendOldLogs(this.#options, this.#clock.now()))
			.catch((error: unknown) => this.#log.warn('cannot tend the old audit logs', { why: messageOf(error) }));
	}
}
