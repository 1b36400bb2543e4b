/** The slices that mirror Endpoints which people wrote, one for each subset and family. Pure; the rules of upstream's endpointslicemirroring. */
import type { Endpoint, EndpointAddress, Endpoints, EndpointSlice } from '../../../api/gen/types.ts';
import { ENDPOINTS } from '../../../api/resources.ts';
import { sameButNulls } from '../../../api/same-json.ts';
import { canonicalIp } from '../../../api/validation/address-form.ts';
import { repack } from '../endpoints/subsets.ts';
import { TRIGGER_TIME } from '../endpoints/trigger-times.ts';
import { MANAGED_BY_LABEL, renamed, SERVICE_LABEL, type SlicePlan } from '../endpointslice/plan.ts';
import { sliceIpFamily } from '../endpointslice/family.ts';
import { portsKey, type SlicePorts } from '../endpointslice/ports.ts';
import { generatedPrefix } from '../generated-prefix.ts';
import { controllerRef } from '../owned.ts';

export const MIRRORER = 'endpointslicemirroring-controller.k8s.io';
/** Upstream's --mirroring-max-endpoints-per-subset. */
export const MAX_ADDRESSES = 1000;
const SKIP = 'endpointslice.kubernetes.io/skip-mirror';
const LEADER = 'control-plane.alpha.kubernetes.io/leader';
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

export interface MirrorPlan extends SlicePlan {
	readonly invalid: number;
	/** Invalid ones included. */
	readonly skipped: number;
}

/** Not what asks to be left alone, nor locks of leader election. */
export function isMirrored({ metadata }: Endpoints): boolean {
	return metadata.labels?.[SKIP] !== 'true' && metadata.annotations?.[LEADER] === undefined;
}

export function planMirror(endpoints: Endpoints, existing: readonly EndpointSlice[]): MirrorPlan {
	const { wanted, invalid, skipped } = wantedSlices(endpoints);
	const byKey = Map.groupBy(existing, (slice) => keyOfSlice(slice));
	const create: EndpointSlice[] = [];
	const update: EndpointSlice[] = [];
	const remove: EndpointSlice[] = [];
	for (const [key, slice] of wanted) {
		const [first, ...more] = byKey.get(key) ?? [];
		byKey.delete(key);
		remove.push(...more);
		if (first === undefined) create.push(slice);
		else if (!isSame(endpoints, first, slice)) update.push(renamed(slice, first));
	}
	remove.push(...[...byKey.values()].flat());
	// A slice that would go is written anew instead.
	for (const slice of create.splice(0)) {
		const at = remove.findIndex((old) => old.addressType === slice.addressType);
		const [old] = at < 0 ? [] : remove.splice(at, 1);
		if (old === undefined) create.push(slice);
		else update.push(renamed(slice, old));
	}
	// The garbage collector would have to remove what is made for Endpoints that are going.
	return { create: endpoints.metadata.deletionTimestamp === undefined ? create : [], update, delete: remove, invalid, skipped };
}

function wantedSlices(endpoints: Endpoints): { wanted: Map<string, EndpointSlice>; invalid: number; skipped: number } {
	const wanted = new Map<string, EndpointSlice>();
	let invalid = 0;
	let skipped = 0;
	for (const { addresses = [], notReadyAddresses = [], ports = [] } of repack(endpoints.subsets ?? [])) {
		const slicePorts: SlicePorts = ports.map(({ name = '', port, protocol = 'TCP', appProtocol }) => ({
			...{ name, port, protocol },
			...(appProtocol === undefined ? {} : { appProtocol }),
		}));
		let added = 0;
		const marked = [...addresses.map((a) => [a, true] as const), ...notReadyAddresses.map((a) => [a, false] as const)];
		for (const [address, ready] of marked) {
			if (added >= MAX_ADDRESSES) break;
			const ip = canonicalIp(address.ip);
			if (ip === undefined) {
				invalid++;
				continue;
			}
			const addressType = sliceIpFamily(ip);
			const key = `${addressType} ${portsKey(slicePorts)}`;
			const slice = wanted.get(key) ?? emptySlice(endpoints, addressType, slicePorts);
			wanted.set(key, slice);
			slice.endpoints?.push(endpointOf({ ...address, ip }, ready));
			added++;
		}
		skipped += marked.length - added;
	}
	return { wanted, invalid, skipped };
}

function endpointOf({ ip, targetRef, nodeName, hostname = '' }: EndpointAddress, ready: boolean): Endpoint {
	return {
		addresses: [ip],
		conditions: { ready },
		...(hostname === '' ? {} : { hostname }),
		...(targetRef === undefined ? {} : { targetRef }),
		...(nodeName === undefined ? {} : { nodeName }),
	};
}

function emptySlice(endpoints: Endpoints, addressType: string, ports: SlicePorts): EndpointSlice {
	const { name = '', namespace, labels } = endpoints.metadata;
	return {
		apiVersion: 'discovery.k8s.io/v1',
		kind: 'EndpointSlice',
		metadata: {
			...{ generateName: generatedPrefix(name), namespace },
			labels: { ...labels, [SERVICE_LABEL]: name, [MANAGED_BY_LABEL]: MIRRORER },
			annotations: mirroredAnnotations(endpoints),
			ownerReferences: [controllerRef(ENDPOINTS, endpoints)],
		},
		addressType,
		endpoints: [],
		ports: [...ports],
	};
}

function mirroredAnnotations({ metadata }: Endpoints): Record<string, string> {
	const { [TRIGGER_TIME]: _time, [LAST_APPLIED]: _applied, ...annotations } = metadata.annotations ?? {};
	return annotations;
}

function keyOfSlice({ addressType, ports }: EndpointSlice): string {
	return `${addressType} ${portsKey(ports ?? [])}`;
}

function isSame(endpoints: Endpoints, slice: EndpointSlice, wanted: EndpointSlice): boolean {
	const owner = slice.metadata.ownerReferences?.find((ref) => ref.kind === 'Endpoints' && ref.name === endpoints.metadata.name);
	return (
		(owner === undefined || owner.uid === endpoints.metadata.uid) &&
		sameButNulls(slice.metadata.labels, wanted.metadata.labels) &&
		sameButNulls(slice.metadata.annotations ?? {}, wanted.metadata.annotations) &&
		sameButNulls(inOrder(slice), inOrder(wanted))
	);
}

function inOrder({ endpoints = [] }: EndpointSlice): readonly Endpoint[] {
	const key = (e: Endpoint): string => `${e.addresses[0]} ${e.targetRef?.uid ?? ''}`;
	return endpoints.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}
