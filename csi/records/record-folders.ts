/**
 * Records in folders: `ID/record.json` and the data beside it. A folder is filled under a name of its own and renamed once it is whole, and renamed
 * again before it is removed: whatever a crash interrupts is either there or not, and what lies under another name is swept at the next start. What is
 * quick to do again is acknowledged by an entry of the journal, and synced later (record-journal.ts).
 * The process that creates and removes is the only one that does; others read single records from the files.
 */
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join, normalize } from 'node:path';
import { AppError, ignoreErrno, messageOf } from '../../base/errors.ts';
import { readState, stateText, syncPath } from '../../base/files.ts';
import { fullOr } from '../pool/space.ts';
import { RecordJournal, type JournalDeps, type Outcome, type Unsettled } from './record-journal.ts';

const VERSION = 1;
const RECORD = 'record.json';
/** Beside it, before it takes its place; the second while the first may wait for the journal. */
const NEXT = '.record.json.new';
const LATE = '.record.json.late';
const NEW = '.new-';
const GONE = '.gone-';

/** Told of each step of the work once it is done. */
export interface Moments<What extends string> {
	readonly step: (what: What) => Promise<void>;
}
export type Making = Moments<'folder made' | 'record written' | 'data made' | 'committed'>;
export type Removing = Moments<'taken out' | 'data removed'>;

/** Removes a folder's data before the folder goes. */
export type Discard<R> = (dir: string, record: Partial<R> | undefined) => Promise<void>;

/** What a folder is filled with. */
export interface Fill {
	readonly fill: (dir: string) => Promise<void>;
	/** `remake` makes the same again: it is not waited for until it is on the disk. */
	readonly again?: boolean;
}

interface Deps<R> extends JournalDeps {
	/** Fills a folder as it was when it was made, where a power failure took it before anybody used it. */
	readonly remake: (dir: string, record: R) => Promise<void>;
}

/** A folder that cannot be used, and why. */
export interface Unusable {
	readonly dir: string;
	readonly reason: string;
}

export class RecordFolders<R extends { readonly id: string }> {
	readonly #root: string;
	readonly #discard: Discard<R>;
	readonly #remake: Deps<R>['remake'];
	readonly #journal: RecordJournal<R>;
	readonly #records = new Map<string, R>();
	/** Of the journal, what could not be done again yet: it is known as if it were. */
	#undone: Map<string, Outcome<R>> = new Map();
	#redoing: Promise<void> | undefined;
	/** Newer than their files. */
	readonly #unwritten = new Map<string, R>();
	#sorted: readonly R[] | undefined;
	#loaded = false;

	/** Its journal lies beside it. */
	constructor(root: string, discard: Discard<R>, { remake, ...deps }: Deps<R>) {
		this.#root = normalize(root);
		this.#discard = discard;
		this.#remake = remake;
		this.#journal = new RecordJournal(`${root}.journal`, deps, (unsettled) => this.#sync(unsettled));
	}

