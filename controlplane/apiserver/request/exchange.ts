/** One request on its way through the pipeline, and what comes of it. */
import type { StatusError } from '../../../api/status.ts';
import type { Trail } from '../audit/trail.ts';
import type { ApiRequest, ApiResponse } from '../contracts.ts';
import type { Pass } from '../fairness/fairness.ts';
import type { Flow } from '../fairness/flow.ts';
import type { Told } from './asked.ts';
import type { RequestInfo } from './request-info.ts';

export interface Answer {
	readonly response: ApiResponse;
	readonly auditId: string;
	/** How the request was classed, for its headers; undefined where it was not. */
	readonly flow: Flow['headers'] | undefined;
	/** To be called when a stream has been sent, or nobody reads it any more; undefined: there is nothing to wait for. */
	readonly finished: (() => void) | undefined;
	/** Nobody is known to ask. */
	readonly isStranger?: boolean;
}

export interface Exchange extends Told {
	readonly request: ApiRequest;
	readonly info: RequestInfo;
	readonly started: number;
	readonly isLong: boolean;
	readonly auditId: string;
	trail: Trail | undefined;
	failure: StatusError | undefined;
	flow: Flow | undefined;
	pass: Pass | undefined;
	forgetWatch: (() => void) | undefined;
	/** How long it waited for its turn. */
	waitedMs: number;
	/** How long it may take. */
	timeoutMs: number;
	/** Its time was over, or the client gone, before its work was done. */
	isGivenUp: boolean;
	/** Nobody is known to ask, whoever is impersonated. */
	isStranger: boolean;
	/** The server itself asks. */
	isOwn: boolean;
}

type Begun = Pick<Exchange, 'request' | 'info' | 'started' | 'isLong' | 'auditId'>;

/** With all fields from the beginning: V8 keeps objects of one shape apart from those that grow. */
export function newExchange({ request, info, started, isLong, auditId }: Begun): Exchange {
	return {
		request,
		info,
		started,
		isLong,
		auditId,
		trail: undefined,
		failure: undefined,
		flow: undefined,
		pass: undefined,
		forgetWatch: undefined,
		waitedMs: 0,
		timeoutMs: Number.POSITIVE_INFINITY,
		isGivenUp: false,
		isStranger: false,
		isOwn: false,
		sentBytes: undefined,
		mutatingMs: 0,
		validatingMs: 0,
	};
}
