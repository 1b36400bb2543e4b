/** What csi-sanity does not ask: sizes that hold, data in copies, devices, readers, restarts. On this host's own back ends; needs root and loop devices. */
import { mkdir, open, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../host/command.ts';
import { fsStats } from '../host/filesystem.ts';
import { attachLoop, loopDevices } from '../host/loop.ts';
import { mount, mountAt, readMounts } from '../host/mounts.ts';
import { imageIn } from './backends/loop.ts';
import { readSuperblock } from './filesystems/superblock.ts';
import type { VolumeCapability } from './proto.ts';
import { metadataHandlers } from './rpcs.ts';
import { call, CsiHost, files, host, liveTest, noDeviceOf, none, raw } from '../test/tools/csi-host.ts';
import { eventually } from '../test/tools/eventually.ts';
import { sharedFolder } from '../test/tools/shared-folder.ts';

const live = await liveTest();
const MIB = 1024 ** 2;

live('a volume that is full gives ENOSPC to its own user alone, and grows', async (t) => {
	const h = await host(t);
	const [small, other] = [await h.create('small', files()), await h.create('other', files())];
	const [at, beside] = [await h.use(small, files()), await h.use(other, files())];
	await t.throwsAsync(writeFile(join(at, 'big'), Buffer.alloc(32 * MIB)), { code: 'ENOSPC' });
	await writeFile(join(beside, 'fine'), Buffer.alloc(8 * MIB));
	await h.release(small);
	const grown = { requiredBytes: BigInt(64 * MIB), limitBytes: 0n };
	await h.controller.controllerExpandVolume({ ...none, volumeId: small, capacityRange: grown, volumeCapability: files() }, call);
	await h.use(small, files());
	await writeFile(join(at, 'big'), Buffer.alloc(32 * MIB));
	const { usage, volumeCondition } = await h.node.nodeGetVolumeStats({ volumeId: small, volumePath: at, stagingTargetPath: '' }, call);
	t.false(volumeCondition?.abnormal);
	t.true(Number(usage[0]?.total) > 48 * MIB && Number(usage[0]?.used) >= 32 * MIB);
});

live('a snapshot has the data of its moment, in a larger copy too, and writers go on', async (t) => {
	const h = await host(t);
	const volume = await h.create('volume', files());
	const at = await h.use(volume, files());
	await writeFile(join(at, 'data'), 'then');
	const snapshot = await h.snapshot('snapshot', volume);
	await writeFile(join(at, 'data'), 'now');
	const copy = await h.create('copy', files(), 48, snapshot);
	const copyAt = await h.use(copy, files());
	t.is(await readFile(join(copyAt, 'data'), 'utf8'), 'then');
	await writeFile(join(copyAt, 'big'), Buffer.alloc(32 * MIB));
	t.is(await readFile(join(at, 'data'), 'utf8'), 'now');
});

live('mount flags hold for readers, and on folders; folders refuse those that only a file system can have', async (t) => {
	const h = await host(t);
	const flagged = (...mountFlags: string[]): VolumeCapability => ({
		accessType: { $case: 'mount', value: { fsType: '', mountFlags, volumeMountGroup: '' } },
		accessMode: { mode: 1 },
	});
	const shown = async (path: string): Promise<readonly string[]> => mountAt(await readMounts(), path)?.options ?? [];
	const safe = flagged('nosuid', 'nodev', 'noexec', 'noatime');
	for (const backend of ['loop', 'directory']) {
		const request = {
			...none,
			name: backend,
			capacityRange: { requiredBytes: BigInt(16 * MIB), limitBytes: 0n },
			volumeCapabilities: [safe],
		};
		const more = { parameters: { backend }, volumeContentSource: undefined, accessibilityRequirements: undefined };
		const { volume } = await h.controller.createVolume({ ...request, ...more }, call);
		const volumeId = volume?.volumeId ?? '';
		if (backend === 'directory')
			await t.throwsAsync(h.use(volumeId, flagged('discard')), { code: 'InvalidArgument', message: /"discard"/ });
		for (const readonly of [false, true])
			for (let times = 0; times < 2; times++) {
				const options = await shown(await h.use(volumeId, safe, readonly));
				for (const want of ['nosuid', 'nodev', 'noexec', 'noatime', readonly ? 'ro' : 'rw'])
					t.true(options.includes(want), `${backend}, ${readonly ? 'reader' : 'writer'}: ${options.join()} has ${want}`);
			}
		await h.release(volumeId);
	}
	const readOnly = await h.create('read-only', files());
	const volumePath = await h.use(readOnly, flagged('ro'));
	const stats = await h.node.nodeGetVolumeStats({ volumeId: readOnly, volumePath, stagingTargetPath: '' }, call);
	t.false(stats.volumeCondition?.abnormal, stats.volumeCondition?.message);
});

live('what is in use is not deleted, goes to no second node, and readers do not write', async (t) => {
	const h = await host(t);
	const volume = await h.create('volume', files());
	const at = await h.use(volume, files());
	await writeFile(join(at, 'data'), 'x');
	await t.throwsAsync(h.controller.deleteVolume({ ...none, volumeId: volume }, call), { code: 'FailedPrecondition' });
	const second = await CsiHost.on(h.dir, { nodeId: 'second' });
	await t.throwsAsync(second.use(volume, files()), { code: 'FailedPrecondition' });
	const published = await h.controller.controllerPublishVolume(
		{ ...none, volumeId: volume, nodeId: 'second', volumeCapability: files(), readonly: true },
		call,
	);
	t.deepEqual(published.publishContext, { readonly: 'true' });
	const told = { ...none, ...published, volumeId: volume, volumeCapability: files(), readonly: false };
	const stagingTargetPath = join(h.dir, `${volume}-staging`);
	const targetPath = join(h.dir, `${volume}-told`);
	await h.node.nodePublishVolume({ ...told, stagingTargetPath, targetPath }, call);
	await t.throwsAsync(writeFile(join(targetPath, 'data'), 'y'), { code: 'EROFS' });
	await h.node.nodeUnpublishVolume({ volumeId: volume, targetPath }, call);
	await h.controller.controllerUnpublishVolume({ ...none, volumeId: volume, nodeId: '' }, call);
	const reader = await h.use(volume, files(), true);
	await t.throwsAsync(writeFile(join(reader, 'data'), 'y'), { code: 'EROFS' });
	t.is(await readFile(join(reader, 'data'), 'utf8'), 'x');
	await h.release(volume);
	await h.controller.deleteVolume({ ...none, volumeId: volume }, call);
	await h.controller.deleteVolume({ ...none, volumeId: volume }, call);
});

live('raw blocks: a device of exactly that size, one for readers that refuses writes, and what changed between snapshots', async (t) => {
	const h = await host(t);
	const volume = await h.create('raw', raw, 4);
	const at = await h.use(volume, raw);
	const write = async (offset: number): Promise<void> => {
		const device = await open(at, 'r+');
		await device.write(Buffer.alloc(4096, 7), 0, 4096, offset);
		await device.sync();
		await device.close();
	};
	await write(MIB);
	const first = await h.snapshot('first', volume);
	await write(3 * MIB);
	const second = await h.snapshot('second', volume);
	const offsets = async (
		answers: AsyncIterable<{ readonly blockMetadata: readonly { readonly byteOffset: bigint }[] }>,
	): Promise<number[]> => (await Array.fromAsync(answers)).flatMap((a) => a.blockMetadata.map((b) => Number(b.byteOffset)));
	const { getMetadataAllocated, getMetadataDelta } = metadataHandlers(h.context);
	const from = { secrets: {}, startingOffset: 0n, maxResults: 1 };
	t.deepEqual(await offsets(getMetadataAllocated({ ...from, snapshotId: second }, call)), [MIB, 3 * MIB]);
	t.deepEqual(await offsets(getMetadataDelta({ ...from, baseSnapshotId: first, targetSnapshotId: second }, call)), [3 * MIB]);
	const reader = await h.use(volume, raw, true);
	await t.throwsAsync(async () => {
		await using device = await open(reader, 'r+');
		await device.write(Buffer.alloc(512), 0, 512, 0);
	});
});

live('files belong to the group that is asked for', async (t) => {
	const h = await host(t);
	const volume = await h.create('volume', files());
	const plain = await h.use(volume, files());
	await mkdir(join(plain, 'folder'));
	await writeFile(join(plain, 'folder/file'), '', { mode: 0o600 });
	await h.release(volume);
	const at = await h.use(volume, files({ group: '4321' }));
	const [folder, file] = [await stat(join(at, 'folder')), await stat(join(at, 'folder/file'))];
	t.deepEqual([folder.gid, folder.mode & 0o2070, file.gid, file.mode & 0o060], [4321, 0o2070, 4321, 0o060]);
});

live('two calls for one volume: the second is told Aborted; calls for others go on', async (t) => {
	const h = await host(t);
	const [one, again, other] = await Promise.allSettled([h.create('one', files()), h.create('one', files()), h.create('other', files())]);
	t.deepEqual([one.status, again.status, other.status], ['fulfilled', 'rejected', 'fulfilled']);
	t.is((again as PromiseRejectedResult).reason.code, 'Aborted');
});

live('after a restart everything is known; a device that nobody has is freed, a damaged image is told', async (t) => {
	const h = await host(t);
	const [used, idle] = [await h.create('used', raw, 4), await h.create('idle', files())];
	const at = await h.use(used, raw);
	await attachLoop(imageIn(h.context.volumes.dir(idle))); // as a crash might leave it
	const again = await CsiHost.on(h.dir);
	t.deepEqual(
		again.context.volumes
			.all()
			.map((v) => v.name)
			.toSorted(),
		['idle', 'used'],
	);
	await eventually('one device', async () => {
		const files = (await loopDevices()).map((d) => d.backingFile).filter((file) => file.startsWith(h.dir));
		return files.join() === imageIn(h.context.volumes.dir(used));
	});
	t.is(await again.use(used, raw), at);
	await truncate(imageIn(h.context.volumes.dir(idle)), MIB);
	const { status } = await again.controller.controllerGetVolume({ volumeId: idle }, call);
	t.true(status?.volumeCondition?.abnormal);
});

live('the pool does not promise what it does not have', async (t) => {
	const h = await host(t);
	const request = { volumeCapabilities: [], parameters: {}, accessibleTopology: undefined };
	const { availableCapacity } = await h.controller.getCapacity(request, call);
	const { capacityBytes } = await fsStats(h.dir);
	t.true(availableCapacity > 0n && Number(availableCapacity) <= capacityBytes);
	await t.throwsAsync(h.create('too much', raw, Math.ceil(capacityBytes / MIB) + 1), { code: 'ResourceExhausted' });
	t.deepEqual(h.context.volumes.all(), []);
});

live('a snapshot that the disk has no room for leaves nothing, and its volume goes on', async (t) => {
	const folder = await sharedFolder('kubeling-csi-');
	t.teardown(() => folder[Symbol.asyncDispose]());
	const pool = join(folder.dir, 'pool');
	await mkdir(pool);
	await mount('tmpfs', pool, { type: 'tmpfs', options: ['size=40m'] });
	const h = await CsiHost.on(folder.dir);
	const volume = await h.create('volume', files(), 32);
	const at = await h.use(volume, files());
	await writeFile(join(at, 'data'), Buffer.alloc(20 * MIB, 1));
	await t.throwsAsync(h.snapshot('snapshot', volume), { code: 'ResourceExhausted' });
	t.deepEqual(await readdir(join(pool, 'snapshots')), []);
	await t.throwsAsync(h.create('another', files()), { code: 'ResourceExhausted' });
	await writeFile(join(at, 'more'), 'written'); // nothing is left frozen
	await h.release(volume);
	await h.controller.deleteVolume({ ...none, volumeId: volume }, call);
	t.deepEqual(await readdir(join(pool, 'volumes')), []);
});

live('a file system that a crash of the host left is repaired before it is mounted', async (t) => {
	const h = await host(t);
	const volume = await h.create('volume', files());
	await writeFile(join(await h.use(volume, files()), 'data'), 'kept');
	await h.release(volume);
	await noDeviceOf(h);
	const image = imageIn(h.context.volumes.dir(volume));
	await runCommand('debugfs', ['-w', '-R', 'set_super_value state 2', image]); // errors found
	t.false((await readSuperblock(image))?.clean);
	t.is(await readFile(join(await h.use(volume, files()), 'data'), 'utf8'), 'kept');
	await h.release(volume);
	await eventually('a clean file system', async () => (await readSuperblock(image))?.clean);
});
