/** What a host does to a driver: it boots anew, its disk fills up, and many callers come at once. Needs root and loop devices. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdir, open, readdir, readFile, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { VirtualClock } from '../base/virtual-clock.ts';
import { codeOf } from '../base/errors.ts';
import { runCommand } from '../host/command.ts';
import { bootId } from '../host/facts.ts';
import { fsStats } from '../host/filesystem.ts';
import { attachLoop, detachLoop, loopDevices } from '../host/loop.ts';
import { mount, readMounts, unmount } from '../host/mounts.ts';
import { manyCallers } from '../test/crash/csi/many-callers.ts';
import { call, CsiHost, files, host, liveTest, noDeviceOf, none, raw, writeSynced } from '../test/tools/csi-host.ts';
import { eventually } from '../test/tools/eventually.ts';
import { noLog, type Log } from '../base/log.ts';
import { sharedFolder } from '../test/tools/shared-folder.ts';
import { idOnNode } from './ids.ts';
import { commandExists } from './pool/find-backends.ts';

const live = await liveTest();
const MIB = 1024 ** 2;

/** Mounts and devices go as a reboot takes them. */
async function reboot({ dir }: CsiHost): Promise<CsiHost> {
	for (const { path } of (await readMounts()).filter((m) => m.path.startsWith(`${dir}/`)).toReversed()) await unmount(path);
	for (const device of (await loopDevices()).filter((d) => d.backingFile.startsWith(`${dir}/`))) await detachLoop(device);
	await noDeviceOf({ dir });
	return CsiHost.on(dir, { bootId: 'another' });
}

live('a reboot: volumes of every kind come back where they were, with their data; those that nobody wants any more can go', async (t) => {
	const h = await host(t, { bootId: 'one' });
	const [used, device, idle] = [await h.create('used', files()), await h.create('device', raw, 4), await h.create('idle', files())];
	await writeSynced(join(await h.use(used, files()), 'data'), 'kept');
	await writeSynced(join(await h.inline('csi-own', { size: '8Mi' }), 'data'), 'own');
	const raws = await open(await h.use(device, raw), 'r+');
	await raws.write('blocks');
	await raws.sync();
	await raws.close();
	await h.use(idle, files());
	const capability = { ...none, volumeId: used, volumeCapability: files(), readonly: false, nodeId: 'node' };
	await h.controller.controllerPublishVolume(capability, call);

	const after = await reboot(h);
	t.deepEqual(after.context.nodes.list('node'), []);
	await after.controller.deleteVolume({ ...none, volumeId: idle }, call);
	await t.throwsAsync(after.controller.deleteVolume({ ...none, volumeId: used }, call), { code: 'FailedPrecondition' });
	t.is(await readFile(join(await after.use(used, files()), 'data'), 'utf8'), 'kept');
	t.is(await readFile(join(await after.inline('csi-own', { size: '8Mi' }), 'data'), 'utf8'), 'own');
	t.is((await readFile(await after.use(device, raw))).subarray(0, 6).toString(), 'blocks');
	for (const id of [used, device]) await after.release(id);
	await after.release('csi-own');
	t.deepEqual(
		(await readMounts()).filter((m) => m.path.startsWith(`${h.dir}/`)),
		[],
	);
});

live("a reboot, then something in the way: the data of a pod's own volume is still there", async (t) => {
	const h = await host(t, { bootId: 'one' });
	const at = await h.inline('csi-own', { size: '8Mi' });
	await writeSynced(join(at, 'data'), 'kept');
	const after = await reboot(h);
	await rmdir(at);
	await writeSynced(at, 'in the way');
	await t.throwsAsync(after.inline('csi-own', { size: '8Mi' }), { code: 'FailedPrecondition' });
	t.deepEqual(after.context.nodes.list('node'), [], 'staged no more');
	await rm(at);
	t.is(await readFile(join(await after.inline('csi-own', { size: '8Mi' }), 'data'), 'utf8'), 'kept');
	await after.release('csi-own');
	t.deepEqual(await readdir(join(h.dir, 'pool/inline/node')), []);
});

live('a failure that cannot be undone is told as what it was', async (t) => {
	const died = new Error('died');
	let breaks = async (): Promise<void> => {};
	const h = await host(t, { steps: { done: (step) => (step === 'NodePublishVolume: target made' ? breaks() : Promise.resolve()) } });
	const records = join(h.dir, 'run', h.context.poolId, await bootId(), 'node');
	const [record, aside] = [join(records, `${idOnNode('csi-own')}.json`), join(h.dir, 'aside')];
	breaks = async () => {
		await rename(record, aside);
		await mkdir(record); // neither written nor read any more
		throw died;
	};
	await t.throwsAsync(h.inline('csi-own', { size: '8Mi' }), { is: died });
	await rmdir(record);
	await rename(aside, record);
	breaks = async () => {};
	await h.inline('csi-own', { size: '8Mi' });
	await h.release('csi-own');
	t.deepEqual(await readdir(join(h.dir, 'pool/inline/node')), []);
});

