/** PodTopologySpread: pods that a constraint selects are spread evenly over the values of a topology label. */
import type { TopologySpreadConstraint } from '../../../api/gen/types.ts';
import { matchesNode } from '../../../api/pod/node-affinity.ts';
import { untolerated } from '../../../api/pod/tolerations.ts';
import { matchesLabelSelector } from '../../../api/selector/label.ts';
import { ZONE_LABEL } from '../../../api/topology-labels.ts';
import { narrowed } from '../affinity-term.ts';
import { MAX_SCORE, blocked, impossible, type FilterPlugin, type ScorePlugin } from '../framework.ts';
import type { NodeInfo } from '../node-info.ts';
import type { PluginArgs } from '../plugin-args.ts';
import type { PodInfo } from '../pod-info.ts';
import type { SiblingsOf } from '../workloads.ts';

const NAME = 'PodTopologySpread';
const REASON = "node(s) didn't match pod topology spread constraints";
const HOSTNAME = 'kubernetes.io/hostname';

export function topologySpreadFilter(args: PluginArgs['PodTopologySpread'], siblingsOf: SiblingsOf): FilterPlugin {
	return {
		name: NAME,
		wokenBy: ['nodeAdded', 'nodeLabel', 'nodeTaint', 'podAdded', 'podDeleted', 'podChanged'],
		prepare(pod, snapshot) {
			const constraints = constraintsOf(pod, 'DoNotSchedule', args, siblingsOf);
			if (constraints.length === 0) return 'skip';
			const counted = constraints.map((constraint) => {
				const counts = countByValue(constraint, pod, snapshot.nodes, constraints);
				const min = Math.min(...counts.values());
				// Fewer values than asked for: the missing ones have no pods.
				const least = counts.size < (constraint.minDomains ?? 1) ? 0 : min;
				return { constraint, counts, least, self: selects(constraint, pod, pod) ? 1 : 0 };
			});
			return (node) => {
				for (const { constraint, counts, least, self } of counted) {
					const value = node.node.metadata.labels?.[constraint.topologyKey];
					if (value === undefined) return impossible(`${REASON} (missing required label)`);
					if ((counts.get(value) ?? 0) + self - least > constraint.maxSkew) return blocked(REASON);
				}
				return undefined;
			};
		},
	};
}

/** Of pods that say nothing of it, with what goes with them (upstream's systemDefaultConstraints). */
const DEFAULTS: readonly TopologySpreadConstraint[] = [
	{ topologyKey: HOSTNAME, maxSkew: 3, whenUnsatisfiable: 'ScheduleAnyway' },
	{ topologyKey: ZONE_LABEL, maxSkew: 5, whenUnsatisfiable: 'ScheduleAnyway' },
];

export function topologySpreadScore(args: PluginArgs['PodTopologySpread'], siblingsOf: SiblingsOf): ScorePlugin {
	return {
		name: NAME,
		prepare(pod, snapshot, feasible) {
			const constraints = constraintsOf(pod, 'ScheduleAnyway', args, siblingsOf);
			if (constraints.length === 0) return 'skip';
			// By upstream's own constraints nodes of no zone are spread over all the same.
			const needed = isOwn(pod) || args.defaultingType === 'List' ? constraints : [];
			const labelled = feasible.filter((node) => hasAll(node, needed));
			const counted = constraints.map((constraint) => {
				const counts = countByValue(constraint, pod, snapshot.nodes, needed);
				const domains = new Set(labelled.map((node) => node.node.metadata.labels?.[constraint.topologyKey]));
				// More values weigh more (upstream's topologyNormalizingWeight).
				const size = constraint.topologyKey === HOSTNAME ? labelled.length : domains.size;
				return { constraint, counts, weight: Math.log(size + 2) };
			});
			return (node) => {
				if (!hasAll(node, needed)) return Number.NaN;
				let score = 0;
				for (const { constraint, counts, weight } of counted) {
					const value = node.node.metadata.labels?.[constraint.topologyKey];
					if (value !== undefined) score += (counts.get(value) ?? 0) * weight + (constraint.maxSkew - 1);
				}
				return Math.round(score);
			};
		},
		/** Few pods are good; nodes without the labels (NaN) get nothing. */
		normalize(scores) {
			const known = scores.filter((score) => !Number.isNaN(score));
			const max = Math.max(...known);
			const min = Math.min(...known);
			return scores.map((score) => {
				if (Number.isNaN(score)) return 0;
				return max === 0 ? MAX_SCORE : Math.floor((MAX_SCORE * (max + min - score)) / max);
			});
		},
	};
}

function hasAll({ node }: NodeInfo, constraints: readonly TopologySpreadConstraint[]): boolean {
	return constraints.every((c) => node.metadata.labels?.[c.topologyKey] !== undefined);
}

function isOwn(pod: PodInfo): boolean {
	return (pod.pod.spec?.topologySpreadConstraints ?? []).length > 0;
}

/** Those of the pod, or, if it has none, the default ones about what goes with it. */
function constraintsOf(
	pod: PodInfo,
	action: TopologySpreadConstraint['whenUnsatisfiable'],
	{ defaultConstraints, defaultingType }: PluginArgs['PodTopologySpread'],
	siblingsOf: SiblingsOf,
): readonly TopologySpreadConstraint[] {
	if (isOwn(pod)) return (pod.pod.spec?.topologySpreadConstraints ?? []).filter((c) => c.whenUnsatisfiable === action);
	const constraints = (defaultingType === 'System' ? DEFAULTS : defaultConstraints).filter((c) => c.whenUnsatisfiable === action);
	const labelSelector = constraints.length === 0 ? undefined : siblingsOf(pod.pod);
	return labelSelector === undefined ? [] : constraints.map((constraint) => ({ ...constraint, labelSelector }));
}

/** How many selected pods each value of the topology label has, over the nodes that count. */
function countByValue(
	constraint: TopologySpreadConstraint,
	pod: PodInfo,
	nodes: readonly NodeInfo[],
	needed: readonly TopologySpreadConstraint[],
): ReadonlyMap<string, number> {
	const counts = new Map<string, number>();
	for (const node of nodes) {
		const value = node.node.metadata.labels?.[constraint.topologyKey];
		if (value === undefined || !hasAll(node, needed) || !included(constraint, pod, node)) continue;
		const matching = node.pods.filter(
			(other) => other.pod.metadata.deletionTimestamp === undefined && selects(constraint, pod, other),
		).length;
		counts.set(value, (counts.get(value) ?? 0) + matching);
	}
	return counts;
}

/** By default nodes that the pod's node affinity rules out do not count, tainted ones do. */
function included(constraint: TopologySpreadConstraint, pod: PodInfo, node: NodeInfo): boolean {
	if ((constraint.nodeAffinityPolicy ?? 'Honor') === 'Honor' && !matchesNode(pod.pod, node.node)) return false;
	if ((constraint.nodeTaintsPolicy ?? 'Ignore') === 'Ignore') return true;
	return untolerated(pod.pod.spec?.tolerations, node.node.spec?.taints ?? [], ['NoSchedule', 'NoExecute']) === undefined;
}

function selects(constraint: TopologySpreadConstraint, owner: PodInfo, other: PodInfo): boolean {
	if (other.namespace !== owner.namespace || constraint.labelSelector === undefined) return false;
	return matchesLabelSelector(narrowed(constraint.labelSelector, owner.pod, constraint.matchLabelKeys), other.pod.metadata.labels ?? {});
}
