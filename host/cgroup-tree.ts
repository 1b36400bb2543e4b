/** Control groups made, limited and removed by their files. Roots can be given for trees that are not the kernel's. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CgroupPaths } from './cgroups.ts';
import { removeCgroup } from './cgroup-remove.ts';

export interface CgroupFile {
	/** Of version 1: the hierarchy. */
	readonly controller: string;
	readonly file: string;
	readonly value: string;
	/** Left out where the host does not have it. */
	readonly optional?: boolean;
}

const ROOT = '/sys/fs/cgroup';
/** Those that limit something here; a runtime makes the others where it needs them. */
const CONTROLLERS = ['cpu', 'cpuacct', 'memory', 'pids', 'hugetlb'] as const;
/** Those that only tell something. */
const READ = ['blkio'] as const;

export class CgroupTree {
	readonly version: 1 | 2;
	readonly #root: string;
	/** Version 1's hierarchies that the host has. */
	readonly #hierarchies: readonly string[];

	private constructor(version: 1 | 2, root: string, hierarchies: readonly string[]) {
		this.version = version;
		this.#root = root;
		this.#hierarchies = hierarchies;
	}

	static async open(root = ROOT): Promise<CgroupTree> {
		const unified = await readFile(join(root, 'cgroup.controllers'), 'utf8').catch(() => undefined);
		if (unified !== undefined) return new CgroupTree(2, root, []);
		const there: readonly string[] = await readdir(root).catch(() => []);
		return new CgroupTree(
			1,
			root,
			CONTROLLERS.filter((c) => there.includes(c)),
		);
	}

	/** The folders of a group ("/kubepods/burstable"), by controller. */
	pathsOf(path: string): CgroupPaths {
		if (this.version === 2) return { version: 2, path: join(this.#root, path) };
		return { version: 1, paths: Object.fromEntries([...this.#hierarchies, ...READ].map((c) => [c, join(this.#root, c, path)])) };
	}

	/** Idempotent. On version 2 every ancestor passes its controllers on. */
	async make(path: string): Promise<void> {
		if (this.version === 1) {
			await Promise.all(this.#hierarchies.map((c) => mkdir(join(this.#root, c, path), { recursive: true })));
			return;
		}
		const parts = path.split('/').filter((part) => part !== '');
		for (let i = 0; i < parts.length; i++) {
			await passOn(join(this.#root, ...parts.slice(0, i)));
			await mkdir(join(this.#root, ...parts.slice(0, i + 1))).catch(ignoreExisting);
		}
	}

	/** Writes limits, in this order. */
	async set(path: string, files: readonly CgroupFile[]): Promise<void> {
		for (const { controller, file, value, optional = false } of files) {
			const at = this.version === 2 ? join(this.#root, path, file) : join(this.#root, controller, path, file);
			await writeFile(at, value, { flag: 'r+' }).catch((error: NodeJS.ErrnoException) => {
				if (!optional || error.code !== 'ENOENT') throw error;
			});
		}
	}

	/** Names of the groups in one, as the first hierarchy has them: enough to look at what is there. */
	async names(path: string): Promise<readonly string[]> {
		const folder = join(this.#root, this.version === 2 ? '' : (this.#hierarchies[0] ?? ''), path);
		const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
		return entries.filter((e) => e.isDirectory()).map((e) => e.name);
	}

	/** Names of the groups in one. */
	async children(path: string): Promise<readonly string[]> {
		const folders = this.version === 2 ? [this.#root] : this.#hierarchies.map((c) => join(this.#root, c));
		const all = await Promise.all(
			folders.map(async (folder) => {
				const entries = await readdir(join(folder, path), { withFileTypes: true }).catch(() => []);
				return entries.filter((e) => e.isDirectory()).map((e) => e.name);
			}),
		);
		return [...new Set(all.flat())];
	}

	/** With all below it; the folders that still hold processes. */
	remove(path: string): Promise<readonly string[]> {
		return removeCgroup(path, this.#root);
	}
}

/** Gives a group's children the controllers that it has. */
async function passOn(folder: string): Promise<void> {
	const has = ((await readFile(join(folder, 'cgroup.controllers'), 'utf8').catch(() => '')) as string).split(/\s+/);
	const passed = ((await readFile(join(folder, 'cgroup.subtree_control'), 'utf8').catch(() => '')) as string).split(/\s+/);
	for (const controller of [...CONTROLLERS, 'cpuset', 'io'])
		if (has.includes(controller) && !passed.includes(controller))
			await writeFile(join(folder, 'cgroup.subtree_control'), `+${controller}`, { flag: 'r+' }).catch(() => {});
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
	if (error.code !== 'EEXIST') throw error;
}
