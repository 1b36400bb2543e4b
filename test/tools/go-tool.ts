/**
 * Real clients and suites for tests, built from the Go module registry at pinned versions in throw-away modules and
 * cached in `.cache/tools`. Go is needed by tests only; users of the project need none of it.
 */
import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const CACHE = join(import.meta.dirname, '..', '..', '.cache', 'tools');

export interface GoTool {
	/** Name of the executable in the cache: "kubectl-1.36". */
	readonly name: string;
	/** Modules to `go get`, with versions. */
	readonly modules: readonly string[];
	/** The source of main.go. */
	readonly main: string;
	readonly ldflags?: string;
}

/** The path of the built tool; builds it once (a minute or two, cold). */
export async function goTool(tool: GoTool): Promise<string> {
	const path = join(CACHE, tool.name);
	if (await exists(path)) return path;
	await mkdir(CACHE, { recursive: true });
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-go-'));
	try {
		await writeFile(join(dir, 'main.go'), tool.main);
		const go = async (...args: readonly string[]): Promise<void> => {
			await run('go', [...args], {
				cwd: dir,
				maxBuffer: 1 << 26,
				env: { ...process.env, GOFLAGS: '-mod=mod', GOTOOLCHAIN: 'local', CGO_ENABLED: '0' },
			});
		};
		await go('mod', 'init', 'kubeling.test/tool');
		await go('get', ...tool.modules);
		await go('build', '-trimpath', '-ldflags', `-s -w ${tool.ldflags ?? ''}`, '-o', `${path}.new`, '.');
		await rename(`${path}.new`, path);
	} finally {
		await rm(dir, { recursive: true, force: true });
	}
	return path;
}

async function exists(path: string): Promise<boolean> {
	return access(path).then(
		() => true,
		() => false,
	);
}
