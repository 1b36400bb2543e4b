/**
 * Values as Go's spew prints them on one line, which is what upstream's kubelet takes the checksums of its state files over (`%#v` with sorted keys, no
 * methods, addresses or capacities: k8s.io/utils/dump). Types are printed at the top and of a struct's fields, and not of what slices and maps hold. Pure.
 */

/** A printed value; null is Go's nil, of slices, maps and pointers. */
export type GoValue = string | number | null | readonly GoValue[] | GoStruct | ReadonlyMap<string | number, GoValue>;

export class GoStruct {
	readonly fields: readonly (readonly [name: string, type: string, value: GoValue])[];
	/** Reached by a pointer. */
	readonly pointer: boolean;

	constructor(fields: GoStruct['fields'], pointer = false) {
		this.fields = fields;
		this.pointer = pointer;
	}
}

export function printed(type: string, value: GoValue): string {
	return `(${type})${print(value)}`;
}

function print(value: GoValue): string {
	if (value === null) return '<nil>';
	if (typeof value !== 'object') return String(value);
	if (value instanceof GoStruct) {
		const fields = value.fields.map(([name, type, field]) => `${name}:${printed(type, field)}`);
		return `${value.pointer ? '<*>' : ''}{${fields.join(' ')}}`;
	}
	if (value instanceof Map) {
		const entries = [...(value as ReadonlyMap<string | number, GoValue>)].toSorted(([a], [b]) => (a < b ? -1 : 1));
		return `map[${entries.map(([key, entry]) => `${key}:${print(entry)}`).join(' ')}]`;
	}
	return `[${(value as readonly GoValue[]).map(print).join(' ')}]`;
}

/** Each of a JSON object's values; null stays nil. */
export function goMap<T>(object: Readonly<Record<string, T>> | null, value: (entry: T) => GoValue): GoValue {
	return object === null ? null : new Map(Object.entries(object).map(([key, entry]) => [key, value(entry)]));
}

/** The same by numbers. */
export function goNumberMap<T>(object: Readonly<Record<string, T>> | null, value: (entry: T) => GoValue): GoValue {
	return object === null ? null : new Map(Object.entries(object).map(([key, entry]) => [Number(key), value(entry)]));
}

/** FNV-1a of 32 bits over the UTF-8 bytes. */
export function fnv32a(text: string): number {
	let hash = 0x811c9dc5;
	for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193);
	return hash >>> 0;
}
