/** Extended resources that device classes stand for: a pod that asks for one gets a claim of its own, made once its node is known (upstream's DRAExtendedResource). Pure. */
import type {
	Container,
	ContainerExtendedResourceRequest,
	DeviceClass,
	DeviceRequest,
	Pod,
	ResourceResourceClaim,
} from '../../../api/gen/types.ts';
import { parseQuantity } from '../../../api/quantity.ts';
import { isExtendedResource } from '../../../api/validation/pod/resources.ts';
import type { NodeInfo } from '../node-info.ts';
import type { PodInfo } from '../pod-info.ts';

/** Marks the claim (ExtendedResourceClaimAnnotation). */
const ANNOTATION = 'resource.kubernetes.io/extended-resource-claim';
/** The name by which each class can be asked for without having said one (ResourceDeviceClassPrefix). */
const CLASS_PREFIX = 'deviceclass.resource.kubernetes.io/';
/** No claim in the API has such a name: it is yet to be made. */
const NOT_MADE = '<extended-resources>';
const NANO = 1_000_000_000n;

export type ClassFor = (resource: string) => DeviceClass | undefined;

export interface ExtendedClaim {
	readonly claim: ResourceResourceClaim;
	/** Which request is for which resource of which container, for the pod's status. */
	readonly mappings: readonly ContainerExtendedResourceRequest[];
}

export function mayBeDevices(resource: string): boolean {
	return isExtendedResource(resource) || resource.startsWith(CLASS_PREFIX);
}

/** The class that gives a resource: of several that name it the newest, then the first by name. */
export function classFor(resource: string, classes: readonly DeviceClass[]): DeviceClass | undefined {
	if (!mayBeDevices(resource)) return undefined;
	const created = ({ metadata }: DeviceClass): string => metadata.creationTimestamp ?? '';
	return classes
		.filter(({ metadata, spec }) => spec.extendedResourceName === resource || resource === `${CLASS_PREFIX}${metadata.name ?? ''}`)
		.toSorted((a, b) => created(b).localeCompare(created(a)) || ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1))[0];
}

export function asksForDevices({ requests }: PodInfo, find: ClassFor): boolean {
	return [...requests].some(([name, amount]) => amount > 0 && find(name) !== undefined);
}

/** True for the claim that was made for the pod's extended resources. */
export function isExtendedClaimOf({ metadata: { name, uid } }: Pod, { metadata }: ResourceResourceClaim): boolean {
	if (metadata.annotations?.[ANNOTATION] !== 'true') return false;
	return (metadata.ownerReferences ?? []).some((owner) => owner.name === name && owner.controller === true && owner.uid === uid);
}

/** What this node must give by claim, as it has none of it itself; undefined where that is nothing. */
export function extendedClaimFor(
	{ pod, requests }: PodInfo,
	{ allocatable }: NodeInfo,
	find: ClassFor,
): ExtendedClaim | { readonly refused: string } | undefined {
	const wanted: string[] = [];
	for (const [name, amount] of requests) {
		if (amount === 0 || !mayBeDevices(name)) continue;
		if ((allocatable.get(name) ?? 0) === 0 && find(name) !== undefined) wanted.push(name);
		else if (!allocatable.has(name)) return { refused: 'cannot fit resource' };
	}
	if (wanted.length === 0) return undefined;
	const made = wanted.toSorted().map((name) => requestsFor(pod, name, find(name)?.metadata.name ?? ''));
	const requestsOfClaim = made.flatMap(({ requests: some }) => some).toSorted((a, b) => (a.name < b.name ? -1 : 1));
	const { name = '', namespace = '', uid = '' } = pod.metadata;
	const claim = {
		apiVersion: 'resource.k8s.io/v1',
		kind: 'ResourceClaim',
		metadata: {
			...{ namespace, name: NOT_MADE, generateName: `${name}-extended-resources-` },
			ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name, uid, controller: true }],
			annotations: { [ANNOTATION]: 'true' },
		},
		spec: { devices: { requests: requestsOfClaim } },
	};
	return { claim, mappings: made.flatMap(({ mappings }) => mappings) };
}

interface Made {
	readonly requests: readonly DeviceRequest[];
	readonly mappings: readonly ContainerExtendedResourceRequest[];
}

/** Containers that live on have devices of their own; init containers that end use those of containers that come later, and then more that they have in common. */
function requestsFor({ spec }: Pod, resource: string, deviceClass: string): Made {
	const init = spec?.initContainers ?? [];
	const containers = [...init, ...(spec?.containers ?? [])];
	const ends = (container: Container, i: number): boolean => i < init.length && container.restartPolicy !== 'Always';
	const own = containers.map((container, i) => (ends(container, i) ? undefined : ask(container, i, resource, deviceClass, [])));
	const lasting = own.map((asked) => asked?.request);
	const passing = containers.flatMap((container, i) =>
		ends(container, i) ? [ask(container, i, resource, deviceClass, lasting.slice(i))] : [],
	);
	const most = passing.reduce<DeviceRequest | undefined>(
		(best, { request }) => (request !== undefined && (best === undefined || countOf(best) < countOf(request)) ? request : best),
		undefined,
	);
	const inCommon = new Set(passing.flatMap(({ request }) => request?.name ?? []));
	return {
		requests: [most, ...lasting].filter((request) => request !== undefined),
		mappings: [
			...own.flatMap((asked) => asked?.mappings ?? []),
			...passing
				.flatMap(({ mappings }) => mappings)
				.map((mapping) => (most !== undefined && inCommon.has(mapping.requestName) ? { ...mapping, requestName: most.name } : mapping)),
		],
	};
}

interface Asked {
	readonly request: DeviceRequest | undefined;
	readonly mappings: readonly ContainerExtendedResourceRequest[];
}

/** @param reusable requests of others that this container may use first */
function ask(
	container: Container,
	index: number,
	resource: string,
	deviceClassName: string,
	reusable: readonly (DeviceRequest | undefined)[],
): Asked {
	const requests = container.resources?.requests ?? {};
	const { nano } = parseQuantity(requests[resource] ?? 0);
	const count = nano % NANO === 0n ? Number(nano / NANO) : 0;
	const mappings: ContainerExtendedResourceRequest[] = [];
	if (count === 0) return { request: undefined, mappings };
	const to = (requestName: string): ContainerExtendedResourceRequest => ({
		containerName: container.name,
		resourceName: resource,
		requestName,
	});
	let had = 0;
	for (const request of reusable) {
		if (request === undefined) continue;
		had += countOf(request);
		mappings.push(to(request.name));
		if (had >= count) return { request: undefined, mappings };
	}
	const name = `container-${index}-request-${Object.keys(requests).toSorted().indexOf(resource)}`;
	mappings.push(to(name));
	return { request: { name, exactly: { deviceClassName, allocationMode: 'ExactCount', count: count - had } }, mappings };
}

function countOf({ exactly }: DeviceRequest): number {
	return exactly?.count ?? 0;
}
