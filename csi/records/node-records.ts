/**
 * What nodes have staged and published, one file a node and volume in a folder of this boot: the next one undoes the mounts. Written before the
 * mounts are made: it says what is meant, the mount table what is. Each node writes its own; the controller reads them all before it deletes.
 */
import { mkdir, readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { AppError, ignoreErrno } from '../../base/errors.ts';
import { readState, writeState } from '../../base/files.ts';
import type { Capability } from '../capability.ts';

const VERSION = 1;

export interface Target {
	readonly path: string;
	readonly readonly: boolean;
	readonly capability: Capability;
}

export interface NodeVolume {
	readonly id: string;
	readonly staged?: { readonly path: string; readonly capability: Capability } | undefined;
	readonly targets: readonly Target[];
}

/** A node's id as a name of a folder. */
export function nodeFolder(nodeId: string): string {
	return encodeURIComponent(nodeId).replaceAll('.', '%2E');
}

/** Where the volumes lie that pods of the node describe in their own words. */
export function inlineFolder(pool: string, nodeId: string): string {
	return join(pool, 'inline', nodeFolder(nodeId));
}

export class NodeRecords {
	readonly #boots: string;
	readonly #root: string;
	constructor(boots: string, bootId: string) {
		if (bootId === '')
			throw new AppError('FailedPrecondition', 'The kernel does not say which boot this is: what is mounted cannot be told');
		this.#boots = boots;
		this.#root = join(boots, bootId);
	}

	/** Makes the node known. What an earlier boot left is forgotten. */
	async register(nodeId: string): Promise<void> {
		for (const boot of await namesIn(this.#boots))
			if (boot !== basename(this.#root)) await rm(join(this.#boots, boot), { recursive: true, force: true });
		await mkdir(this.#dir(nodeId), { recursive: true, mode: 0o700 });
	}

	async nodes(): Promise<readonly string[]> {
		return (await namesIn(this.#root)).map((name) => decodeURIComponent(name));
	}

	async get(nodeId: string, id: string): Promise<NodeVolume> {
		return { id, targets: [], ...(await readState<NodeVolume>(this.#file(nodeId, id), VERSION)) };
	}

	/** One that is neither staged nor published is forgotten. */
	async put(nodeId: string, volume: NodeVolume): Promise<void> {
		if (volume.staged === undefined && volume.targets.length === 0) await rm(this.#file(nodeId, volume.id), { force: true });
		else await writeState(this.#file(nodeId, volume.id), VERSION, volume);
	}

	/** The volumes that a node uses. */
	async list(nodeId: string): Promise<readonly NodeVolume[]> {
		const names = (await namesIn(this.#dir(nodeId))).filter((name) => /^[^.].*\.json$/.test(name));
		return Promise.all(names.map((name) => this.get(nodeId, name.slice(0, -'.json'.length))));
	}

	/** The nodes that have the volume staged or published. */
	async usersOf(id: string): Promise<readonly { readonly nodeId: string; readonly volume: NodeVolume }[]> {
		const nodes = await this.nodes();
		const all = await Promise.all(nodes.map(async (nodeId) => ({ nodeId, volume: await this.get(nodeId, id) })));
		return all.filter(({ volume }) => volume.staged !== undefined || volume.targets.length > 0);
	}

	#dir(nodeId: string): string {
		return join(this.#root, nodeFolder(nodeId));
	}
	#file(nodeId: string, id: string): string {
		return join(this.#dir(nodeId), `${id}.json`);
	}
}

/** None where the folder is not there yet. */
async function namesIn(dir: string): Promise<readonly string[]> {
	return (await readdir(dir).catch(ignoreErrno('ENOENT'))) ?? [];
}
