/** One step of a field's path in the text form of FieldsV1: `f:name`, `k:{"name":"c"}`, `v:"x"`. */
import { parseSentJson } from '../codec/json-text.ts';
import { goJson } from '../go-json.ts';
import type { ListShape } from './shape.ts';
import { isFields } from './shape.ts';

export type PathElement = string;
/** Refers to the value itself beside its children. */
export const SELF = '.';

export function fieldElement(name: string): PathElement {
	return `f:${name}`;
}

/** The name of a field element; undefined for list items. */
export function fieldName(element: PathElement): string | undefined {
	return element.startsWith('f:') ? element.slice(2) : undefined;
}

/** How an item of a keyed list or set is found again; an Error says why it cannot be. */
export function itemElement(shape: ListShape, item: unknown): PathElement | Error {
	if (shape.how === 'set') {
		if (item === null || item === undefined) return new Error("associative list without keys has an element that's an explicit null");
		if (isFields(item)) return new Error("associative list without keys has an element that's a map type");
		if (Array.isArray(item)) return new Error('not supported: associative list with lists as elements');
		return `v:${goJson(item)}`;
	}
	if (item === null) return new Error('associative list with keys may not have a null element');
	if (!isFields(item)) return new Error('associative list with keys may not have non-map elements');
	const keys: Record<string, unknown> = {};
	let found = false;
	for (const { name, default: fallback } of [...shape.keys].sort((a, b) => (a.name < b.name ? -1 : 1))) {
		// An explicit null is a key of its own.
		const value = item[name] === undefined ? fallback : item[name];
		if (value === undefined) continue;
		keys[name] = value;
		found = true;
	}
	if (!found)
		return new Error(
			`associative list with keys has an element that omits all key fields [${shape.keys.map(({ name }) => JSON.stringify(name)).join(' ')}] (and doesn't have default values for any key fields)`,
		);
	return `k:${goJson(keys)}`;
}

/** Stands for an element of a kind that a later version may know. */
export const UNKNOWN = '';

/** An element as it was stored or sent, in the one form that itemElement() gives; undefined for one that cannot be read. */
export function storedElement(text: string): PathElement | undefined {
	if (text.charAt(1) !== ':') return undefined;
	const kind = text.charAt(0);
	if (kind === 'f') return text;
	const rest = text.slice(2);
	if (kind === 'i') return /^[+-]?\d+$/.test(rest) ? text : undefined;
	if (kind !== 'k' && kind !== 'v') return UNKNOWN;
	try {
		const value = parseSentJson(rest);
		if (kind === 'k' && !isFields(value)) return undefined;
		return NEEDS_ESCAPES.test(text) ? `${kind}:${goJson(value)}` : text;
	} catch {
		return undefined;
	}
}

const NEEDS_ESCAPES = /[<>&\u2028\u2029]/;

/** As error messages write it: `.name`, `[name="c"]`, `[="x"]`. */
export function elementText(element: PathElement): string {
	const rest = element.slice(2);
	if (element.startsWith('f:')) return `.${rest}`;
	if (element.startsWith('v:')) return `[=${rest}]`;
	if (element.startsWith('i:')) return `[${rest}]`;
	const keys = parseSentJson(rest) as Record<string, unknown>;
	return `[${Object.entries(keys)
		.map(([key, value]) => `${key}=${JSON.stringify(value)}`)
		.join(',')}]`;
}

const RANK: Readonly<Record<string, number>> = { f: 0, k: 1, v: 2, i: 3 };

/** Upstream's order: fields, then keys, then values, then indexes. */
export function compareElements(a: PathElement, b: PathElement): number {
	if (a.charCodeAt(0) === b.charCodeAt(0)) return a < b ? -1 : a > b ? 1 : 0;
	const rank = (RANK[a.charAt(0)] ?? 4) - (RANK[b.charAt(0)] ?? 4);
	return rank !== 0 ? rank : a < b ? -1 : a > b ? 1 : 0;
}
