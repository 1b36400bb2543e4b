/** Why a container could not be started, as its waiting state says it. */
import { AppError } from '../../base/errors.ts';
import { saidBy } from '../../wire/grpc/status.ts';

export class StartFailure extends AppError {
	/** ErrImagePull, CreateContainerConfigError, … */
	readonly reason: string;
	/** When to try again. */
	readonly againMs: number;

	constructor(reason: string, message: string, againMs: number, options?: ErrorOptions) {
		super('FailedPrecondition', message, options);
		this.reason = reason;
		this.againMs = againMs;
	}
}

/** Upstream's pause after a failed sync. */
export const RETRY_MS = 10_000;

/** Wraps what `work` throws; of what a runtime answered only its own words count, as upstream has it for containers. */
export async function failingAs<T>(reason: string, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
	try {
		return await work();
	} catch (error) {
		if (signal.aborted || error instanceof StartFailure) throw error;
		throw new StartFailure(reason, saidBy(error), RETRY_MS, { cause: error });
	}
}
