/** What the node is like now: its runtime, images, and the pressures it is under. */
import type { HostFacts } from '../../host/facts.ts';
import { settingsIn } from '../config/settings.ts';
import { NO_PRESSURE, type Pressure } from '../eviction/observation.ts';
import type { AgentDeps, AgentOptions } from '../options.ts';
import type { ImageInfo, RuntimeStatus } from '../runtime/runtime.ts';
import type { Capacity } from './capacity.ts';
import type { NodeSeen } from './status.ts';

export interface LookOptions {
	readonly options: AgentOptions;
	readonly deps: AgentDeps;
	readonly host: HostFacts;
	readonly capacity: Capacity;
	readonly port: number;
	/** What device plugins tell of; none when absent. */
	readonly devices?: () => Capacity;
	/** What the node is short of; nothing when absent. */
	readonly pressure?: () => Pressure;
	/** Told of what the runtime says when it answers. */
	readonly answered?: (status: RuntimeStatus) => void;
	/** What else keeps the node from being ready; what is empty does not. */
	readonly faults?: () => readonly string[];
}

/** Upstream keeps the list of images so long. */
const IMAGES_MS = 30_000;

export class NodeLook {
	readonly #given: LookOptions;
	/** As it was when it last answered. */
	#runtime: NodeSeen['runtime'] = { name: '', version: '', handlers: [], supplementalGroupsPolicy: false };
	#images: { readonly at: number; readonly list: readonly ImageInfo[] } | undefined;

	constructor(given: LookOptions) {
		this.#given = given;
	}

	async look(signal: AbortSignal): Promise<NodeSeen> {
		const { options, deps, host, capacity, port } = this.#given;
		const [status, images] = await Promise.all([
			deps.runtime.status(signal).catch((error: unknown) => ({ error })),
			this.#listImages(signal),
		]);
		const down = 'error' in status;
		const now = deps.clock.now();
		if (!down) this.#given.answered?.(status);
		this.#runtime = down ? { ...this.#runtime, version: 'Unknown' } : status;
		return {
			now,
			host,
			capacity: withDevices(capacity, this.#given.devices?.()),
			addresses: options.nodeIps,
			externalAddresses: options.externalIps ?? [],
			port,
			version: options.version,
			runtime: this.#runtime,
			notReady: together([down ? 'container runtime is down' : status.message, ...(this.#given.faults?.() ?? [])]),
			pressure: this.#given.pressure?.() ?? NO_PRESSURE,
			images,
			maxImages: settingsIn(options).node.maxImages,
		};
	}

	async #listImages(signal: AbortSignal): Promise<readonly ImageInfo[]> {
		const { runtime, clock } = this.#given.deps;
		if (this.#images !== undefined && clock.now() - this.#images.at < IMAGES_MS) return this.#images.list;
		const list = await runtime.images(signal).catch(() => undefined);
		if (list !== undefined) this.#images = { at: clock.now(), list };
		return this.#images?.list ?? [];
	}
}

function withDevices(own: Capacity, devices: Capacity | undefined): Capacity {
	if (devices === undefined) return own;
	return {
		capacity: { ...devices.capacity, ...own.capacity },
		allocatable: { ...devices.allocatable, ...own.allocatable },
	};
}

/** As Go prints several errors. Pure. */
export function together(faults: readonly string[]): string {
	const told = [...new Set(faults.filter((fault) => fault !== ''))];
	return told.length > 1 ? `[${told.join(', ')}]` : (told[0] ?? '');
}
