/** Values as they lie at rest. The store seals what it writes and opens what it reads; what stands between is upstream's value transformer. */
export interface Sealer {
	/** Names the cipher and the key that seal, without telling the key: two with the same form write alike. Empty: plain. */
	readonly form: string;
	/** `name` is bound to the value where the cipher can: the same bytes under another name do not open. */
	seal(name: string, bytes: Uint8Array): Uint8Array;
	/** `stale`: sealed with another key or cipher than would be used now. AppError DataLoss when no key opens it. */
	open(name: string, bytes: Uint8Array): Opened;
}

export interface Opened {
	readonly bytes: Uint8Array;
	readonly stale: boolean;
}
