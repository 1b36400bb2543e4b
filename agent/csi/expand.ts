/** A volume that grew elsewhere grows on the node too: the driver resizes the file system, and the claim then says so. */
import type { PersistentVolumeClaim, Pod } from '../../api/gen/types.ts';
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/resources.ts';
import { AppError, codeOf, messageOf, type ErrorCode } from '../../base/errors.ts';
import { referenceTo } from '../../client/events.ts';
import { podEvent, type AgentContext } from '../context.ts';
import { amountOf } from '../pod/amounts.ts';
import type { Claimed } from '../volume/claims.ts';
import { VolumeFailure } from '../volume/failure.ts';
import { can } from './drivers.ts';
import { CALL_MS } from './drivers.ts';
import type { Bringing } from './mount.ts';
import { stagingPath, turnOf } from './mount.ts';
import { blockPaths } from './names.ts';
import { secretOf } from './secrets.ts';

/** What no later try will change without a change of the claim. */
const INFEASIBLE: readonly ErrorCode[] = ['InvalidArgument', 'OutOfRange', 'NotFound'];
const FAILED = 'NodeResizeInfeasible';

/** What the claim's volume is to have and has not; undefined when there is nothing to do. Pure. */
export function missingSize({ claim, volume }: Claimed): string | undefined {
	const wanted = volume.spec?.capacity?.['storage'];
	const has = claim.status?.capacity?.['storage'];
	if (wanted === undefined || has === undefined || amountOf(wanted) <= amountOf(has)) return undefined;
	return claim.status?.allocatedResourceStatuses?.['storage'] === FAILED ? undefined : wanted;
}

export async function expandOnNode(
	pod: Pod,
	claimed: Claimed,
	bringing: Bringing,
	path: string,
	context: AgentContext,
	signal: AbortSignal,
): Promise<void> {
	const { source, driver, capability } = bringing;
	const wanted = missingSize(claimed);
	if (wanted === undefined || !can(driver, 'EXPAND_VOLUME')) return;
	const { claim } = claimed;
	const tell = (type: 'Normal' | 'Warning', reason: string, message: string): void => {
		podEvent(context, pod, type, reason, message);
		context.recorder.event(referenceTo(PERSISTENT_VOLUME_CLAIMS, claim), type, reason, message);
	};
	if (source.readOnly) {
		// Upstream starts the pod all the same.
		const message = `MountVolume.NodeExpandVolume failed for volume "${source.specName}" requested read-only file system`;
		return tell('Warning', 'FileSystemResizeFailed', message);
	}
	const { rootDir } = context.options;
	const blocks = blockPaths(rootDir, pod.metadata.uid ?? '', source.specName);
	try {
		const secrets = await secretOf(source.expandSecret, context, signal);
		const request = {
			volumeId: source.handle,
			volumePath: source.block ? blocks.publish : path,
			stagingTargetPath: can(driver, 'STAGE_UNSTAGE_VOLUME') ? (source.block ? blocks.staging : stagingPath(source, context)) : '',
			capacityRange: { requiredBytes: BigInt(Math.ceil(amountOf(wanted))), limitBytes: 0n },
			volumeCapability: capability,
			secrets,
		};
		await mark(claim, 'NodeResizeInProgress', context, signal);
		await context.csi.turns.run(turnOf(source), () => driver.node.nodeExpandVolume(request, { timeoutMs: CALL_MS }));
	} catch (error) {
		if (signal.aborted) throw error;
		const message = `NodeExpandVolume.NodeExpandVolume failed for volume "${source.specName}" : ${messageOf(error)}`;
		const infeasible = INFEASIBLE.includes(codeOf(error));
		if (infeasible) await mark(claim, FAILED, context, signal);
		tell('Warning', 'VolumeResizeFailed', message);
		// The volume is as good as it was: only a file system that may be half-way holds the pod back.
		if (infeasible) return;
		throw new VolumeFailure('VolumeResizeFailed', message, error);
	}
	await finish(claim, wanted, context, signal);
	tell(
		'Normal',
		'FileSystemResizeSuccessful',
		`MountVolume.NodeExpandVolume succeeded for volume "${source.specName}" ${context.options.nodeName}`,
	);
}

/** The step that the claim's status names, for those controllers that read it. */
async function mark(claim: PersistentVolumeClaim, state: string, context: AgentContext, signal: AbortSignal): Promise<void> {
	if (claim.status?.allocatedResourceStatuses?.['storage'] === state) return;
	await patchStatus(claim, { allocatedResourceStatuses: { storage: state } }, context, signal);
}

async function finish(claim: PersistentVolumeClaim, size: string, context: AgentContext, signal: AbortSignal): Promise<void> {
	const over = ['FileSystemResizePending', 'Resizing', 'NodeResizeError', 'ControllerResizeError'];
	const fresh = await context.client.get(PERSISTENT_VOLUME_CLAIMS, keyOf(claim), { signal });
	const conditions = (fresh.status?.conditions ?? []).filter((c) => !over.includes(c.type));
	const status = { capacity: { storage: size }, conditions, allocatedResourceStatuses: { storage: null } };
	await patchStatus(fresh, status, context, signal);
}

async function patchStatus(claim: PersistentVolumeClaim, status: object, { client }: AgentContext, signal: AbortSignal): Promise<void> {
	await client.patch(
		PERSISTENT_VOLUME_CLAIMS,
		keyOf(claim),
		{ type: 'merge', body: { metadata: { uid: claim.metadata.uid }, status } },
		{ subresource: 'status', signal },
	);
}

function keyOf({ metadata }: PersistentVolumeClaim): string {
	if (metadata.name === undefined) throw new AppError('InvalidArgument', 'a claim without a name');
	return `${metadata.namespace ?? ''}/${metadata.name}`;
}
