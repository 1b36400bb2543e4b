/** The claims of a pod by what is yet to be done about them. Pure. */
import { deviceKey } from '../../../api/device-key.ts';
import type { Pod, ResourceResourceClaim } from '../../../api/gen/types.ts';
import { canBeReserved, isClaimOf, isReservedFor, podClaimsOf } from '../../../api/pod/resource-claims.ts';
import type { KubeObject } from '../../../api/resource.ts';
import type { AllocateDeps } from './allocate.ts';
import type { DevicesView } from './view.ts';

type Claim = ResourceResourceClaim & KubeObject;

export interface ClaimNeeds {
	readonly allocated: readonly Claim[];
	readonly open: readonly Claim[];
}

/** Undefined for a pod without claims; `refused` says why it cannot be placed now, wherever. */
export function needsOf(pod: Pod, view: DevicesView): ClaimNeeds | { readonly refused: string } | undefined {
	const wanted = podClaimsOf(pod);
	if (wanted.length === 0) return undefined;
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
	return {
		allocated: claims.filter(({ status }) => status?.allocation !== undefined),
		open: claims.filter(({ status }) => status?.allocation === undefined),
	};
}

/** Undefined while expressions cannot be evaluated yet. */
export function allocateDeps(view: DevicesView): AllocateDeps | undefined {
	const matches = view.matches();
	if (matches === undefined) return undefined;
	const used = new Set(
		view
			.allocations()
			.flatMap(({ devices }) => devices?.results ?? [])
			.filter(({ adminAccess }) => adminAccess !== true)
			.map(({ driver, pool, device }) => deviceKey({ driver, pool, device })),
	);
	return { used, deviceClass: (name) => view.deviceClass(name), matches };
}
