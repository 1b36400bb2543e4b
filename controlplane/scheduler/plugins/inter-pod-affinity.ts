/** InterPodAffinity: near the pods that a term selects, or away from them; a term counts within one value of its topology label. */
import type { PodAffinityTerm } from '../../../api/gen/types.ts';
import { MAX_SCORE, blocked, impossible, type FilterPlugin, type ScorePlugin, type Snapshot } from '../framework.ts';
import type { NodeInfo } from '../node-info.ts';
import type { PluginArgs } from '../plugin-args.ts';
import type { PodInfo } from '../pod-info.ts';
import { selectsPod } from '../affinity-term.ts';

const NAME = 'InterPodAffinity';

/** Topology key and value to a count. */
type Counts = Map<string, number>;

export const interPodAffinityFilter: FilterPlugin = {
	name: NAME,
	wokenBy: ['nodeAdded', 'nodeLabel', 'podAdded', 'podDeleted', 'podChanged', 'namespaceChanged'],
	prepare(pod, snapshot) {
		const near: Counts = new Map();
		const away: Counts = new Map();
		const repelled: Counts = new Map();
		for (const node of snapshot.nodes) {
			for (const other of node.pods) {
				// All terms must match for a pod to count as company (upstream's podMatchesAllAffinityTerms).
				if (pod.affinity.length > 0 && pod.affinity.every((t) => selectsPod(t, pod, other.pod, snapshot)))
					count(near, pod.affinity, node, 1);
				for (const term of pod.antiAffinity) if (selectsPod(term, pod, other.pod, snapshot)) count(away, [term], node, 1);
				for (const term of other.antiAffinity) if (selectsPod(term, other, pod.pod, snapshot)) count(repelled, [term], node, 1);
			}
		}
		if (pod.affinity.length === 0 && pod.antiAffinity.length === 0 && repelled.size === 0) return 'skip';
		// The first of a group that wants its own company may go anywhere with the labels.
		const first = near.size === 0 && pod.affinity.every((t) => selectsPod(t, pod, pod.pod, snapshot));
		return (node) => {
			const labels = node.node.metadata.labels ?? {};
			for (const term of pod.affinity) {
				const value = labels[term.topologyKey];
				if (value === undefined || (!first && !near.has(at(term.topologyKey, value))))
					return impossible("node(s) didn't match pod affinity rules");
			}
			if (pod.antiAffinity.some((term) => hit(away, term, labels))) return blocked("node(s) didn't match pod anti-affinity rules");
			for (const [key, value] of Object.entries(labels))
				if (repelled.has(at(key, value))) return blocked("node(s) didn't satisfy existing pods anti-affinity rules");
			return undefined;
		};
	},
};

export function interPodAffinityScore(args: PluginArgs['InterPodAffinity']): ScorePlugin {
	const { hardPodAffinityWeight, ignorePreferredTermsOfExistingPods } = args;
	return {
		name: NAME,
		prepare(pod, snapshot) {
			const isChoosy = pod.preferredAffinity.length + pod.preferredAntiAffinity.length > 0;
			if (ignorePreferredTermsOfExistingPods && !isChoosy) return 'skip';
			const sums: Counts = new Map();
			for (const node of snapshot.nodes) for (const other of node.pods) weigh(sums, pod, other, node, snapshot, hardPodAffinityWeight);
			if (sums.size === 0) return 'skip';
			return (node) =>
				Object.entries(node.node.metadata.labels ?? {}).reduce((sum, [key, value]) => sum + (sums.get(at(key, value)) ?? 0), 0);
		},
		normalize(scores) {
			const max = Math.max(...scores);
			const min = Math.min(...scores);
			return scores.map((score) => (max === min ? 0 : Math.floor((MAX_SCORE * (score - min)) / (max - min))));
		},
	};
}

/** What one pod already there adds: this pod's wishes about it, and its wishes about this pod. */
function weigh(sums: Counts, pod: PodInfo, other: PodInfo, node: NodeInfo, snapshot: Snapshot, hardWeight: number): void {
	for (const { weight, podAffinityTerm } of pod.preferredAffinity)
		if (selectsPod(podAffinityTerm, pod, other.pod, snapshot)) count(sums, [podAffinityTerm], node, weight);
	for (const { weight, podAffinityTerm } of pod.preferredAntiAffinity)
		if (selectsPod(podAffinityTerm, pod, other.pod, snapshot)) count(sums, [podAffinityTerm], node, -weight);
	if (hardWeight > 0)
		for (const term of other.affinity) if (selectsPod(term, other, pod.pod, snapshot)) count(sums, [term], node, hardWeight);
	for (const { weight, podAffinityTerm } of other.preferredAffinity)
		if (selectsPod(podAffinityTerm, other, pod.pod, snapshot)) count(sums, [podAffinityTerm], node, weight);
	for (const { weight, podAffinityTerm } of other.preferredAntiAffinity)
		if (selectsPod(podAffinityTerm, other, pod.pod, snapshot)) count(sums, [podAffinityTerm], node, -weight);
}

function count(counts: Counts, terms: readonly PodAffinityTerm[], node: NodeInfo, by: number): void {
	for (const { topologyKey } of terms) {
		const value = node.node.metadata.labels?.[topologyKey];
		if (value !== undefined) counts.set(at(topologyKey, value), (counts.get(at(topologyKey, value)) ?? 0) + by);
	}
}

function hit(counts: Counts, term: PodAffinityTerm, labels: Readonly<Record<string, string>>): boolean {
	const value = labels[term.topologyKey];
	return value !== undefined && counts.has(at(term.topologyKey, value));
}

function at(key: string, value: string): string {
	return `${key}=${value}`;
}
