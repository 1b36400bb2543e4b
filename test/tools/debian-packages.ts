/** Programs of Debian's packages for tests, unpacked side by side into `.cache/tools`; nothing of them is installed. */
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CACHE, exists } from './cache.ts';
import { must } from './command.ts';

/** The folder of this name in the cache, with the packages in it; downloaded the first time. Rejects where apt cannot. */
export async function debianPackages(name: string, packages: readonly string[]): Promise<string> {
	const path = join(CACHE, name);
	if (await exists(path)) return path;
	const unfinished = `${path}.${process.pid}`;
	await mkdir(unfinished, { recursive: true });
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-deb-'));
	try {
		const download = (): Promise<string> => must('apt-get', ['download', '-q', ...packages], { cwd: dir, timeoutMs: 300_000 });
		await download().catch(async () => {
			await must('apt-get', ['update', '-qq'], { timeoutMs: 300_000 });
			await download();
		});
		for (const file of await readdir(dir)) await must('dpkg-deb', ['-x', join(dir, file), unfinished]);
		await rename(unfinished, path);
	} finally {
		await rm(dir, { recursive: true, force: true });
		await rm(unfinished, { recursive: true, force: true });
	}
	return path;
}
