/**
 * What was acknowledged and is not in the folders for good yet: a file of fixed length beside them, written through again and again. A write to blocks that
 * the disk has already takes one sync and none of the file system's own journal, and calls that come meanwhile share the next one. What stands there is
 * done again after a power failure; a while after the first entry the folders are synced, and the file begins anew.
 *
 * The first line is `kubeling-records VERSION EPOCH`; each entry is a line `EPOCH CHECKSUM JSON`. Entries end at the first line that is none of this epoch:
 * what lies behind was of another one, or never synced.
 */
import { closeSync, constants, openSync, statSync, write } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { delayMs } from '../../base/backoff.ts';
import type { Clock } from '../../base/clock.ts';
import { AppError, messageOf } from '../../base/errors.ts';
import { readIfExists, syncPath } from '../../base/files.ts';
import type { Log } from '../../base/log.ts';
import { Batches } from './batches.ts';

const NAME = 'kubeling-records';
const VERSION = 1;
/** Some four hundred entries. */
const FILE_BYTES = 256 * 1024;
/** What is made, used and removed within this is never synced at all. */
const SETTLE = { initialMs: 5000, maxMs: 60_000 };

const writeTo = promisify(write);

export interface Entry<R> {
	readonly id: string;
	/** What it is from now on; undefined where it is removed. */
	readonly record?: R | undefined;
	/** It was made, with data that can be made again, for nobody has used it. */
	readonly made?: boolean;
}

/** Ids whose folders are not synced, and whether their data is not either. */
export type Unsettled = ReadonlyMap<string, { readonly made: boolean }>;

/** What becomes of an id by all its entries. */
export interface Outcome<R> {
	readonly removed: boolean;
	/** The last one. */
	readonly record: R | undefined;
	readonly made: boolean;
}

export interface JournalDeps {
	readonly clock: Clock;
	readonly log: Log;
}

interface Appended<R> {
	readonly entry: Entry<R>;
	readonly apply: () => void;
	failure?: { readonly error: unknown };
}

export class RecordJournal<R> {
	readonly #path: string;
	readonly #clock: Clock;
	readonly #log: Log;
	readonly #sync: (unsettled: Unsettled) => Promise<void>;
	readonly #settling = new Batches<string>((ids) => this.#settle(ids));
	/** `undefined`: begin anew. */
	readonly #work = new Batches<Appended<R> | undefined>((batch) => this.#do(batch));
	/** Undefined before the first entry, and where what the file holds is not known: it begins anew first. */
	#open: { readonly epoch: string; at: number } | undefined;
	/** Of the entries of this epoch. */
	readonly #ids = new Set<string>();
	/** Of them; each entry of an id is another value. */
	readonly #unsettled = new Map<string, { readonly made: boolean }>();
	#timer: Disposable | undefined;
	/** Of emptying, one after the other. */
	#failures = 0;
	/** Whether the log has it that emptying fails. */
	#told = false;
	#closed = false;

	/** `syncFolders` makes what the folders say of these ids durable. */
	constructor(path: string, { clock, log }: JournalDeps, syncFolders: (unsettled: Unsettled) => Promise<void>) {
		this.#path = path;
		this.#clock = clock;
		this.#log = log;
		this.#sync = syncFolders;
	}

