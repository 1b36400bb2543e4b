/** Limits of input and output that the kernel keeps: of a volume, put on the group that stands for a pod's container. Needs root, loop devices and a controller. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realClock } from '../../base/clock.ts';
import { removeCgroup } from '../../host/cgroup-remove.ts';
import { CgroupTree } from '../../host/cgroup-tree.ts';
import { IoGroups } from '../../host/io-groups.ts';
import { loopDevices } from '../../host/loop.ts';
import { mount, unmount } from '../../host/mounts.ts';
import { call, type CsiHost, files, host, liveTest, noDeviceOf, none, raw } from '../../test/tools/csi-host.ts';
import type { VolumeCapability } from '../proto.ts';

const groups = IoGroups.open();
const live = await liveTest(typeof groups === 'string' ? groups : undefined);
const MIB = 1024 ** 2;

/** A group that a kubelet could have made; its folder. */
async function containerOf(uid: string): Promise<string> {
	const path = `kubepods/pod${uid}/container`;
	const folder = join('/sys/fs/cgroup', (groups as IoGroups).version === 1 ? 'blkio' : '', path);
	if ((groups as IoGroups).version === 1) await mkdir(folder, { recursive: true });
	else await (await CgroupTree.open()).make(path);
	return folder;
}

/** Milliseconds that a process of the group takes to write so much there, past the page cache or through it and out of it. */
async function write(group: string, to: string, mib: number, flag: 'oflag=direct' | 'conv=fsync'): Promise<number> {
	const began = realClock.monotonic();
	const script = `echo $$ > "$1/cgroup.procs" && exec dd if=/dev/zero of="$2" bs=1M count="$3" conv=notrunc "$4"`;
	const dd = spawn('sh', ['-c', script, 'sh', group, to, String(mib), flag], { stdio: 'ignore' });
	const [code] = (await once(dd, 'exit')) as [number];
	if (code !== 0) throw new Error(`writing ended with ${code}`);
	return realClock.monotonic() - began;
}

async function modify({ controller }: CsiHost, volumeId: string, mutableParameters: Record<string, string>): Promise<void> {
	await controller.controllerModifyVolume({ volumeId, secrets: {}, mutableParameters }, call);
}

async function rules(group: string): Promise<string> {
	const file = (groups as IoGroups).version === 1 ? 'blkio.throttle.write_bps_device' : 'io.max';
	return (await readFile(join(group, file), 'utf8').catch(() => '')).trim();
}

for (const [kind, capability, uid, layout] of [
	[
		'file system',
		files(),
		'0f6d3c1e-2b4a-4c5d-8e7f-00112233aa01',
		(dir: string, u: string) => join(dir, 'pods', u, 'volumes/kubernetes.io~csi/pv/mount'),
	],
	['device', raw, '0f6d3c1e-2b4a-4c5d-8e7f-00112233aa02', (dir: string, u: string) => join(dir, 'volumeDevices/publish/pv', u)],
] as const satisfies readonly (readonly [string, VolumeCapability, string, unknown])[])
	live(`a ${kind}: a container is held to the limit, a changed one counts at once, and nothing of it stays`, async (t) => {
		const h = await host(t);
		t.teardown(() => removeCgroup(`kubepods/pod${uid}`));
		const volumeId = await h.create('volume', capability, 32);
		await modify(h, volumeId, { writeBytesPerSecond: '4Mi' });
		const targetPath = layout(h.dir, uid);
		const at = { ...none, volumeId, volumeCapability: capability, readonly: false, stagingTargetPath: join(h.dir, 'staging') };
		await h.node.nodeStageVolume(at, call);
		await h.node.nodePublishVolume({ ...at, targetPath }, call);
		const [device] = (await loopDevices()).filter((d) => d.backingFile.startsWith(`${h.dir}/`));
		const group = await containerOf(uid); // later than the volume, as containers are
		await h.context.limits.look([volumeId]);
		const to = kind === 'device' ? targetPath : join(targetPath, 'data');

		for (const flag of ['oflag=direct', 'conv=fsync'] as const)
			t.true((await write(group, to, 8, flag)) > 1000, `8 MiB at 4 MiB a second, ${flag}`);
		await modify(h, volumeId, { writeBytesPerSecond: '2Mi' });
		t.true((await write(group, to, 4, 'oflag=direct')) > 1000, '4 MiB at 2 MiB a second');
		await modify(h, volumeId, { writeBytesPerSecond: 'max' });
		t.is(await rules(group), '');
		await modify(h, volumeId, { writeBytesPerSecond: `${MIB}` });

		await h.node.nodeUnpublishVolume({ volumeId, targetPath }, call);
		await h.node.nodeUnstageVolume({ volumeId, stagingTargetPath: at.stagingTargetPath }, call);
		await noDeviceOf(h);
		for (const kernel of (groups as IoGroups).ofKernel()) t.notRegex(await rules(kernel), new RegExp(`^${device?.device} `, 'm'));
		await h.context.limits.look([volumeId]);
		for (const kernel of (groups as IoGroups).ofKernel()) t.notRegex(await rules(kernel), new RegExp(`^${device?.device} `, 'm'));
	});

live('groups that cannot be written limit nothing, and that is told at the start', async (t) => {
	const root = await mkdtemp(join(tmpdir(), 'kubeling-io-'));
	t.teardown(() => rm(root, { recursive: true, force: true }));
	await mount('tmpfs', root, { type: 'tmpfs' });
	t.teardown(() => unmount(root));
	const version1 = join(root, 'version1');
	await mkdir(join(version1, 'blkio'), { recursive: true });
	await writeFile(join(version1, 'blkio/blkio.throttle.read_bps_device'), '');
	await writeFile(join(root, 'cgroup.controllers'), 'io');
	for (const at of [root, version1]) t.not(typeof IoGroups.open(at), 'string');
	await mount('tmpfs', root, { options: ['remount', 'ro'] });
	t.regex(IoGroups.open(root) as string, /version 2\) cannot be written: EROFS/);
	t.regex(IoGroups.open(version1) as string, /version 1\) cannot be written: EROFS/);
});
