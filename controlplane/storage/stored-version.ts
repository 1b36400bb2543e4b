/** What a key held from one revision on, as the store keeps it: one small object that points into a page, its facts shared where they can be. */
import type { Encoded, Entry } from './store.ts';
import type { Page, ValuePages } from './value-pages.ts';

type Texts = Readonly<Record<string, string>>;

const NONE: Texts = Object.freeze({});
const NAME = 'metadata.name';
const NAMESPACE = 'metadata.namespace';

/** Entry and value at once. */
export class StoredVersion implements Entry, Encoded {
	readonly key: string;
	readonly versionAt: number;
	readonly labels: Texts;
	readonly stale?: boolean;
	/** As a number: a bigint is an object of its own. */
	readonly #revision: number;
	/** A number: the fields are these last parts of the key (name, then namespace), as of most kinds. */
	readonly #fields: Texts | 1 | 2;
	#page: Page;
	#at: number;
	readonly #length: number;

	constructor(key: string, revision: bigint, value: Encoded, pages: ValuePages) {
		this.key = key;
		this.versionAt = value.versionAt;
		this.labels = isEmpty(value.labels) ? NONE : value.labels;
		if (value.stale === true) this.stale = true;
		this.#revision = Number(revision);
		this.#fields = partsOf(key, value.fields);
		this.#length = value.bytes.length;
		this.#page = pages.add(value.bytes);
		this.#at = this.#page.filled - this.#length;
	}

	get revision(): bigint {
		return BigInt(this.#revision);
	}

	get value(): Encoded {
		return this;
	}

	get bytes(): Uint8Array {
		return this.#page.read(this.#at, this.#length);
	}

	get size(): number {
		return this.#length;
	}

	get fields(): Texts {
		const parts = this.#fields;
		if (typeof parts === 'object') return parts;
		const slash = this.key.lastIndexOf('/');
		const name = this.key.slice(slash + 1);
		if (parts === 1) return { [NAME]: name };
		return { [NAME]: name, [NAMESPACE]: this.key.slice(this.key.lastIndexOf('/', slash - 1) + 1, slash) };
	}

	/** The store has it no more; who still holds it may read it. */
	drop(pages: ValuePages): void {
		pages.drop(this.#page, this.#length);
	}

	/** Out of a page that it has almost to itself. */
	moveTogether(pages: ValuePages): void {
		if (!pages.isThin(this.#page)) return;
		const page = pages.add(this.bytes);
		pages.drop(this.#page, this.#length);
		this.#page = page;
		this.#at = page.filled - this.#length;
	}
}

function isEmpty(texts: Texts): boolean {
	for (const _ in texts) return false;
	return true;
}

/** How many of the key's last parts say all that the fields say; the fields themselves where they say more. */
function partsOf(key: string, fields: Texts): Texts | 1 | 2 {
	let count = 0;
	for (const _ in fields) count++;
	const { [NAME]: name, [NAMESPACE]: namespace } = fields;
	if (name === undefined || name.includes('/')) return fields;
	if (count === 1 && key.endsWith(`/${name}`)) return 1;
	if (count === 2 && namespace !== undefined && !namespace.includes('/') && key.endsWith(`/${namespace}/${name}`)) return 2;
	return fields;
}
