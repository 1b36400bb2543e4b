/** The node's side of the API: registered, its status kept true, its lease renewed. */
import type { Node, NodeStatus } from '../../api/gen/types.ts';
import { NODES } from '../../api/resources.ts';
import { messageOf } from '../../base/errors.ts';
import type { EventRecorder } from '../../client/events.ts';
import { settingsIn } from '../config/settings.ts';
import type { AgentOptions } from '../options.ts';
import { isNotFound } from '../volume/objects.ts';
import { keepLease } from './lease.ts';
import { NodeLook, type LookOptions } from './look.ts';
import { nodeEvent } from './node-event.ts';
import { registerNode, type NodeMeta } from './register.ts';
import type { NodeStartup } from './startup-figures.ts';
import { nodeStatusOf, sameStatus } from './status.ts';

export interface NodeKeeperOptions extends LookOptions {
	readonly recorder: EventRecorder;
	/** Unique names of the attachable volumes that pods here use. */
	readonly volumesInUse?: () => readonly string[];
	/** Told how far the node has come. */
	readonly startup?: NodeStartup;
}

/** While not ready, so that Ready comes soon. */
const NOT_READY_MS = 500;

const PRESSURES: Readonly<Record<string, readonly [held: string, over: string]>> = {
	MemoryPressure: ['NodeHasInsufficientMemory', 'NodeHasSufficientMemory'],
	DiskPressure: ['NodeHasDiskPressure', 'NodeHasNoDiskPressure'],
	PIDPressure: ['NodeHasInsufficientPID', 'NodeHasSufficientPID'],
};

export class NodeKeeper {
	readonly #given: NodeKeeperOptions;
	#node: Node;
	#writtenAt = 0;
	#ready: boolean | undefined;
	/** To the scheduler. */
	#closed: boolean | undefined;
	readonly #look: NodeLook;
	#wake: (() => void) | undefined;
	/** Since the last report began. */
	#changed = false;

	/** @param ready as the API last had it; undefined for a new Node */
	private constructor(given: NodeKeeperOptions, look: NodeLook, node: Node, ready: boolean | undefined) {
		this.#ready = ready;
		this.#given = given;
		this.#look = look;
		this.#node = node;
	}

	/** Registers; resolves once the API has the Node. */
	static async register(given: NodeKeeperOptions, signal: AbortSignal): Promise<NodeKeeper> {
		const { options, deps } = given;
		const look = new NodeLook(given);
		const seen = await look.look(signal);
		given.startup?.registering();
		const { node, isNew } = await registerNode(options.nodeName, metaOf(options), seen, deps.client, deps.clock, signal);
		if (isNew) given.startup?.registered();
		const ready = node.status?.conditions?.find((c) => c.type === 'Ready')?.status === 'True';
		return new NodeKeeper(given, look, node, isNew ? undefined : ready);
	}

	get node(): Node {
		return this.#node;
	}

	event(type: 'Normal' | 'Warning', reason: string, message: string): void {
		nodeEvent(this.#given, type, reason, message);
	}

	/** @param ready called once, after Ready has been written */
	async run(signal: AbortSignal, ready: () => void): Promise<void> {
		const { client, clock, log } = this.#given.deps;
		this.event('Normal', 'Starting', 'Starting kubelet.');
		const settings = settingsIn(this.#given.options);
		const lease = keepLease({ node: () => this.#node, client, clock, log, seconds: settings.leaseSeconds }, signal);
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
			await this.#pause(this.#ready === true ? settings.nodeStatusMs : NOT_READY_MS, signal);
		}
		await lease;
	}

	/** What the node says of itself has changed: it is said at once. */
	soon(): void {
		this.#changed = true;
		this.#wake?.();
	}

	async #pause(ms: number, signal: AbortSignal): Promise<void> {
		if (this.#changed) return;
		const woken = new AbortController();
		this.#wake = () => woken.abort();
		await this.#given.deps.clock.sleep(ms, AbortSignal.any([signal, woken.signal])).catch(() => {});
		this.#wake = undefined;
	}

	async #report(signal: AbortSignal): Promise<void> {
		const { options, deps } = this.#given;
		this.#changed = false;
		const seen = await this.#look.look(signal);
		const node =
			(await deps.client.get(NODES, options.nodeName, { signal }).catch((error: unknown) => {
				if (isNotFound(error)) return undefined;
				throw error;
			})) ?? (await registerNode(options.nodeName, metaOf(options), seen, deps.client, deps.clock, signal)).node;
		const inUse = this.#given.volumesInUse?.() ?? [];
		const status: NodeStatus = { ...nodeStatusOf(node, seen), volumesInUse: [...inUse] };
		this.#node = node;
		const due = deps.clock.now() - this.#writtenAt >= settingsIn(options).nodeReportMs;
		if (due || !sameStatus(node.status, status)) {
			const { addresses, ...rest } = status;
			// Addresses would be merged by type; they are replaced as a whole.
			const body = { status: { ...rest, addresses: [...(addresses ?? []), { $patch: 'replace' }] } };
			this.#node = await deps.client.patch(NODES, options.nodeName, { type: 'strategic', body }, { subresource: 'status', signal });
			this.#writtenAt = deps.clock.now();
		}
		this.#tellChanges(node, status);
		const isReady = seen.notReady === '';
		if (this.#ready !== isReady)
			this.event(
				'Normal',
				isReady ? 'NodeReady' : 'NodeNotReady',
				`Node ${options.nodeName} status is now: ${isReady ? 'NodeReady' : 'NodeNotReady'}`,
			);
		if (isReady) this.#given.startup?.ready();
		this.#ready = isReady;
	}

	#tellChanges(before: Node, status: NodeStatus): void {
		const name = before.metadata.name ?? '';
		const closed = before.spec?.unschedulable === true;
		if (this.#closed !== undefined && this.#closed !== closed) {
			const reason = closed ? 'NodeNotSchedulable' : 'NodeSchedulable';
			this.event('Normal', reason, `Node ${name} status is now: ${reason}`);
		}
		this.#closed = closed;
		for (const { type, status: now } of status.conditions ?? []) {
			const [held, over] = PRESSURES[type] ?? [];
			const old = before.status?.conditions?.find((c) => c.type === type)?.status;
			if (held === undefined || over === undefined || old === undefined || old === now) continue;
			const reason = now === 'True' ? held : over;
			this.event('Normal', reason, `Node ${name} status is now: ${reason}`);
		}
		const [old, boot] = [before.status?.nodeInfo?.bootID, status.nodeInfo?.bootID ?? ''];
		if (old && old !== boot) this.event('Warning', 'Rebooted', `Node ${name} has been rebooted, boot id: ${boot}`);
	}
}

function metaOf(options: AgentOptions): NodeMeta {
	const { registerWithTaints: taints, node } = settingsIn(options);
	return { labels: options.labels ?? {}, taints, providerId: node.providerId, register: node.register };
}
