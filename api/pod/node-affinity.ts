/** Whether a node fits a pod's node selector and required node affinity (component-helpers nodeaffinity). Pure. */
import type { Node, NodeSelectorRequirement, NodeSelectorTerm, Pod } from '../gen/types.ts';

/** nodeSelector and the required terms: all of the former, any of the latter. */
export function matchesNode(pod: Pod, node: Node): boolean {
	const labels = node.metadata.labels ?? {};
	if (!Object.entries(pod.spec?.nodeSelector ?? {}).every(([k, v]) => labels[k] === v)) return false;
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
		expressions.every((r) => matchesRequirement(r, labels[r.key])) &&
		fields.every((r) => matchesRequirement(r, r.key === 'metadata.name' ? node.metadata.name : undefined))
	);
}

function matchesRequirement({ operator, values = [] }: NodeSelectorRequirement, value: string | undefined): boolean {
	switch (operator) {
		case 'In':
			return value !== undefined && values.includes(value);
		case 'NotIn':
			return value === undefined || !values.includes(value);
		case 'Exists':
			return value !== undefined;
		case 'DoesNotExist':
			return value === undefined;
		case 'Gt':
		case 'Lt': {
			if (value === undefined || !/^-?\d+$/.test(value) || values.length !== 1) return false;
			const [has, limit] = [BigInt(value), BigInt(values[0] ?? '0')];
			return operator === 'Gt' ? has > limit : has < limit;
		}
		default:
			return false;
	}
}
