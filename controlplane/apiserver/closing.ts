/**
 * What a server that stops answers to requests that come late (upstream's filters WithRetryAfter and WithWaitGroup): 429 where it still takes
 * connections, so that clients come again elsewhere in five seconds, else 503.
 */
import { answerStatus } from './answer/status.ts';
import type { ApiRequest, ApiResponse } from './contracts.ts';
import { lastsLong } from './request/lasting.ts';
import { requestInfo } from './request/request-info.ts';
import { shuttingDown } from './shutting-down.ts';

/** `retiring`: takes no connections; `turning away`: takes them, to say that it stops. */
export type Stage = 'open' | 'retiring' | 'turning away';

/** Whoever watches over servers is answered to the end. */
const EXEMPT_PATHS = ['/readyz', '/livez', '/healthz', '/metrics'];
const EXEMPT_AGENT = 'kube-apiserver/';
const LATER = {
	'content-type': 'text/plain; charset=utf-8',
	'x-content-type-options': 'nosniff',
	'retry-after': '5',
} as const;

export class Closing {
	#stage: Stage = 'open';

	begin(stage: Stage): void {
		this.#stage = stage;
	}

	/** The answer to a request that comes too late; undefined: it is served. The connection is to be closed after it. */
	refusal(request: ApiRequest): ApiResponse | undefined {
		const stage = this.#stage;
		if (stage === 'open' || isExempt(request)) return undefined;
		if (stage === 'turning away')
			return {
				...{ type: 'bytes', status: 429, headers: LATER },
				body: Buffer.from('The apiserver is shutting down, please try again later.\n'),
			};
		// Watches are refused where they begin, and other streams go on.
		if (lastsLong(requestInfo(request.method, request.path, request.query), request)) return undefined;
		return answerStatus(request, shuttingDown());
	}
}

function isExempt({ path, headers }: ApiRequest): boolean {
	return (headers['user-agent'] ?? '').startsWith(EXEMPT_AGENT) || EXEMPT_PATHS.some((prefix) => path.startsWith(prefix));
}
