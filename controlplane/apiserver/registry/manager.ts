/** The field manager of a write: as given, else the first word of the user agent (upstream managerOrUserAgent). */
import { headerValue } from '../authn/header-values.ts';
import type { ApiRequest } from '../contracts.ts';

/** Upstream's FieldManagerMaxLength; bytes, where a user agent is cut to it. */
const MAX_BYTES = 128;

export function managerOf(fieldManager: string, { headers, repeated }: Pick<ApiRequest, 'headers' | 'repeated'>): string {
	return fieldManager === '' ? firstWord(headerValue(headers, 'user-agent', repeated)) || 'unknown' : fieldManager;
}

/** What is printable of it (Go's unicode.IsPrint). */
function firstWord(agent: string): string {
	let word = '';
	let bytes = 0;
	for (const char of agent.split('/', 1)[0] as string) {
		if (!/[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(char)) continue;
		bytes += Buffer.byteLength(char);
		if (bytes > MAX_BYTES) break;
		word += char;
	}
	return word;
}