live('a device that is free already is as good as freed, and one that is another file’s by now is left alone', async (t) => {
	const { dir } = await host(t);
	const [first, second] = [join(dir, 'first'), join(dir, 'second')];
	for (const file of [first, second]) await writeSynced(file, Buffer.alloc(MIB));
	const before = { path: await attachLoop(first), backingFile: first };
	for (let times = 0; times < 2; times++) await t.notThrowsAsync(detachLoop(before));
	const now = { path: await attachLoop(second), backingFile: second };
	await detachLoop({ ...now, backingFile: first });
	t.true((await loopDevices()).some(({ path, backingFile }) => path === now.path && backingFile === second));
	await detachLoop(now);
	await t.notThrowsAsync(noDeviceOf({ dir }));
	await t.throwsAsync(detachLoop({ path: join(dir, 'none'), backingFile: first }));
});

/** A mount namespace of its own, with copies of all mounts. */
async function copiesOfMounts(t: ExecutionContext): Promise<ChildProcess> {
	const holder = spawn('unshare', ['--mount', '--propagation', 'private', 'sleep', 'infinity'], { stdio: 'ignore' });
	t.teardown(() => void holder.kill());
	await eventually('a namespace with copies', async () => (await readFile(`/proc/${holder.pid}/comm`, 'utf8')) === 'sleep\n');
	return holder;
}

/** Who waits by it waits until something is done. */
class WorkingClock extends VirtualClock {
	work = async (): Promise<void> => {};
	override sleep(): Promise<void> {
		return this.work();
	}
}

live(
	'a mount that another namespace still has a copy of: the next stage waits for its end, and what waited for that is done',
	async (t) => {
		const clock = new WorkingClock();
		const h = await host(t, { clock });
		const volume = await h.create('volume', files());
		await h.use(volume, files());
		const holder = await copiesOfMounts(t);
		await h.release(volume);
		t.is((await loopDevices()).filter((d) => d.backingFile.startsWith(`${h.dir}/`)).length, 1);
		const capacityRange = { requiredBytes: BigInt(64 * MIB), limitBytes: 0n };
		await h.controller.controllerExpandVolume({ ...none, volumeId: volume, capacityRange, volumeCapability: files() }, call);
		clock.work = () => {
			holder.kill();
			return noDeviceOf(h);
		};
		t.true((await fsStats(await h.use(volume, files()))).capacityBytes > 48 * MIB);
	},
);

live(
	'a mount that another namespace keeps a copy of: the volume has the same device again, and that is nothing abnormal then',
	async (t) => {
		const told: string[] = [];
		const log: Log = { ...noLog, with: () => log, warn: (message) => void told.push(message) };
		const h = await host(t, { clock: new WorkingClock(), log });
		const volume = await h.create('volume', files());
		await h.use(volume, files());
		const holder = await copiesOfMounts(t);
		await h.release(volume);
		await h.use(volume, files());
		t.true(told.some((message) => message.startsWith('others still have the device')));
		const answer = await h.controller.controllerGetVolume({ volumeId: volume }, call);
		t.false(answer.status?.volumeCondition?.abnormal, answer.status?.volumeCondition?.message);
		holder.kill();
		await h.release(volume);
		await noDeviceOf(h);
	},
);

live('a raw device that somebody still has open: the next stage is refused, or waits and has one of its own', async (t) => {
	const clock = new WorkingClock();
	const told: string[] = [];
	const log: Log = { ...noLog, with: () => log, warn: (message) => void told.push(message) };
	const h = await host(t, { clock, log });
	const volume = await h.create('raw', raw, 4);
	const condition = async () => (await h.controller.controllerGetVolume({ volumeId: volume }, call)).status?.volumeCondition;
	await h.use(volume, raw);
	const [device] = (await loopDevices()).filter((d) => d.backingFile.startsWith(`${h.dir}/`));
	const opened = await open(device?.path ?? '', 'r');
	await h.release(volume);
	const close = async (): Promise<void> => {
		if (opened.fd !== -1) await opened.close();
	};
	await t.throwsAsync(h.use(volume, raw), { code: 'Aborted' });
	t.true(told.some((message) => message.startsWith('others still have the device')));
	const { abnormal, message = '' } = (await condition()) ?? {};
	t.true(abnormal && message.includes(device?.path ?? 'none'), message);
	clock.work = async () => {
		await close();
		await noDeviceOf(h);
	};
	const at = await h.use(volume, raw);
	await close(); // who does not wait has what goes now
	t.false((await condition())?.abnormal);
	t.is((await readFile(at)).length, 4 * MIB);
});

