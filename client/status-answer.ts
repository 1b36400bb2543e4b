/** The StatusError in an HTTP answer that says no. Pure. */
import type { Status } from '../api/gen/types.ts';
import { StatusError } from '../api/status.ts';

/** The error in an answer: the Status it carries, or one made from what it says. */
export function errorOf(httpCode: number, text: string, retryAfter?: string): StatusError {
	let status: Status | undefined;
	try {
		const parsed = JSON.parse(text) as Status;
		if (parsed.kind === 'Status') status = parsed;
	} catch {
		// Not JSON: a proxy's page, or a plain "Unauthorized".
	}
	const seconds = Number(retryAfter);
	return new StatusError(
		status ?? {
			kind: 'Status',
			apiVersion: 'v1',
			metadata: {},
			status: 'Failure',
			message: text.trim() === '' ? `The server answered with HTTP status ${httpCode}` : text.trim(),
			reason: GENERIC_REASONS.get(httpCode) ?? 'Unknown',
			code: httpCode,
			...(Number.isFinite(seconds) && seconds > 0 ? { details: { retryAfterSeconds: seconds } } : {}),
		},
	);
}

/** apimachinery's NewGenericServerResponse. */
const GENERIC_REASONS: ReadonlyMap<number, string> = new Map([
	[400, 'BadRequest'],
	[401, 'Unauthorized'],
	[403, 'Forbidden'],
	[404, 'NotFound'],
	[405, 'MethodNotAllowed'],
	[406, 'NotAcceptable'],
	[409, 'Conflict'],
	[410, 'Gone'],
	[413, 'RequestEntityTooLarge'],
	[415, 'UnsupportedMediaType'],
	[422, 'Invalid'],
	[429, 'TooManyRequests'],
	[500, 'InternalError'],
	[503, 'ServiceUnavailable'],
	[504, 'Timeout'],
]);
