/** How the slices of a service get from what they hold to what they should: as few writes as possible, at most 100 endpoints a slice. Pure. */
import type { Endpoint, EndpointSlice, Service } from '../../../api/gen/types.ts';
import { SERVICES } from '../../../api/resources.ts';
import { sameButNulls } from '../../../api/same-json.ts';
import { generatedPrefix } from '../generated-prefix.ts';
import { controllerRef } from '../owned.ts';
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

/**
 * The writes for one address family. A service without endpoints keeps one empty slice, which tells watchers that it was looked at; slices that would
 * go are written anew rather than others made, so that they keep their names.
 */
export function planSlices(
	service: Service,
	family: AddressType,
	groups: readonly EndpointGroup[],
	present: readonly EndpointSlice[],
): SlicePlan {
	// Those of a service of the same name that is gone would go with it.
	const { own = [], foreign = [] } = Object.groupBy(present, (slice) => (isOwnedBy(slice, service) ? 'own' : 'foreign'));
	const create: EndpointSlice[] = [];
	const update: EndpointSlice[] = [];
	const removed: EndpointSlice[] = [];
	const labels = labelsOf(service);
	const byPorts = Map.groupBy(own, (slice) => portsKey(slice.ports ?? []));
	for (const { ports, endpoints } of groups) {
		const key = portsKey(ports);
		const packed = pack(byPorts.get(key) ?? [], endpoints, labels);
		byPorts.delete(key);
		update.push(...packed.update.map(({ slice, held }) => ({ ...slice, metadata: { ...slice.metadata, labels }, endpoints: held })));
		removed.push(...packed.empty);
		for (const held of packed.more) create.push(newSlice(service, family, ports, held, labels));
	}
	removed.push(...[...byPorts.values()].flat());
	if (removed.length === own.length && create.length === 0) {
		const [only] = removed;
		if (removed.length === 1 && only !== undefined && isPlaceholder(only, labels)) removed.pop();
		else create.push(newSlice(service, family, [], [], labels));
	}
	while (removed.length > 0 && create.length > 0) update.push(renamed(create.pop() as EndpointSlice, removed.shift() as EndpointSlice));
	// The garbage collector would have to remove what is made for a service that is going.
	return { create: service.metadata.deletionTimestamp === undefined ? create : [], update, delete: [...removed, ...foreign] };
}

interface Held {
	readonly slice: EndpointSlice;
	readonly held: Endpoint[];
}

/** The endpoints of one list of ports in its slices: `more` are those of new ones. */
function pack(
	slices: readonly EndpointSlice[],
	endpoints: readonly Endpoint[],
	labels: Readonly<Record<string, string>>,
): { readonly update: readonly Held[]; readonly empty: readonly EndpointSlice[]; readonly more: readonly Endpoint[][] } {
	const left = new Map(endpoints.map((e) => [identity(e), e]));
	const update: Held[] = [];
	const unchanged: Held[] = [];
	const empty: EndpointSlice[] = [];
	for (const slice of slices) {
		const held = keep(slice, left);
		const isSame = sameButNulls(slice.endpoints ?? [], held);
		if (!isSame && held.length === 0) empty.push(slice);
		else (isSame && hasLabels(slice, labels) ? unchanged : update).push({ slice, held });
	}
	const fresh = [...left.values()];
	for (const { held } of update.toSorted((a, b) => b.held.length - a.held.length))
		held.push(...fresh.splice(0, MAX_ENDPOINTS - held.length));
	const more: Endpoint[][] = [];
	while (fresh.length > 0) {
		const filled = fullestWith(unchanged, fresh.length);
		if (filled === undefined) more.push(fresh.splice(0, MAX_ENDPOINTS));
		else update.push({ ...filled, held: [...filled.held, ...fresh.splice(0)] });
	}
	return { update, empty, more };
}

/** The slice that has least room left once so many more endpoints are in it; undefined where none has room for all. */
function fullestWith(slices: readonly Held[], more: number): Held | undefined {
	const [fullest] = slices.filter(({ held }) => held.length + more <= MAX_ENDPOINTS).toSorted((a, b) => b.held.length - a.held.length);
	return more < MAX_ENDPOINTS ? fullest : undefined;
}

/** The wanted endpoints that the slice holds already, in their present form; they are taken out of `left`. */
function keep(slice: EndpointSlice, left: Map<string, Endpoint>): Endpoint[] {
	return (slice.endpoints ?? []).flatMap((old) => {
		const now = left.get(identity(old));
		left.delete(identity(old));
		return now === undefined ? [] : [now];
	});
}

function isOwnedBy({ metadata }: EndpointSlice, service: Service): boolean {
	return (metadata.ownerReferences ?? []).some(
		({ uid, kind, apiVersion }) => uid === service.metadata.uid && kind === 'Service' && apiVersion === 'v1',
	);
}

function isPlaceholder(slice: EndpointSlice, labels: Readonly<Record<string, string>>): boolean {
	return (slice.ports ?? []).length === 0 && (slice.endpoints ?? []).length === 0 && hasLabels(slice, labels);
}

/** A slice as the new content of an old one. */
export function renamed(slice: EndpointSlice, old: EndpointSlice): EndpointSlice {
	const { generateName: _, ...metadata } = slice.metadata;
	const { name, resourceVersion, uid } = old.metadata;
	return { ...slice, metadata: { ...metadata, name, resourceVersion, uid } };
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
	return {
		apiVersion: 'discovery.k8s.io/v1',
		kind: 'EndpointSlice',
		metadata: {
			generateName: generatedPrefix(service.metadata.name ?? ''),
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
