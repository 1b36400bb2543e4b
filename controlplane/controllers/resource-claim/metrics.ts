/** How many claims there are, and how often one was made for a pod, under upstream's names (resourceclaim_controller_*). */
import type { ResourceResourceClaim } from '../../../api/gen/types.ts';
import { Counter, Gauge, type Registry } from '../../../base/metrics.ts';
import { EXTENDED_CLAIM, POD_CLAIM } from './plan.ts';

export type Made = (claim: ResourceResourceClaim, outcome: 'success' | 'failure') => void;

/** @param all the claims there are */
export function claimMetrics(registry: Registry, all: () => readonly ResourceResourceClaim[]): Made {
	const registers = [registry];
	const creates = new Counter<'status' | 'admin_access'>({
		...{ name: 'resourceclaim_controller_creates_total', labelNames: ['status', 'admin_access'], registers },
		help: 'Number of ResourceClaims creation requests, categorized by creation status and admin access',
	});
	new Gauge<'allocated' | 'admin_access' | 'source'>({
		...{ name: 'resourceclaim_controller_resource_claims', labelNames: ['allocated', 'admin_access', 'source'], registers },
		help: "Number of ResourceClaims, categorized by allocation status, admin access, and source. Source can be 'resource_claim_template' (created from a template), 'extended_resource' (extended resources), or empty (manually created by a user).",
		collect() {
			this.reset();
			for (const claim of all())
				this.inc({
					allocated: String(claim.status?.allocation !== undefined),
					admin_access: String(hasAdminAccess(claim)),
					source: sourceOf(claim),
				});
		},
	});
	return (claim, status) => creates.inc({ status, admin_access: String(hasAdminAccess(claim)) });
}

function hasAdminAccess({ spec }: ResourceResourceClaim): boolean {
	return spec.devices?.requests?.some(({ exactly }) => exactly?.adminAccess === true) === true;
}

function sourceOf({ metadata: { annotations = {} } }: ResourceResourceClaim): string {
	if (annotations[EXTENDED_CLAIM] === 'true') return 'extended_resource';
	return (annotations[POD_CLAIM] ?? '') === '' ? '' : 'resource_claim_template';
}
