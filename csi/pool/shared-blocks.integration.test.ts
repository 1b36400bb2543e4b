/** A pool on XFS, whose copies share blocks. Needs root, loop devices and xfsprogs. */
import { randomBytes } from 'node:crypto';
import { mkdir, open, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../../host/command.ts';
import { mount } from '../../host/mounts.ts';
import { fileSystemPrograms } from '../../test/conformance/csi-sanity/programs.ts';
import { CsiHost, liveTest, noDeviceOf, none, call, raw } from '../../test/tools/csi-host.ts';
import { sharedFolder } from '../../test/tools/shared-folder.ts';

const live = await liveTest((await fileSystemPrograms()) ? undefined : 'this needs xfsprogs');
const MIB = 1024 ** 2;

live('snapshots without number take the room of one; then the volume can still be written all over, and the pool is full', async (t) => {
	await using folder = await sharedFolder('kubeling-csi-');
	const pool = join(folder.dir, 'pool');
	await mkdir(pool);
	const disk = join(folder.dir, 'disk');
	await writeFile(disk, '');
	await truncate(disk, 384 * MIB);
	await runCommand('mkfs.xfs', ['-q', disk]);
	await mount(disk, pool, { type: 'xfs', options: ['loop'] });
	const h = await CsiHost.on(folder.dir);
	t.true(h.context.backends.sharesBlocks);
	const fill = async (path: string): Promise<void> => {
		await using file = await open(path, 'r+');
		for (let mib = 0; mib < 96; mib++) await file.write(randomBytes(MIB), 0, MIB, mib * MIB);
		await file.sync();
	};
	const volume = await h.create('volume', raw, 96);
	const at = await h.use(volume, raw);
	await fill(at);
	const before = await h.context.space.availableBytes();
	const first = await h.snapshot('first', volume);
	for (const name of ['second', 'third', 'fourth']) await h.snapshot(name, volume);
	const room = await h.context.space.availableBytes();
	t.true(Math.abs(before - room - 96 * MIB) < 8 * MIB, `${before} bytes before, ${room} after`);
	const most = Math.floor(room / MIB);
	await t.throwsAsync(h.create('too large', raw, most + 1), { code: 'ResourceExhausted' });
	const other = await h.create('other', raw, most - 4);
	await fill(at);
	await t.notThrowsAsync(fill(await h.use(other, raw)));

	const erased = { volumeId: volume, secrets: {}, mutableParameters: { secureErase: 'true' } };
	for (const id of [volume, other]) await h.release(id);
	await noDeviceOf({ dir: join(folder.dir, 'pool') });
	await h.controller.controllerModifyVolume(erased, call);
	await h.controller.deleteVolume({ ...none, volumeId: volume }, call);
	await h.controller.deleteSnapshot({ ...none, snapshotId: first }, call);
});
