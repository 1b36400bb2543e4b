/** Docker Engine of a later Debian release in a folder of its own: dockerd and containerd from the release's packages; runc is the machine's, where the newer one needs a newer libc. */
import { copyFile, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { must, run } from '../../tools/command.ts';
import { CACHE, exists } from '../../tools/cache.ts';

/** The release and what it had when this was last run. */
export const RELEASES = { trixie: '26.1', sid: '28.5' } as const;
export type Release = keyof typeof RELEASES;

/** What `--engine=` names among a command's arguments; undefined where nothing does. Throws for a release that is not here. */
export function releaseOf(args: readonly string[]): Release | undefined {
	const given = args.find((arg) => arg.startsWith('--engine='))?.slice('--engine='.length);
	if (given === undefined || Object.hasOwn(RELEASES, given)) return given as Release | undefined;
	throw new Error(`There is no engine of Debian "${given}" here; there is ${Object.keys(RELEASES).join(', ')}`);
}

const PACKAGES = ['docker.io', 'containerd', 'runc'];

/** The folder with the programs; fetched once. */
export async function newerEngine(release: Release): Promise<string> {
	const path = join(CACHE, `docker-engine-${release}`);
	if (await exists(path)) return path;
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-engine-'));
	const unfinished = `${path}.${process.pid}`;
	try {
		const options = await aptOfItsOwn(dir, release);
		await must('apt-get', [...options, 'update', '-qq'], { timeoutMs: 300_000 });
		await must('apt-get', [...options, 'download', '-q', ...PACKAGES], { cwd: dir, timeoutMs: 300_000 });
		for (const file of await readdir(dir)) if (file.endsWith('.deb')) await must('dpkg-deb', ['-x', join(dir, file), join(dir, 'root')]);
		await mkdir(unfinished, { recursive: true });
		for (const folder of ['usr/sbin', 'usr/bin'])
			for (const name of await readdir(join(dir, 'root', folder)))
				if (await runs(join(dir, 'root', folder, name))) await copyFile(join(dir, 'root', folder, name), join(unfinished, name));
		if (!(await exists(join(unfinished, 'dockerd'))))
			throw new Error(`The dockerd of Debian ${release} does not run here: it needs later libraries`);
		await rename(unfinished, path);
	} finally {
		await rm(dir, { recursive: true, force: true });
		await rm(unfinished, { recursive: true, force: true });
	}
	return path;
}

/** The loader finds every library in the version that is asked for. */
async function runs(program: string): Promise<boolean> {
	const { code, stdout, stderr } = await run('ldd', [program]);
	return /statically linked|not a dynamic executable/.test(stdout + stderr) || (code === 0 && !/not found/.test(stdout + stderr));
}

/** Nothing of the machine's own package lists and choices is read or changed. */
async function aptOfItsOwn(dir: string, release: string): Promise<readonly string[]> {
	for (const folder of ['state/lists/partial', 'cache/archives/partial', 'empty']) await mkdir(join(dir, folder), { recursive: true });
	await writeFile(join(dir, 'status'), '');
	const keys = '/usr/share/keyrings/debian-archive-keyring.gpg';
	await writeFile(join(dir, 'sources'), `deb [signed-by=${keys}] http://deb.debian.org/debian ${release} main\n`);
	const set = {
		'Dir::State': join(dir, 'state'),
		'Dir::State::status': join(dir, 'status'),
		'Dir::Cache': join(dir, 'cache'),
		'Dir::Etc::sourcelist': join(dir, 'sources'),
		'Dir::Etc::sourceparts': join(dir, 'empty'),
		'Dir::Etc::preferencesparts': join(dir, 'empty'),
		'APT::Sandbox::User': 'root',
	};
	return Object.entries(set).flatMap(([key, value]) => ['-o', `${key}=${value}`]);
}
