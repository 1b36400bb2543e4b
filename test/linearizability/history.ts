/** What clients of a store did and were answered, in the form that the checker reads. Times are one clock's; `end` of an unanswered call is Infinity. */

/** A value is the write that made it, so no two are equal; `undefined`: the key is absent. */
export type Value = number | undefined;

interface Timed {
	readonly client: number;
	readonly key: string;
	readonly start: number;
	readonly end: number;
}

/** Compare and swap from one value to another; undefined as `to` deletes. */
export interface Swap extends Timed {
	readonly type: 'swap';
	readonly from: Value;
	readonly to: Value;
	/** 'unknown': the caller was not told; it may have happened or not, or happen still. */
	readonly outcome: 'done' | 'refused' | 'unknown';
	/** Of the commit, when it is done. */
	readonly revision?: bigint;
}

/** A consistent read. */
export interface Read extends Timed {
	readonly type: 'read';
	readonly saw: Value;
}

export type Operation = Swap | Read;
