/**
 * Real clients and suites for tests, built from the Go module registry at pinned versions in throw-away modules and
 * cached in `.cache/tools`. Go is needed by tests only; users of the project need none of it.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ignoreErrno } from '../../base/errors.ts';
import { CACHE, exists } from './cache.ts';

const run = promisify(execFile);
/** Without inlining and tables for debuggers: a third of the compiler's time, for commands that mostly wait and that nobody looks into. */
const FLAGS = ['-trimpath', '-gcflags=all=-l -dwarf=false'] as const;

export interface GoTool {
	/** What it is called in the cache, before what tells how it was built: "kubectl-1.36". */
	readonly name: string;
	/** Modules to `go get`, with versions. */
	readonly modules: readonly string[];
	/**
	 * What is built: the source of a main.go, or the path of a package of these modules: a command, a command that is built as a test, or several commands, and
	 * then the answer is their folder. `ownPackage` ("./cmd/x") is a command of the one module, with the versions and replacements of its own go.mod.
	 */
	readonly main:
		| string
		| { readonly package: string }
		| { readonly testPackage: string }
		| { readonly packages: readonly string[] }
		| { readonly ownPackage: string };
	readonly ldflags?: string;
	/** For a module that has other modules in folders of its own, as Kubernetes has its API: which it is, and the version in which the registry has those. */
	readonly staged?: { readonly module: string; readonly version: string };
}

/** The path of the built tool; builds it once (a minute, cold). */
export async function goTool(tool: GoTool): Promise<string> {
	const path = join(CACHE, cacheName(tool));
	if (await exists(path)) return path;
	await mkdir(CACHE, { recursive: true });
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-go-'));
	try {
		if (typeof tool.main !== 'string' && 'ownPackage' in tool.main) {
			const own = await moduleFolder(dir, tool.modules[0] ?? '');
			await fetch(own, [tool.main.ownPackage], false);
			await build(own, path, tool.ldflags, [tool.main.ownPackage]);
			return path;
		}
		if (typeof tool.main === 'string') await writeFile(join(dir, 'main.go'), tool.main);
		await go(dir, 'mod', 'init', 'kubeling.test/tool');
		if (tool.staged !== undefined) await fromRegistry(dir, tool.staged);
		const isTest = typeof tool.main !== 'string' && 'testPackage' in tool.main;
		if (tool.modules.length > 0) await go(dir, 'get', ...(isTest ? ['-t'] : []), ...tool.modules);
		const packages = packagesOf(tool.main);
		await fetch(dir, packages, isTest);
		await build(dir, path, tool.ldflags, packages, isTest ? ['test', '-c', '-vet=off'] : ['build']);
	} finally {
		await rm(dir, { recursive: true, force: true });
	}
	return path;
}

/** Another name for whatever is built from other modules or sources, or otherwise. Pure. */
export function cacheName({ name, modules, main, ldflags, staged }: GoTool): string {
	const hash = createHash('sha256').update(JSON.stringify([modules, main, ldflags, FLAGS, ...(staged === undefined ? [] : [staged])]));
	return `${name}-${hash.digest('hex').slice(0, 12)}`;
}

/** The path of the command that the module in `dir` builds: again whenever one of its files changed. */
export async function goModule(name: string, dir: string): Promise<string> {
	const hash = createHash('sha256');
	for (const file of (await readdir(dir)).filter((f) => /^go\.|\.go$/.test(f)).sort()) hash.update(await readFile(join(dir, file)));
	const path = join(CACHE, `${name}-${hash.digest('hex').slice(0, 12)}`);
	if (await exists(path)) return path;
	await mkdir(CACHE, { recursive: true });
	await fetch(dir, ['.'], false);
	await build(dir, path);
	return path;
}

/** The folder of the sources of a module with its version, "k8s.io/kubernetes@v1.36.2"; nothing writes there. */
export function moduleSources(module: string): Promise<string> {
	return moduleFolder(tmpdir(), module);
}

/** The same, found from the folder `dir`. */
async function moduleFolder(dir: string, module: string): Promise<string> {
	return (JSON.parse(await go(dir, 'mod', 'download', '-json', module)) as { readonly Dir: string }).Dir;
}

/** Lets the module in `dir` find in the registry what the staging module replaces by its folders, which are not part of what the registry has of it. */
async function fromRegistry(dir: string, { module, version }: NonNullable<GoTool['staged']>): Promise<void> {
	const { Replace } = JSON.parse(await go(await moduleFolder(dir, module), 'mod', 'edit', '-json')) as {
		readonly Replace: readonly { readonly Old: { readonly Path: string }; readonly New: { readonly Path: string } }[] | null;
	};
	const inFolders = (Replace ?? []).filter((r) => r.New.Path.startsWith('.')).map((r) => r.Old.Path);
	await go(dir, 'mod', 'edit', ...inFolders.map((path) => `-replace=${path}=${path}@${version}`));
}

function packagesOf(main: Exclude<GoTool['main'], { readonly ownPackage: string }>): readonly string[] {
	if (typeof main === 'string') return ['.'];
	if ('packages' in main) return main.packages;
	return ['package' in main ? main.package : main.testPackage];
}

/** Downloads the sources of all that is compiled, while another tool may be built. */
async function fetch(dir: string, packages: readonly string[], isTest: boolean): Promise<void> {
	await go(dir, 'list', '-deps', ...(isTest ? ['-test'] : []), ...packages);
}

let former: Promise<void> = Promise.resolve();

/** One after the other: a build takes all cores by itself, and the next finds compiled what both need. */
function build(...args: Parameters<typeof buildNow>): Promise<void> {
	const built = former.then(() => buildNow(...args));
	former = built.catch(() => {});
	return built;
}

async function buildNow(
	dir: string,
	path: string,
	ldflags = '',
	what: readonly string[] = ['.'],
	how: readonly string[] = ['build'],
): Promise<void> {
	const unfinished = await mkdtemp(`${path}.`);
	const built = join(unfinished, 'built');
	try {
		if (what.length > 1) await mkdir(built);
		await go(dir, ...how, ...FLAGS, '-ldflags', `-s -w ${ldflags}`, '-o', built, ...what);
		await rename(built, path).catch(ignoreErrno('ENOTEMPTY', 'EEXIST')); // another process was there first
	} finally {
		await rm(unfinished, { recursive: true, force: true });
	}
}

/** What it writes. */
async function go(dir: string, ...args: readonly string[]): Promise<string> {
	const env = { ...process.env, GOFLAGS: '-mod=mod', GOTOOLCHAIN: 'local', CGO_ENABLED: '0' };
	return (await run('go', [...args], { cwd: dir, maxBuffer: 1 << 26, env })).stdout;
}
