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

export type WorkerRequest =
	| { readonly type: 'commit'; readonly blob: Uint8Array<ArrayBuffer>; readonly rows: readonly WorkerRow[]; readonly revision: bigint }
	| { readonly type: 'close' };

/** Without an error: done and durable. */
export interface WorkerAnswer {
	/** `undone`: nothing of the transaction is left. */
	readonly error?: { readonly message: string; readonly errcode: number; readonly undone: boolean };
}

export function commitRequest(commits: readonly RowCommit[]): Extract<WorkerRequest, { type: 'commit' }> {
	let size = 0;
	for (const commit of commits) for (const { value } of commit.writes) size += value?.bytes.length ?? 0;
	const blob = new Uint8Array(size);
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
