/** The claims of a pod that was given a node: believed allocated at once, written before the pod is bound, taken back where that fails. */
import type { AllocationResult, ResourceResourceClaim } from '../../../api/gen/types.ts';
import { CLAIM_PROTECTION, isReservedFor } from '../../../api/pod/resource-claims.ts';
import { keyOf, type KubeObject } from '../../../api/resource.ts';
import { PODS, RESOURCE_CLAIMS } from '../../../api/resources.ts';
import type { Assumed } from '../../../client/assumed.ts';
import type { Client } from '../../../client/client.ts';
import type { Reservation } from '../framework.ts';
import type { PodInfo } from '../pod-info.ts';

type Claim = ResourceResourceClaim & KubeObject;

interface ReservationDeps {
	readonly client: Client;
	readonly claims: Assumed<Claim>;
	/** Allocations that are being written. */
	readonly inFlight: Set<AllocationResult>;
}

/** @param given of claims that had none; undefined for one that has its devices already */
export function reserveClaims(
	{ client, claims, inFlight }: ReservationDeps,
	{ pod, uid }: PodInfo,
	given: readonly { readonly claim: Claim; readonly allocation: AllocationResult | undefined }[],
): Reservation {
	const user = { resource: PODS.plural, name: pod.metadata.name ?? '', uid };
	const wanted = given.flatMap(({ claim, allocation }) => {
		if (allocation === undefined && isReservedFor(pod, claim)) return [];
		const reservedFor = [...(claim.status?.reservedFor ?? []), user];
		const status = { ...claim.status, ...(allocation === undefined ? {} : { allocation }), reservedFor };
		return [{ before: claim, believed: { ...claim, status } }];
	});
	// Copies: what another pod was given, and is yet to write, may be written here.
	const allocations = wanted.flatMap(({ believed: { status } }) => (status.allocation === undefined ? [] : [{ ...status.allocation }]));
	for (const allocation of allocations) inFlight.add(allocation);
	for (const { believed } of wanted) claims.assume(believed);
	const written = (): void => {
		for (const allocation of allocations) inFlight.delete(allocation);
	};

	/** The claim as it is once nobody can delete it any more. */
	async function protect(claim: Claim, signal: AbortSignal): Promise<Claim> {
		const { finalizers = [] } = claim.metadata;
		if (finalizers.includes(CLAIM_PROTECTION)) return claim;
		const metadata = { ...claim.metadata, finalizers: [...finalizers, CLAIM_PROTECTION] };
		return client.update(RESOURCE_CLAIMS, { ...claim, metadata }, { signal });
	}

	return {
		plugin: 'DynamicResources',
		async beforeBinding(signal) {
			for (const { before, believed } of wanted) {
				const { status } = believed;
				const claim = await protect(before, signal);
				claims.assume(await client.update(RESOURCE_CLAIMS, { ...claim, status }, { subresource: 'status', signal }));
			}
			written();
		},
		undo() {
			written();
			// Others may have built on it.
			for (const { believed } of wanted) if (claims.get(keyOf(believed)) === believed) claims.restore(keyOf(believed));
		},
	};
}
