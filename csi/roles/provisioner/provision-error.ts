/** Why there is no volume yet, and what that says of calls made before (sig-storage-lib's ProvisioningState). */
import { AppError, codeOf, messageOf } from '../../../base/errors.ts';

/**
 * finished: nothing is under way; noChange: as before this try; inBackground: the driver may still be at it;
 * reschedule: it may succeed on another node; ignored: somebody else does it.
 */
export type ProvisionState = 'finished' | 'noChange' | 'inBackground' | 'reschedule' | 'ignored';

export class ProvisionError extends AppError {
	readonly state: ProvisionState;
	constructor(state: ProvisionState, cause: unknown) {
		super(codeOf(cause), messageOf(cause), { cause });
		this.state = state;
	}
}
