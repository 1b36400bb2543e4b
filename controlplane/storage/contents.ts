/** What a store holds in memory: versions, the pages of their values, and which keys end when. */
import type { Loaded } from './durability.ts';
import { Expiry } from './expiry.ts';
import { ValuePages } from './value-pages.ts';
import { Versions } from './versions.ts';

export class Contents {
	readonly pages: ValuePages;
	readonly versions: Versions;
	readonly expiry = new Expiry();

	/** Reads all entries. Values stay in memory unless told. */
	constructor({ revision, entries }: Loaded, pages: ValuePages = new ValuePages()) {
		this.pages = pages;
		this.versions = new Versions(revision, pages);
		for (const { entry, expiresAt } of entries) {
			this.versions.load(entry);
			this.expiry.set(entry.key, expiresAt);
		}
	}
}
