/** AppError and gRPC status: the one place where they are mapped. Codes have the same names. */
import type { status as GrpcStatus } from '@grpc/grpc-js';
import { AppError, codeOf, messageOf, type ErrorCode } from '../../base/errors.ts';

/** gRPC's numbers (grpc.io, status codes). */
const NUMBERS: Readonly<Record<ErrorCode, number>> = {
	Canceled: 1,
	Unknown: 2,
	InvalidArgument: 3,
	DeadlineExceeded: 4,
	NotFound: 5,
	AlreadyExists: 6,
	PermissionDenied: 7,
	ResourceExhausted: 8,
	FailedPrecondition: 9,
	Aborted: 10,
	OutOfRange: 11,
	Unimplemented: 12,
	Internal: 13,
	Unavailable: 14,
	DataLoss: 15,
	Unauthenticated: 16,
};

const CODES = new Map<number, ErrorCode>(Object.entries(NUMBERS).map(([code, number]) => [number, code as ErrorCode]));

/** Anything thrown as a gRPC status. */
export function toGrpc(error: unknown): { readonly code: GrpcStatus; readonly details: string } {
	return { code: NUMBERS[codeOf(error)], details: messageOf(error) };
}

/** A call's failure as Go's clients print it. */
export class RpcError extends AppError {
	/** The server's own words. */
	readonly said: string;
	constructor(code: ErrorCode, said: string, options?: ErrorOptions) {
		super(code, `rpc error: code = ${code} desc = ${said}`, options);
		this.said = said;
	}

	/** gRPC's, of the code. */
	get number(): number {
		return NUMBERS[this.code];
	}
}

/** The message without what Go's clients put before it (status.FromError). */
export function saidBy(error: unknown): string {
	return error instanceof RpcError ? error.said : messageOf(error);
}

/** What this side of a call says of one that took too long. */
const LATE = /^Deadline exceeded after /;

/** The same as `fromGrpc`, in Go's words. */
export function fromGrpcInGo(error: Parameters<typeof fromGrpc>[0]): RpcError {
	const { code, message } = fromGrpc(error);
	return new RpcError(code, LATE.test(message) ? 'context deadline exceeded' : message, { cause: error });
}

/** What a call was answered with, as an AppError. */
export function fromGrpc(error: { readonly code?: number; readonly details?: string; readonly message?: string }): AppError {
	return new AppError(CODES.get(error.code ?? 2) ?? 'Unknown', error.details || error.message || 'The call failed', { cause: error });
}
