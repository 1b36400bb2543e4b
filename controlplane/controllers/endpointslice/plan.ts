/** How the slices of a service get from what they hold to what they should: as few writes as possible, at most 100 endpoints a slice. Pure. */
import type { Endpoint, EndpointSlice, Service } from '../../../api/gen/types.ts';
import { SERVICES } from '../../../api/resources.ts';
import { sameButNulls } from '../../../api/same-json.ts';
import { controllerOf, controllerRef } from '../owned.ts';
import type { EndpointGroup } from './endpoints.ts';
import type { AddressType } from './family.ts';
import { portsKey, type SlicePorts } from './ports.ts';

/** Upstream's --max-endpoints-per-slice. */
const MAX_ENDPOINTS = 100;
export const SERVICE_LABEL = 'kubernetes.io/service-name';
export const MANAGED_BY_LABEL = 'endpointslice.kubernetes.io/managed-by';
export const MANAGER = 'endpointslice-controller.k8s.io';
const HEADLESS_LABEL = 'service.kubernetes.io/headless';

export interface SlicePlan {
	readonly create: readonly EndpointSlice[];
	readonly update: readonly EndpointSlice[];
	readonly delete: readonly EndpointSlice[];
}

/** The writes for one address family. A service without endpoints keeps one empty slice, which tells watchers that it was looked at. */
export function planSlices(
	service: Service,
	family: AddressType,
	groups: readonly EndpointGroup[],
	present: readonly EndpointSlice[],
): SlicePlan {
	// Those of a service of the same name that is gone would go with it.
	const foreign = present.filter((slice) => (controllerOf(slice)?.uid ?? service.metadata.uid) !== service.metadata.uid);
	const existing = present.filter((slice) => !foreign.includes(slice));
	const create: EndpointSlice[] = [];
	const update: EndpointSlice[] = [];
	const removed: EndpointSlice[] = [];
	const wanted = groups.length > 0 ? groups : [{ ports: [], endpoints: [] }];
	const labels = labelsOf(service);
	const used = new Set<EndpointSlice>();
	for (const { ports, endpoints } of wanted) {
		const own = existing.filter((slice) => portsKey(slice.ports ?? []) === portsKey(ports) && !used.has(slice));
		for (const slice of own) used.add(slice);
		const left = new Map(endpoints.map((e) => [identity(e), e]));
		const kept = own.map((slice) => ({ slice, endpoints: keep(slice, left) }));
		const fresh = [...left.values()];
		for (const one of kept.toSorted((a, b) => b.endpoints.length - a.endpoints.length))
			one.endpoints.push(...fresh.splice(0, MAX_ENDPOINTS - one.endpoints.length));
		const isOnly = endpoints.length === 0 && wanted.length === 1;
		for (const [index, { slice, endpoints: now }] of kept.entries()) {
			if (now.length === 0 && !(isOnly && index === 0)) removed.push(slice);
			else if (!sameButNulls(slice.endpoints ?? [], now) || !hasLabels(slice, labels))
				update.push({ ...slice, metadata: { ...slice.metadata, labels }, endpoints: now });
		}
		while (fresh.length > 0) create.push(newSlice(service, family, ports, fresh.splice(0, MAX_ENDPOINTS), labels));
		if (isOnly && kept.length === 0) create.push(newSlice(service, family, ports, [], labels));
	}
	removed.push(...foreign, ...existing.filter((slice) => !used.has(slice)));
	return { create, update, delete: removed };
}

/** The wanted endpoints that the slice holds already, in their present form; they are taken out of `left`. */
function keep(slice: EndpointSlice, left: Map<string, Endpoint>): Endpoint[] {
	return (slice.endpoints ?? []).flatMap((old) => {
		const now = left.get(identity(old));
		left.delete(identity(old));
		return now === undefined ? [] : [now];
	});
}

function identity(endpoint: Endpoint): string {
	return `${endpoint.addresses.join(',')} ${endpoint.targetRef?.uid ?? ''}`;
}

function newSlice(
	service: Service,
	family: AddressType,
	ports: SlicePorts,
	endpoints: Endpoint[],
	labels: Record<string, string>,
): EndpointSlice {
	const name = (service.metadata.name ?? '').slice(0, 57);
	return {
		apiVersion: 'discovery.k8s.io/v1',
		kind: 'EndpointSlice',
		metadata: {
			generateName: `${name}-`,
			namespace: service.metadata.namespace,
			labels,
			ownerReferences: [controllerRef(SERVICES, service)],
		},
		addressType: family,
		endpoints,
		ports: [...ports],
	};
}

/** The service's own labels, with those that say whose the slice is. */
function labelsOf(service: Service): Record<string, string> {
	const { [HEADLESS_LABEL]: _, ...labels } = service.metadata.labels ?? {};
	const headless = service.spec?.clusterIP === 'None' ? { [HEADLESS_LABEL]: '' } : {};
	return { ...labels, ...headless, [SERVICE_LABEL]: service.metadata.name ?? '', [MANAGED_BY_LABEL]: MANAGER };
}

function hasLabels(slice: EndpointSlice, labels: Readonly<Record<string, string>>): boolean {
	return sameButNulls(slice.metadata.labels ?? {}, labels);
}
