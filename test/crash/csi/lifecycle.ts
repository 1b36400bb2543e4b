/** A volume's whole life, by the calls that sidecars and a kubelet make, with data that must outlive it all. Every RPC that has steps is called. */
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { VolumeCapability } from '../../../csi/proto.ts';
import type { MortalDriver } from './mortal-driver.ts';

const MIB = 1024n ** 2n;
const GROUP = 1234;
const none = { secrets: {}, parameters: {}, mutableParameters: {} };
const capabilityOf = (fsType: string): VolumeCapability => ({
	accessType: { $case: 'mount', value: { fsType, mountFlags: [], volumeMountGroup: String(GROUP) } },
	accessMode: { mode: 1 },
});

/** What went wrong; empty where everything is as it should be. `dir`: where the volume is staged and published. */
export async function oneLife(driver: MortalDriver, dir: string, nodeId: string, fsType = ''): Promise<readonly string[]> {
	const capability = capabilityOf(fsType);
	const size = fsType === 'xfs' ? 300n * MIB : 16n * MIB;
	const problems: string[] = [];
	const { controller, groups, node } = driver;
	const ask = driver.ask.bind(driver);
	const create = (name: string, source?: string): Promise<string> =>
		ask(() =>
			controller.createVolume({
				...none,
				name,
				capacityRange: { requiredBytes: size, limitBytes: 0n },
				volumeCapabilities: [capability],
				volumeContentSource: source === undefined ? undefined : { type: { $case: 'snapshot', value: { snapshotId: source } } },
				accessibilityRequirements: undefined,
			}),
		).then(({ volume }) => volume?.volumeId ?? '');
	const places = (name: string): { readonly stagingTargetPath: string; readonly targetPath: string } => ({
		stagingTargetPath: join(dir, `${name}-staging`),
		targetPath: join(dir, `${name}-target`),
	});
	const use = async (volumeId: string, name: string): Promise<string> => {
		const at = { ...none, ...places(name), volumeId, volumeCapability: capability, volumeContext: {}, publishContext: {}, readonly: false };
		await mkdir(at.stagingTargetPath, { recursive: true });
		await ask(() => controller.controllerPublishVolume({ ...at, nodeId }));
		await ask(() => node.nodeStageVolume(at));
		await ask(() => node.nodePublishVolume(at));
		const { gid } = await stat(at.targetPath);
		if (gid !== GROUP) problems.push(`${name} belongs to group ${gid}`);
		return at.targetPath;
	};
	const release = async (volumeId: string, name: string): Promise<void> => {
		const at = { ...places(name), volumeId };
		await ask(() => node.nodeUnpublishVolume(at));
		await ask(() => node.nodeUnstageVolume(at));
		await ask(() => controller.controllerUnpublishVolume({ ...none, volumeId, nodeId }));
	};
	const see = async (what: string, path: string, want: string): Promise<void> => {
		const found = await readFile(path, 'utf8').catch((error: Error) => error.message);
		if (found !== want) problems.push(`${what}: "${found}" where "${want}" was written`);
	};

	const first = await create('first');
	await writeFile(join(await use(first, 'first'), 'data'), 'kept');
	const snap = (name: string): Promise<string> =>
		ask(() => controller.createSnapshot({ ...none, name, sourceVolumeId: first, accessibilityRequirements: undefined })).then(
			(answer) => answer.snapshot?.snapshotId ?? '',
		);
	const snapshots = [await snap('snapshot'), await snap('another')]; // a deletion that dies half-way is whole at the next start: the second goes through
	const { groupSnapshot } = await ask(() => groups.createVolumeGroupSnapshot({ ...none, name: 'group', sourceVolumeIds: [first] }));
	await writeFile(join(places('first').targetPath, 'data'), 'changed'); // nothing is left frozen
	await ask(() => controller.controllerModifyVolume({ ...none, volumeId: first, mutableParameters: { readAheadKiB: '64' } }));
	await release(first, 'first');
	const capacityRange = { requiredBytes: 2n * size, limitBytes: 0n };
	await ask(() => controller.controllerExpandVolume({ ...none, volumeId: first, capacityRange, volumeCapability: capability }));
	const volumePath = await use(first, 'first');
	await ask(() =>
		node.nodeExpandVolume({ ...none, volumeId: first, volumePath, capacityRange, stagingTargetPath: '', volumeCapability: undefined }),
	);
	await see('the volume after it grew', join(volumePath, 'data'), 'changed');
	const copies = [snapshots[0] ?? '', groupSnapshot?.snapshots[0]?.snapshotId ?? ''];
	for (const [i, id] of copies.entries()) {
		const copy = await create(`copy ${i}`, id);
		await see(`copy ${i}`, join(await use(copy, `copy-${i}`), 'data'), 'kept');
		await release(copy, `copy-${i}`);
		await ask(() => controller.deleteVolume({ ...none, volumeId: copy }));
	}
	await release(first, 'first');
	for (const snapshotId of snapshots) await ask(() => controller.deleteSnapshot({ ...none, snapshotId }));
	await ask(() =>
		groups.deleteVolumeGroupSnapshot({ ...none, groupSnapshotId: groupSnapshot?.groupSnapshotId ?? '', snapshotIds: copies.slice(1) }),
	);
	await ask(() => controller.deleteVolume({ ...none, volumeId: first }));

	const volumeContext = { 'csi.storage.k8s.io/ephemeral': 'true', size: String(size) };
	// As with snapshots: a removal that dies half-way is whole at the next start.
	for (const volumeId of ['csi-inline', 'csi-another']) {
		const inline = { ...none, volumeId, targetPath: places('inline').targetPath, stagingTargetPath: '', publishContext: {} };
		const publish = (): Promise<unknown> =>
			ask(() => node.nodePublishVolume({ ...inline, volumeContext, volumeCapability: capability, readonly: false }));
		await publish();
		await writeFile(join(inline.targetPath, 'data'), 'own');
		await publish();
		await see('the inline volume', join(inline.targetPath, 'data'), 'own');
		await ask(() => node.nodeUnpublishVolume(inline));
	}
	return problems;
}
