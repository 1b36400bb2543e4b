/** Shares of NFS: how they are named, which kernels have them, and what is said where they cannot be had. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { hasNfs, mountNfs, sourceOf } from './nfs.ts';

for (const [server, want] of [
	['files.example.com', 'files.example.com:/export'],
	['192.0.2.1', '192.0.2.1:/export'],
	['2001:db8::1', '[2001:db8::1]:/export'],
	['[2001:db8::1]', '[2001:db8::1]:/export'],
] as const)
	test(`sourceOf(): ${server}`, (t) => t.is(sourceOf({ server, path: '/export' }), want));

for (const [name, filesystems, modules, want] of [
	['a module that is not loaded', 'nodev\tproc\n\text4\n', 'kernel/fs/nfs/nfs.ko.xz: kernel/net/sunrpc/sunrpc.ko.xz\n', true],
	['loaded', 'nodev\tnfs4\nnodev\tproc\n', '', true],
	['the server alone', 'nodev\tnfsd\n\text4\n', 'kernel/fs/nfsd/nfsd.ko:\n', false],
	['none', '\text4\n', 'kernel/fs/ext4/ext4.ko:\n', false],
] as const)
	test(`hasNfs(): ${name}`, async (t) => {
		const dir = await mkdtemp(join(tmpdir(), 'kubeling-nfs-'));
		t.teardown(() => rm(dir, { recursive: true }));
		for (const folder of ['sys/kernel', 'modules/6.1']) await mkdir(join(dir, folder), { recursive: true });
		await writeFile(join(dir, 'filesystems'), filesystems);
		await writeFile(join(dir, 'sys/kernel/osrelease'), '6.1\n');
		await writeFile(join(dir, 'modules/6.1/modules.dep'), modules);
		t.is(await hasNfs(dir, join(dir, 'modules')), want);
	});

test('a share that cannot be mounted fails, and says why', async (t) => {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-nfs-'));
	t.teardown(() => rm(dir, { recursive: true }));
	const mounting = mountNfs(join(dir, 'v'), { server: '127.0.0.1', path: '/nothing' }, ['retry=0', 'timeo=1', 'soft'], true);
	await t.throwsAsync(mounting, { message: (await hasNfs()) ? /mount/ : 'this kernel has no NFS' });
});
