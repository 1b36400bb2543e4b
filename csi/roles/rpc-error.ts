/** What a driver answered, in the words that upstream's sidecars write into events and statuses. */
import { AppError } from '../../base/errors.ts';
import { toGrpc } from '../../wire/grpc/status.ts';

/** A driver's no: "rpc error: code = ResourceExhausted desc = …". */
export class RpcError extends AppError {
	/** gRPC's number. */
	readonly number: number;
	constructor(cause: AppError) {
		super(cause.code, `rpc error: code = ${cause.code} desc = ${cause.message}`, { cause });
		this.number = toGrpc(cause).code;
	}
}

/** The call's answer, or an RpcError. */
export async function rpc<T>(call: Promise<T>): Promise<T> {
	try {
		return await call;
	} catch (error) {
		throw error instanceof AppError ? new RpcError(error) : error;
	}
}

/** The operation did not happen and is not under way (csi-lib-utils' and the sidecars' "final" errors): another one may be asked for. */
export function isFinal(error: unknown): boolean {
	if (!(error instanceof RpcError)) return false;
	switch (error.code) {
		case 'Canceled':
		case 'DeadlineExceeded':
		case 'Unavailable':
		case 'Aborted':
			return false;
		case 'Unknown':
		case 'InvalidArgument':
		case 'NotFound':
		case 'AlreadyExists':
		case 'PermissionDenied':
		case 'ResourceExhausted':
		case 'FailedPrecondition':
		case 'OutOfRange':
		case 'Unimplemented':
		case 'Internal':
		case 'DataLoss':
		case 'Unauthenticated':
			return true;
	}
}
