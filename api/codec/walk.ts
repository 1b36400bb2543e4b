/** Where a decoder stands in the document: kept up to date on the way, turned to text only when something is wrong. */
export interface Walk {
	/** Keys and indexes from the top. */
	readonly path: (string | number)[];
	/** Short Go name of the struct around. */
	struct: string;
	readonly unknown: (path: string) => void;
}
