/** Kubernetes `Status`: the one error form of the API, its constructors with upstream's texts (apimachinery api/errors), and the mapping to AppError codes. */
import { goQuote } from './go-quote.ts';
import { AppError, messageOf, type ErrorCode } from '../base/errors.ts';
import type { Status, StatusCause } from './gen/types.ts';

/** Which resource an error is about: "pods", "deployments.apps". */
export interface ResourceRef {
	readonly group: string;
	readonly plural: string;
}

/** Which kind an object is of: "Pod", "Deployment.apps". */
export interface KindRef {
	readonly group: string;
	readonly kind: string;
}

const CODE_BY_REASON: Readonly<Record<string, ErrorCode>> = {
	NotFound: 'NotFound',
	AlreadyExists: 'AlreadyExists',
	Conflict: 'Aborted',
	Invalid: 'InvalidArgument',
	BadRequest: 'InvalidArgument',
	UnsupportedMediaType: 'InvalidArgument',
	NotAcceptable: 'InvalidArgument',
	RequestEntityTooLarge: 'InvalidArgument',
	Expired: 'OutOfRange',
	Gone: 'OutOfRange',
	TooManyRequests: 'ResourceExhausted',
	Forbidden: 'PermissionDenied',
	Unauthorized: 'Unauthenticated',
	Timeout: 'DeadlineExceeded',
	ServerTimeout: 'Unavailable',
	ServiceUnavailable: 'Unavailable',
	MethodNotAllowed: 'Unimplemented',
	InternalError: 'Internal',
};

/** An API server's no. `code` is the AppError's; `httpCode` and `status` are the wire's. */
export class StatusError extends AppError {
	readonly status: Status;
	constructor(status: Status, options?: ErrorOptions) {
		super(codeOfStatus(status), status.message ?? status.reason ?? 'unknown', options);
		this.status = { kind: 'Status', apiVersion: 'v1', ...status, metadata: status.metadata ?? {} };
	}
	get httpCode(): number {
		return this.status.code ?? 500;
	}
	get reason(): string {
		return this.status.reason ?? '';
	}
}

function codeOfStatus(status: Partial<Status>): ErrorCode {
	const byReason = CODE_BY_REASON[status.reason ?? ''];
	if (byReason !== undefined) return byReason;
	const code = status.code ?? 500;
	return code === 404
		? 'NotFound'
		: code === 410
			? 'OutOfRange'
			: code === 503 || code === 502
				? 'Unavailable'
				: code >= 500
					? 'Internal'
					: 'InvalidArgument';
}

function failure(code: number, reason: string, message: string, details?: Status['details']): StatusError {
	return new StatusError({ metadata: {}, status: 'Failure', message, reason, ...(details === undefined ? {} : { details }), code });
}

const qualified = (name: string, group: string): string => (group === '' ? name : `${name}.${group}`);

function about({ group, plural }: ResourceRef, name: string): NonNullable<Status['details']> {
	return { ...(name === '' ? {} : { name }), ...(group === '' ? {} : { group }), kind: plural };
}

export function notFound(resource: ResourceRef, name: string): StatusError {
	return failure(404, 'NotFound', `${qualified(resource.plural, resource.group)} ${goQuote(name)} not found`, about(resource, name));
}

/** @param how whether the object asked for a generated name, and whether what has the name is being deleted */
export function alreadyExists(
	resource: ResourceRef,
	name: string,
	how: { readonly generated?: boolean; readonly dying?: boolean } = {},
): StatusError {
	const exists = `${qualified(resource.plural, resource.group)} ${goQuote(name)} already exists`;
	const named = how.generated === true ? `${exists}, the server was not able to generate a unique name for the object` : exists;
	const message = how.dying === true ? `object is being deleted: ${named}` : named;
	return failure(409, 'AlreadyExists', message, {
		...about(resource, name),
		...(how.generated === true ? { retryAfterSeconds: 1 } : {}),
	});
}

export function conflict(resource: ResourceRef, name: string, why: string): StatusError {
	return failure(
		409,
		'Conflict',
		`Operation cannot be fulfilled on ${qualified(resource.plural, resource.group)} ${goQuote(name)}: ${why}`,
		about(resource, name),
	);
}

