/** The cluster as the scheduler believes it to be: what informers tell, and pods it placed that they do not show yet. */
import type { Node, Pod } from '../../api/gen/types.ts';
import { keyOf, type Key } from '../../api/resource.ts';
import { isTerminal } from '../../api/pod/phase.ts';
import type { Snapshot } from './framework.ts';
import { nodeInfo, withPods, type NodeInfo } from './node-info.ts';
import { podInfo, type PodInfo } from './pod-info.ts';

export class SchedulerCache {
	readonly #nodes = new Map<string, NodeInfo>();
	readonly #pods = new Map<string, Map<Key, PodInfo>>();
	/** Where each pod is counted. */
	readonly #placed = new Map<Key, string>();
	readonly #assumed = new Map<Key, string>();
	#list: readonly NodeInfo[] | undefined;

	/** Answers how many nodes there are now. */
	setNode(node: Node): number {
		const name = node.metadata.name ?? '';
		this.#nodes.set(name, nodeInfo(node, this.#podsOn(name)));
		this.#list = undefined;
		return this.#nodes.size;
	}

	deleteNode(name: string): void {
		this.#nodes.delete(name);
		this.#list = undefined;
	}

	/** A pod as the API shows it; one without a node changes nothing. */
	setPod(pod: Pod): void {
		const key = keyOf(pod);
		const node = pod.spec?.nodeName ?? '';
		if (node === '') return;
		this.#assumed.delete(key);
		if (isTerminal(pod)) this.#remove(key);
		else this.#place(podInfo(pod), node);
	}

	deletePod(key: Key): void {
		this.#assumed.delete(key);
		this.#remove(key);
	}

	/** Counts the pod on the node before the API shows it. */
	assume(pod: PodInfo, node: string): void {
		this.#assumed.set(pod.key, node);
		this.#place(pod, node);
	}

	/** The pod was not bound after all. */
	forget(key: Key): void {
		if (this.#assumed.delete(key)) this.#remove(key);
	}

	isAssumed(key: Key): boolean {
		return this.#assumed.has(key);
	}

	snapshot(namespaceLabels: Snapshot['namespaceLabels']): Snapshot {
		this.#list ??= [...this.#nodes.values()];
		return { nodes: this.#list, namespaceLabels };
	}

	#place(pod: PodInfo, node: string): void {
		if (this.#placed.get(pod.key) !== node) this.#remove(pod.key);
		const pods = this.#pods.get(node) ?? new Map<Key, PodInfo>();
		this.#pods.set(node, pods.set(pod.key, pod));
		this.#placed.set(pod.key, node);
		this.#refresh(node);
	}

	#remove(key: Key): void {
		const node = this.#placed.get(key);
		if (node === undefined) return;
		this.#placed.delete(key);
		const pods = this.#pods.get(node);
		pods?.delete(key);
		if (pods?.size === 0) this.#pods.delete(node);
		this.#refresh(node);
	}

	#refresh(node: string): void {
		const info = this.#nodes.get(node);
		if (info === undefined) return;
		this.#nodes.set(node, withPods(info, this.#podsOn(node)));
		this.#list = undefined;
	}

	#podsOn(node: string): readonly PodInfo[] {
		return [...(this.#pods.get(node)?.values() ?? [])];
	}
}
