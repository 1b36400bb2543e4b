/** What the CRI suite needs, built or fetched once into `.cache/tools`: critest, and the programs that its images and its registry are made of. */
import { access, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { must } from '../../tools/command.ts';
import { goTool } from '../../tools/go-tool.ts';

export const CRITEST_VERSION = 'v1.36.0';
const MODULE = `sigs.k8s.io/cri-tools/cmd/critest`;
export const CACHE = join(import.meta.dirname, '..', '..', '..', '.cache', 'tools');

/** The official suite: it is a test binary, so `go install` does not make it. */
export function critest(): Promise<string> {
	return goTool({ name: `critest-${CRITEST_VERSION}`, modules: [`${MODULE}@${CRITEST_VERSION}`], main: { testPackage: MODULE } });
}

const NO_NEW_PRIVS = `package main

import (
	"fmt"
	"os"
)

func main() { fmt.Printf("Effective uid: %d\\n", os.Geteuid()) }
`;

/** What the image nonewprivs starts, setuid root: says whom it runs as. */
export function noNewPrivs(): Promise<string> {
	return goTool({ name: 'critest-nonewprivs', modules: [], main: NO_NEW_PRIVS });
}

/** Debian's packages: the dynamic busybox (the static one runs applets in the shell, which hides a masked path), a web server, a registry. */
const PACKAGES = ['busybox', 'nginx', 'docker-registry'] as const;

/** A folder with these packages unpacked side by side, nothing of them installed. */
export async function debianPrograms(): Promise<string> {
	const path = join(CACHE, 'critest-packages');
	if (await exists(path)) return path;
	const unfinished = `${path}.${process.pid}`;
	await mkdir(unfinished, { recursive: true });
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-deb-'));
	try {
		const download = (): Promise<string> => must('apt-get', ['download', '-q', ...PACKAGES], { cwd: dir, timeoutMs: 300_000 });
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

export async function exists(path: string): Promise<boolean> {
	return access(path).then(
		() => true,
		() => false,
	);
}
