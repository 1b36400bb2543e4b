/**
 * What nodes have staged and published, one file a node and volume in a folder of this boot: the next one undoes the mounts, so that nothing of it need
 * be on a disk. Written before the mounts are made: it says what is meant, the mount table what is. Each node writes its own; the controller reads them
 * all before it deletes.
 */
import { readdirSync, unlinkSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { AppError } from '../../base/errors.ts';
import { readStateInMemory, writeStateInMemory } from '../../base/files.ts';
import type { Capability } from '../capability.ts';
import { isAbandoned, serveNode } from './node-process.ts';

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

	/** Makes the node known, served by this process. What an earlier boot left is forgotten. */
	async register(nodeId: string): Promise<void> {
		for (const boot of namesIn(this.#boots))
			if (boot !== basename(this.#root)) await rm(join(this.#boots, boot), { recursive: true, force: true });
		await mkdir(this.#dir(nodeId), { recursive: true, mode: 0o700 });
		await serveNode(this.#dir(nodeId));
	}

	/** Whether no process serves the node any more. */
	isAbandoned(nodeId: string): Promise<boolean> {
		return isAbandoned(this.#dir(nodeId));
	}

	nodes(): readonly string[] {
		return namesIn(this.#root).map((name) => decodeURIComponent(name));
	}

	get(nodeId: string, id: string): NodeVolume {
		return { id, targets: [], ...readStateInMemory<NodeVolume>(this.#file(nodeId, id), VERSION) };
	}

	/** One that is neither staged nor published is forgotten. */
	put(nodeId: string, volume: NodeVolume): void {
		if (volume.staged === undefined && volume.targets.length === 0) forget(this.#file(nodeId, volume.id));
		else writeStateInMemory(this.#file(nodeId, volume.id), VERSION, volume);
	}

	/** The volumes that a node uses. */
	list(nodeId: string): readonly NodeVolume[] {
		const names = namesIn(this.#dir(nodeId)).filter((name) => /^[^.].*\.json$/.test(name));
		return names.map((name) => this.get(nodeId, name.slice(0, -'.json'.length)));
	}

	/** The nodes that have the volume staged or published. */
	usersOf(id: string): readonly { readonly nodeId: string; readonly volume: NodeVolume }[] {
		const all = this.nodes().map((nodeId) => ({ nodeId, volume: this.get(nodeId, id) }));
		return all.filter(({ volume }) => volume.staged !== undefined || volume.targets.length > 0);
	}

	#dir(nodeId: string): string {
		return join(this.#root, nodeFolder(nodeId));
	}
	#file(nodeId: string, id: string): string {
		return join(this.#dir(nodeId), `${id}.json`);
	}
}

/** Not there is success. */
function forget(file: string): void {
	try {
		unlinkSync(file);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
	}
}

/** None where the folder is not there yet. */
function namesIn(dir: string): readonly string[] {
	try {
		return readdirSync(dir);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
		throw error;
	}
}