	/**
	 * Reads all and removes what never was acknowledged or is acknowledged to be gone; answers what it had to leave. No crash leaves a folder without a
	 * record under the name of one: what is in it may be somebody's data. For the one process that writes.
	 */
	async load(): Promise<readonly Unusable[]> {
		await mkdir(this.#root, { recursive: true, mode: 0o700 });
		const left: Unusable[] = [...(await this.#redo())];
		for (const name of (await readdir(this.#root)).toSorted()) {
			const dir = join(this.#root, name);
			if (name.startsWith('.')) await this.#sweep(dir).catch((error: unknown) => left.push({ dir, reason: messageOf(error) }));
			else {
				const record = await this.#readFile(name);
				if (record === undefined) left.push({ dir, reason: 'It has no record' });
				else this.#records.set(record.id, record);
			}
		}
		for (const [id, { record, removed }] of this.#undone)
			if (removed) this.#records.delete(id);
			else if (record !== undefined) this.#records.set(id, record);
		this.#sorted = undefined;
		this.#loaded = true;
		return left;
	}

	dir(id: string): string {
		return `${this.#root}/${id}`;
	}

	/** As this process knows it. */
	get(id: string): R | undefined {
		return this.#records.get(id);
	}

	/** As it is: for the process that writes what it knows, for others what the file has. The id must be one that was checked. */
	async read(id: string): Promise<R | undefined> {
		return this.#loaded ? this.#records.get(id) : this.#readFile(id);
	}

	async #readFile(id: string): Promise<R | undefined> {
		return (await readState<R>(join(this.dir(id), RECORD), VERSION)) as R | undefined;
	}

	/** By id. */
	all(): readonly R[] {
		return (this.#sorted ??= [...this.#records.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1)));
	}

	/** Makes the folder with what `fill` puts into it. A failure leaves nothing. */
	async create(record: R, { fill, again = false }: Fill, moments: Making): Promise<void> {
		const { id } = record;
		const unfinished = join(this.#root, `${NEW}${id}`);
		if (this.#journal.has(id)) await this.#journal.empty(); // it tells of another one of this id
		if (existsSync(this.dir(id)) && (await readdir(this.dir(id))).length > 0)
			throw new AppError('FailedPrecondition', `The folder "${this.dir(id)}" is there already: what is in it may be somebody's data`);
		try {
			await this.#makeFresh(unfinished);
			await moments.step('folder made');
			writeFileSync(join(unfinished, RECORD), stateText(VERSION, record), { flag: 'wx', mode: 0o600 }); // before the data, for it says how that is to be removed
			await moments.step('record written');
			await fill(unfinished);
			await moments.step('data made');
			if (again) await this.#journal.append({ id, record, made: true }, () => renameSync(unfinished, this.dir(id)));
			else {
				await syncAll(unfinished, await readdir(unfinished)); // a journal that is written for one is written for all
				await rename(unfinished, this.dir(id));
				await syncPath(this.#root);
			}
		} catch (error) {
			await this.#sweep(unfinished).catch(() => {});
			throw fullOr(error);
		}
		this.#set(record);
		await moments.step('committed');
	}

	async update(record: R): Promise<void> {
		const { id } = record;
		try {
			if (this.#undone.size > 0) await this.#journal.empty(); // before anything is where its folder is to be
			const next = this.#writeNext(record);
			await this.#journal.append({ id, record }, () => {
				renameSync(next, join(this.dir(id), RECORD));
				this.#unwritten.delete(id);
			});
		} catch (error) {
			await rm(join(this.dir(id), NEXT), { force: true });
			throw fullOr(error);
		}
		this.#set(record);
	}

	/** The same for what only this process reads of it: other processes find it in the file some seconds later. */
	async updateForSelf(record: R): Promise<void> {
		await this.#journal
			.append({ id: record.id, record }, () => this.#unwritten.set(record.id, record))
			.catch((error: unknown) => {
				throw fullOr(error);
			});
		this.#set(record);
	}

	/** All of it is on the disk: before anybody writes to what may be made again. */
	async settle(id: string): Promise<void> {
		if (this.#loaded) await this.#journal.settle(id);
		else await this.#sync(new Map([[id, { made: true }]])); // the journal is another process's
	}

	/** Nothing is left to be done again. */
	async close(): Promise<void> {
		await this.#journal.close();
	}

	/** Not there is success. Once renamed it is gone for good; what a failure or a crash leaves of it is swept by the next call, or the next start. */
	async remove(id: string, moments: Removing): Promise<void> {
		const leaving = join(this.#root, `${GONE}${id}`);
		await this.#sweep(leaving);
		if (!this.#records.has(id)) return;
		await this.#takeOut(id, leaving);
		this.#records.delete(id);
		this.#sorted = undefined;
		await moments.step('taken out');
		await this.#sweep(leaving);
		await moments.step('data removed');
	}

	async #takeOut(id: string, leaving: string): Promise<void> {
		try {
			await this.#journal.append({ id }, () => {
				renameSync(this.dir(id), leaving);
				this.#unwritten.delete(id);
			});
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code !== 'ENOSPC' || this.#journal.has(id)) throw error;
			await rename(this.dir(id), leaving); // room is made on a full disk, which has none for a journal
			await syncPath(this.#root);
		}
	}

	/** Small changes of folders are made in the kernel's memory: handing them to other threads takes longer. */
	async #makeFresh(dir: string): Promise<void> {
		try {
			mkdirSync(dir, { mode: 0o700 });
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
			await this.#sweep(dir); // of an attempt that failed to clean up
			mkdirSync(dir, { mode: 0o700 });
		}
	}

	/** What was acknowledged is made so again. What cannot be, as on a full disk, is tried again before anything else is acknowledged. */
	async #redo(): Promise<readonly Unusable[]> {
		this.#undone = new Map(await this.#journal.read());
		if (this.#undone.size === 0) return [];
		const failure = await this.#journal.empty().catch(messageOf);
		return [...this.#undone.keys()].map((id) => ({ dir: this.dir(id), reason: failure ?? '' }));
	}

	/** One that cannot be keeps no other: removals make room. Throws the first failure. */
	async #redoAll(): Promise<void> {
		const failures: unknown[] = [];
		for (const [id, outcome] of this.#undone)
			await this.#redoOne(id, outcome).then(
				() => this.#undone.delete(id),
				(error: unknown) => failures.push(error),
			);
		if (failures.length > 0) throw failures[0];
	}

	async #redoOne(id: string, { record, made, removed }: Outcome<R>): Promise<void> {
		const dir = this.dir(id);
		if (existsSync(dir)) {
			if (record !== undefined) renameSync(this.#writeNext(record), join(dir, RECORD));
			if (!removed) return;
			const leaving = join(this.#root, `${GONE}${id}`);
			await this.#sweep(leaving); // of one before
			renameSync(dir, leaving);
		} else if (made && !removed && record !== undefined) {
			const unfinished = join(this.#root, `${NEW}${id}`);
			await rm(unfinished, { recursive: true, force: true }); // nobody has used it
			mkdirSync(unfinished, { mode: 0o700 });
			writeFileSync(join(unfinished, RECORD), stateText(VERSION, record), { mode: 0o600 });
			await this.#remake(unfinished, record);
			renameSync(unfinished, dir);
		}
	}

	async #sync(unsettled: Unsettled): Promise<void> {
		if (this.#undone.size > 0) await (this.#redoing ??= this.#redoAll().finally(() => (this.#redoing = undefined)));
		for (const [id, { made }] of unsettled) {
			const dir = this.dir(id);
			const unwritten = this.#unwritten.get(id);
			if (unwritten !== undefined) {
				renameSync(this.#writeNext(unwritten, LATE), join(dir, RECORD));
				this.#unwritten.delete(id);
			}
			await syncAll(dir, made ? ((await readdir(dir).catch(ignoreErrno('ENOENT'))) ?? []) : [RECORD]);
		}
		if (unsettled.size > 0) await syncPath(this.#root);
	}

	/** Where the record waits to take its place. */
	#writeNext(record: R, name = NEXT): string {
		const dir = this.dir(record.id);
		if (!existsSync(dir)) mkdirSync(dir, { mode: 0o700 }); // somebody took it: what is recorded can still change
		const path = join(dir, name);
		writeFileSync(path, stateText(VERSION, record), { mode: 0o600 });
		return path;
	}

	#set(record: R): void {
		this.#records.set(record.id, record);
		this.#sorted = undefined;
	}

	async #sweep(dir: string): Promise<void> {
		if (!existsSync(dir)) return;
		const record = await readState<R>(join(dir, RECORD), VERSION).catch(() => undefined);
		await this.#discard(dir, record);
		await rm(dir, { recursive: true, force: true });
	}
}

/** The folder and what is in it. What is gone meanwhile is so in the folder above. */
async function syncAll(dir: string, names: readonly string[]): Promise<void> {
	await Promise.all([dir, ...names.map((name) => join(dir, name))].map((path) => syncPath(path).catch(ignoreErrno('ENOENT'))));
}
