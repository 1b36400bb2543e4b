/** Objects of entries, frozen: parsed once for all who look at them, and not at all for those who watch them being written. */
import { parseJson } from '../../../api/codec/json-text.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { freeze } from '../../../base/freeze.ts';
import { Lru } from '../../../base/lru.ts';
import { sizeOf, type Encoded, type Entry } from '../../storage/store.ts';
import { whole } from './canonical.ts';

const MAX_PARSED = 2000;
const MAX_FRESH = 128;
/** Larger ones are not kept for who might ask. */
const MAX_FRESH_BYTES = 16 * 1024;

/** A value with what its bytes say, decoded, where its writer has it: nobody else's, and not changed any more. */
export interface Made extends Encoded {
	readonly object?: KubeObject;
}

export class Parsed {
	readonly #objects = new Lru<Entry, KubeObject>(MAX_PARSED);
	/** Those written or watched last, by key. */
	readonly #fresh = new Lru<string, { readonly revision: bigint; readonly object: KubeObject }>(MAX_FRESH);

	/** Told of a value that has been committed. */
	wrote(key: string, revision: bigint, { object, bytes }: Made): void {
		if (object === undefined || bytes.length > MAX_FRESH_BYTES) return;
		object.metadata.resourceVersion = String(revision);
		this.#fresh.set(key, { revision, object });
	}

	/** For who will ask again. Keys stand as in the bytes, which error messages show. */
	of<T extends KubeObject>(entry: Entry): T {
		let object = this.#objects.get(entry);
		if (object === undefined) {
			object = parsed(entry);
			this.#objects.set(entry, object);
		}
		return object as T;
	}

	/** For who hears of it as it is written, as others do in the same moment; resourceVersion may stand behind all else in metadata. */
	ofFresh(entry: Entry): KubeObject {
		const { key, revision, value } = entry;
		const known = this.#fresh.get(key);
		if (known !== undefined && known.revision === revision) return freeze(known.object);
		const object = parsed(entry);
		if (sizeOf(value) <= MAX_FRESH_BYTES) this.#fresh.set(key, { revision, object });
		return object;
	}
}

function parsed({ value, revision }: Entry): KubeObject {
	return freeze(parseJson(Buffer.from(whole(value, revision)).toString()) as KubeObject);
}
