/** What a DaemonSet needs: on which nodes a pod is missing, which pods go, how an update rolls, and its status. Pure. */
import type { DaemonSet, DaemonSetStatus, Node, Pod } from '../../../api/gen/types.ts';
import { scaledValue } from '../../../api/int-or-string.ts';
import { isAvailable, isReady } from '../../../api/pod/conditions.ts';
import { isTerminal } from '../../../api/pod/phase.ts';
import { REVISION_HASH } from '../revisions.ts';
import { fits, isUpdated, targetNode } from './nodes.ts';

export type PodsByNode = ReadonlyMap<string, readonly Pod[]>;

export interface DaemonPlan {
	/** Names of nodes that get a pod. */
	readonly create: readonly string[];
	readonly remove: readonly Pod[];
	/** Pods that ended where they should run, as Warning and Normal events tell. */
	readonly failed: readonly Pod[];
	readonly succeeded: readonly Pod[];
}

/** Pods by the node they are meant for; those that have ended and are going no longer count. */
export function byNode(pods: readonly Pod[]): PodsByNode {
	const counted = pods.filter((pod) => pod.metadata.deletionTimestamp === undefined || !isTerminal(pod));
	const groups = Map.groupBy(counted, (pod) => targetNode(pod) ?? '');
	groups.delete('');
	return groups;
}

function maxSurge(ds: DaemonSet, desired: number): number {
	const { type, rollingUpdate } = ds.spec?.updateStrategy ?? {};
	return type === 'OnDelete' ? 0 : scaledValue(rollingUpdate?.maxSurge ?? 0, desired, 'up');
}

/** @param mayRetry whether a failed pod on that node may be replaced now (back-off) */
export function planNodes(
	ds: DaemonSet,
	nodes: readonly Node[],
	pods: PodsByNode,
	hash: string,
	now: number,
	mayRetry: (node: string) => boolean,
): DaemonPlan {
	const plan = { create: [] as string[], remove: [] as Pod[], failed: [] as Pod[], succeeded: [] as Pod[] };
	const surges = maxSurge(ds, 100) > 0;
	for (const node of nodes) {
		const name = node.metadata.name ?? '';
		const { run, stay } = fits(ds, node);
		const here = pods.get(name);
		if (run && here === undefined) plan.create.push(name);
		else if (stay && here !== undefined) {
			const living: Pod[] = [];
			for (const pod of here) {
				if (pod.metadata.deletionTimestamp !== undefined) continue;
				if (pod.status?.phase === 'Failed') {
					if (mayRetry(name)) plan.failed.push(pod);
				} else if (pod.status?.phase === 'Succeeded') plan.succeeded.push(pod);
				else living.push(pod);
			}
			if (!surges) plan.remove.push(...living.toSorted(older).slice(1));
			else if (living.length === 0 && run) plan.create.push(name);
			else if (living.length > 1) plan.remove.push(...surplusOf(ds, living.toSorted(older), hash, now));
		} else if (!stay && here !== undefined) plan.remove.push(...here.filter((pod) => pod.metadata.deletionTimestamp === undefined));
	}
	const names = new Set(nodes.map((node) => node.metadata.name));
	for (const [name, stray] of pods)
		if (!names.has(name))
			plan.remove.push(...stray.filter((p) => (p.spec?.nodeName ?? '') === '' && p.metadata.deletionTimestamp === undefined));
	return { ...plan, remove: [...plan.remove, ...plan.failed, ...plan.succeeded] };
}

/** Of one node: the oldest of the new and the oldest of the old pods stay, until the new one can stand in. */
function surplusOf(ds: DaemonSet, pods: readonly Pod[], hash: string, now: number): readonly Pod[] {
	const isNew = (pod: Pod): boolean => pod.metadata.labels?.[REVISION_HASH] === hash;
	const [fresh, ...moreFresh] = pods.filter(isNew);
	const [old, ...moreOld] = pods.filter((pod) => !isNew(pod));
	const replaced = fresh !== undefined && old !== undefined && (!isReady(old) || isAvailable(fresh, ds.spec?.minReadySeconds ?? 0, now));
	return [...moreFresh, ...moreOld, ...(replaced ? [old] : [])];
}

