/** What the store and its SQLite worker say to each other: one blob with all bytes of a group (transferred), and rows that point into it. */
import type { DurableCommit, DurableWrite } from './durability.ts';
import type { Row } from './sqlite-row.ts';

/** A commit whose values have the form of rows. */
export interface RowCommit extends Omit<DurableCommit, 'writes'> {
	readonly writes: readonly (Omit<DurableWrite, 'value'> & { readonly value: Row | undefined })[];
}

export interface WorkerRow {
	readonly key: string;
	readonly revision: bigint;
	/** JSON of what is not bytes; absent: delete the key. */
	readonly facts?: string;
	readonly start: number;
	readonly end: number;
	readonly expiresAt?: number;
}

type GroupBytes = Uint8Array<ArrayBuffer>;

export type WorkerRequest =
	/** Comes first, once the database is there; has no answer. */
	| { readonly type: 'open'; readonly path: string }
	| { readonly type: 'commit'; readonly blob: GroupBytes; readonly rows: readonly WorkerRow[]; readonly revision: bigint }
	| { readonly type: 'close' };

/** Without an error: done and durable. */
export interface WorkerAnswer {
	/** `undone`: nothing of the transaction is left. */
	readonly error?: { readonly message: string; readonly errcode: number; readonly undone: boolean };
	/** The request's, to be filled again: it goes to and fro. */
	readonly blob?: GroupBytes;
}

/** The least that a blob has, so that the next group fits too, and the most that is kept for it. */
const BLOB_BYTES = 128 * 1024;
const MAX_KEPT_BYTES = 1024 * 1024;

export function isKept(blob: GroupBytes): boolean {
	return blob.length <= MAX_KEPT_BYTES;
}

/** `spare`: a blob that is used where it is large enough. */
export function commitRequest(commits: readonly RowCommit[], spare: GroupBytes | undefined): Extract<WorkerRequest, { type: 'commit' }> {
	let size = 0;
	for (const commit of commits) for (const { value } of commit.writes) size += value?.bytes.length ?? 0;
	const blob = spare !== undefined && spare.length >= size ? spare : new Uint8Array(Math.max(size, BLOB_BYTES));
	const rows: WorkerRow[] = [];
	let start = 0;
	for (const { revision, writes } of commits)
		for (const { key, value, expiresAt } of writes) {
			if (value === undefined) {
				rows.push({ key, revision, start, end: start });
				continue;
			}
			const { bytes, facts } = value;
			blob.set(bytes, start);
			rows.push({ key, revision, facts, start, end: start + bytes.length, ...(expiresAt === undefined ? {} : { expiresAt }) });
			start += bytes.length;
		}
	return { type: 'commit', blob, rows, revision: (commits.at(-1) as RowCommit).revision };
}
