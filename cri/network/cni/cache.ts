/**
 * What pods were connected with, one file an attachment, in the form that libcni keeps: the configuration of that moment, the arguments and the result.
 * It is written before ADD and again with the result, so that DEL and CHECK work after a restart, whatever the configuration is by then.
 */
import { createHash } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readIfExists, writeAtomic } from '../../../base/files.ts';
import { type NetworkConfig, parseConfig } from './config.ts';
import type { CapabilityArgs, CniNetwork } from './operations.ts';
import type { CniResult } from './result.ts';

export interface CachedAttachment {
	readonly network: CniNetwork;
	readonly containerId: string;
	readonly ifname: string;
	/** Where its network namespace is pinned. */
	readonly netns: string;
	readonly args: readonly (readonly [string, string])[];
	readonly capabilityArgs: CapabilityArgs;
	/** Absent where ADD never ended. */
	readonly result: CniResult | undefined;
}

interface CacheFile {
	readonly kind: 'cniCacheV1';
	readonly containerId: string;
	/** The configuration list, base64. */
	readonly config: string;
	readonly ifName: string;
	readonly networkName: string;
	readonly netns: string;
	readonly cniArgs: readonly (readonly [string, string])[];
	readonly capabilityArgs: CapabilityArgs;
	readonly result?: CniResult | undefined;
}

export class CniCache {
	readonly #dir: string;
	readonly #onBroken: (path: string, error: unknown) => void;

	constructor(dir: string, onBroken: (path: string, error: unknown) => void = () => {}) {
		this.#dir = dir;
		this.#onBroken = onBroken;
	}

	async save(attachment: CachedAttachment): Promise<void> {
		const { network, containerId, ifname, netns, args, capabilityArgs, result } = attachment;
		const file: CacheFile = {
			kind: 'cniCacheV1',
			containerId,
			config: Buffer.from(JSON.stringify(listOf(network))).toString('base64'),
			ifName: ifname,
			networkName: network.config.name,
			netns,
			cniArgs: args,
			capabilityArgs,
			...(result === undefined ? {} : { result }),
		};
		await writeAtomic(this.#path(attachment), `${JSON.stringify(file)}\n`);
	}

	/** Not there is success. */
	async remove(attachment: CachedAttachment): Promise<void> {
		await rm(this.#path(attachment), { force: true });
	}

	/** Takes away what a crash left of a file that was being written. */
	async clean(): Promise<void> {
		const unfinished = (await readdir(this.#dir).catch(() => [])).filter((n) => n.startsWith('.'));
		await Promise.all(unfinished.map((name) => rm(join(this.#dir, name), { force: true })));
	}

	/** Every attachment. A file that cannot be read is told and skipped: it must not keep all other pods from being disconnected. */
	all(): Promise<readonly CachedAttachment[]> {
		return this.#load('');
	}

	/** Those of one container. */
	of(containerId: string): Promise<readonly CachedAttachment[]> {
		return this.#load(`${digest(containerId)}-`);
	}

	async #load(prefix: string): Promise<readonly CachedAttachment[]> {
		const names = (await readdir(this.#dir).catch(() => [])).filter((n) => n.startsWith(prefix) && n.endsWith('.json'));
		const read = await Promise.all(names.map((name) => this.#read(join(this.#dir, name))));
		return read.filter((a) => a !== undefined);
	}

	async #read(path: string): Promise<CachedAttachment | undefined> {
		try {
			const text = await readIfExists(path);
			if (text === undefined) return undefined;
			const file = JSON.parse(text) as CacheFile;
			const config = parseConfig(`${file.networkName}.conflist`, Buffer.from(file.config, 'base64').toString());
			return {
				network: { config, version: config.versions[0] as string },
				containerId: file.containerId,
				ifname: file.ifName,
				netns: file.netns,
				args: file.cniArgs,
				capabilityArgs: file.capabilityArgs,
				result: file.result,
			};
		} catch (error) {
			this.#onBroken(path, error);
			return undefined;
		}
	}

	/** By digests: names may be long, and this client is told them. */
	#path({ network, containerId, ifname }: CachedAttachment): string {
		return join(this.#dir, `${digest(containerId)}-${digest(`${network.config.name}/${ifname}`)}.json`);
	}
}

function digest(text: string): string {
	return createHash('sha256').update(text).digest('hex').slice(0, 24);
}

/** The configuration as a list, with the version that was agreed on as its only one. */
function listOf({ config, version }: CniNetwork): object {
	const { name, disableCheck, disableGC, plugins }: NetworkConfig = config;
	return { cniVersion: version, name, disableCheck, disableGC, plugins: plugins.map((p) => p.raw) };
}
