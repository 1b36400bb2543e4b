/** spec.successPolicy: when an indexed Job has succeeded before all of its indexes have. Pure. */
import type { Job } from '../../../api/gen/types.ts';
import { parseIndexes } from './indexes.ts';

/** Why the Job has succeeded; undefined when no rule says so. */
export function policySuccess(job: Job, completed: ReadonlySet<number>): { readonly reason: string; readonly message: string } | undefined {
	const { successPolicy, completions = 0 } = job.spec ?? {};
	const index = (successPolicy?.rules ?? []).findIndex(({ succeededIndexes, succeededCount }) => {
		if (succeededIndexes === undefined) return succeededCount !== undefined && completed.size >= succeededCount;
		const wanted = parseIndexes(succeededIndexes, completions);
		const matched = [...wanted].filter((i) => completed.has(i)).length;
		return matched >= (succeededCount ?? wanted.size);
	});
	return index < 0 ? undefined : { reason: 'SuccessPolicy', message: `Matched rules at index ${index}` };
}
