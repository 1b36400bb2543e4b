/** The node's side of the API: registered, its status kept true, its lease renewed. */
import type { Node } from '../../api/gen/types.ts';
import { NODES } from '../../api/resources.ts';
import { messageOf } from '../../base/errors.ts';
import type { EventRecorder } from '../../client/events.ts';
import { fsStats } from '../../host/filesystem.ts';
import type { HostFacts } from '../../host/facts.ts';
import { memoryInfo } from '../../host/memory.ts';
import type { AgentDeps, AgentOptions } from '../options.ts';
import { isNotFound } from '../volume/objects.ts';
import type { Capacity } from './capacity.ts';
import { keepLease } from './lease.ts';
import { registerNode } from './register.ts';
import { nodeStatusOf, sameStatus, type NodeSeen } from './status.ts';

export interface NodeKeeperOptions {
	readonly options: AgentOptions;
	readonly deps: AgentDeps;
	readonly host: HostFacts;
	readonly capacity: Capacity;
	readonly recorder: EventRecorder;
	readonly port: number;
}

/** Upstream: computed every 10 s, written at least every 5 min. */
const COMPUTE_MS = 10_000;
const REPORT_MS = 300_000;
/** While not ready, so that Ready comes soon. */
const NOT_READY_MS = 500;
/** A laptop's limits: upstream's 10 % of a disk is a lot of a terabyte. */
export const EVICTION = { memoryAvailableBytes: 100 * 2 ** 20, diskAvailableShare: 0.01 };
const MIN_PIDS = 100;

export class NodeKeeper {
	readonly #given: NodeKeeperOptions;
	#node: Node;
	#writtenAt = 0;
	#ready: boolean | undefined;

	private constructor(given: NodeKeeperOptions, node: Node) {
		this.#given = given;
		this.#node = node;
	}

	/** Registers; resolves once the API has the Node. */
	static async register(given: NodeKeeperOptions, signal: AbortSignal): Promise<NodeKeeper> {
		const { options, deps } = given;
		const seen = await look(given, signal);
		const node = await registerNode(options.nodeName, options.labels ?? {}, seen, deps.client, deps.clock, signal);
		return new NodeKeeper(given, node);
	}

	get node(): Node {
		return this.#node;
	}

	/** An event about the node; upstream gives its name as uid. */
	event(type: 'Normal' | 'Warning', reason: string, message: string): void {
		const { options, recorder } = this.#given;
		recorder.event({ kind: 'Node', name: options.nodeName, uid: options.nodeName }, type, reason, message);
	}

	/** @param ready called once, after Ready has been written */
	async run(signal: AbortSignal, ready: () => void): Promise<void> {
		const { client, clock, log } = this.#given.deps;
		this.event('Normal', 'Starting', 'Starting kubelet.');
		const lease = keepLease({ node: () => this.#node, client, clock, log }, signal);
		let told = false;
		while (!signal.aborted) {
			try {
				await this.#report(signal);
				if (this.#ready === true && !told) ready();
				told ||= this.#ready === true;
			} catch (error) {
				if (signal.aborted) break;
				log.warn('node status not written', { reason: messageOf(error) });
			}
			await clock.sleep(this.#ready === true ? COMPUTE_MS : NOT_READY_MS, signal).catch(() => {});
		}
		await lease;
	}

	async #report(signal: AbortSignal): Promise<void> {
		const { options, deps } = this.#given;
		const seen = await look(this.#given, signal);
		const node =
			(await deps.client.get(NODES, options.nodeName, { signal }).catch((error: unknown) => {
				if (isNotFound(error)) return undefined;
				throw error;
			})) ?? (await registerNode(options.nodeName, options.labels ?? {}, seen, deps.client, deps.clock, signal));
		const status = nodeStatusOf(node, seen);
		this.#node = node;
		const due = deps.clock.now() - this.#writtenAt >= REPORT_MS;
		if (due || !sameStatus(node.status, status)) {
			const { addresses, ...rest } = status;
			// Addresses would be merged by type; they are replaced as a whole.
			const body = { status: { ...rest, addresses: [...(addresses ?? []), { $patch: 'replace' }] } };
			this.#node = await deps.client.patch(NODES, options.nodeName, { type: 'strategic', body }, { subresource: 'status', signal });
			this.#writtenAt = deps.clock.now();
		}
		const isReady = seen.notReady === '';
		if (this.#ready !== isReady)
			this.event(
				'Normal',
				isReady ? 'NodeReady' : 'NodeNotReady',
				`Node ${options.nodeName} status is now: ${isReady ? 'NodeReady' : 'NodeNotReady'}`,
			);
		this.#ready = isReady;
	}
}

async function look({ options, deps, host, capacity, port }: NodeKeeperOptions, signal: AbortSignal): Promise<NodeSeen> {
	const [status, images, memory, disk] = await Promise.all([
		deps.runtime.status(signal).catch((error: unknown) => ({ error })),
		deps.runtime.images(signal).catch(() => []),
		memoryInfo(),
		fsStats(options.rootDir),
	]);
	const limits = options.eviction ?? EVICTION;
	const down = 'error' in status;
	return {
		now: deps.clock.now(),
		host,
		capacity,
		addresses: options.nodeIps,
		port,
		version: options.version,
		runtime: down ? { name: '', version: '', handlers: [] } : status,
		notReady: down ? `container runtime is down: ${messageOf(status.error)}` : status.message,
		pressure: {
			memory: memory.availableBytes < limits.memoryAvailableBytes,
			disk: disk.availableBytes < disk.capacityBytes * limits.diskAvailableShare,
			pid: disk.inodesFree === 0 && disk.inodes < MIN_PIDS && disk.inodes > 0,
		},
		images,
	};
}
