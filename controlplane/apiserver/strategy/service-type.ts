/** What the change of a Service's type makes void: dropped, unless the caller changes it too, which validation refuses (upstream's dropTypeDependentFields). Pure. */
import type { ServiceSpec } from '../../../api/gen/types.ts';
import { sameJson } from '../../../api/same-json.ts';

type Field = keyof ServiceSpec;
type Needs = (spec: ServiceSpec) => boolean;

const hasAddress: Needs = ({ type }) => type !== 'ExternalName';
const isBalanced: Needs = ({ type }) => type === 'LoadBalancer';
/** Has a port for checks of health. */
export const isChecked: Needs = (spec) => isBalanced(spec) && spec.externalTrafficPolicy === 'Local';
/** Also where a balancer asks for none to be allocated: it may have them. */
const hasNodePorts: Needs = (spec) => spec.type === 'NodePort' || isBalanced(spec);
const isReachedFromOutside: Needs = (spec) =>
	isBalanced(spec) || spec.type === 'NodePort' || (spec.type === 'ClusterIP' && (spec.externalIPs ?? []).length > 0);

/** Fields of one list go together: when none of them is changed. */
const FIELDS: readonly (readonly [Needs, readonly (readonly Field[])[]])[] = [
	[hasAddress, [['clusterIP', 'clusterIPs'], ['ipFamilies'], ['ipFamilyPolicy']]],
	[isChecked, [['healthCheckNodePort']]],
	[isBalanced, [['allocateLoadBalancerNodePorts'], ['loadBalancerClass']]],
	[isReachedFromOutside, [['externalTrafficPolicy']]],
];

/** Changes `spec`, which replaces `before`. */
export function dropTypeDependent(spec: ServiceSpec, before: ServiceSpec): void {
	const idle = FIELDS.filter(([needs]) => needs(before) && !needs(spec)).flatMap(([, lists]) => lists);
	const wipesPorts = hasNodePorts(before) && !hasNodePorts(spec) && nodePorts(spec).isSubsetOf(nodePorts(before));
	for (const keys of idle) if (keys.every((key) => sameJson(spec[key], before[key]))) for (const key of keys) delete spec[key];
	if (wipesPorts) for (const port of spec.ports ?? []) delete port.nodePort;
}

function nodePorts({ ports }: ServiceSpec): ReadonlySet<number> {
	return new Set((ports ?? []).map(({ nodePort }) => nodePort ?? 0).filter((port) => port !== 0));
}

/** A mere name leads to no endpoints, so there is nothing to choose from them (upstream's defaultOnReadInternalTrafficPolicy). What is no policy is refused later. */
export function dropPolicyOfName(spec: ServiceSpec | undefined): void {
	if (spec?.type !== 'ExternalName') return;
	if (spec.internalTrafficPolicy === 'Cluster' || spec.internalTrafficPolicy === 'Local') delete spec.internalTrafficPolicy;
}
