/** The official Python client in a virtual environment of its own, cached in `.cache/tools`. */
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CACHE, exists } from './cache.ts';
import { must } from './command.ts';

const VERSION = '37.0.2';

/** The path of a python that can import `kubernetes`. */
export async function pythonClient(): Promise<string> {
	const packages = join(CACHE, `python-kubernetes-${VERSION}`);
	if (await exists(packages)) return packages;
	const unfinished = `${packages}.${process.pid}`;
	await must(
		'python3',
		['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--target', unfinished, `kubernetes==${VERSION}`],
		{
			timeoutMs: 600_000,
		},
	);
	await rm(packages, { recursive: true, force: true });
	await rename(unfinished, packages);
	return packages;
}

if (import.meta.main) console.log(await pythonClient());
