/** What a step of a round says when it fails, in upstream's words (kubecontainer.SyncResult, PodSyncResult.Error). */
import { AppError, codeOf, messageOf } from '../../base/errors.ts';

type Step = 'CreatePodSandbox' | 'KillContainer' | 'KillPodSandbox' | 'RemoveContainer';

/** @param target the container's name, the sandbox's id, or the pod */
export async function asStep<T>(step: Step, target: string, work: Promise<T>, signal: AbortSignal): Promise<T> {
	try {
		return await work;
	} catch (cause) {
		if (signal.aborted) throw cause;
		throw new AppError(
			codeOf(cause),
			`failed to ${JSON.stringify(step)} for ${JSON.stringify(target)} with ${step}Error: ${JSON.stringify(messageOf(cause))}`,
			{ cause },
		);
	}
}
