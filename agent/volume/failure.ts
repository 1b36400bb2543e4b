/** Why a volume could not be brought to a pod, in the words of upstream's events. */
import { AppError, codeOf, messageOf } from '../../base/errors.ts';

export type VolumeEvent = 'FailedMount' | 'FailedMapVolume' | 'VolumeResizeFailed';

/** The node has no room for a volume of the pod, which is refused therefore. */
export class VolumeLimitExceeded extends AppError {
	/** @param waitedFor as of any volumes that do not come */
	constructor(waitedFor: string, cause: unknown) {
		super('ResourceExhausted', `Node has reached its volume attachment limit, rejecting pod. ${waitedFor}`, { cause });
	}
}

export class VolumeFailure extends AppError {
	readonly event: VolumeEvent;
	constructor(event: VolumeEvent, message: string, cause: unknown) {
		super(codeOf(cause) === 'Unknown' ? 'FailedPrecondition' : codeOf(cause), message, { cause });
		this.event = event;
	}
}

/** Does one step of a volume; `step` is upstream's name of it: "MountVolume.SetUp". */
export async function step<T>(name: string, volume: string, event: VolumeEvent, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		if (signal.aborted || error instanceof VolumeFailure) throw error;
		throw new VolumeFailure(event, `${name} failed for volume "${volume}" : ${messageOf(error)}`, error);
	}
}
