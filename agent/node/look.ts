/** What the node is like now: its runtime, images, and the pressures it is under. */
import { messageOf } from '../../base/errors.ts';
import { fsStats } from '../../host/filesystem.ts';
import type { HostFacts } from '../../host/facts.ts';
import { memoryInfo } from '../../host/memory.ts';
import { pidStats } from '../../host/pids.ts';
import type { AgentDeps, AgentOptions } from '../options.ts';
import type { ImageInfo } from '../runtime/runtime.ts';
import type { Capacity } from './capacity.ts';
import { pressureOf, PressureMemory, type Signals, type Thresholds } from './pressure.ts';
import type { NodeSeen } from './status.ts';

export interface LookOptions {
	readonly options: AgentOptions;
	readonly deps: AgentDeps;
	readonly host: HostFacts;
	readonly capacity: Capacity;
	readonly port: number;
	/** Told of what the runtime says of the pods' network: empty when it is ready. */
	readonly network?: (fault: string) => void;
	/** What else keeps the node from being ready; empty when nothing does. */
	readonly fault?: () => string;
}

/** A laptop's limits: upstream's 10 % of a disk is a lot of a terabyte. */
export const EVICTION: Thresholds = { memoryAvailableBytes: 100 * 2 ** 20, diskAvailableShare: 0.01 };
/** Upstream keeps the list of images so long. */
const IMAGES_MS = 30_000;

export class NodeLook {
	readonly #given: LookOptions;
	readonly #pressure = new PressureMemory();
	#images: { readonly at: number; readonly list: readonly ImageInfo[] } | undefined;
	#imageFolder: string | undefined;

	constructor(given: LookOptions) {
		this.#given = given;
	}

	async look(signal: AbortSignal): Promise<NodeSeen> {
		const { options, deps, host, capacity, port } = this.#given;
		const [status, images, signals] = await Promise.all([
			deps.runtime.status(signal).catch((error: unknown) => ({ error })),
			this.#listImages(signal),
			this.#signals(signal),
		]);
		const down = 'error' in status;
		const now = deps.clock.now();
		if (!down) this.#given.network?.(status.networkReady ? '' : status.message);
		const fault = this.#given.fault?.() ?? '';
		return {
			now,
			host,
			capacity,
			addresses: options.nodeIps,
			port,
			version: options.version,
			runtime: down ? { name: '', version: '', handlers: [], supplementalGroupsPolicy: false } : status,
			notReady: [down ? `container runtime is down: ${messageOf(status.error)}` : status.message, fault].filter((t) => t !== '').join(', '),
			pressure: this.#pressure.observe(pressureOf(signals, options.eviction ?? EVICTION), now),
			images,
		};
	}

	async #listImages(signal: AbortSignal): Promise<readonly ImageInfo[]> {
		const { runtime, clock } = this.#given.deps;
		if (this.#images !== undefined && clock.now() - this.#images.at < IMAGES_MS) return this.#images.list;
		const list = await runtime.images(signal).catch(() => undefined);
		if (list !== undefined) this.#images = { at: clock.now(), list };
		return this.#images?.list ?? [];
	}

	async #signals(signal: AbortSignal): Promise<Signals> {
		const { options, deps } = this.#given;
		this.#imageFolder ??= await deps.runtime.imageFolder(signal).catch(() => undefined);
		const folders = [options.rootDir, ...(this.#imageFolder === undefined ? [] : [this.#imageFolder])];
		const [memory, pids, ...disks] = await Promise.all([
			memoryInfo(),
			pidStats().catch(() => ({ limit: 0, running: 0 })),
			...folders.map((folder) => fsStats(folder).catch(() => undefined)),
		]);
		return { memoryAvailableBytes: memory.availableBytes, pids, disks: disks.filter((d) => d !== undefined) };
	}
}
