/** subPath against a container that swaps names for links while the agent looks at them. Needs root, for mounts. */
import { chmod, mkdir, mkdtemp, readFile, realpath, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { mount, readMounts, unmount } from '../../host/mounts.ts';
import { raceMs, racesOf, swapping } from '../../test/tools/swapped-names.ts';
import { bindSubPath, openSubPath } from './sub-path.ts';

const root = process.getuid?.() === 0;
const withRoot = root ? test : test.skip;
const inTurn = root ? test.serial : test.skip;

interface Place extends AsyncDisposable {
	readonly dir: string;
	readonly volume: string;
	readonly secret: string;
	bind(subPath: string, index?: number): Promise<string>;
}

/** On a file system of its own, so that the test leaves no disk work behind. */
async function place(): Promise<Place> {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-subpath-'));
	await mount('tmpfs', dir, { type: 'tmpfs', options: ['size=64m'] });
	const volume = join(dir, 'volume');
	const secret = join(dir, 'secret');
	await mkdir(volume);
	await mkdir(secret);
	await writeFile(join(secret, 'key'), 'host');
	const rootDir = join(dir, 'root');
	return {
		...{ dir, volume, secret },
		bind: (subPath, index = 0) =>
			bindSubPath({ rootDir, podUid: 'uid', volume: { name: 'v', path: volume }, subPath, container: 'c', index }),
		async [Symbol.asyncDispose]() {
			for (const m of (await readMounts()).filter(({ path }) => path.startsWith(`${dir}/`)).toReversed()) await unmount(m.path);
			await unmount(dir);
			await rm(dir, { recursive: true });
		},
	};
}

withRoot('a subPath is bound: a folder, a file, what is not there, and links that stay inside', async (t) => {
	await using p = await place();
	await mkdir(join(p.volume, 'a/b'), { recursive: true });
	await writeFile(join(p.volume, 'a/b/file'), 'inside');
	await symlink('a/b', join(p.volume, 'link'));
	await symlink('..data/x', join(p.volume, 'x'));
	await symlink('..1', join(p.volume, '..data'));
	await mkdir(join(p.volume, '..1'));
	await writeFile(join(p.volume, '..1/x'), 'as a configMap');
	t.is(await readFile(join(await p.bind('a/b', 0), 'file'), 'utf8'), 'inside');
	t.is(await readFile(await p.bind('a/b/file', 1), 'utf8'), 'inside');
	t.is(await readFile(join(await p.bind('link', 2), 'file'), 'utf8'), 'inside');
	t.is(await readFile(await p.bind('x', 3), 'utf8'), 'as a configMap');
	await writeFile(join(await p.bind('new/folder', 4), 'made'), '');
	t.true((await stat(join(p.volume, 'new/folder/made'))).isFile());
	await chmod(p.volume, 0o2777);
	await p.bind('open/to/all', 5);
	for (const made of ['open', 'open/to/all']) t.is((await stat(join(p.volume, made))).mode & 0o7777, 0o2777, 'as the volume is');
	const count = async (): Promise<number> => (await readMounts()).filter((m) => m.path.startsWith(p.dir)).length;
	const before = await count();
	await p.bind('a/b', 0);
	t.is(await count(), before, 'the same again adds nothing');
	await rename(join(p.volume, 'a'), join(p.volume, 'old'));
	await mkdir(join(p.volume, 'a/b'), { recursive: true });
	await writeFile(join(p.volume, 'a/b/file'), 'another');
	t.is(await readFile(join(await p.bind('a/b', 0), 'file'), 'utf8'), 'another', 'a later start shows what is there now');
});

for (const [name, path] of [
	['an absolute link', 'out'],
	['a relative link', 'up'],
	['a link on the way', 'out/key'],
	['a link that leads nowhere', 'nowhere'],
	['an absolute path', '/etc'],
	['dots', 'a/../../secret'],
] as const)
	withRoot(`a subPath does not leave its volume: ${name}`, async (t) => {
		await using p = await place();
		await symlink(p.secret, join(p.volume, 'out'));
		await symlink('../secret', join(p.volume, 'up'));
		await symlink(join(p.dir, 'not-there'), join(p.volume, 'nowhere'));
		await t.throwsAsync(p.bind(path), { message: /subPath/i });
		t.false((await readMounts()).some((m) => m.path.startsWith(join(p.dir, 'root'))));
	});

/** Looks at a name that is being swapped; tells how often `look` came upon the secret, which it says by its inode. Stops at the first when told to. */
async function race(
	p: Place,
	tries: number,
	look: () => Promise<number>,
	untilFirst = false,
): Promise<{ readonly escaped: number; readonly found: number }> {
	await mkdir(join(p.secret, 'deep'));
	await mkdir(join(p.volume, 'folder/deep'), { recursive: true });
	await symlink(p.secret, join(p.volume, 'link'));
	await using _ = await swapping(p.volume, ['folder', 'link']);
	const { ino } = await stat(join(p.secret, 'deep'));
	let [escaped, found] = [0, 0];
	// Whoever swaps them may stand still for a while, with nothing at the name.
	for (let i = 0; (i < tries || found === 0) && !(untilFirst && escaped > 0); i++) {
		const there = await look().catch(() => undefined);
		if (there === undefined) continue;
		found++;
		if (there === ino) escaped++;
	}
	return { escaped, found };
}

const PATH = 'name/deep';

for (const [what, tries, look] of [
	[
		'opened',
		10_000,
		async (p: Place) => {
			await using found = await openSubPath(p.volume, PATH);
			return (await found.stat()).ino;
		},
	],
	[
		'bound',
		racesOf(200),
		async (p: Place) => {
			const target = await p.bind(PATH);
			const { ino } = await stat(target);
			await unmount(target);
			return ino;
		},
	],
] as const)
	inTurn(`a subPath does not leave its volume while names are swapped for links: ${what}`, async (t) => {
		t.timeout(raceMs(tries));
		await using p = await place();
		const { escaped, found } = await race(p, tries, () => look(p));
		t.is(escaped, 0);
		t.log({ tries, found });
	});

inTurn('the same race is lost by who checks a path and then uses it', async (t) => {
	t.timeout(300_000);
	await using p = await place();
	const naive = async (): Promise<number> => {
		const path = join(p.volume, PATH);
		if (!(await realpath(path)).startsWith(p.volume)) throw new Error('leads outside');
		return (await stat(path)).ino;
	};
	t.true((await race(p, 1_000_000, naive, true)).escaped > 0);
});
