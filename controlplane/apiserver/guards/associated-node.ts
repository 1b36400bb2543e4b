/** Whether devices are on the node that somebody is at. Pure. */
import type { AllocationResult } from '../../../api/gen/types.ts';
import { dnsSubdomain } from '../../../api/validation/names.ts';
import { splitServiceAccount } from '../authn/service-account-claims.ts';
import type { UserInfo } from '../contracts.ts';

const NODE_NAME = 'authentication.kubernetes.io/node-name';

/** True for a service account whose token is of a pod on the one node that the devices are for. */
export function isAtNode({ name, extra }: UserInfo, allocation: AllocationResult): boolean {
	const node = nodeOf(allocation);
	const known = extra[NODE_NAME] ?? [];
	if (node === undefined || known.length !== 1 || known[0] !== node) return false;
	return splitServiceAccount(name) !== undefined && dnsSubdomain(node).length === 0;
}

/** Only as it is written for devices of a node: one field that names it. */
function nodeOf({ nodeSelector }: AllocationResult): string | undefined {
	const [term, ...others] = nodeSelector?.nodeSelectorTerms ?? [];
	if (term === undefined || others.length > 0 || (term.matchExpressions ?? []).length > 0) return undefined;
	const [field, ...more] = term.matchFields ?? [];
	if (field === undefined || more.length > 0 || field.key !== 'metadata.name' || field.operator !== 'In') return undefined;
	return field.values?.length === 1 ? field.values[0] : undefined;
}
