/** Headers as they are sent, and responses' as the Transport interface has them. Pure. */
import { fromHeader } from '../wire/http/header-text.ts';

/** Lower-case names; a list is sent as one header each. */
export type SentHeaders = Readonly<Record<string, string | string[]>>;

/** Lower-case names to one value each; pseudo headers left out, repeated headers joined. */
export function flatten(headers: Readonly<Record<string, string | readonly string[] | number | undefined>>): Record<string, string> {
	const flat: Record<string, string> = {};
	for (const [name, value] of Object.entries(headers)) {
		if (value === undefined || name.startsWith(':')) continue;
		flat[name] = Array.isArray(value) ? value.join(', ') : String(value);
	}
	return flat;
}

/** The texts of `Warning: 299 agent "text"` headers (RFC 7234), however many one value holds. */
export function warningsOf(value: string | readonly string[] | undefined): readonly string[] {
	if (value === undefined) return [];
	const texts: string[] = [];
	const joined = typeof value === 'string' ? value : value.join(', ');
	for (const match of joined.matchAll(/299 [^\s"]+ "((?:[^"\\]|\\.)*)"/g)) texts.push(fromHeader((match[1] ?? '').replace(/\\(.)/g, '$1')));
	return texts;
}
