/** Node lifecycle: a node whose heartbeats stop is marked Unknown, taints follow its conditions, and its pods are no longer Ready. */
import type { Lease, Node, Pod } from '../../../api/gen/types.ts';
import type { Key } from '../../../api/resource.ts';
import { LEASES, NODES, PODS } from '../../../api/resources.ts';
import { timeOf } from '../../../api/time.ts';
import type { Clock } from '../../../base/clock.ts';
import { ignore } from '../../../base/errors.ts';
import type { Change } from '../../../client/cache.ts';
import type { Client } from '../../../client/client.ts';
import { keysFrom, type Again } from '../../../client/controller.ts';
import { referenceTo, type EventRecorder } from '../../../client/events.ts';
import type { Informers } from '../../../client/informers.ts';
import { nodeReference } from '../node-reference.ts';
import type { Reconciler } from '../reconciler.ts';
import { AGAIN_MS, countsForZone, Evictions } from './evictions.ts';
import { conditionOf, isEvicting, wantedTaints } from './taints.ts';
import { unknownConditions } from './unknown.ts';

interface Deps {
	readonly client: Client;
	readonly informers: Informers;
	readonly clock: Clock;
	readonly recorder: EventRecorder;
}

/** Silence after which a node counts as lost (--node-monitor-grace-period). */
const GRACE_MS = 50_000;
const LEASE_NAMESPACE = 'kube-node-lease';

/** Keys are nodes. One timer a node: each look says when to look next. */
export function nodeLifecycleController({ client, informers, clock, recorder }: Deps): Reconciler {
	const nodes = informers.get(NODES);
	const leases = informers.get(LEASES, { namespace: LEASE_NAMESPACE });
	const pods = informers.get(PODS);
	pods.addIndex('node', (pod) => [pod.spec?.nodeName ?? '']);
	/** When a node was last heard of, by this process's clock: never trust the node's own. */
	const heard = new Map<string, number>();
	const evictions = new Evictions();
	const hear = (name: string): void => void heard.set(name, clock.monotonic());
	const silenceOf = (name: string): number => clock.monotonic() - (heard.get(name) ?? clock.monotonic());
	/** As it is to be: others that fell silent at the same moment may not have been looked at yet. */
	const asHeard = (node: Node, now: string): Node => {
		const conditions = silenceOf(node.metadata.name ?? '') < GRACE_MS ? undefined : unknownConditions(node, now);
		return conditions === undefined ? node : { ...node, status: { ...node.status, conditions: [...conditions] } };
	};

	const tell = (node: Node, reason: string, what: string): void =>
		recorder.event(nodeReference(node), 'Normal', reason, `Node ${node.metadata.name} event: ${what}`);

	const ofNode = ({ before, after }: Change<Node>): readonly Key[] => {
		const node = after ?? before;
		const name = node?.metadata.name ?? '';
		if (after === undefined) {
			heard.delete(name);
			if (before !== undefined) tell(before, 'RemovingNode', `Removing Node ${name} from Controller`);
			return [name];
		}
		if (before === undefined) tell(after, 'RegisteredNode', `Registered Node ${name} in Controller`);
		if (before === undefined || heartbeatOf(before) !== heartbeatOf(after)) hear(name);
		return [name];
	};
	/** A renewed lease needs no look at the node, unless it was lost. */
	const ofLease = ({ before, after }: Change<Lease>): readonly Key[] => {
		const name = (after ?? before)?.metadata.name ?? '';
		if (after === undefined || after.spec?.renewTime === before?.spec?.renewTime) return [];
		hear(name);
		const node = nodes.lister.get(name);
		return node !== undefined && conditionOf(node, 'Ready') === 'Unknown' ? [name] : [];
	};
	return {
		sources: [keysFrom(nodes, ofNode), keysFrom(leases, ofLease), keysFrom(pods, () => [])],
		async reconcile(key, signal): Promise<Again | void> {
			let node = nodes.lister.get(key);
			if (node === undefined || node.metadata.deletionTimestamp !== undefined) return;
			const now = timeOf(clock.now());
			const seen = asHeard(node, now);
			if (seen !== node) {
				const wasReady = conditionOf(node, 'Ready') === 'True';
				node = await client.update(NODES, seen, { subresource: 'status', signal });
				if (wasReady) recorder.event(nodeReference(node), 'Normal', 'NodeNotReady', `Node ${key} status is now: NodeNotReady`);
			}
			const current = node;
			const all = nodes.lister.list().map((other) => (other.metadata.name === key ? current : asHeard(other, now)));
			const someReady = all.some((other) => countsForZone(other) && conditionOf(other, 'Ready') === 'True');
			const isLost = ['False', 'Unknown'].includes(conditionOf(node, 'Ready') ?? '');
			const waitMs = someReady && isLost && !isEvicting(node) ? evictions.take(node, all, clock.monotonic()) : 0;
			const taints = wantedTaints(node, someReady && waitMs === 0, now);
			if (taints !== node.spec?.taints && !(taints.length === 0 && node.spec?.taints === undefined))
				node = await client.update(NODES, { ...node, spec: { ...node.spec, taints: [...taints] } }, { signal });
			if (conditionOf(node, 'Ready') !== 'True') await markPodsNotReady(client, recorder, pods.lister.byIndex('node', key), now, signal);
			const afterMs = isLost ? AGAIN_MS : Math.max(1000, GRACE_MS - silenceOf(key));
			return { afterMs: waitMs > 0 ? Math.min(waitMs, afterMs) : afterMs };
		},
	};
}

/** Changes of the node that only its kubelet makes. */
function heartbeatOf(node: Node): string {
	return JSON.stringify((node.status?.conditions ?? []).map((c) => [c.type, c.lastHeartbeatTime]));
}

/** Pods of a node that is not ready take no traffic. */
async function markPodsNotReady(
	client: Client,
	recorder: EventRecorder,
	pods: readonly Pod[],
	now: string,
	signal: AbortSignal,
): Promise<void> {
	for (const pod of pods) {
		const conditions = pod.status?.conditions ?? [];
		if (!conditions.some((c) => c.type === 'Ready' && c.status === 'True')) continue;
		const changed = conditions.map((c) => (c.type === 'Ready' ? { ...c, status: 'False', lastTransitionTime: now } : c));
		const written = await client
			.update(PODS, { ...pod, status: { ...pod.status, conditions: changed } }, { subresource: 'status', signal })
			.catch(ignore('NotFound', 'Aborted'));
		if (written !== undefined) recorder.event(referenceTo(PODS, pod), 'Warning', 'NodeNotReady', 'Node is not ready');
	}
}
