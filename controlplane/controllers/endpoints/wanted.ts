/** The Endpoints that a service should have, from its pods. Pure; the rules of upstream's pkg/controller/endpoint. */
import { isIPv6 } from 'node:net';
import type { EndpointAddress, Endpoints, EndpointSubset, Pod, Service } from '../../../api/gen/types.ts';
import { isReady } from '../../../api/pod/conditions.ts';
import { isTerminal } from '../../../api/pod/phase.ts';
import { canonicalIp } from '../../../api/validation/address-form.ts';
import { portsOf } from '../endpointslice/ports.ts';
import { TRIGGER_TIME } from './trigger-times.ts';
import { repack, sameSubsets, truncated } from './subsets.ts';

const OVER_CAPACITY = 'endpoints.kubernetes.io/over-capacity';
const HEADLESS = 'service.kubernetes.io/headless';
const MANAGED_BY = 'endpoints.kubernetes.io/managed-by';
const MANAGER = 'endpoint-controller';

export function wantedSubsets(service: Service, pods: readonly Pod[]): readonly EndpointSubset[] {
	const publishAll = service.spec?.publishNotReadyAddresses === true;
	const subsets: EndpointSubset[] = [];
	for (const pod of pods) {
		const address = addressOf(service, pod);
		const isIn = !isTerminal(pod) && (publishAll || pod.metadata.deletionTimestamp === undefined);
		if (!isIn || address === undefined) continue;
		const ports = portsOf(service, pod).map(({ name = '', port = 0, protocol, appProtocol }) => ({
			...(name === '' ? {} : { name }),
			...{ port, protocol },
			...(appProtocol === undefined ? {} : { appProtocol }),
		}));
		const portless = (service.spec?.ports ?? []).length === 0 && service.spec?.clusterIP === 'None';
		for (const own of portless ? [[]] : ports.map((port) => [port]))
			subsets.push(publishAll || isReady(pod) ? { addresses: [address], ports: own } : { notReadyAddresses: [address], ports: own });
	}
	return repack(subsets);
}

/** The object to write; undefined where the present one will do. */
export function wantedEndpoints(
	service: Service,
	subsets: readonly EndpointSubset[],
	present: Endpoints | undefined,
	triggered: string | undefined,
): Endpoints | undefined {
	if (present !== undefined && isCurrent(service, subsets, present)) return undefined;
	const { [TRIGGER_TIME]: _time, [OVER_CAPACITY]: _over, ...annotations } = present?.metadata.annotations ?? {};
	const { [HEADLESS]: _headless, ...labels } = service.metadata.labels ?? {};
	const { subsets: held, isTruncated } = truncated(subsets);
	return {
		...present,
		metadata: {
			...(present?.metadata ?? { namespace: service.metadata.namespace, name: service.metadata.name }),
			labels: { ...labels, ...(isHeadless(service) ? { [HEADLESS]: '' } : {}), [MANAGED_BY]: MANAGER },
			annotations: {
				...annotations,
				...(triggered === undefined ? {} : { [TRIGGER_TIME]: triggered }),
				...(isTruncated ? { [OVER_CAPACITY]: 'truncated' } : {}),
			},
		},
		subsets: [...held],
	};
}

export function isManaged(endpoints: Endpoints): boolean {
	return endpoints.metadata.labels?.[MANAGED_BY] === MANAGER;
}

function isCurrent(service: Service, subsets: readonly EndpointSubset[], { metadata, subsets: present = [] }: Endpoints): boolean {
	const held = truncated(subsets);
	const mark = metadata.annotations?.[OVER_CAPACITY];
	const { [HEADLESS]: _headless, [MANAGED_BY]: manager, ...labels } = metadata.labels ?? {};
	const wanted = Object.entries(service.metadata.labels ?? {}).filter(([key]) => key !== HEADLESS);
	const sameLabels =
		manager === MANAGER && wanted.length === Object.keys(labels).length && wanted.every(([key, value]) => labels[key] === value);
	return (mark === 'truncated') === held.isTruncated && sameLabels && sameSubsets(repack(present), repack(held.subsets));
}

function isHeadless({ spec }: Service): boolean {
	return (spec?.clusterIP ?? '') === 'None' || (spec?.clusterIP ?? '') === '';
}

/** The pod's address in the service's first family. */
function addressOf(service: Service, pod: Pod): EndpointAddress | undefined {
	const { ipFamilies = [], clusterIP = '' } = service.spec ?? {};
	const wantsIpv6 =
		ipFamilies.length > 0
			? ipFamilies[0] === 'IPv6'
			: clusterIP !== '' && clusterIP !== 'None'
				? isIPv6(clusterIP)
				: isIPv6(pod.status?.podIP ?? '');
	const ips = (pod.status?.podIPs ?? []).length > 0 ? (pod.status?.podIPs ?? []).map((p) => p.ip) : [pod.status?.podIP ?? ''];
	const ip = ips.map(canonicalIp).find((one) => one !== undefined && isIPv6(one) === wantsIpv6);
	if (ip === undefined) return undefined;
	const { namespace, name, uid } = pod.metadata;
	const { nodeName, hostname = '', subdomain } = pod.spec ?? {};
	const named = hostname !== '' && subdomain === service.metadata.name && service.metadata.namespace === namespace;
	return {
		ip,
		...(named ? { hostname } : {}),
		...(nodeName === undefined ? {} : { nodeName }),
		targetRef: { kind: 'Pod', namespace, name, uid },
	};
}
