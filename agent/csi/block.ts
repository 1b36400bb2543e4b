/** A CSI volume as a raw device: staged, published as a device file, mapped for the pod. Idempotent. */
import { lstat, mkdir, open, readlink, rm, stat, symlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AppError } from '../../base/errors.ts';
import { bindMount, mountAt, readMounts } from '../../host/mounts.ts';
import { podEvent, type AgentContext } from '../context.ts';
import { CALL_MS, can } from './drivers.ts';
import type { Bringing } from './mount.ts';
import { attachmentName, blockPaths } from './names.ts';
import { secretOf, tokensOf, volumeContext } from './secrets.ts';
import { writeVolumeData } from './volume-data.ts';

/** Where the pod's link to the device is. */
export async function mapDevice(bringing: Bringing, context: AgentContext, signal: AbortSignal): Promise<string> {
	const { pod, source, object, driver, capability, publishContext } = bringing;
	const uid = pod.metadata.uid ?? '';
	const paths = blockPaths(context.options.rootDir, uid, source.specName);
	const staged = can(driver, 'STAGE_UNSTAGE_VOLUME');
	const shared = { volumeId: source.handle, publishContext: { ...publishContext }, volumeCapability: capability };
	await writeVolumeData(paths.data, {
		attachmentID: attachmentName(source.handle, source.driver, context.options.nodeName),
		driverName: source.driver,
		nodeName: context.options.nodeName,
		specVolID: source.specName,
		volumeHandle: source.handle,
		volumeLifecycleMode: 'Persistent',
	});
	if (staged && !context.csi.done.has(paths.staging)) {
		const secrets = await secretOf(source.stageSecret, context, signal);
		await mkdir(paths.staging, { recursive: true, mode: 0o750 });
		const request = { ...shared, stagingTargetPath: paths.staging, secrets, volumeContext: { ...source.attributes } };
		await driver.node.nodeStageVolume(request, { timeoutMs: CALL_MS });
		context.csi.done.add(paths.staging);
	}
	const [secrets, tokens] = await Promise.all([secretOf(source.publishSecret, context, signal), tokensOf(pod, object, context, signal)]);
	await mkdir(dirname(paths.publish), { recursive: true, mode: 0o750 });
	const request = {
		...shared,
		stagingTargetPath: staged ? paths.staging : '',
		targetPath: paths.publish,
		readonly: source.readOnly,
		secrets,
		volumeContext: { ...volumeContext(pod, source, object), ...tokens },
	};
	const first = !context.csi.done.has(paths.publish);
	await driver.node.nodePublishVolume(request, { timeoutMs: CALL_MS });
	context.csi.done.add(paths.publish);
	await checkDevice(paths.publish);
	await bindFile(paths.publish, paths.map);
	await linkTo(paths.publish, paths.podLink);
	if (first)
		for (const [what, path] of [
			['globalMapPath', dirname(paths.map)],
			['volumeMapPath', dirname(paths.podLink)],
		] as const) {
			const message = `MapVolume.MapPodDevice succeeded for volume "${source.specName}" ${what} "${path}"`;
			podEvent(context, pod, 'Normal', 'SuccessfulMountVolume', message);
		}
	return paths.podLink;
}

async function checkDevice(path: string): Promise<void> {
	const found = await stat(path).catch(() => undefined);
	if (found?.isBlockDevice() !== true) throw new AppError('FailedPrecondition', `the driver has published no block device at ${path}`);
}

async function bindFile(from: string, to: string): Promise<void> {
	if (mountAt(await readMounts(), to) !== undefined) return;
	await mkdir(dirname(to), { recursive: true, mode: 0o750 });
	if ((await lstat(to).catch(() => undefined))?.isSymbolicLink() === true) await rm(to);
	await (await open(to, 'a', 0o660)).close();
	await bindMount(from, to);
}

async function linkTo(target: string, link: string): Promise<void> {
	await mkdir(dirname(link), { recursive: true, mode: 0o750 });
	if ((await readlink(link).catch(() => undefined)) === target) return;
	await rm(link, { force: true });
	await symlink(target, link);
}
