/** How far the change of a claim's attributes class is, as its status says it (external-resizer's modify_status). */
import type { PersistentVolume, PersistentVolumeClaim, PersistentVolumeClaimCondition } from '../../../api/gen/types.ts';
import { keyOf } from '../../../api/resource.ts';
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES } from '../../../api/resources.ts';
import { timeOf } from '../../../api/time.ts';
import type { AppError } from '../../../base/errors.ts';
import { messageOf } from '../../../base/errors.ts';
import type { RpcError } from '../../../wire/grpc/status.ts';
import type { RoleDeps } from '../role.ts';
import { isFinal } from '../final.ts';

type Condition = PersistentVolumeClaimCondition;

const MODIFYING = 'ModifyingVolume';
const MODIFY_ERROR = 'ModifyVolumeError';

async function patchStatus(
	{ client }: RoleDeps,
	claim: PersistentVolumeClaim,
	status: object,
	exactly: boolean,
	signal: AbortSignal,
): Promise<PersistentVolumeClaim> {
	const body = { ...(exactly ? { metadata: { resourceVersion: claim.metadata.resourceVersion } } : {}), status };
	return client.patch(PERSISTENT_VOLUME_CLAIMS, keyOf(claim), { type: 'merge', body }, { signal, subresource: 'status' });
}

/** The class does not exist (yet). */
export function markPending(deps: RoleDeps, claim: PersistentVolumeClaim, signal: AbortSignal): Promise<PersistentVolumeClaim> {
	return patchStatus(deps, claim, { modifyVolumeStatus: { status: 'Pending' } }, true, signal);
}

export function markModifying(
	deps: RoleDeps,
	claim: PersistentVolumeClaim,
	target: string,
	signal: AbortSignal,
): Promise<PersistentVolumeClaim> {
	const conditions = [conditionNow(deps, MODIFYING, `Modifying volume to "${target}" is in progress.`)];
	const status = {
		modifyVolumeStatus: { status: 'InProgress', targetVolumeAttributesClassName: target },
		conditions: merged(claim.status?.conditions ?? [], conditions),
	};
	return patchStatus(deps, claim, status, true, signal);
}

export function markModifyFailed(
	deps: RoleDeps,
	claim: PersistentVolumeClaim,
	error: RpcError,
	infeasible: boolean,
	signal: AbortSignal,
): Promise<PersistentVolumeClaim> {
	const target = claim.status?.modifyVolumeStatus?.targetVolumeAttributesClassName ?? '';
	const how = isFinal(error) ? 'failed. Waiting for retry.' : 'is still in progress.';
	const conditions = [
		conditionNow(deps, MODIFYING, `Modifying volume to "${target}" ${how}`),
		{ ...conditionNow(deps, MODIFY_ERROR, messageOf(error.cause as AppError)), reason: error.code },
	];
	const status = {
		modifyVolumeStatus: { status: infeasible ? 'Infeasible' : 'InProgress', targetVolumeAttributesClassName: target },
		conditions: merged(claim.status?.conditions ?? [], conditions),
	};
	return patchStatus(deps, claim, status, true, signal);
}

/** The volume first: the claim says that it is done. */
export async function markModified(
	deps: RoleDeps,
	claim: PersistentVolumeClaim,
	volume: PersistentVolume,
	signal: AbortSignal,
): Promise<void> {
	const target = claim.status?.modifyVolumeStatus?.targetVolumeAttributesClassName ?? '';
	const body = { spec: { volumeAttributesClassName: target } };
	await deps.client.patch(PERSISTENT_VOLUMES, keyOf(volume), { type: 'merge', body }, { signal });
	const status = {
		modifyVolumeStatus: null,
		currentVolumeAttributesClassName: target,
		conditions: without(claim, MODIFYING, MODIFY_ERROR),
	};
	await patchStatus(deps, claim, status, false, signal);
}

export async function markRolledBack(deps: RoleDeps, claim: PersistentVolumeClaim, signal: AbortSignal): Promise<void> {
	await patchStatus(deps, claim, { conditions: without(claim, MODIFYING) }, false, signal);
}

export function isModifying(claim: PersistentVolumeClaim): boolean {
	return claim.status?.conditions?.some((condition) => condition.type === MODIFYING) === true;
}

function without(claim: PersistentVolumeClaim, ...types: readonly string[]): readonly Condition[] {
	return (claim.status?.conditions ?? []).filter((condition) => !types.includes(condition.type));
}

function conditionNow({ clock }: RoleDeps, type: string, message: string): Condition {
	return { type, status: 'True', message, lastProbeTime: timeOf(clock.now()) };
}

/** A condition that says the same has changed when it began to. Pure. */
function merged(before: readonly Condition[], now: readonly Condition[]): readonly Condition[] {
	const changed = now.map((next) => {
		const old = before.find(({ type }) => type === next.type);
		const same = old !== undefined && old.status === next.status && (old.reason ?? '') === (next.reason ?? '');
		return { ...next, lastTransitionTime: same ? old.lastTransitionTime : next.lastProbeTime };
	});
	const kept = before.map((old) => changed.find(({ type }) => type === old.type) ?? old);
	return [...kept, ...changed.filter(({ type }) => !before.some((old) => old.type === type))];
}
