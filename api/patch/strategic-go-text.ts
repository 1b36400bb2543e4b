/** Decoded JSON values as Go prints them where it takes them for texts. */
import { goText, goType } from '../go-values.ts';

/** Go's %s: what is no text inside is told with its type. */
export function goString(value: unknown): string {
	if (typeof value === 'string') return value;
	if (value === null || value === undefined) return '%!s(<nil>)';
	if (Array.isArray(value)) return `[${value.map(goString).join(' ')}]`;
	if (typeof value !== 'object') return `%!s(${goType(value)}=${goText(value)})`;
	const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
	return `map[${entries.map(([key, inner]) => `${key}:${goString(inner)}`).join(' ')}]`;
}
