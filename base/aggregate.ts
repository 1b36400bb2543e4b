/** What several failed with, as one error. */
import { AppError, codeOf, messageOf } from './errors.ts';

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
