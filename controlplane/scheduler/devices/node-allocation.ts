/** What a pod would be given on a node: devices for its claims, and for extended resources that the node has none of. */
import type { AllocationResult, ResourceResourceClaim } from '../../../api/gen/types.ts';
import type { NodeInfo } from '../node-info.ts';
import type { PodInfo } from '../pod-info.ts';
import { allocate } from './allocate.ts';
import { extendedClaimFor, type ClassFor } from './extended.ts';
import type { ClaimNeeds } from './needs.ts';
import type { SliceIndex } from './pools.ts';
import type { AllocateDeps } from './requests.ts';
import type { NodeAllocation } from './view.ts';

/** AppError as `allocate`. */
export function allocationOn(
	pod: PodInfo,
	node: NodeInfo,
	{ open, extended, stale }: ClaimNeeds,
	index: SliceIndex,
	deps: AllocateDeps,
	classFor: ClassFor,
): NodeAllocation | { readonly refused: string } {
	if (stale !== undefined) return { refused: 'cannot schedule extended resource claim' };
	const more = extended ? extendedClaimFor(pod, node, classFor) : undefined;
	if (more !== undefined && 'refused' in more) return more;
	const claims: readonly ResourceResourceClaim[] = more === undefined ? open : [...open, more.claim];
	if (claims.length === 0) return { results: [], extended: undefined };
	const given = allocate(claims, node.node, index, deps);
	if ('refused' in given) return given;
	const last = given[open.length];
	return {
		results: given.slice(0, open.length),
		extended: more === undefined || last === undefined ? undefined : { ...more, allocation: last },
	};
}

/** How good the alternatives are that were taken: the first is worth most (FirstAvailableDeviceRequestMaxSize). */
export function alternativesScore(claims: readonly ResourceResourceClaim[], allocations: readonly AllocationResult[]): number {
	const scores = claims.map(({ spec }, i) => {
		const taken = new Set((allocations[i]?.devices?.results ?? []).map(({ request }) => request));
		return (spec.devices?.requests ?? []).map(({ name, firstAvailable = [] }) =>
			firstAvailable.reduce((sum, sub, at) => (taken.has(`${name}/${sub.name}`) ? sum + MAX_ALTERNATIVES - at : sum), 0),
		);
	});
	return scores.flat().reduce((sum, score) => sum + score, 0);
}

const MAX_ALTERNATIVES = 8;
