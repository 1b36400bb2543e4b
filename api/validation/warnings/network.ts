/** Warnings on services and what tells of addresses: odd forms, and fields that are passed over. Pure. */
import type { Endpoints, EndpointSlice, Ingress, NetworkPolicy, NetworkPolicyPeer, Pod, Service, ServiceSpec } from '../../gen/types.ts';
import { cidrWarnings, ipWarnings } from '../address-form.ts';

const HINTS = 'service.kubernetes.io/topology-aware-hints';

export function serviceWarnings({ metadata, spec = {} }: Service): readonly string[] {
	const out: string[] = [];
	if (metadata.annotations?.[HINTS] !== undefined)
		out.push(`annotation ${HINTS} is deprecated, please use service.kubernetes.io/topology-mode instead`);
	const { type, clusterIP = '', externalIPs = [], loadBalancerIP = '' } = spec;
	const isHeadless = type === 'ClusterIP' && clusterIP === 'None';
	if (clusterIP !== '' && clusterIP !== 'None')
		out.push(...(spec.clusterIPs ?? []).flatMap((ip, i) => ipWarnings(`spec.clusterIPs[${i}]`, ip)));
	if (isHeadless) out.push(...headlessWarnings(spec));
	out.push(...externalIPs.flatMap((ip, i) => ipWarnings(`spec.externalIPs[${i}]`, ip)));
	if (externalIPs.length > 0 && !isHeadless && type !== 'ExternalName')
		out.push('spec.externalIPs is deprecated and may no longer be implemented in some clusters');
	if (loadBalancerIP !== '') out.push(...ipWarnings('spec.loadBalancerIP', loadBalancerIP));
	out.push(...(spec.loadBalancerSourceRanges ?? []).flatMap((cidr, i) => cidrWarnings(`spec.loadBalancerSourceRanges[${i}]`, cidr)));
	if (type === 'ExternalName' && externalIPs.length > 0) out.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
	if (type !== 'ExternalName' && (spec.externalName ?? '') !== '')
		out.push('spec.externalName is ignored when spec.type is not "ExternalName"');
	if (spec.trafficDistribution === 'PreferClose') out.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"');
	return out;
}

function headlessWarnings({ loadBalancerIP = '', externalIPs = [], sessionAffinity }: ServiceSpec): readonly string[] {
	return [
		...(loadBalancerIP === '' ? [] : ['spec.loadBalancerIP is ignored for headless services']),
		...(externalIPs.length === 0 ? [] : ['spec.externalIPs is ignored for headless services']),
		...(sessionAffinity === 'None' ? [] : ['spec.SessionAffinity is ignored for headless services']),
	];
}

export function networkPolicyWarnings({ spec }: NetworkPolicy): readonly string[] {
	const ofPeers = (path: string, peers: readonly NetworkPolicyPeer[] | undefined): readonly string[] =>
		(peers ?? []).flatMap(({ ipBlock }, j) => {
			const at = `${path}[${j}].ipBlock`;
			if (ipBlock === undefined) return [];
			const { cidr, except = [] } = ipBlock;
			return [...cidrWarnings(`${at}.cidr`, cidr), ...except.flatMap((inner, k) => cidrWarnings(`${at}.except[${k}]`, inner))];
		});
	return [
		...(spec?.ingress ?? []).flatMap(({ from }, i) => ofPeers(`spec.ingress[${i}].from`, from)),
		...(spec?.egress ?? []).flatMap(({ to }, i) => ofPeers(`spec.egress[${i}].to`, to)),
	];
}

/** Their controllers write them well. */
const SLICE_WRITERS: ReadonlySet<string | undefined> = new Set([
	'endpointslice-controller.k8s.io',
	'endpointslicemirroring-controller.k8s.io',
]);
const ENDPOINTS_WRITER = 'endpoint-controller';

export function sliceWarnings({ metadata, addressType, endpoints = [] }: EndpointSlice, isNew: boolean): readonly string[] {
	const isKnown = SLICE_WRITERS.has(metadata.labels?.['endpointslice.kubernetes.io/managed-by']);
	return [
		...(isNew && addressType === 'FQDN' ? ['spec.addressType: FQDN endpoints are deprecated'] : []),
		...(isKnown ? [] : endpoints).flatMap(({ addresses = [] }, i) =>
			addresses.flatMap((address, j) => ipWarnings(`endpoints[${i}].addresses[${j}]`, address)),
		),
	];
}

export function endpointsWarnings({ metadata, subsets = [] }: Endpoints): readonly string[] {
	if (metadata.labels?.['endpoints.kubernetes.io/managed-by'] === ENDPOINTS_WRITER) return [];
	return subsets.flatMap((subset, i) =>
		(['addresses', 'notReadyAddresses'] as const).flatMap((key) =>
			(subset[key] ?? []).flatMap(({ ip }, j) => ipWarnings(`subsets[${i}].${key}[${j}].ip`, ip)),
		),
	);
}

export function balancerWarnings({ status }: Service | Ingress): readonly string[] {
	return (status?.loadBalancer?.ingress ?? []).flatMap(({ ip = '' }, i) =>
		ip === '' ? [] : ipWarnings(`status.loadBalancer.ingress[${i}]`, ip),
	);
}

export function podAddressWarnings({ status }: Pod): readonly string[] {
	return (['podIPs', 'hostIPs'] as const).flatMap((key) =>
		(status?.[key] ?? []).flatMap(({ ip = '' }, i) => ipWarnings(`status.${key}[${i}].ip`, ip)),
	);
}
