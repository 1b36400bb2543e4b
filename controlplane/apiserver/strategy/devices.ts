/** Devices and the claims for them. */
import { deviceKey } from '../../../api/device-key.ts';
import type { DeviceTaint, ResourceResourceClaim, ResourceSlice } from '../../../api/gen/types.ts';
import type { Draft } from './strategy.ts';

/** A taint says since when it is there: upstream's default (SetDefaults_DeviceTaint), which admission sees. */
export function timeTaints(object: Draft, now: string): void {
	for (const { taints } of (object as unknown as Partial<ResourceSlice>).spec?.devices ?? [])
		for (const taint of (taints ?? []) as { timeAdded?: DeviceTaint['timeAdded'] }[]) taint.timeAdded ??= now;
}

/** What drivers said of devices that are given back goes with them. */
export function forgetReturned(object: Draft, old: Draft): void {
	const [claim, before] = [object as unknown as ResourceResourceClaim, old as unknown as ResourceResourceClaim];
	const given = ({ status }: ResourceResourceClaim): readonly string[] => (status?.allocation?.devices?.results ?? []).map(deviceKey);
	const kept = new Set(given(claim));
	const returned = new Set(given(before).filter((id) => !kept.has(id)));
	const { status } = claim;
	if (returned.size === 0 || status?.devices === undefined) return;
	status.devices = status.devices.filter((device) => !returned.has(deviceKey(device)));
	if (status.devices.length === 0) delete status.devices;
}
