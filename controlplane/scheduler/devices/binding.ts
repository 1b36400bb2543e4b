/** Devices that must be ready before their pod is bound: what their drivers say of them (upstream's DRADeviceBindingConditions). Pure. */
import type { DeviceRequestAllocationResult, ResourceResourceClaim } from '../../../api/gen/types.ts';

export type Readiness = { readonly type: 'ready' | 'waiting' } | { readonly type: 'failed'; readonly why: string };

export function hasBindingConditions(claim: ResourceResourceClaim): boolean {
	return resultsOf(claim).some(waitsForSome);
}

/** One result after the other: the first that is not ready decides. */
export function readinessOf(claim: ResourceResourceClaim): Readiness {
	if (claim.status?.allocation === undefined) return { type: 'waiting' };
	for (const result of resultsOf(claim)) {
		if (!waitsForSome(result)) continue;
		const { driver, pool, device, bindingConditions = [], bindingFailureConditions = [] } = result;
		const told = claim.status.devices?.find((one) => one.device === device && one.driver === driver && one.pool === pool);
		if (told === undefined) return { type: 'waiting' };
		const holds = (type: string): boolean => (told.conditions ?? []).some((one) => one.type === type && one.status === 'True');
		const broken = bindingFailureConditions.find(holds);
		if (broken !== undefined) {
			const { reason = '', message = '' } = told.conditions?.find(({ type }) => type === broken) ?? {};
			const name = claim.metadata.name ?? '';
			return { type: 'failed', why: `device binding failed: claim=${name}, reason=${reason}, message=${JSON.stringify(message)}` };
		}
		if (!bindingConditions.every(holds)) return { type: 'waiting' };
	}
	return { type: 'ready' };
}

/** When the drivers have had their time (epoch ms); never for a claim that waits for nothing. */
export function bindingEnds(claim: ResourceResourceClaim, timeoutMs: number): number {
	const since = claim.status?.allocation?.allocationTimestamp;
	return since === undefined || !hasBindingConditions(claim) ? Infinity : Date.parse(since) + timeoutMs;
}

export function resultsOf({ status }: ResourceResourceClaim): readonly DeviceRequestAllocationResult[] {
	return status?.allocation?.devices?.results ?? [];
}

/** Its driver must say that it is ready before a pod is bound. */
export function waitsForSome({ bindingConditions = [] }: DeviceRequestAllocationResult): boolean {
	return bindingConditions.length > 0;
}
