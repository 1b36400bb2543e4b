/** The field manager of a write: as given, else the first word of the user agent (upstream managerOrUserAgent). */
import type { ApiRequest } from '../contracts.ts';

const MAX_LENGTH = 128;

export function managerOf(fieldManager: string, request: ApiRequest): string {
	if (fieldManager !== '') return fieldManager;
	const first = (request.headers['user-agent'] ?? '').split('/', 1)[0] as string;
	return (
		Array.from(first)
			.filter((c) => /[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(c))
			.join('')
			.slice(0, MAX_LENGTH) || 'unknown'
	);
}
