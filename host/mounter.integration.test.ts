/** Bind mounts on this host, by the helper and by commands alike. Needs root. */
import { chmod, mkdir, mkdtemp, readFile, rm, statfs, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { noLog } from '../base/log.ts';
import { isMounted } from './mounted.ts';
import { MountHelper } from './mount-helper.ts';
import { mountCommands } from './mounter.ts';
import { unmount } from './mounts.ts';
import { MOUNT_HELPER } from './native/build.ts';
import { MOUNT_HELPER_BASE64, MOUNT_HELPER_SOURCE_SHA256 } from './native/gen/mount-helper.ts';
import { sourceHash } from './native/static-program.ts';

const live = process.getuid?.() === 0 ? test : test.skip;

async function place(t: { teardown(fn: () => Promise<void>): void }): Promise<string> {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-mounter-'));
	await mkdir(join(dir, 'from'));
	await writeFile(join(dir, 'from', 'file'), 'seen');
	t.teardown(async () => {
		for (const name of NAMES) await unmount(join(dir, name));
		await rm(dir, { recursive: true });
	});
	for (const name of NAMES) await mkdir(join(dir, name));
	return dir;
}
/** Nothing in a path ends a request or begins another. */
const NAMES = ['to', 'a b', "'; touch x; '", '1\nunmount', '-l', '$(reboot)', 'ü'];

test('the committed mount helpers are of the committed source', (t) => {
	t.is(sourceHash(MOUNT_HELPER), MOUNT_HELPER_SOURCE_SHA256);
	for (const [arch, machine] of [
		['x64', 62],
		['arm64', 183],
	] as const)
		t.is(Buffer.from(MOUNT_HELPER_BASE64[arch], 'base64').readUInt16LE(18), machine, `${arch}: ELF machine`);
});

for (const [how, start] of [
	['the helper', (dir: string) => MountHelper.start(join(dir, 'bin'), noLog)],
	['commands', () => Promise.resolve(mountCommands)],
	['commands where the helper cannot run', noHelper],
] as const)
	live(`by ${how}: mounts and ends of mounts, many at once, at paths of any characters; failures name what failed`, async (t) => {
		const dir = await place(t);
		const mounter = await start(dir);
		await Promise.all(NAMES.map((name) => mounter.bind(join(dir, 'from'), join(dir, name))));
		for (const name of NAMES) t.is(await readFile(join(dir, name, 'file'), 'utf8'), 'seen', name);
		await Promise.all(NAMES.map((name) => mounter.unmount(join(dir, name))));
		for (const name of NAMES) t.false(await isMounted(join(dir, name)), name);
		await mounter.tmpfs(join(dir, 'a b'), ['size=8192', 'mode=700']);
		t.is(await statfs(join(dir, 'a b')).then(({ blocks, bsize }) => blocks * bsize), 8192);
		await mounter.unmount(join(dir, 'a b'));
		await t.throwsAsync(mounter.tmpfs(join(dir, 'none'), []), { code: 'Internal', message: /^Cannot mount (a|"tmpfs").*none": / });
		await t.throwsAsync(mounter.bind(join(dir, 'none'), join(dir, 'to')), {
			code: 'Internal',
			message: /^Cannot mount ".*none" at ".*to": /,
		});
		await t.throwsAsync(mounter.unmount(join(dir, 'to')), { code: 'Internal', message: /^Cannot unmount ".*to": / });
		await mounter.stop();
	});

live('the helper follows no link to what it unmounts, and takes no path that the kernel would not', async (t) => {
	const dir = await place(t);
	const helper = await MountHelper.start(join(dir, 'bin'), noLog);
	await helper.bind(join(dir, 'from'), join(dir, 'to'));
	await symlink(join(dir, 'to'), join(dir, 'link'));
	await t.throwsAsync(helper.unmount(join(dir, 'link')), { code: 'Internal' });
	t.true(await isMounted(join(dir, 'to')));
	for (const path of ['/a\0b', `/${'x'.repeat(4096)}`]) await t.throwsAsync(helper.unmount(path), { code: 'InvalidArgument' });
	await helper.unmount(join(dir, 'to'));
	await helper.stop();
});

live('a helper that ended is started anew', async (t) => {
	const dir = await place(t);
	const helper = await MountHelper.start(join(dir, 'bin'), noLog);
	await helper.stop();
	const tries = [...NAMES.keys()];
	let made = false;
	for (const _ of tries)
		made ||= await helper.bind(join(dir, 'from'), join(dir, 'to')).then(
			() => true,
			() => false,
		);
	t.true(made);
	await helper.stop();
});

/** A file that is there already and is none of its own: whatever runs, it is not the helper. */
async function noHelper(dir: string): Promise<MountHelper> {
	await writeFile(join(dir, 'bin'), '');
	await chmod(join(dir, 'bin'), 0o600);
	return MountHelper.start(join(dir, 'bin'), noLog);
}
