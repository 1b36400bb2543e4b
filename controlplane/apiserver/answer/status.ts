/** Failures as answers. */
import type { StatusError } from '../../../api/status.ts';
import { Refusal } from '../authz/forbidden.ts';
import type { ApiRequest, ApiResponse } from '../contracts.ts';
import { answerObject } from './formats.ts';

/** The Status as the client accepts it; JSON when it accepts nothing we have. */
export function answerStatus(request: ApiRequest, failure: StatusError): ApiResponse {
	const { httpCode, status } = failure;
	const retry = status.details?.retryAfterSeconds;
	const headers: Record<string, string> = retry === undefined || retry === 0 ? {} : { 'retry-after': String(retry) };
	// Whoever is refused may send what a browser would take for something else.
	if (failure instanceof Refusal) headers['x-content-type-options'] = 'nosniff';
	return answerObject(request, httpCode, status, headers);
}
