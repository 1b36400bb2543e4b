/** Which pods of a namespace would not pass its new policy, as warnings say it. Pure. */
import type { Pod } from '../../../../api/gen/types.ts';
import { violations } from './evaluate.ts';
import { levelText, type LevelVersion } from './policy.ts';

/** Upstream looks at no more. */
const MAX_PODS = 3000;

/** @param isExempt pods that no policy is about */
export function namespaceWarnings(
	namespace: string,
	all: readonly Pod[],
	policy: LevelVersion,
	isExempt: (pod: Pod) => boolean,
): readonly string[] {
	const judged = prioritized(all.filter((pod) => !isExempt(pod)));
	const pods = judged.slice(0, MAX_PODS);
	const byReasons = new Map<string, string[]>();
	for (const pod of pods) {
		const found = pod.spec === undefined ? [] : violations(pod.metadata, pod.spec, policy);
		if (found.length === 0) continue;
		const reasons = found.map((v) => v.reason).join(', ');
		byReasons.set(reasons, [...(byReasons.get(reasons) ?? []), pod.metadata.name ?? '']);
	}
	const out: string[] = [];
	if (pods.length < judged.length)
		out.push(`new PodSecurity enforce level only checked against the first ${pods.length} of ${judged.length} existing pods`);
	if (byReasons.size === 0) return out;
	out.push(
		`existing pods in namespace ${JSON.stringify(namespace)} violate the new PodSecurity enforce level ${JSON.stringify(levelText(policy))}`,
	);
	const lines = [...byReasons].map(([reasons, names]) => {
		const [first, ...others] = names.sort();
		const more = others.length === 0 ? '' : others.length === 1 ? ' (and 1 other pod)' : ` (and ${others.length} other pods)`;
		return `${first}${more}: ${reasons}`;
	});
	return [...out, ...lines.sort()];
}

/** The first pod of each controller before the others of the same one, which mostly are alike. */
function prioritized(pods: readonly Pod[]): readonly Pod[] {
	const seen = new Set<string>();
	const others: Pod[] = [];
	const first = pods.filter((pod) => {
		const uid = pod.metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid;
		if (uid === undefined || !seen.has(uid)) {
			if (uid !== undefined) seen.add(uid);
			return true;
		}
		others.push(pod);
		return false;
	});
	return [...first, ...others];
}
