/** The claims of a pod by what is yet to be done about them. Pure. */
import { deviceKey } from '../../../api/device-key.ts';
import type { AllocationResult, ResourceResourceClaim } from '../../../api/gen/types.ts';
import { canBeReserved, isClaimOf, isReservedFor, podClaimsOf } from '../../../api/pod/resource-claims.ts';
import { parseQuantity } from '../../../api/quantity.ts';
import type { KubeObject } from '../../../api/resource.ts';
import type { PodInfo } from '../pod-info.ts';
import { asksForDevices, isExtendedClaimOf } from './extended.ts';
import type { AllocateDeps, GivenDevices } from './requests.ts';
import type { DevicesView } from './view.ts';

type Claim = ResourceResourceClaim & KubeObject;

export interface ClaimNeeds {
	readonly allocated: readonly Claim[];
	readonly open: readonly Claim[];
	/** Of what the pod's containers ask for, some is given by claim where a node has none of it. */
	readonly extended: boolean;
	/** Made for that when the pod was to be bound before, which failed: it goes first. */
	readonly stale: Claim | undefined;
}

/** Undefined for a pod without claims; `refused` says why it cannot be placed now, wherever. */
export function needsOf(info: PodInfo, view: DevicesView): ClaimNeeds | { readonly refused: string } | undefined {
	const { pod } = info;
	const wanted = podClaimsOf(pod);
	const extended = asksForDevices(info, view.classFor);
	if (wanted.length === 0 && !extended) return undefined;
	if (!view.synced()) return { refused: 'claims and devices are not known yet' };
	const { namespace = '', name = '' } = pod.metadata;
	const claims: Claim[] = [];
	for (const { name: claimName, own, awaited } of wanted) {
		if (awaited) return { refused: `pod "${namespace}/${name}": ResourceClaim not created yet` };
		if (claimName === undefined) continue;
		const claim = view.claim(`${namespace}/${claimName}`);
		if (claim === undefined) return { refused: `resourceclaim.resource.k8s.io "${claimName}" not found` };
		if (claim.metadata.deletionTimestamp !== undefined) return { refused: `resourceclaim "${claimName}" is being deleted` };
		if (own && !isClaimOf(pod, claim))
			return {
				refused: `ResourceClaim ${namespace}/${claimName} was not created for pod ${namespace}/${name} (pod is not owner)`,
			};
		if (claim.status?.allocation !== undefined && !isReservedFor(pod, claim) && !canBeReserved(claim))
			return { refused: 'resourceclaim in use' };
		claims.push(claim);
	}
	if (claims.length === 0 && !extended) return undefined;
	const open = claims.filter(({ status }) => status?.allocation === undefined);
	const missing = open.flatMap(classesOf).find(({ deviceClass }) => view.deviceClass(deviceClass) === undefined);
	if (missing !== undefined) return { refused: `request ${missing.request}: device class ${missing.deviceClass} does not exist` };
	const stale = extended ? view.claimsOf(namespace).find((claim) => isExtendedClaimOf(pod, claim)) : undefined;
	return { allocated: claims.filter((claim) => !open.includes(claim)), open, extended, stale };
}

function classesOf({ spec }: Claim): readonly { readonly request: string; readonly deviceClass: string }[] {
	return (spec.devices?.requests ?? []).flatMap(({ name, exactly, firstAvailable = [] }) =>
		exactly === undefined
			? firstAvailable.map((sub) => ({ request: `${name}/${sub.name}`, deviceClass: sub.deviceClassName }))
			: [{ request: name, deviceClass: exactly.deviceClassName }],
	);
}

/** Undefined while expressions cannot be evaluated yet. */
export function allocateDeps(view: DevicesView, isLate: () => boolean): AllocateDeps | undefined {
	const matches = view.matches();
	return matches === undefined
		? undefined
		: { given: givenOf(view.allocations()), deviceClass: (name) => view.deviceClass(name), matches, isLate };
}

/** What administrators look at is nobody's. */
export function givenOf(allocations: readonly AllocationResult[]): GivenDevices {
	const whole = new Set<string>();
	const shared = new Set<string>();
	const capacity = new Map<string, Map<string, bigint>>();
	for (const { driver, pool, device, adminAccess, shareID, consumedCapacity } of allocations.flatMap(
		({ devices }) => devices?.results ?? [],
	)) {
		if (adminAccess === true) continue;
		const id = deviceKey({ driver, pool, device });
		(shareID === undefined ? whole : shared).add(id);
		if (shareID === undefined || consumedCapacity === undefined) continue;
		const amounts = capacity.get(id) ?? new Map<string, bigint>();
		for (const [name, amount] of Object.entries(consumedCapacity))
			amounts.set(name, (amounts.get(name) ?? 0n) + parseQuantity(amount).nano);
		capacity.set(id, amounts);
	}
	return { whole, shared, capacity };
}