live('what is staged is given back whatever became of its folder and its record', async (t) => {
	const h = await host(t);
	const [blocks, volume] = [await h.create('raw', raw, 4), await h.create('volume', files())];
	const staging = (id: string): string => join(h.dir, `${id}-staging`);
	for (const [id, volumeCapability] of [
		[blocks, raw],
		[volume, files()],
	] as const)
		await h.node.nodeStageVolume({ ...none, volumeId: id, volumeCapability, stagingTargetPath: staging(id) }, call);
	await rmdir(staging(blocks));
	await rename(join(h.context.volumes.dir(volume), 'record.json'), join(h.dir, 'aside'));
	for (const id of [blocks, volume]) await h.node.nodeUnstageVolume({ volumeId: id, stagingTargetPath: staging(id) }, call);
	await noDeviceOf(h);
	t.deepEqual(
		(await readMounts()).filter((m) => m.path.startsWith(`${h.dir}/`)),
		[],
	);
});

live('a node that is gone: once it is detached, what it had mounted is taken down, and the next node has the data', async (t) => {
	const h = await host(t);
	const [volume, blocks] = [await h.create('volume', files()), await h.create('blocks', raw, 4)];
	const second = await CsiHost.on(h.dir, { nodeId: 'second' });
	const process = join(h.dir, 'run', h.context.poolId, await bootId(), 'second/.process.json');
	const [served, gone] = [
		await readFile(process, 'utf8'),
		JSON.stringify({ ...JSON.parse(await readFile(process, 'utf8')), startTicks: 1 }),
	];
	for (const [volumeId, capability] of [
		[volume, files()],
		[blocks, raw],
	] as const) {
		const publication = { ...none, volumeId, volumeCapability: capability, nodeId: 'second', readonly: false };
		await h.controller.controllerPublishVolume(publication, call);
		const at = await second.use(volumeId, capability);
		if (volumeId === volume) await writeSynced(join(at, 'data'), 'kept');
		await writeFile(process, served);
		await h.controller.controllerUnpublishVolume(publication, call);
		await t.throwsAsync(h.use(volumeId, capability), { code: 'FailedPrecondition' }, 'it goes on there');
		await writeFile(process, gone);
		await t.throwsAsync(h.use(volumeId, capability), { code: 'FailedPrecondition' }, 'nobody detached it');
		await h.controller.controllerUnpublishVolume(publication, call);
		await t.throwsAsync(stat(at), { code: 'ENOENT' });
		t.deepEqual(h.context.nodes.usersOf(volumeId), []);
		const here = await h.use(volumeId, capability);
		if (volumeId === volume) t.is(await readFile(join(here, 'data'), 'utf8'), 'kept');
		await h.controller.controllerUnpublishVolume({ ...publication, nodeId: 'node' }, call);
		t.is(h.context.nodes.usersOf(volumeId).length, 1, 'its own node goes on');
		await h.release(volumeId);
		await h.controller.deleteVolume({ ...none, volumeId }, call);
	}
});

live('a file system that has shut down answers nobody any more, and is released like any other', async (t) => {
	if (!((await commandExists('mkfs.xfs')) && (await commandExists('xfs_io')))) return t.pass('this needs xfsprogs');
	const h = await host(t);
	const volume = await h.create('volume', files({ fsType: 'xfs' }), 300);
	const at = await h.use(volume, files());
	await runCommand('xfs_io', ['-x', '-c', 'shutdown', at]);
	await t.throwsAsync(stat(at), { code: 'EIO' });
	await h.release(volume);
	t.deepEqual(
		(await readMounts()).filter((m) => m.path.startsWith(`${h.dir}/`)),
		[],
	);
});

live('a snapshot takes room for what it holds, no more, and none that is promised', async (t) => {
	const h = await small(t, 48);
	const volume = await h.create('volume', raw, 20);
	await writeSynced(await h.use(volume, raw), Buffer.alloc(12 * MIB, 1));
	await h.snapshot('first', volume);
	const other = await h.create('other', raw, 12);
	await t.throwsAsync(h.snapshot('second', volume), { code: 'ResourceExhausted' });
	await h.release(volume);
	for (const [id, mib] of [
		[volume, 20],
		[other, 12],
	] as const) {
		await writeSynced(await h.use(id, raw), Buffer.alloc(mib * MIB, 2));
		await h.release(id);
	}
});

