/**
 * Records in folders: `ID/record.json` and the data beside it. A folder is filled under a name of its own and renamed once it is whole, and renamed
 * again before it is removed: whatever a crash interrupts is either there or not, and what lies under another name is swept at the next start.
 * The process that creates and removes is the only one that does; others read single records from the files.
 */
import { lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreErrno, messageOf } from '../../base/errors.ts';
import { readState, stateText, syncPath, writeState } from '../../base/files.ts';
import { fullOr } from '../pool/space.ts';

const VERSION = 1;
const RECORD = 'record.json';
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

/** A folder that cannot be used, and why. */
export interface Unusable {
	readonly dir: string;
	readonly reason: string;
}

export class RecordFolders<R extends { readonly id: string }> {
	readonly #root: string;
	readonly #discard: Discard<R>;
	readonly #records = new Map<string, R>();
	#sorted: readonly R[] | undefined;
	#loaded = false;

	constructor(root: string, discard: Discard<R>) {
		this.#root = root;
		this.#discard = discard;
	}

	/**
	 * Reads all and removes what never was acknowledged or is acknowledged to be gone; answers what it had to leave. No crash leaves a folder without a
	 * record under the name of one: what is in it may be somebody's data. For the one process that writes.
	 */
	async load(): Promise<readonly Unusable[]> {
		await mkdir(this.#root, { recursive: true, mode: 0o700 });
		const left: Unusable[] = [];
		for (const name of (await readdir(this.#root)).toSorted()) {
			const dir = join(this.#root, name);
			if (name.startsWith('.')) await this.#sweep(dir).catch((error: unknown) => left.push({ dir, reason: messageOf(error) }));
			else {
				const record = await this.#readFile(name);
				if (record === undefined) left.push({ dir, reason: 'It has no record' });
				else this.#records.set(record.id, record);
			}
		}
		this.#sorted = undefined;
		this.#loaded = true;
		return left;
	}

	dir(id: string): string {
		return join(this.#root, id);
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
	async create(record: R, fill: (dir: string) => Promise<void>, moments: Making): Promise<void> {
		const unfinished = join(this.#root, `${NEW}${record.id}`);
		try {
			await this.#makeFresh(unfinished);
			await moments.step('folder made');
			await using file = await open(join(unfinished, RECORD), 'wx', 0o600);
			await file.writeFile(stateText(VERSION, record)); // before the data, for it says how that is to be removed
			await moments.step('record written');
			await fill(unfinished);
			await moments.step('data made');
			await Promise.all([file.sync(), syncRest(unfinished)]); // a journal that is written for one is written for all
			await rename(unfinished, this.dir(record.id));
			await syncPath(this.#root);
		} catch (error) {
			await this.#sweep(unfinished).catch(() => {});
			throw fullOr(error);
		}
		this.#set(record);
		await moments.step('committed');
	}

	async update(record: R): Promise<void> {
		await writeState(join(this.dir(record.id), RECORD), VERSION, record).catch((error: unknown) => {
			throw fullOr(error);
		});
		this.#set(record);
	}

	/** Not there is success. Once renamed it is gone for good; what a failure or a crash leaves of it is swept by the next call, or the next start. */
	async remove(id: string, moments: Removing): Promise<void> {
		const leaving = join(this.#root, `${GONE}${id}`);
		await this.#sweep(leaving);
		if (!this.#records.has(id)) return;
		await rename(this.dir(id), leaving);
		await syncPath(this.#root);
		this.#records.delete(id);
		this.#sorted = undefined;
		await moments.step('taken out');
		await this.#sweep(leaving);
		await moments.step('data removed');
	}

	async #makeFresh(dir: string): Promise<void> {
		try {
			await mkdir(dir, { mode: 0o700 });
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
			await this.#sweep(dir); // of an attempt that failed to clean up
			await mkdir(dir, { mode: 0o700 });
		}
	}

	#set(record: R): void {
		this.#records.set(record.id, record);
		this.#sorted = undefined;
	}

	async #sweep(dir: string): Promise<void> {
		if ((await lstat(dir).catch(ignoreErrno('ENOENT'))) === undefined) return;
		const record = await readState<R>(join(dir, RECORD), VERSION).catch(() => undefined);
		await this.#discard(dir, record);
		await rm(dir, { recursive: true, force: true });
	}
}

/** The folder and what is in it, but for the record. */
async function syncRest(dir: string): Promise<void> {
	const names = (await readdir(dir)).filter((name) => name !== RECORD);
	await Promise.all([dir, ...names.map((name) => join(dir, name))].map((path) => syncPath(path)));
}
