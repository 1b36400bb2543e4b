/** Whether a driver has made up its mind. */
import { RpcError } from '../../wire/grpc/status.ts';

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