	/** What a crash left. Throws where the file is of another program. */
	async read(): Promise<ReadonlyMap<string, Outcome<R>>> {
		const outcomes = new Map<string, Outcome<R>>();
		for (const entry of entriesOf<R>(this.#path, (await readIfExists(this.#path)) ?? '')) {
			const before = outcomes.get(entry.id);
			const made = entry.made === true || before?.made === true;
			outcomes.set(entry.id, { removed: entry.record === undefined, record: entry.record ?? before?.record, made });
			this.#note(entry);
		}
		return outcomes;
	}

	has(id: string): boolean {
		return this.#ids.has(id);
	}

	/** What the entries say of the id is in its folder for good. */
	async settle(id: string): Promise<void> {
		if (this.#unsettled.has(id)) await this.#settling.add(id);
	}

	/**
	 * Resolves once the entry is durable and `apply` has done to the folders what it says, before anything else happens to them. A failure of either is thrown,
	 * and what the folders say holds.
	 */
	async append(entry: Entry<R>, apply: () => void): Promise<void> {
		const appended: Appended<R> = { entry, apply };
		await this.#work.add(appended);
		if (appended.failure !== undefined) throw appended.failure.error;
	}

	/** Syncs what the entries say, and begins anew. */
	async empty(): Promise<void> {
		try {
			await this.#settle([...this.#unsettled.keys()]); // most of it while entries are written on
			await this.#work.add(undefined);
			this.#failures = 0;
			this.#told = false;
		} catch (error) {
			this.#failures++;
			this.#emptyLater();
			throw error;
		}
	}

	async close(): Promise<void> {
		this.#closed = true;
		try {
			if (this.#ids.size > 0) await this.empty();
		} finally {
			this.#release();
		}
	}

	async #do(batch: readonly (Appended<R> | undefined)[]): Promise<void> {
		const appended = batch.filter((item) => item !== undefined);
		const entries = appended.map(({ entry }) => JSON.stringify(entry));
		const bytes = entries.reduce((sum, text) => sum + LINE_BYTES + Buffer.byteLength(text), 0);
		if (appended.length < batch.length || this.#open === undefined || this.#open.at + bytes > FILE_BYTES) await this.#begin();
		const open = this.#open;
		if (open === undefined || appended.length === 0) return;
		try {
			const lines = Buffer.from(entries.map((text) => `${open.epoch} ${checksum(text)} ${text}\n`).join(''));
			await this.#write(lines, open.at);
			open.at += lines.length;
		} catch (error) {
			this.#doubt();
			throw error;
		}
		for (const item of appended) {
			this.#note(item.entry);
			try {
				item.apply();
			} catch (error) {
				item.failure = { error };
			}
		}
		if (appended.some(({ failure }) => failure !== undefined)) return this.#doubt();
		this.#emptyLater();
	}

	/** After a while, and again until it is done: no other entry may come. Nobody waits for it, and nothing is lost: the journal has it. */
	#emptyLater(): void {
		if (this.#closed) return;
		this.#timer ??= this.#clock.after(delayMs(SETTLE, this.#failures, 0), () => {
			this.#timer = undefined;
			this.empty().catch((error: unknown) => {
				if (this.#told) return;
				this.#told = true;
				this.#log.warn('records stay in the journal: their folders cannot be synced', { journal: this.#path, error: messageOf(error) });
			});
		});
	}

	/** All entries are in the folders for good before they go. */
	async #begin(): Promise<void> {
		await this.#sync(this.#unsettled);
		this.#open = undefined;
		const epoch = this.#clock.uuid();
		const head = Buffer.from(`${NAME} ${VERSION} ${epoch}\n`);
		const size = statSync(this.#path, { throwIfNoEntry: false })?.size;
		if (size !== undefined && size >= FILE_BYTES) await this.#write(head, 0);
		else {
			await this.#write(Buffer.concat([head], FILE_BYTES), 0);
			await syncPath(dirname(this.#path));
		}
		this.#open = { epoch, at: head.length };
		this.#ids.clear();
		this.#unsettled.clear();
	}

	async #write(bytes: Buffer, at: number): Promise<void> {
		const fd = openSync(this.#path, constants.O_WRONLY | constants.O_CREAT | constants.O_DSYNC, 0o600); // as fdatasync after each write
		try {
			for (let done = 0; done < bytes.length; ) done += (await writeTo(fd, bytes, done, bytes.length - done, at + done)).bytesWritten;
		} finally {
			closeSync(fd);
		}
	}

	async #settle(ids: readonly string[]): Promise<void> {
		const seen = new Map<string, { readonly made: boolean }>();
		for (const id of ids) {
			const value = this.#unsettled.get(id);
			if (value !== undefined) seen.set(id, value);
		}
		await this.#sync(seen);
		for (const [id, value] of seen) if (this.#unsettled.get(id) === value) this.#unsettled.delete(id);
	}

	#note({ id, made = false }: Entry<R>): void {
		this.#ids.add(id);
		this.#unsettled.set(id, { made: made || this.#unsettled.get(id)?.made === true });
	}

	/** Whether entries are there, or done, is not known: none of them must be done again. */
	#doubt(): void {
		this.#release();
		this.empty().catch(() => {}); // or the next entry begins anew, or the next try does
	}

	#release(): void {
		this.#timer?.[Symbol.dispose]();
		this.#timer = undefined;
		this.#open = undefined;
	}
}

/** Epoch, checksum, two spaces and the line's end. */
const LINE_BYTES = 36 + 8 + 3;

function checksum(text: string): string {
	return crc32(text).toString(16).padStart(8, '0');
}

function* entriesOf<R>(path: string, text: string): Generator<Entry<R>> {
	const lines = text.split('\n');
	const [head = ''] = lines;
	if (head.replaceAll('\0', '') === '') return; // made, and never begun
	const [name, version, epoch = ''] = head.split(' ');
	if (name !== NAME) throw new AppError('DataLoss', `The file "${path}" is no journal of records. Restore it from a copy.`);
	if (version !== String(VERSION))
		throw new AppError(
			'FailedPrecondition',
			`The journal "${path}" has version ${version}; this program knows version ${VERSION}. Use the program that wrote it.`,
		);
	for (const line of lines.slice(1)) {
		const json = line.slice(LINE_BYTES - 1);
		if (line.slice(0, LINE_BYTES - 1) !== `${epoch} ${checksum(json)} `) return;
		yield JSON.parse(json) as Entry<R>;
	}
}
