/** The values of a header that may come several times, as groups do. */
import { fromHeader } from '../../../wire/http/header-text.ts';
import type { HeaderLines } from '../contracts.ts';

export type Headers = Readonly<Record<string, string | undefined>>;

/** @param name in lower case. @param lines absent: of a request that came over no connection, whose values have no commas */
export function headerValues(headers: Headers, name: string, lines: HeaderLines | undefined): readonly string[] {
	const joined = headers[name];
	if (joined === undefined) return [];
	return lines === undefined ? joined.split(/,\s*/) : lines.lines(name).map(fromHeader);
}

/** The value of a header that should come once: of several, the first counts. */
export function headerValue(headers: Headers, name: string, lines: HeaderLines | undefined): string {
	const value = headers[name] ?? '';
	if (lines === undefined || value === '') return value;
	const [first = value] = lines.lines(name);
	return fromHeader(first);
}

/** The key that a header's name carries; what is not rightly escaped stays as it is. */
export function unescapedKey(key: string): string {
	try {
		return decodeURIComponent(key);
	} catch {
		return key;
	}
}
