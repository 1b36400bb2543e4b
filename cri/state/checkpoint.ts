/**
 * The shim's own durable records, one file a sandbox or container, named by the engine name's hash. A request is answered only
 * after both the engine's container and this file exist: a container without a record was never acknowledged, a record without a container
 * may also be what a removal had not come to. Survives `kill -9` at once and a power failure soon after, which no container survives running.
 */
import { createHash } from 'node:crypto';
import { renameSync } from 'node:fs';
import { readdir, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { AppError, ignoreErrno } from '../../base/errors.ts';
import { readState, writeStateUnsynced } from '../../base/files.ts';
import type { Identity } from '../convert/user.ts';
import { ContainerConfig, PodSandboxConfig } from '../proto.ts';
import type { ContainerRecord, PodAddress, SandboxRecord } from './records.ts';
import { SyncSoon } from './sync-soon.ts';

const VERSION = 1;

/** A record whose engine id is found by its name. */
export type Saved<T extends { readonly id: string }> = Omit<T, 'id'>;

interface SandboxFile {
	readonly kind: 'sandbox';
	readonly name: string;
	readonly config: string;
	readonly runtimeHandler: string;
	readonly createdAtMs: number;
	readonly address: PodAddress | FirstAddress | undefined;
}
/** What stood here before there was more than the bridge and IPv4. */
interface FirstAddress {
	readonly kind?: undefined;
	readonly ip: string;
	readonly mac: string;
	readonly veth: string;
}
interface ContainerFile {
	readonly kind: 'container';
	readonly name: string;
	readonly sandboxId: string;
	readonly config: string;
	readonly imageId: string;
	readonly imageRef: string;
	readonly logPath: string;
	readonly createdAtMs: number;
	readonly user?: Identity | undefined;
	readonly oomScoreAdj?: number | undefined;
}

const FINISHED = '.json';
const UNFINISHED = '.unfinished';

export interface Loaded {
	readonly sandboxes: readonly Saved<SandboxRecord>[];
	/** Those whose creation a crash interrupted: nobody was told of them. */
	readonly unfinished: readonly Saved<SandboxRecord>[];
	readonly containers: readonly Saved<ContainerRecord>[];
	/** Files that a power failure kept from the disk, wholly or in part. */
	readonly broken: readonly BrokenRecord[];
}

export interface BrokenRecord {
	readonly path: string;
	readonly error: AppError;
}

export class Checkpoint {
	readonly #dir: string;
	readonly #sync: SyncSoon;
	readonly #unlink: (path: string) => Promise<void>;
	/** What is being removed: one of the same name that is written meanwhile comes after it. */
	readonly #removals = new Map<string, Promise<void>>();
	constructor(dir: string, clock: Clock, unlink: (path: string) => Promise<void> = removeFile) {
		this.#dir = dir;
		this.#sync = new SyncSoon(clock);
		this.#unlink = unlink;
	}

	/** Kept as unfinished until `confirmSandbox`. */
	async saveSandbox(record: Saved<SandboxRecord>): Promise<void> {
		const file: SandboxFile = {
			kind: 'sandbox',
			name: record.name,
			config: encode(PodSandboxConfig.encode(record.config).finish()),
			runtimeHandler: record.runtimeHandler,
			createdAtMs: record.createdAtMs,
			address: record.address,
		};
		await this.#write(this.#path(record.name, UNFINISHED), file);
	}

	/** The sandbox is whole: from now on it is one after a crash too. */
	confirmSandbox(name: string): void {
		const path = this.#path(name);
		renameSync(this.#path(name, UNFINISHED), path);
		this.#sync.add(path);
	}

	async saveContainer(record: Saved<ContainerRecord>): Promise<void> {
		const { config, ...rest } = record;
		const file: ContainerFile = { kind: 'container', ...rest, config: encode(ContainerConfig.encode(config).finish()) };
		await this.#write(this.#path(record.name), file);
	}

	/** Not there is success. Not synced: a record that comes back after a crash has no container and is dropped at start. */
	async removeSandbox(name: string): Promise<void> {
		await Promise.all(this.pathsOf(name).map((path) => this.#remove(path)));
	}
	async removeContainer(name: string): Promise<void> {
		await this.#remove(this.#path(name));
	}

	/** Where the records of a name are, or would be. */
	pathsOf(name: string): readonly string[] {
		return [this.#path(name), this.#path(name, UNFINISHED)];
	}

	/** Resolves when all that was saved is on the disk, and all that was removed is gone. */
	async synced(): Promise<void> {
		await Promise.all([this.#sync.now(), ...this.#removals.values()]);
	}

	async load(): Promise<Loaded> {
		const sandboxes: Saved<SandboxRecord>[] = [];
		const unfinished: Saved<SandboxRecord>[] = [];
		const containers: Saved<ContainerRecord>[] = [];
		const broken: BrokenRecord[] = [];
		const names = await readdir(this.#dir).catch(ignoreErrno('ENOENT'));
		for (const name of names ?? []) {
			const path = join(this.#dir, name);
			if (!name.endsWith(FINISHED) && !name.endsWith(UNFINISHED)) {
				await rm(path, { force: true, recursive: true }); // a temp file that a crash left
				continue;
			}
			const file = (await readState<SandboxFile | ContainerFile>(path, VERSION).catch((error: unknown) => {
				if (!(error instanceof AppError && error.code === 'DataLoss')) throw error;
				broken.push({ path, error });
			})) as SandboxFile | ContainerFile | undefined;
			if (file?.kind === 'sandbox') (name.endsWith(UNFINISHED) ? unfinished : sandboxes).push(sandboxOf(file));
			else if (file?.kind === 'container') containers.push({ ...file, config: ContainerConfig.decode(decode(file.config)) });
		}
		return { sandboxes, unfinished, containers, broken };
	}

	async #remove(path: string): Promise<void> {
		// Waking a thread for the disk would hold up the answer that goes out meanwhile.
		const removal = new Promise((resolve) => setImmediate(resolve)).then(() => this.#unlink(path));
		this.#removals.set(path, removal);
		try {
			await removal;
		} finally {
			if (this.#removals.get(path) === removal) this.#removals.delete(path);
		}
	}

	async #write(path: string, file: SandboxFile | ContainerFile): Promise<void> {
		await this.#removals.get(path)?.catch(() => {}); // who removes it is told
		writeStateUnsynced(path, VERSION, file);
		this.#sync.add(path);
	}

	#path(name: string, ending: string = FINISHED): string {
		return join(this.#dir, `${createHash('sha256').update(name).digest('hex').slice(0, 32)}${ending}`);
	}
}

/** In one step: `rm` looks at what it removes twice before. */
async function removeFile(path: string): Promise<void> {
	await unlink(path).catch(ignoreErrno('ENOENT'));
}

function sandboxOf(file: SandboxFile): Saved<SandboxRecord> {
	const config = PodSandboxConfig.decode(decode(file.config));
	const metadata = config.metadata ?? { name: '', uid: '', namespace: '', attempt: 0 };
	return {
		name: file.name,
		config,
		metadata,
		runtimeHandler: file.runtimeHandler,
		createdAtMs: file.createdAtMs,
		address: addressOf(file.address),
	};
}

function addressOf(address: PodAddress | FirstAddress | undefined): PodAddress | undefined {
	if (address === undefined || address.kind !== undefined) return address;
	return { kind: 'bridge', ips: [address.ip], mac: address.mac, veth: address.veth };
}

function encode(bytes: Uint8Array): string {
	return Buffer.from(bytes).toString('base64');
}

function decode(text: string): Uint8Array {
	return Buffer.from(text, 'base64');
}
