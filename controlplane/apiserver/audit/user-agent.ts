/** What a client calls itself, as audit events tell it (upstream's maybeTruncateUserAgent). Pure. */
import { headerValue } from '../authn/header-values.ts';
import type { ApiRequest } from '../contracts.ts';

const MAX_BYTES = 1024;

/** In any script; undefined: it does not say. */
export function userAgentOf({ headers, repeated }: Pick<ApiRequest, 'headers' | 'repeated'>): string | undefined {
	const agent = headerValue(headers, 'user-agent', repeated);
	if (agent === '') return undefined;
	const bytes = Buffer.from(agent);
	return bytes.length > MAX_BYTES ? `${bytes.toString('utf8', 0, MAX_BYTES)}...TRUNCATED` : agent;
}
