/** The folder of CNI configurations, watched: the first file in lexical order is the network, as libcni's users take it. */
import { type FSWatcher, watch } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { messageOf } from '../../../base/errors.ts';
import type { Log } from '../../../base/log.ts';
import { configFiles, type NetworkConfig, parseConfig, parsePlugin } from './config.ts';

export type Found =
	| { readonly type: 'none' }
	| { readonly type: 'network'; readonly file: string; readonly config: NetworkConfig }
	| { readonly type: 'broken'; readonly file: string; readonly problem: string };

export class ConfDir {
	readonly #dir: string;
	readonly #log: Log;
	readonly #onChange: (found: Found) => void;
	#watcher: FSWatcher | undefined;
	/** Path and identity of what is watched. */
	#watched: string | undefined;
	#found: Found = { type: 'none' };
	#reading: Promise<void> | undefined;
	#again = false;
	#stopped = false;

	constructor(dir: string, log: Log, onChange: (found: Found) => void) {
		this.#dir = dir;
		this.#log = log;
		this.#onChange = onChange;
	}

	get found(): Found {
		return this.#found;
	}

	/** Resolves once the folder has been read; from then on it is watched. It may come later. */
	async start(): Promise<void> {
		await this.reload();
	}

	stop(): void {
		this.#stopped = true;
		this.#watcher?.close();
		this.#watcher = undefined;
	}

	/** Reads the folder again; calls that come meanwhile share the next reading. */
	reload(): Promise<void> {
		this.#again = true;
		this.#reading ??= this.#readUntilQuiet().finally(() => {
			this.#reading = undefined;
		});
		return this.#reading;
	}

	async #readUntilQuiet(): Promise<void> {
		while (this.#again && !this.#stopped) {
			this.#again = false;
			await this.#watch();
			const found = await findConfig(this.#dir);
			if (JSON.stringify(found) === JSON.stringify(this.#found)) continue;
			this.#found = found;
			this.#onChange(found);
		}
	}

	/** Watches the folder, or what there is of the way to it; a folder that was replaced is watched anew. */
	async #watch(): Promise<void> {
		let missing: string | undefined;
		for (let path = this.#dir; ; path = dirname(path)) {
			const info = await stat(path).catch(() => undefined);
			if (info?.isDirectory() !== true) {
				if (path === dirname(path)) return;
				missing = path;
				continue;
			}
			const id = `${path}:${info.dev}:${info.ino}:${info.birthtimeMs}`; // inodes are used again
			if (id === this.#watched || this.#stopped) return;
			this.#watcher?.close();
			this.#watched = undefined;
			try {
				this.#watcher = watch(path, { persistent: false }, () => this.#soon()).on('error', () => {
					this.#watched = undefined;
					this.#soon();
				});
				this.#watched = id;
			} catch (error) {
				if ((error as NodeJS.ErrnoException).code === 'ENOENT') return this.#watch(); // it went meanwhile
				this.#log.warn('cannot watch the folder of CNI configurations', { dir: path, error: messageOf(error) });
			}
			// It may have come before this folder was watched, and then nothing tells of it.
			if (missing !== undefined && (await isFolder(missing))) return this.#watch();
			return;
		}
	}

	#soon(): void {
		this.reload().catch((error: unknown) => this.#log.warn('cannot read the folder of CNI configurations', { dir: this.#dir, error }));
	}
}

function isFolder(path: string): Promise<boolean> {
	return stat(path).then(
		(info) => info.isDirectory(),
		() => false,
	);
}

/** What the folder holds now. */
export async function findConfig(dir: string): Promise<Found> {
	const [name] = configFiles(await readdir(dir).catch(() => []));
	if (name === undefined) return { type: 'none' };
	const file = join(dir, name);
	try {
		const config = parseConfig(file, await readFile(file, 'utf8'));
		const plugins = [...config.plugins, ...(config.loadOnlyInlinedPlugins ? [] : await pluginsBeside(join(dir, config.name)))];
		if (plugins.length === 0) return { type: 'broken', file, problem: `Wrong CNI configuration "${file}": it has no plug-ins` };
		return { type: 'network', file, config: { ...config, plugins } };
	} catch (error) {
		return { type: 'broken', file, problem: messageOf(error) };
	}
}

/** Plug-ins that others add to a network: *.conf in the folder of its name (specification 1.1, loadOnlyInlinedPlugins). */
async function pluginsBeside(dir: string): Promise<NetworkConfig['plugins']> {
	const names = (await readdir(dir).catch(() => [])).filter((n) => n.endsWith('.conf')).sort();
	return Promise.all(names.map(async (name) => parsePlugin(join(dir, name), await readFile(join(dir, name), 'utf8'))));
}
