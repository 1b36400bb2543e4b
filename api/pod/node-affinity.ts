/** Whether a node fits a pod's node selector and required node affinity (component-helpers nodeaffinity). Pure. */
import type { Node, NodeSelectorTerm, Pod } from '../gen/types.ts';
import { matchesLabels } from '../selector/label.ts';
import { meets } from '../selector/requirement.ts';

/** nodeSelector and the required terms: all of the former, any of the latter. */
export function matchesNode(pod: Pod, node: Node): boolean {
	const labels = node.metadata.labels ?? {};
	if (!matchesLabels(pod.spec?.nodeSelector ?? {}, labels)) return false;
	const required = pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
	return required === undefined || (required.nodeSelectorTerms ?? []).some((term) => matchesNodeTerm(term, node));
}

/** An empty term matches nothing. */
export function matchesNodeTerm(term: NodeSelectorTerm, node: Node): boolean {
	const expressions = term.matchExpressions ?? [];
	const fields = term.matchFields ?? [];
	if (expressions.length === 0 && fields.length === 0) return false;
	const labels = node.metadata.labels ?? {};
	return (
		expressions.every((r) => meets(r.operator, r.values, Object.hasOwn(labels, r.key) ? labels[r.key] : undefined)) &&
		fields.every((r) => meets(r.operator, r.values, r.key === 'metadata.name' ? node.metadata.name : undefined))
	);
}
