/** Decoded JSON values as Go prints them. */
import { goKind } from '../codec/go-kind.ts';

/** Go's %v of a decoded JSON value, as patch errors quote it: `map[name:a tags:[x y]]`. */
export function goText(value: unknown): string {
	if (value === null || value === undefined) return '<nil>';
	if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`;
	if (typeof value !== 'object') return typeof value === 'string' ? value : JSON.stringify(value);
	const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
	return `map[${entries.map(([key, inner]) => `${key}:${goText(inner)}`).join(' ')}]`;
}

/** Go's %s of the same: what is no text inside is told with its type. */
export function goString(value: unknown): string {
	if (typeof value === 'string') return value;
	if (value === null || value === undefined) return '%!s(<nil>)';
	if (Array.isArray(value)) return `[${value.map(goString).join(' ')}]`;
	if (typeof value !== 'object') return `%!s(${goKind(value)}=${goText(value)})`;
	const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
	return `map[${entries.map(([key, inner]) => `${key}:${goString(inner)}`).join(' ')}]`;
}