live('a full disk: two volumes that grow at once do not get the same room', async (t) => {
	const h = await small(t, 48);
	const ids = [await h.create('one', raw, 4), await h.create('two', raw, 4)];
	const capacityRange = { requiredBytes: BigInt(28 * MIB), limitBytes: 0n };
	const grow = (volumeId: string) => h.controller.controllerExpandVolume({ ...none, volumeId, capacityRange, volumeCapability: raw }, call);
	const answers = await Promise.allSettled(ids.map(grow));
	t.deepEqual(answers.map((a) => (a.status === 'fulfilled' ? 'grown' : codeOf(a.reason))).toSorted(), ['OutOfRange', 'grown']);
});

/** A driver whose pool has so many MiB. */
async function small(t: ExecutionContext, mib: number): Promise<CsiHost> {
	const folder = await sharedFolder('kubeling-csi-');
	t.teardown(() => folder[Symbol.asyncDispose]());
	const pool = join(folder.dir, 'pool');
	await mkdir(pool);
	await mount('tmpfs', pool, { type: 'tmpfs', options: [`size=${mib}m`] });
	return CsiHost.on(folder.dir);
}

/** Somebody else's file takes all that is left. */
async function fill({ dir }: CsiHost): Promise<string> {
	const path = join(dir, 'pool/of-another');
	const file = await open(path, 'w');
	const much = Buffer.alloc(MIB, 1);
	try {
		for (;;) await file.write(much);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
	} finally {
		await file.close();
	}
	return path;
}

live('a full disk: what needs room is refused as that, nothing half made stays, and all goes on once there is room', async (t) => {
	const h = await small(t, 48);
	const volume = await h.create('volume', files(), 24);
	const at = await h.use(volume, files());
	await writeSynced(join(at, 'data'), 'kept');
	const taken = await fill(h);
	const full = { code: 'ResourceExhausted' };
	await t.throwsAsync(h.create('another', files(), 4), full);
	await t.throwsAsync(h.snapshot('snapshot', volume), full);
	await t.throwsAsync(h.inline('csi-own', { size: '4Mi' }), full);
	const publication = { ...none, volumeId: volume, nodeId: 'node', volumeCapability: files(), readonly: false };
	await t.throwsAsync(h.controller.controllerPublishVolume(publication, call), full);
	await t.throwsAsync(h.controller.controllerModifyVolume({ ...publication, mutableParameters: { readAheadKiB: '64' } }, call), full);
	await t.throwsAsync(writeSynced(join(at, 'more'), Buffer.alloc(12 * MIB, 1)), undefined, 'the writer is told');
	for (const [folder, left] of [
		['volumes', [volume]],
		['snapshots', []],
		['inline/node', []],
	] as const)
		t.deepEqual(await readdir(join(h.dir, 'pool', folder)), left, folder);

	await rm(taken);
	await h.release(volume);
	const again = await CsiHost.on(h.dir);
	await again.controller.controllerPublishVolume(publication, call);
	await again.use(volume, files());
	t.is(await readFile(join(at, 'data'), 'utf8'), 'kept');
	await writeSynced(join(at, 'more'), Buffer.alloc(4 * MIB, 1));
	await again.controller.deleteSnapshot({ ...none, snapshotId: await again.snapshot('snapshot', volume) }, call);
	await again.release(volume);
	await again.controller.controllerUnpublishVolume({ ...publication, nodeId: '' }, call);
	await again.controller.deleteVolume({ ...none, volumeId: volume }, call);
});

live('a full disk: the driver starts, and counts as if blocks were shared for that cannot be tried', async (t) => {
	const h = await small(t, 48);
	const volume = await h.create('volume', raw, 8);
	const taken = await fill(h);
	const again = await CsiHost.on(h.dir);
	t.is(again.context.backends.sharesBlocks, undefined);
	await rm(taken);
	await again.controller.deleteSnapshot({ ...none, snapshotId: await again.snapshot('snapshot', volume) }, call);
	t.false((await CsiHost.on(h.dir)).context.backends.sharesBlocks);
});

live('a full disk: a volume that is erased first goes too, for only what it holds is overwritten', async (t) => {
	const h = await small(t, 48);
	const volume = await h.create('volume', raw, 32);
	await writeSynced(await h.use(volume, raw), Buffer.concat([Buffer.alloc(4096), Buffer.alloc(MIB + 512, 1)]));
	await h.release(volume);
	await h.controller.controllerModifyVolume({ ...none, volumeId: volume, mutableParameters: { secureErase: 'true' } }, call);
	await fill(h);
	await h.controller.deleteVolume({ ...none, volumeId: volume }, call);
	t.deepEqual(await readdir(join(h.dir, 'pool/volumes')), []);
});

live('eight callers at once, a hundred volumes: each is made once, listed once, and gone once', async (t) => {
	t.deepEqual(await manyCallers((await host(t)).dir, 100), []);
});
