/** What the change of a Service's type makes void: dropped, unless the caller changes it too, which validation refuses (upstream's dropTypeDependentFields). Pure. */
import type { ServiceSpec } from '../../../api/gen/types.ts';
import { sameJson } from '../../../api/same-json.ts';

type Needs = (spec: ServiceSpec) => boolean;

const hasAddress: Needs = ({ type }) => type !== 'ExternalName';
const isBalanced: Needs = ({ type }) => type === 'LoadBalancer';
const isChecked: Needs = (spec) => isBalanced(spec) && spec.externalTrafficPolicy === 'Local';
const hasNodePorts: Needs = (spec) => spec.type === 'NodePort' || (isBalanced(spec) && spec.allocateLoadBalancerNodePorts !== false);
const isReachedFromOutside: Needs = (spec) =>
	isBalanced(spec) || spec.type === 'NodePort' || (spec.type === 'ClusterIP' && (spec.externalIPs ?? []).length > 0);

const FIELDS: readonly (readonly [Needs, readonly (keyof ServiceSpec)[]])[] = [
	[hasAddress, ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy']],
	[isChecked, ['healthCheckNodePort']],
	[isBalanced, ['allocateLoadBalancerNodePorts', 'loadBalancerClass']],
	[isReachedFromOutside, ['externalTrafficPolicy']],
];

/** Changes `spec`, which replaces `before`. */
export function dropTypeDependent(spec: ServiceSpec, before: ServiceSpec): void {
	const idle = FIELDS.filter(([needs]) => needs(before) && !needs(spec)).flatMap(([, keys]) => keys);
	const wipesPorts = hasNodePorts(before) && !hasNodePorts(spec) && sameJson(nodePorts(spec), nodePorts(before));
	for (const key of idle) if (sameJson(spec[key], before[key])) delete spec[key];
	if (wipesPorts) for (const port of spec.ports ?? []) delete port.nodePort;
}

function nodePorts({ ports }: ServiceSpec): readonly number[] {
	return [...new Set((ports ?? []).map(({ nodePort = 0 }) => nodePort))].sort((a, b) => a - b);
}

/** A mere name leads to no endpoints, so there is nothing to choose from them (upstream's defaultOnReadInternalTrafficPolicy). What is no policy is refused later. */
export function dropPolicyOfName(spec: ServiceSpec | undefined): void {
	if (spec?.type !== 'ExternalName') return;
	if (spec.internalTrafficPolicy === 'Cluster' || spec.internalTrafficPolicy === 'Local') delete spec.internalTrafficPolicy;
}
