/**
 * What a hostile caller, pod or local user may try with ids, names, paths, links and flags, on real mounts. Each test fails when its defence is taken out:
 * `npm run soak -- csi-defences` does so, one after the other (test/crash/csi/defences.ts). Needs root and loop devices.
 */
import { chmod, lstat, mkdir, readdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { realClock } from '../base/clock.ts';
import { codeOf, messageOf } from '../base/errors.ts';
import { createLog, noLog } from '../base/log.ts';
import { createMetrics } from '../base/metrics.ts';
import { readMounts } from '../host/mounts.ts';
import { call, files, host, liveTest, none, type CsiHost } from '../test/tools/csi-host.ts';
import { unmountBelow } from '../test/tools/shared-folder.ts';
import { createContext } from './driver.ts';
import { giveToGroup } from './node/mount-group.ts';
import type { VolumeCapability } from './proto.ts';
import { nodeHandlers } from './rpcs.ts';
import type { Step } from './steps.ts';

const live = await liveTest();

/** A folder beside everything that the driver is given. */
async function outside(t: ExecutionContext, { dir }: CsiHost): Promise<string> {
	const path = `${dir}-outside`;
	await mkdir(path);
	t.teardown(async () => {
		await unmountBelow(path);
		await rm(path, { recursive: true, force: true });
	});
	return path;
}

async function mountedBelow(path: string): Promise<readonly string[]> {
	return (await readMounts()).filter((m) => m.path === path || m.path.startsWith(`${path}/`)).map((m) => m.path);
}

live('ids: what has not the shape of one names nothing, however much there is', async (t) => {
	const h = await host(t);
	const id = await h.create('victim', files());
	const planted = join(h.dir, 'pool/planted');
	await rename(h.context.volumes.dir(id), planted); // a whole volume, where no volume is
	const at = { ...none, volumeCapability: files(), stagingTargetPath: join(h.dir, 'staging') };
	// A node without the controller knows volumes by their files alone.
	const alone = await createContext({ ...h.context.options, role: 'node' }, { clock: realClock, log: noLog, metrics: createMetrics() });
	for (const bad of ['../planted', `${id}/../../planted`, planted, '..', `${id}\0`, id.toUpperCase()]) {
		for (const node of [h.node, nodeHandlers(alone)])
			await t.throwsAsync(node.nodeStageVolume({ ...at, volumeId: bad }, call), { code: 'NotFound' }, bad);
		await h.controller.deleteVolume({ ...none, volumeId: bad }, call);
		await h.controller.deleteSnapshot({ ...none, snapshotId: bad }, call);
	}
	t.true((await stat(join(planted, 'record.json'))).isFile());
	await rename(planted, h.context.volumes.dir(id));
});

live('names: of any characters, they lead nowhere', async (t) => {
	const h = await host(t);
	const names = ['../../evil', '/etc/evil', '..', 'a/b', '.new-x', 'x'.repeat(128)];
	for (const name of names) await h.create(name, files(), 4);
	const made = await readdir(join(h.dir, 'pool/volumes'));
	t.is(made.filter((name) => /^vol-[0-9a-f]{40}$/.test(name)).length, names.length);
	t.is(made.length, names.length);
	t.deepEqual((await readdir(join(h.dir, 'pool'))).toSorted(), ['groups', 'inline', 'pool.json', 'snapshots', 'volumes']);
	const { dir } = await host(t, { nodeId: '../../node' });
	t.deepEqual((await readdir(dir)).toSorted(), ['pool', 'run']);
});

live('paths: nothing is staged or published outside the roots, at a link, or above', async (t) => {
	const h = await host(t);
	const beside = await outside(t, h);
	const id = await h.create('volume', files());
	await h.use(id, files());
	await symlink(beside, join(h.dir, 'link'));
	const at = { ...none, volumeId: id, volumeCapability: files(), readonly: false };
	const stagingTargetPath = join(h.dir, `${id}-staging`);
	for (const bad of [
		join(beside, 'x'),
		`${h.dir}/../${beside.slice(dirname(beside).length + 1)}/x`,
		join(h.dir, 'link'),
		join(h.dir, 'link/x'),
		'relative/x',
		'/',
	]) {
		await t.throwsAsync(h.node.nodePublishVolume({ ...at, stagingTargetPath, targetPath: bad }, call), { code: 'InvalidArgument' }, bad);
		await t.throwsAsync(h.node.nodeStageVolume({ ...at, stagingTargetPath: bad }, call), { code: 'InvalidArgument' }, bad);
	}
	t.deepEqual([await mountedBelow(beside), await readdir(beside)], [[], []]);
	for (const volumePath of ['/etc', beside, h.dir]) {
		const asked = { volumeId: id, volumePath, stagingTargetPath: '' };
		await t.throwsAsync(h.node.nodeGetVolumeStats(asked, call), { code: 'NotFound' }, volumePath);
	}
});

for (const [what, at, name] of [
	['the staging folder', 'NodeStageVolume: checked', 'plugins/volume/globalmount'],
	['a folder above the staging folder', 'NodeStageVolume: checked', 'plugins/volume'],
	['the target', 'NodePublishVolume: target made', 'pods/volume/mount'],
	['a folder above the target', 'NodePublishVolume: target made', 'pods/volume'],
	['a folder above what is published', 'NodePublishVolume: target made', 'plugins/volume'],
] as const satisfies readonly (readonly [string, Step, string])[])
	live(`swaps: a link in place of ${what}, between the check and the mount`, async (t) => {
		let swap = async (): Promise<void> => {};
		const h = await host(t, { steps: { done: (step) => (step === at ? swap() : Promise.resolve()) } });
		const beside = await outside(t, h);
		for (const last of ['globalmount', 'mount']) await mkdir(join(beside, last));
		const [victim, aside] = [join(h.dir, name), join(h.dir, 'aside')];
		swap = async () => {
			await rename(victim, aside);
			await symlink(basename(victim) === 'volume' ? beside : join(beside, 'mount'), victim);
		};
		const volumeId = await h.create('volume', files());
		const places = { stagingTargetPath: join(h.dir, 'plugins/volume/globalmount'), targetPath: join(h.dir, 'pods/volume/mount') };
		const asked = { ...none, ...places, volumeId, volumeCapability: files(), readonly: false };
		const use = async (): Promise<void> => {
			await h.node.nodeStageVolume(asked, call);
			await h.node.nodePublishVolume(asked, call);
		};
		await t.throwsAsync(use(), { code: 'FailedPrecondition' });
		t.deepEqual([await mountedBelow(beside), await mountedBelow(join(h.dir, 'pods'))], [[], []]);
		// Once all is as it was, so is the volume.
		await rm(victim);
		await rename(aside, victim);
		swap = async () => {};
		await use();
		t.deepEqual(await mountedBelow(h.dir), [h.dir, places.stagingTargetPath, places.targetPath]);
		await h.node.nodeUnpublishVolume(asked, call);
		await h.node.nodeUnstageVolume(asked, call);
	});

live('links in a volume are not followed when its files are given to a group', async (t) => {
	const h = await host(t);
	const beside = await outside(t, h);
	const secret = join(beside, 'secret');
	await writeFile(secret, '', { mode: 0o600 });
	await chmod(beside, 0o700);
	const id = await h.create('volume', files());
	const at = await h.use(id, files());
	await symlink(secret, join(at, 'link'));
	await symlink(beside, join(at, 'folder'));
	await h.release(id);
	await h.use(id, files({ group: '4321' }));
	const found = await Promise.all([secret, beside].map((path) => stat(path)));
	t.deepEqual(
		found.map(({ gid, mode }) => [gid, mode & 0o7777]),
		[
			[0, 0o600],
			[0, 0o700],
		],
	);
	t.is((await lstat(join(at, 'link'))).gid, 4321);
});

live('a volume given to a group: files may go meanwhile, and folders deeper than the driver follows are refused', async (t) => {
	const { dir } = await host(t);
	const busy = join(dir, 'busy');
	const folders = Array.from({ length: 400 }, (_, i) => join(busy, `${i}`));
	for (const path of folders) await mkdir(join(path, 'folder'), { recursive: true });
	const given = giveToGroup(busy, 4321);
	for (const path of folders) await rm(path, { recursive: true });
	await given;
	t.deepEqual([await readdir(busy), (await stat(busy)).gid], [[], 4321]);
	const deep = join(dir, 'deep');
	await mkdir(join(deep, 'd/'.repeat(300)), { recursive: true });
	await t.throwsAsync(giveToGroup(deep, 4321), { code: 'FailedPrecondition' });
	t.not((await stat(deep)).gid, 4321);
});

live('mount flags: none makes the mount one of something else, or another than was asked for', async (t) => {
	const h = await host(t);
	const id = await h.create('volume', files());
	for (const flag of [
		'bind',
		'rbind',
		'remount',
		'move',
		'loop=/dev/sda',
		'offset=512',
		'noatime,bind',
		'make-shared',
		'X-mount.mkdir',
		'x-systemd.automount',
		'logdev=/dev/sda',
		'rtdev=/dev/sda',
		'journal_path=/dev/sda',
		'journal_dev=0x0800',
		'errors=panic',
		'noatime bind',
	]) {
		const volumeCapability: VolumeCapability = {
			accessType: { $case: 'mount', value: { fsType: '', mountFlags: [flag], volumeMountGroup: '' } },
			accessMode: { mode: 1 },
		};
		const at = { ...none, volumeId: id, volumeCapability, stagingTargetPath: join(h.dir, 'staging') };
		await t.throwsAsync(h.node.nodeStageVolume(at, call), { code: 'InvalidArgument' }, flag);
	}
	for (const fsType of ['ext4,bind', '../ext4', 'vfat']) {
		const at = { ...none, volumeId: id, volumeCapability: files({ fsType }), stagingTargetPath: join(h.dir, 'staging') };
		await t.throwsAsync(h.node.nodeStageVolume(at, call), { code: 'InvalidArgument' }, fsType);
	}
});

live('secrets are neither logged nor told', async (t) => {
	const SECRET = 'correct-horse-battery';
	const lines: string[] = [];
	const h = await host(t, { log: createLog({ level: 'debug', write: (line) => void lines.push(line) }) });
	const secrets = { password: SECRET };
	const told: string[] = [];
	const failing = async (asked: Promise<unknown>): Promise<void> => {
		await asked.catch((error: unknown) =>
			told.push(codeOf(error), messageOf(error), JSON.stringify(error), String((error as Error).stack)),
		);
	};
	const id = await h.create('volume', files());
	const bad = { ...none, secrets, volumeId: id, volumeCapability: files(), stagingTargetPath: '/', targetPath: '/', readonly: false };
	await failing(h.node.nodeStageVolume(bad, call));
	await failing(h.node.nodePublishVolume(bad, call));
	await failing(h.controller.controllerPublishVolume({ ...bad, nodeId: 'nobody' }, call));
	await failing(h.controller.controllerModifyVolume({ ...bad, mutableParameters: { colour: 'red' } }, call));
	await failing(h.controller.createSnapshot({ ...bad, name: '', sourceVolumeId: id, accessibilityRequirements: undefined }, call));
	await h.controller.deleteVolume({ ...bad }, call);
	t.true(told.length > 0);
	t.deepEqual(
		[...lines, ...told].filter((text) => text.includes(SECRET)),
		[],
	);
});

live('other users of the host read neither volumes nor records', async (t) => {
	const h = await host(t);
	await h.create('volume', files());
	await h.inline('csi-own', { size: '4Mi' });
	const { nodes, options } = h.context;
	t.deepEqual(nodes.nodes(), ['node']);
	const records = (await readdir(options.runDir, { recursive: true }))
		.filter((name) => name.endsWith('/node'))
		.map((name) => join(options.runDir, name));
	for (const path of ['volumes', 'snapshots', 'groups', 'inline/node'].map((name) => join(options.dataDir, name)).concat(records))
		t.is((await stat(path)).mode & 0o077, 0, path);
});
