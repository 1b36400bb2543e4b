/** A CSI volume with a file system, brought to a pod: attached, staged on the node, published to the pod. Idempotent. */
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CSIDriver, Pod } from '../../api/gen/types.ts';
import { codeOf, type ErrorCode } from '../../base/errors.ts';
import { isMounted } from '../../host/mounted.ts';
import type { VolumeCapability } from '../../wire/gen/csi.ts';
import type { AgentContext } from '../context.ts';
import { step } from '../volume/failure.ts';
import { attached, needsAttachment } from './attach.ts';
import { CALL_MS, can, type CsiDriver } from './drivers.ts';
import { attachmentName, GLOBAL_MOUNT, publishFolder, stagingFolder, uniqueName } from './names.ts';
import { secretOf, tokensOf, volumeContext } from './secrets.ts';
import { capabilityOf, checkLifecycle, type CsiSource } from './source.ts';
import { removeVolumeFolder, writeVolumeData } from './volume-data.ts';

/** What is known of a volume that is being brought to a pod. */
export interface Bringing {
	readonly pod: Pod;
	readonly source: CsiSource;
	readonly object: CSIDriver | undefined;
	readonly driver: CsiDriver;
	readonly capability: VolumeCapability;
	readonly publishContext: Readonly<Record<string, string>>;
}

/** After these the driver may have done it all the same. */
const UNCERTAIN: readonly ErrorCode[] = [
	'DeadlineExceeded',
	'Canceled',
	'Unavailable',
	'Unknown',
	'Aborted',
	'Internal',
	'ResourceExhausted',
];

/** Until the volume is attached, where it must be, and its driver is here. */
export async function prepare(
	pod: Pod,
	source: CsiSource,
	mountFlags: readonly string[],
	group: number | undefined,
	context: AgentContext,
	signal: AbortSignal,
): Promise<Bringing> {
	const event = source.block ? 'FailedMapVolume' : 'FailedMount';
	const object = await context.csi.object(source.driver, signal);
	const { driver, capability } = await step(`${kindOf(source)}.SetUp`, source.specName, event, signal, async () => {
		checkLifecycle(source, object);
		if (!context.csi.drivers.has(source.driver)) context.csi.awaitDriver(source.driver, pod.metadata.uid ?? '');
		const found = context.csi.drivers.get(source.driver);
		const delegated = group !== undefined && can(found, 'VOLUME_MOUNT_GROUP') ? String(group) : '';
		return { driver: found, capability: capabilityOf(source, found, mountFlags, delegated) };
	});
	const publishContext = needsAttachment(source, object)
		? await step(`${kindOf(source)}.WaitForAttach`, source.specName, event, signal, () =>
				attached(source, pod.metadata.uid ?? '', context, signal),
			)
		: {};
	return { pod, source, object, driver, capability, publishContext };
}

function kindOf({ block }: CsiSource): string {
	return block ? 'MapVolume' : 'MountVolume';
}

export function stagingPath({ driver, handle }: CsiSource, context: AgentContext): string {
	return join(stagingFolder(context.options.rootDir, driver, handle), GLOBAL_MOUNT);
}

export function publishPath(pod: Pod, { specName }: CsiSource, context: AgentContext): string {
	return join(publishFolder(context.options.rootDir, pod.metadata.uid ?? '', specName), 'mount');
}

export async function stage(bringing: Bringing, context: AgentContext, signal: AbortSignal): Promise<void> {
	const { source, driver, capability, publishContext } = bringing;
	const path = stagingPath(source, context);
	if (!can(driver, 'STAGE_UNSTAGE_VOLUME') || source.lifecycle === 'Ephemeral' || context.csi.done.has(path)) return;
	const secrets = await secretOf(source.stageSecret, context, signal);
	await mkdir(path, { recursive: true, mode: 0o750 });
	await writeVolumeData(dirname(path), { driverName: source.driver, volumeHandle: source.handle });
	const request = {
		volumeId: source.handle,
		publishContext: { ...publishContext },
		stagingTargetPath: path,
		volumeCapability: capability,
		secrets,
		volumeContext: { ...source.attributes },
	};
	// Not given up half-way: what the driver has begun is to be known.
	await driver.node.nodeStageVolume(request, { timeoutMs: CALL_MS });
	context.csi.done.add(path);
}

export async function publish(bringing: Bringing, context: AgentContext, signal: AbortSignal): Promise<string> {
	const { pod, source, object, driver, capability, publishContext } = bringing;
	const path = publishPath(pod, source, context);
	const staged = can(driver, 'STAGE_UNSTAGE_VOLUME') && source.lifecycle === 'Persistent';
	const [secrets, tokens] = await Promise.all([secretOf(source.publishSecret, context, signal), tokensOf(pod, object, context, signal)]);
	const inSecrets = object?.spec.serviceAccountTokenInSecrets === true;
	await mkdir(dirname(path), { recursive: true, mode: 0o750 });
	await writeVolumeData(dirname(path), {
		attachmentID: attachmentName(source.handle, source.driver, context.options.nodeName),
		driverName: source.driver,
		nodeName: context.options.nodeName,
		specVolID: source.specName,
		volumeHandle: source.handle,
		volumeLifecycleMode: source.lifecycle,
	});
	const request = {
		volumeId: source.handle,
		publishContext: { ...publishContext },
		stagingTargetPath: staged ? stagingPath(source, context) : '',
		targetPath: path,
		volumeCapability: capability,
		readonly: source.readOnly,
		secrets: { ...secrets, ...(inSecrets ? tokens : {}) },
		volumeContext: { ...volumeContext(pod, source, object), ...(inSecrets ? {} : tokens) },
	};
	try {
		await driver.node.nodePublishVolume(request, { timeoutMs: CALL_MS });
	} catch (error) {
		// The driver has said that it did nothing: nothing is to be undone, unless an earlier life of the agent had it published.
		if (!context.csi.done.has(path) && !UNCERTAIN.includes(codeOf(error)) && !(await isMounted(path)))
			await removeVolumeFolder(dirname(path)).catch(() => {});
		throw error;
	}
	context.csi.done.add(path);
	return path;
}

export function turnOf(source: CsiSource): string {
	return uniqueName(source.driver, source.handle);
}
