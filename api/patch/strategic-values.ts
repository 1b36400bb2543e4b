/** What strategic merging asks of plain values, and the words of its directives. */
import { notList } from './strategic-errors.ts';

export type Fields = Record<string, unknown>;

export const DIRECTIVE = '$patch';
export const SET_ORDER = '$setElementOrder';

/** The value without what carries a directive; undefined when it does so itself. */
export function withoutDirectives(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
	if (!isMap(value)) return value;
	if (Object.hasOwn(value, DIRECTIVE)) return undefined;
	const entries = Object.entries(value).map(([key, inner]): [string, unknown] => [key, withoutDirectives(inner)]);
	return Object.fromEntries(entries.filter(([, inner]) => inner !== undefined));
}

export function isMap(value: unknown): value is Fields {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @throws StatusError */
export function asList(value: unknown): unknown[] {
	if (!Array.isArray(value)) throw notList(value);
	return value;
}
