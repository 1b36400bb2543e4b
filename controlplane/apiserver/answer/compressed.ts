/** Which answers go out as gzip: large objects and lists to clients that ask for it (apiserver responsewriters), and documents that have rules of their own. */
import type { ApiRequest, ApiResponse } from '../contracts.ts';
import { parseAccept } from './accept.ts';
import { GzipBody } from './gzip-body.ts';

type Sendable = Exclude<ApiResponse, { readonly type: 'upgraded' }>;
type Asked = Pick<ApiRequest, 'method' | 'headers'>;

/** Upstream's defaultGzipThresholdBytes: what is not longer goes as it is. */
const THRESHOLD_BYTES = 128 * 1024;

/** An object or a list. What is a stream already is longer than that. */
export function compressed({ headers }: Asked, answer: Sendable): Sendable {
	if (answer.type === 'bytes' && answer.body.length <= THRESHOLD_BYTES) return answer;
	return namesGzip(headers['accept-encoding']) ? gzipped(answer, { vary: 'Accept-Encoding' }) : answer;
}

/** Any document, however short, where gzip is what the client likes best. */
export function documentCompressed({ method, headers }: Asked, answer: Sendable): Sendable {
	return method !== 'HEAD' && prefersGzip(headers['accept-encoding']) ? gzipped(answer, {}) : answer;
}

function gzipped(answer: Sendable, more: Readonly<Record<string, string>>): Sendable {
	return {
		type: 'stream',
		status: answer.status,
		headers: { ...answer.headers, 'content-encoding': 'gzip', ...more },
		body: new GzipBody(answer.body),
	};
}

/** By itself: upstream knows no preferences here. */
function namesGzip(accepted: string | undefined): boolean {
	return accepted?.split(',').some((one) => one.trim() === 'gzip') === true;
}

function prefersGzip(accepted: string | undefined): boolean {
	if (accepted === undefined) return false;
	const best = parseAccept(accepted).find(({ type }) => ['gzip', 'identity', '*/*'].includes(type));
	return best?.type === 'gzip' && best.q > 0;
}
