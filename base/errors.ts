/** The one error vocabulary. Codes are gRPC's names, mapped to gRPC status in wire/ and to Kubernetes Status in api/. */

export type ErrorCode =
	| 'Canceled'
	| 'Unknown'
	| 'InvalidArgument'
	| 'DeadlineExceeded'
	| 'NotFound'
	| 'AlreadyExists'
	| 'PermissionDenied'
	| 'ResourceExhausted'
	| 'FailedPrecondition'
	| 'Aborted'
	| 'OutOfRange'
	| 'Unimplemented'
	| 'Internal'
	| 'Unavailable'
	| 'DataLoss'
	| 'Unauthenticated';

/** An error that crosses a boundary: a code that callers decide by, a message for people, and its cause. */
export class AppError extends Error {
	override readonly name = 'AppError';
	readonly code: ErrorCode;
	constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
		super(message, options);
		this.code = code;
	}
}

/** The code of anything thrown; what is no AppError is Unknown. */
export function codeOf(error: unknown): ErrorCode {
	return error instanceof AppError ? error.code : 'Unknown';
}

/** A catch handler that swallows these codes and rethrows everything else: `.catch(ignore('NotFound'))`. */
export function ignore(...codes: readonly ErrorCode[]): (error: unknown) => undefined {
	return (error) => {
		if (error instanceof AppError && codes.includes(error.code)) return undefined;
		throw error;
	};
}

/** The same for what the system says, by its names: `.catch(ignoreErrno('ENOENT'))`. */
export function ignoreErrno(...names: readonly string[]): (error: unknown) => undefined {
	return (error) => {
		if (names.includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
		throw error;
	};
}

/** The text of anything thrown. */
export function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
