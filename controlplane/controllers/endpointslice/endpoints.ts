/** Which endpoints a service should have, from its pods. Pure; the rules of upstream's endpointslice/util. */
import type { Endpoint, Node, Pod, Service } from '../../../api/gen/types.ts';
import { isReady } from '../../../api/pod/conditions.ts';
import { isTerminal } from '../../../api/pod/phase.ts';
import { ZONE_LABEL } from '../../../api/topology-labels.ts';
import { canonicalIp } from '../../../api/validation/address-form.ts';
import { sliceIpFamily, type AddressType } from './family.ts';
import { hintsOf } from './hints.ts';
import { portsOf, portsKey, type SlicePorts } from './ports.ts';

/** Endpoints that share one list of ports. */
export interface EndpointGroup {
	readonly ports: SlicePorts;
	readonly endpoints: readonly Endpoint[];
}

/** The wanted endpoints of one address family, grouped by resolved ports. */
export function wantedEndpoints(
	service: Service,
	pods: readonly Pod[],
	nodeOf: (name: string) => Node | undefined,
	family: AddressType,
): readonly EndpointGroup[] {
	const groups = new Map<string, { readonly ports: SlicePorts; readonly endpoints: Endpoint[] }>();
	for (const pod of pods) {
		if (isTerminal(pod)) continue;
		const address = addressOf(pod, family);
		if (address === undefined) continue;
		const node = nodeOf(pod.spec?.nodeName ?? '');
		// Told of by `withoutNode`.
		if (node === undefined && service.spec?.publishNotReadyAddresses !== true) continue;
		const ports = portsOf(service, pod);
		const key = portsKey(ports);
		const group = groups.get(key) ?? { ports, endpoints: [] };
		group.endpoints.push(endpointOf(service, pod, address, node));
		groups.set(key, group);
	}
	return [...groups.values()];
}

/** Pods that are left out since nobody knows their node. */
export function withoutNode(service: Service, pods: readonly Pod[], nodeOf: (name: string) => Node | undefined): readonly Pod[] {
	if (service.spec?.publishNotReadyAddresses === true) return [];
	const hasAddress = ({ status }: Pod): boolean => (status?.podIPs ?? []).length > 0 || (status?.podIP ?? '') !== '';
	return pods.filter((pod) => !isTerminal(pod) && hasAddress(pod) && nodeOf(pod.spec?.nodeName ?? '') === undefined);
}

function addressOf(pod: Pod, family: AddressType): string | undefined {
	const all = [...(pod.status?.podIPs ?? []).map((p) => p.ip), ...(pod.status?.podIP === undefined ? [] : [pod.status.podIP])];
	return all.map(canonicalIp).find((ip) => ip !== undefined && sliceIpFamily(ip) === family);
}

function endpointOf(service: Service, pod: Pod, address: string, node: Node | undefined): Endpoint {
	const serving = isReady(pod);
	const terminating = pod.metadata.deletionTimestamp !== undefined;
	const ready = service.spec?.publishNotReadyAddresses === true || (serving && !terminating);
	const nodeName = pod.spec?.nodeName;
	const zone = node?.metadata.labels?.[ZONE_LABEL] || undefined;
	const named = (pod.spec?.hostname ?? '') !== '' && pod.spec?.subdomain === service.metadata.name;
	const { namespace, name, uid } = pod.metadata;
	const conditions = { ready, serving, terminating };
	const hints = hintsOf(service, { zone, nodeName, conditions });
	return {
		addresses: [address],
		conditions,
		...(named ? { hostname: pod.spec?.hostname } : {}),
		targetRef: { kind: 'Pod', namespace, name, uid },
		...(nodeName === undefined ? {} : { nodeName }),
		...(zone === undefined ? {} : { zone }),
		...(hints === undefined ? {} : { hints }),
	};
}
