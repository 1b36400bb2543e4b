/** Where a decoder stands in the document: kept up to date on the way, turned to text only when something is wrong. */
import type { AppError } from '../../base/errors.ts';

export interface Walk {
	/** Keys and indexes from the top. */
	readonly path: (string | number)[];
	/** Short Go name of the struct around. */
	struct: string;
	/** Set for a second walk, after an error, in the order of the document: the first mismatch. Go goes on after one, and stops at what a type's own reader refuses. */
	readonly mismatches?: { first: AppError | undefined };
	readonly unknown: (path: string, withoutKeys: string) => void;
	/** Empty lists and maps are written as absent ones. */
	readonly dropsEmpty?: boolean | undefined;
}
