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

/** Waits for all of them; what several say is told as a list. */
export async function allSteps(steps: readonly Promise<unknown>[]): Promise<void> {
	const failed = (await Promise.allSettled(steps)).flatMap((step) => (step.status === 'rejected' ? [step.reason as unknown] : []));
	if (failed.length > 0) throw aggregated(failed);
}

/** What several failed with as one error: each text once (utilerrors.NewAggregate). */
export function aggregated(failed: readonly unknown[]): unknown {
	const [first] = failed;
	const texts = [...new Set(failed.map(messageOf))];
	return texts.length < 2 ? first : new AppError(codeOf(first), `[${texts.join(', ')}]`, { cause: first });
}
