/** The official Python client in a virtual environment of its own, cached in `.cache/tools`. */
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreErrno } from '../../base/errors.ts';
import { CACHE, exists } from './cache.ts';
import { must } from './command.ts';

const VERSION = '37.0.2';

/** The path of a python that can import `kubernetes`. */
export async function pythonClient(): Promise<string> {
	const packages = join(CACHE, `python-kubernetes-${VERSION}`);
	if (await exists(packages)) return packages;
	const unfinished = `${packages}.${process.pid}`;
	const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--target', unfinished, `kubernetes==${VERSION}`];
	try {
		await must('python3', install, { timeoutMs: 600_000 });
		await rename(unfinished, packages).catch(ignoreErrno('ENOTEMPTY', 'EEXIST')); // another process was there first
	} finally {
		await rm(unfinished, { recursive: true, force: true });
	}
	return packages;
}

if (import.meta.main) console.log(await pythonClient());
