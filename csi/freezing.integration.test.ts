/** What is frozen while it is copied: for as short as can be, nothing else, and nothing for good. As root, with loop devices. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { codeOf } from '../base/errors.ts';
import { runCommand } from '../host/command.ts';
import { mount, unmount } from '../host/mounts.ts';
import { call, CsiHost, files, host, liveTest, noDeviceOf, none, writeSynced } from '../test/tools/csi-host.ts';
import { groupHandlers } from './rpcs.ts';

const live = await liveTest();
const FSFREEZE = (await runCommand('which', ['fsfreeze']).catch(() => '')).trim();

live('what a crash left frozen is thawed by the next start before anything that can keep that up', async (t) => {
	const h = await host(t);
	const [frozen, broken] = [await h.create('frozen', files()), await h.create('broken', files())];
	const at = await h.use(frozen, files());
	await runCommand('fsfreeze', ['--freeze', at]);
	const [record, aside] = [join(h.context.volumes.dir(broken), 'record.json'), join(h.dir, 'aside')];
	await rename(record, aside);
	await writeSynced(record, 'no record');
	await t.throwsAsync(CsiHost.on(h.dir));
	const unfrozen = runCommand('fsfreeze', ['--unfreeze', at]);
	await t.throwsAsync(unfrozen, { message: /invalid argument/i }, 'it is not frozen any more');
	await rename(aside, record);
});

live('two clones of one volume at once: the second waits for its turn, for the first would thaw the volume under it', async (t) => {
	const h = await host(t);
	const volumeId = await h.create('volume', files());
	await writeSynced(join(await h.use(volumeId, files()), 'data'), 'kept');
	const clone = (name: string) =>
		h.controller.createVolume(
			{
				...none,
				name,
				capacityRange: undefined,
				volumeCapabilities: [files()],
				volumeContentSource: { type: { $case: 'volume', value: { volumeId } } },
				accessibilityRequirements: undefined,
			},
			call,
		);
	const answers = await Promise.allSettled([clone('first'), clone('second')]);
	t.deepEqual(
		answers.map((answer) => (answer.status === 'fulfilled' ? 'made' : codeOf(answer.reason))),
		['made', 'Aborted'],
	);
	const second = (await clone('second')).volume?.volumeId ?? '';
	t.is(await readFile(join(await h.use(second, files()), 'data'), 'utf8'), 'kept');
});

/** A command in place of `fsfreeze`, for all tests here: what they want to come first comes first. */
const hooks = mkdtempSync(join(tmpdir(), 'kubeling-csi-fsfreeze-'));
process.once('exit', () => rmSync(hooks, { recursive: true, force: true }));
writeFileSync(
	join(hooks, 'fsfreeze'),
	`#!/bin/sh\nat=$(readlink -f "$2")\nfor hook in '${hooks}'/*.hook; do [ ! -e "$hook" ] || . "$hook"; done\nexec ${FSFREEZE} "$@"\n`,
	{ mode: 0o755 },
);
process.env['PATH'] = `${hooks}:${process.env['PATH']}`;

/** Has a script run before each `fsfreeze` below the folder, with its option as `$1` and the path that it leads to as `$at`. */
async function beforeFreezing(t: ExecutionContext, dir: string, script: string): Promise<void> {
	const hook = join(hooks, `${basename(dir)}.hook`);
	await writeFile(hook, `case "$at" in '${dir}'/*)\n${script}\nesac\n`);
	t.teardown(() => rm(hook));
}

live('a group: what its volumes hold is written out before the first of them is frozen', async (t) => {
	const h = await host(t);
	const ids = [await h.create('one', files()), await h.create('two', files())];
	for (const id of ids) await writeFile(join(await h.use(id, files()), 'data'), `written to ${id}\n`);
	const images = ids.map((id) => `'${h.context.volumes.dir(id)}/data.img'`).join(' ');
	const seen = join(h.dir, 'seen');
	await beforeFreezing(t, h.dir, `[ -e '${seen}' ] || grep -aoh 'written to vol-[0-9a-f]*' ${images} >'${seen}'`);
	await groupHandlers(h.context).createVolumeGroupSnapshot({ ...none, name: 'group', sourceVolumeIds: ids }, call);
	const lines = (await readFile(seen, 'utf8')).split('\n').filter((line) => line !== '');
	t.deepEqual([...new Set(lines)].toSorted(), ids.map((id) => `written to ${id}`).toSorted());
});

live('a file system that cannot be thawed leaves no other one frozen', async (t) => {
	const h = await host(t);
	const [stays = '', fails = ''] = [await h.create('one', files()), await h.create('two', files())].toSorted();
	const at = new Map<string, string>();
	for (const id of [stays, fails]) at.set(id, await h.use(id, files()));
	const fault = join(h.dir, 'fault');
	await writeSynced(fault, '');
	await beforeFreezing(t, h.dir, `case "$1 $at" in '--unfreeze '*/${fails}*) [ -e '${fault}' ] && exit 1; esac`);
	const { createVolumeGroupSnapshot } = groupHandlers(h.context);
	await t.throwsAsync(createVolumeGroupSnapshot({ ...none, name: 'group', sourceVolumeIds: [stays, fails] }, call));
	await rm(fault);
	await runCommand('fsfreeze', ['--unfreeze', at.get(fails) ?? '']);
	const unfrozen = runCommand('fsfreeze', ['--unfreeze', at.get(stays) ?? '']);
	await t.throwsAsync(unfrozen, { message: /invalid argument/i }, 'it is not frozen any more');
});

live('a mount that goes before the freeze: what is frozen and thawed is the volume, not what lies below it', async (t) => {
	const h = await host(t);
	const volume = await h.create('volume', files());
	const [memory, stagingTargetPath] = [join(h.dir, 'memory'), join(h.dir, 'memory/staging')];
	await mkdir(memory);
	await mount('tmpfs', memory, { type: 'tmpfs' }); // which cannot be frozen
	await h.node.nodeStageVolume({ ...none, volumeId: volume, volumeCapability: files(), stagingTargetPath }, call);
	await writeSynced(join(stagingTargetPath, 'data'), 'kept');
	await beforeFreezing(t, h.dir, `[ "$1" = --freeze ] && umount --lazy "$at"`);
	const snapshot = await h.snapshot('snapshot', volume);
	await h.node.nodeUnstageVolume({ volumeId: volume, stagingTargetPath }, call);
	await noDeviceOf(h);
	await unmount(memory);
	const restored = await h.create('restored', files(), 16, snapshot);
	t.is(await readFile(join(await h.use(restored, files()), 'data'), 'utf8'), 'kept');
});
