/** Which pods an affinity term selects (upstream's AffinityTerm.Matches). Pure. */
import type { LabelSelector, Pod, PodAffinityTerm } from '../../api/gen/types.ts';
import { matchesLabelSelector } from '../../api/selector/label.ts';
import type { Snapshot } from './framework.ts';
import type { PodInfo } from './pod-info.ts';

/** Whether `term`, written in `owner`, selects `pod`. */
export function selectsPod(term: PodAffinityTerm, owner: PodInfo, pod: Pod, snapshot: Snapshot): boolean {
	return inNamespaces(term, owner, pod.metadata.namespace ?? 'default', snapshot) && matches(term, owner.pod, pod);
}

function inNamespaces(term: PodAffinityTerm, owner: PodInfo, namespace: string, snapshot: Snapshot): boolean {
	const { namespaces = [], namespaceSelector } = term;
	if (namespaces.length === 0 && namespaceSelector === undefined) return namespace === owner.namespace;
	if (namespaces.includes(namespace)) return true;
	return namespaceSelector !== undefined && matchesLabelSelector(namespaceSelector, snapshot.namespaceLabels(namespace) ?? {});
}

/** No selector selects nothing; matchLabelKeys narrow it by the owner's own labels. */
function matches(term: PodAffinityTerm, owner: Pod, pod: Pod): boolean {
	if (term.labelSelector === undefined) return false;
	return matchesLabelSelector(
		narrowed(term.labelSelector, owner, term.matchLabelKeys, term.mismatchLabelKeys ?? []),
		pod.metadata.labels ?? {},
	);
}

/** The selector with a requirement more for each key whose value the owner has. */
export function narrowed(
	selector: LabelSelector,
	owner: Pod,
	same: readonly string[] | undefined,
	different?: readonly string[],
): LabelSelector {
	if ((same ?? []).length === 0 && (different ?? []).length === 0) return selector;
	const requirements = (keys: readonly string[] | undefined, operator: 'In' | 'NotIn'): NonNullable<LabelSelector['matchExpressions']> =>
		(keys ?? []).flatMap((key) => {
			const value = owner.metadata.labels?.[key];
			return value === undefined ? [] : [{ key, operator, values: [value] }];
		});
	return {
		...selector,
		matchExpressions: [...(selector.matchExpressions ?? []), ...requirements(same, 'In'), ...requirements(different, 'NotIn')],
	};
}
