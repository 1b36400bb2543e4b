/** One scheduling decision: filters, then scores. Pure but for the dice that break ties. */
import {
	impossible,
	MAX_SCORE,
	PluginFailed,
	type ClusterEvent,
	type FilterPlugin,
	type NodeFilter,
	type Refusal,
	type Snapshot,
	type WeightedScorePlugin,
} from './framework.ts';
import type { NodeInfo } from './node-info.ts';
import type { PodInfo } from './pod-info.ts';

export interface Plugins {
	/** 1 to 100, or 0 for as many as upstream takes unless told. */
	readonly percentageOfNodesToScore?: number;
	readonly filters: readonly FilterPlugin[];
	readonly scores: readonly WeightedScorePlugin[];
}

/** Why no node does. */
export interface Unfit {
	/** By node name. */
	readonly refusals: ReadonlyMap<string, Refusal>;
	/** Set where the pod is refused whatever the node. */
	readonly everywhere: Refusal | undefined;
	/** What may change that. */
	readonly wokenBy: ReadonlySet<ClusterEvent>;
}

export type Decision = { readonly node: string } | { readonly unfit: Unfit };

/** Upstream: with fewer nodes all are looked at; else a shrinking share of them, at least this many and this percentage. */
const MIN_FEASIBLE = 100;
const MIN_PERCENT = 5;

/** How many fitting nodes are enough (upstream's numFeasibleNodesToFind); at percentage 0 the more nodes, the smaller a share. */
export function enoughNodes(count: number, percentage = 0): number {
	if (count < MIN_FEASIBLE) return count;
	const percent = percentage > 0 ? percentage : Math.max(MIN_PERCENT, 50 - Math.floor(count / 125));
	return Math.max(MIN_FEASIBLE, Math.floor((count * percent) / 100));
}

/** Throws PluginFailed. @param start the node to begin with, so that not always the same are looked at first */
export function schedule(pod: PodInfo, snapshot: Snapshot, plugins: Plugins, random: () => number, start = 0): Decision {
	const { feasible, unfit } = feasibleNodes(pod, snapshot, plugins, start);
	return feasible.length === 0 ? { unfit } : { node: best(pod, snapshot, feasible, plugins.scores, random) };
}

/** Those that do, and why not the others. */
export function feasibleNodes(
	pod: PodInfo,
	snapshot: Snapshot,
	plugins: Plugins,
	start: number,
): { readonly feasible: readonly NodeInfo[]; readonly unfit: Unfit } {
	const prepared = prepareFilters(pod, snapshot, plugins.filters);
	if ('refusal' in prepared) {
		const { refusal, plugin } = prepared;
		return { feasible: [], unfit: { refusals: new Map(), everywhere: refusal, wokenBy: new Set(plugin.wokenBy) } };
	}
	const feasible: NodeInfo[] = [];
	const refusals = new Map<string, Refusal>();
	const wokenBy = new Set<ClusterEvent>(snapshot.nodes.length === 0 ? ['nodeAdded'] : []);
	const enough = enoughNodes(snapshot.nodes.length, plugins.percentageOfNodesToScore);
	for (let i = 0; i < snapshot.nodes.length && feasible.length < enough; i++) {
		const node = snapshot.nodes[(start + i) % snapshot.nodes.length] as NodeInfo;
		const refused = firstRefusal(prepared.filters, node);
		if (refused === undefined) feasible.push(node);
		else {
			refusals.set(node.name, refused.refusal);
			for (const event of refused.plugin.wokenBy) wokenBy.add(event);
		}
	}
	return { feasible, unfit: { refusals, everywhere: undefined, wokenBy } };
}

/** Why the pod does not fit this node of the snapshot; undefined where it does. */
export function refusalOn(pod: PodInfo, node: NodeInfo, snapshot: Snapshot, filters: readonly FilterPlugin[]): Refusal | undefined {
	try {
		const prepared = prepareFilters(pod, snapshot, filters);
		return 'refusal' in prepared ? prepared.refusal : firstRefusal(prepared.filters, node)?.refusal;
	} catch (error) {
		if (error instanceof PluginFailed) return impossible(error.message);
		throw error;
	}
}

interface Ready {
	readonly plugin: FilterPlugin;
	readonly filter: NodeFilter;
}

function prepareFilters(
	pod: PodInfo,
	snapshot: Snapshot,
	plugins: readonly FilterPlugin[],
): { readonly filters: readonly Ready[] } | { readonly refusal: Refusal; readonly plugin: FilterPlugin } {
	const filters: Ready[] = [];
	for (const plugin of plugins) {
		const prepared = plugin.prepare(pod, snapshot);
		if (prepared === 'skip') continue;
		if (typeof prepared !== 'function') return { refusal: prepared, plugin };
		filters.push({ plugin, filter: prepared });
	}
	return { filters };
}

function firstRefusal(filters: readonly Ready[], node: NodeInfo): { readonly refusal: Refusal; readonly plugin: FilterPlugin } | undefined {
	for (const { plugin, filter } of filters) {
		const refusal = filter(node);
		if (refusal !== undefined) return { refusal, plugin };
	}
	return undefined;
}

/** The node with the highest weighted sum; among equals one at random. @param more to add to the sums, by node */
export function best(
	pod: PodInfo,
	snapshot: Snapshot,
	feasible: readonly NodeInfo[],
	plugins: readonly WeightedScorePlugin[],
	random: () => number,
	more?: ReadonlyMap<string, number>,
): string {
	const [only] = feasible;
	if (only !== undefined && feasible.length === 1) return only.name;
	const sums = totalScores(pod, snapshot, feasible, plugins);
	const totals = more === undefined ? sums : sums.map((sum, i) => sum + (more.get(feasible[i]?.name ?? '') ?? 0));
	const max = Math.max(...totals);
	const winners = feasible.filter((_, i) => totals[i] === max);
	return (winners[Math.floor(random() * winners.length)] ?? (feasible[0] as NodeInfo)).name;
}

/** The weighted sums, in the order of `feasible`. */
export function totalScores(
	pod: PodInfo,
	snapshot: Snapshot,
	feasible: readonly NodeInfo[],
	plugins: readonly WeightedScorePlugin[],
): readonly number[] {
	const totals = feasible.map(() => 0);
	for (const plugin of plugins) {
		const score = plugin.prepare(pod, snapshot, feasible);
		if (score === 'skip') continue;
		const raw = feasible.map(score);
		const normal = plugin.normalize?.(raw) ?? raw;
		normal.forEach((value, i) => (totals[i] = (totals[i] ?? 0) + plugin.weight * Math.min(MAX_SCORE, Math.max(0, value))));
	}
	return totals;
}
