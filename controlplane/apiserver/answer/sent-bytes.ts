/** How long an answer is, once it is over. */
import type { ApiResponse } from '../contracts.ts';
import { PushedBody } from './pushed-body.ts';

/** Undefined where nobody counts them. */
export function sentBytes(response: ApiResponse): number | undefined {
	if (response.type === 'bytes') return response.body.length;
	return response.type === 'stream' && response.body instanceof PushedBody ? response.body.sentBytes : undefined;
}