/** The next step of a rolling update. */
export function planRolling(
	ds: DaemonSet,
	nodes: readonly Node[],
	pods: PodsByNode,
	hash: string,
	now: number,
): { create: string[]; remove: Pod[] } {
	const running = nodes.filter((node) => fits(ds, node).run);
	const desired = running.length;
	const surge = maxSurge(ds, desired);
	const asked = scaledValue(ds.spec?.updateStrategy?.rollingUpdate?.maxUnavailable ?? 1, desired, 'up');
	const unavailable = surge === 0 && asked === 0 ? 1 : asked;
	const all = new Map(pods);
	for (const { metadata } of running) if (!all.has(metadata.name ?? '')) all.set(metadata.name ?? '', []);
	const available = (pod: Pod): boolean => isAvailable(pod, ds.spec?.minReadySeconds ?? 0, now);
	const onNodes = [...all].map(([node, here]) => ({ node, ...updatedOn(ds, here, hash) }));
	if (surge === 0) {
		let down = 0;
		const [free, candidates]: [Pod[], Pod[]] = [[], []];
		for (const { ok, fresh, old } of onNodes) {
			if (!ok || (fresh === undefined) === (old === undefined)) down++;
			else if (fresh !== undefined) down += available(fresh) ? 0 : 1;
			else if (old !== undefined && !available(old)) {
				free.push(old);
				down++;
			} else if (old !== undefined && down < unavailable) candidates.push(old);
		}
		return { create: [], remove: [...free, ...candidates.slice(0, Math.max(0, unavailable - down))] };
	}
	return surging(ds, nodes, onNodes, surge, desired, available);
}

interface OnNode {
	readonly node: string;
	/** False where there are several of a kind: wait. */
	readonly ok: boolean;
	readonly fresh?: Pod | undefined;
	readonly old?: Pod | undefined;
}

function surging(
	ds: DaemonSet,
	nodes: readonly Node[],
	onNodes: readonly OnNode[],
	surge: number,
	desired: number,
	available: (pod: Pod) => boolean,
): { create: string[]; remove: Pod[] } {
	const remove: Pod[] = [];
	const leaving: Pod[] = [];
	const [free, candidates]: [string[], string[]] = [[], []];
	let surged = 0;
	let standing = 0;
	for (const { node: name, ok, fresh, old } of onNodes) {
		if (!ok) {
			surged++;
			continue;
		}
		const shown = old ?? fresh;
		if (shown !== undefined && available(shown)) standing++;
		if (old === undefined) continue;
		if (fresh !== undefined) {
			if (available(fresh)) remove.push(old);
			else surged++;
			continue;
		}
		const node = nodes.find((n) => n.metadata.name === name);
		const runs = node !== undefined && fits(ds, node).run;
		if (!available(old)) {
			if (runs) free.push(name);
			else remove.push(old);
		} else if (!runs) leaving.push(old);
		else if (surged < surge) candidates.push(name);
	}
	remove.push(...leaving.slice(0, Math.max(0, standing - desired)));
	return { create: [...free, ...candidates.slice(0, Math.max(0, surge - surged))], remove };
}

function updatedOn(ds: DaemonSet, pods: readonly Pod[], hash: string): Omit<OnNode, 'node'> {
	const living = pods.filter((pod) => pod.metadata.deletionTimestamp === undefined);
	const [fresh, ...moreFresh] = living.filter((pod) => isUpdated(ds, pod, hash));
	const [old, ...moreOld] = living.filter((pod) => !isUpdated(ds, pod, hash));
	return { ok: moreFresh.length === 0 && moreOld.length === 0, fresh, old };
}

/** @param observed whether this generation has been acted upon */
export function statusOf(
	ds: DaemonSet,
	nodes: readonly Node[],
	pods: PodsByNode,
	hash: string,
	now: number,
	observed: boolean,
): DaemonSetStatus {
	const count = {
		desiredNumberScheduled: 0,
		currentNumberScheduled: 0,
		numberMisscheduled: 0,
		numberReady: 0,
		updatedNumberScheduled: 0,
		numberAvailable: 0,
	};
	for (const node of nodes) {
		const [pod] = (pods.get(node.metadata.name ?? '') ?? []).toSorted(older);
		if (!fits(ds, node).run) {
			if (pod !== undefined) count.numberMisscheduled++;
			continue;
		}
		count.desiredNumberScheduled++;
		if (pod === undefined) continue;
		count.currentNumberScheduled++;
		if (isReady(pod)) count.numberReady++;
		if (isAvailable(pod, ds.spec?.minReadySeconds ?? 0, now)) count.numberAvailable++;
		if (isUpdated(ds, pod, hash)) count.updatedNumberScheduled++;
	}
	const { collisionCount, conditions, observedGeneration } = ds.status ?? {};
	const generation = observed ? ds.metadata.generation : observedGeneration;
	return {
		...count,
		numberUnavailable: count.desiredNumberScheduled - count.numberAvailable,
		...(generation === undefined ? {} : { observedGeneration: generation }),
		...(collisionCount === undefined ? {} : { collisionCount }),
		...(conditions === undefined ? {} : { conditions }),
	};
}

/** Those that are on a node first, then the oldest. */
function older(a: Pod, b: Pod): number {
	const placed = (pod: Pod): number => ((pod.spec?.nodeName ?? '') === '' ? 1 : 0);
	const made = (pod: Pod): number => Date.parse(pod.metadata.creationTimestamp ?? '') || 0;
	return placed(a) - placed(b) || made(a) - made(b) || ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1);
}
