/** Maps whose keys may be named as fields are, `claims.a__dot__b` for "a.b", at any depth (upstream's unescapeWrapper). */
import { unescapedField } from './json.ts';
import { ListValue, MapValue, type Value } from './values.ts';

export function unescaping(value: Value): Value {
	if (value instanceof MapValue) return new UnescapingMap(value);
	if (value instanceof ListValue) return new UnescapingList(value);
	return value;
}

class UnescapingMap extends MapValue {
	readonly #inner: MapValue;
	override readonly typeName: string;
	constructor(inner: MapValue) {
		super();
		this.#inner = inner;
		this.typeName = inner.typeName;
	}
	get size(): number {
		return this.#inner.size;
	}
	get(key: Value): Value | undefined {
		const found = this.#inner.get(typeof key === 'string' ? unescapedField(key) : key);
		return found === undefined ? undefined : unescaping(found);
	}
	keys(): Iterable<Value> {
		return this.#inner.keys();
	}
}

class UnescapingList extends ListValue {
	readonly #inner: ListValue;
	constructor(inner: ListValue) {
		super();
		this.#inner = inner;
	}
	get size(): number {
		return this.#inner.size;
	}
	at(index: number): Value {
		return unescaping(this.#inner.at(index));
	}
}
