/** What images use of the engine's file system, layer by layer: layers that images share count once. Read from the engine's own records on this host. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface ImageUsage {
	readonly bytes: bigint;
	readonly inodes: bigint;
}

interface Layer {
	readonly bytes: bigint;
	/** Counted once, behind the answer: folders of many files take their time. */
	inodes: bigint | undefined;
	readonly folder: string;
}

export class ImageFilesystem {
	readonly #records: string;
	readonly #folders: string;
	readonly #layers = new Map<string, Layer>();
	#counting: Promise<void> | undefined;

	/** `driver` as the engine calls it: overlay2 keeps a folder a layer. */
	constructor(engineRoot: string, driver: string) {
		this.#records = join(engineRoot, 'image', driver, 'layerdb', 'sha256');
		this.#folders = join(engineRoot, driver);
	}

	/** Undefined where the engine keeps its images in another way. Inodes of new layers appear when they are counted. */
	async usage(): Promise<ImageUsage | undefined> {
		const ids = await readdir(this.#records).catch(() => undefined);
		if (ids === undefined) return undefined;
		const there = new Set(ids);
		for (const id of this.#layers.keys()) if (!there.has(id)) this.#layers.delete(id);
		await Promise.all(ids.map(async (id) => this.#layers.get(id) ?? this.#read(id)));
		this.#counting ??= this.#count().finally(() => {
			this.#counting = undefined;
		});
		let [bytes, inodes] = [0n, 0n];
		for (const layer of this.#layers.values()) {
			bytes += layer.bytes;
			inodes += layer.inodes ?? 0n;
		}
		return { bytes, inodes };
	}

	/** Resolves when every layer known now is counted. */
	async counted(): Promise<void> {
		await this.#counting;
	}

	async #read(id: string): Promise<void> {
		const [size, cacheId] = await Promise.all(
			['size', 'cache-id'].map((file) => readFile(join(this.#records, id, file), 'utf8').catch(() => undefined)),
		);
		if (size === undefined || cacheId === undefined) return; // it is being made or removed
		this.#layers.set(id, { bytes: BigInt(size.trim()), inodes: undefined, folder: join(this.#folders, cacheId.trim(), 'diff') });
	}

	async #count(): Promise<void> {
		for (const layer of [...this.#layers.values()]) layer.inodes ??= await inodesIn(layer.folder);
	}
}

/** One folder at a time: nothing waits for this. */
async function inodesIn(folder: string): Promise<bigint> {
	let count = 0n;
	const left = [folder];
	for (let next = left.pop(); next !== undefined; next = left.pop()) {
		const entries = await readdir(next, { withFileTypes: true }).catch(() => []);
		count += BigInt(entries.length);
		for (const entry of entries) if (entry.isDirectory()) left.push(join(next, entry.name));
	}
	return count;
}
