/** A kind by its full name. */
export interface KindName {
	/** '' for the core group. */
	readonly group: string;
	readonly version: string;
	readonly kind: string;
}
