import { mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { makeFolder } from './make-folder.ts';

const dir = await mkdtemp(join(tmpdir(), 'kubeling-folder-'));
test.after.always(() => rm(dir, { recursive: true }));

test('a folder is made with those above it, as often as it is asked for', async (t) => {
	const path = join(dir, 'a', 'b', 'c');
	await Promise.all([makeFolder(path, 0o700), makeFolder(path, 0o700)]);
	await makeFolder(path, 0o755);
	for (const made of [path, join(dir, 'a')]) t.is((await stat(made)).mode & 0o777, 0o700);
});

test('a link to a folder is one', async (t) => {
	await symlink(dir, join(dir, 'link'));
	await t.notThrowsAsync(makeFolder(join(dir, 'link')));
});

for (const [name, path, code] of [
	['a file', join(dir, 'file'), 'EEXIST'],
	['below a file', join(dir, 'file', 'x'), 'ENOTDIR'],
	['below /proc', '/proc/kubeling', 'ENOENT'],
	['far below /proc', '/proc/kubeling/logs', 'ENOENT'],
] as const)
	test(`no folder: ${name}`, async (t) => {
		await writeFile(join(dir, 'file'), '');
		await t.throwsAsync(makeFolder(path), { code });
	});