/** The errors of all fields at once; one is written plainly, several as a list (field.ErrorList.ToAggregate drops repeated ones). */
export function invalid({ group, kind }: KindRef, name: string, causes: readonly StatusCause[]): StatusError {
	const texts = [...new Set(causes.map((c) => (c.field === undefined || c.field === '' ? (c.message ?? '') : `${c.field}: ${c.message}`)))];
	const text = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
	const subject = `${qualified(kind, group)} ${goQuote(name)} is invalid`;
	return failure(422, 'Invalid', texts.length === 0 ? subject : `${subject}: ${text}`, {
		...(name === '' ? {} : { name }),
		...(group === '' ? {} : { group }),
		...(kind === '' ? {} : { kind }),
		...(causes.length === 0 ? {} : { causes: causes.map(inOrder) }),
	});
}

/** As Go writes the fields. */
function inOrder({ reason, message, field, ...rest }: StatusCause): StatusCause {
	return {
		...rest,
		...(reason === undefined ? {} : { reason }),
		...(message === undefined ? {} : { message }),
		...(field === undefined ? {} : { field }),
	};
}

export function forbidden(resource: ResourceRef, name: string, why: string): StatusError {
	const what = qualified(resource.plural, resource.group);
	const message =
		what === '' ? `forbidden: ${why}` : name === '' ? `${what} is forbidden: ${why}` : `${what} ${goQuote(name)} is forbidden: ${why}`;
	return failure(403, 'Forbidden', message, about(resource, name));
}

export function badRequest(message: string): StatusError {
	return failure(400, 'BadRequest', message);
}

export function unauthorized(message = 'Unauthorized'): StatusError {
	return failure(401, 'Unauthorized', message);
}

/** The resource version asked for is gone. */
export function expired(message: string): StatusError {
	return failure(410, 'Expired', message);
}

/** With what is not to be had of a kind, where its path is there. */
export function methodNotAllowed(action = '', resource?: ResourceRef): StatusError {
	if (resource === undefined)
		return failure(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});
	const named = JSON.stringify(qualified(resource.plural, resource.group));
	return failure(405, 'MethodNotAllowed', `${action} is not supported on resources of kind ${named}`, about(resource, ''));
}

/** The path serves nothing. */
export function resourceNotFound(): StatusError {
	return failure(404, 'NotFound', 'the server could not find the requested resource', {});
}

export function notAcceptable(mediaTypes: readonly string[]): StatusError {
	return failure(406, 'NotAcceptable', `only the following media types are accepted: ${mediaTypes.join(', ')}`);
}

export function requestEntityTooLarge(limitBytes: number): StatusError {
	return failure(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${limitBytes}`);
}

/** Without a word of when to come again. */
export function tooManyRequests(message: string): StatusError {
	return new StatusError({
		metadata: {},
		status: 'Failure',
		message: `Too many requests: ${message}`,
		reason: 'TooManyRequests',
		code: 429,
	});
}

export function timeout(message: string, retryAfterSeconds = 0): StatusError {
	return failure(504, 'Timeout', `Timeout: ${message}`, retryAfterSeconds === 0 ? {} : { retryAfterSeconds });
}

export function internalError(message: string): StatusError {
	return failure(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });
}

/** An error without a reason of its own, as upstream answers those of its handlers that are no Status. */
export function unknownFailure(message: string): StatusError {
	return new StatusError({ metadata: {}, status: 'Failure', message, code: 500 });
}

export function serviceUnavailable(message: string): StatusError {
	return failure(503, 'ServiceUnavailable', message);
}

/** Anything thrown, as the answer it makes: errors without a Status of their own are internal, but for being too slow or too busy. */
export function toStatusError(error: unknown): StatusError {
	if (error instanceof StatusError) return error;
	if (error instanceof AppError) {
		if (error.code === 'DeadlineExceeded') return timeout(error.message);
		if (error.code === 'Unavailable' || error.code === 'Canceled' || error.code === 'ResourceExhausted')
			return serviceUnavailable(error.message);
		if (error.code === 'OutOfRange') return expired(error.message);
	}
	return internalError(messageOf(error));
}
