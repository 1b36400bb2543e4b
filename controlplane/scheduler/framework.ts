/** What a scheduling plugin is: a pure decision about one pod, prepared once for all nodes, then asked node by node. */
import type { NodeInfo } from './node-info.ts';
import type { PodInfo } from './pod-info.ts';

/** The cluster at one moment. */
export interface Snapshot {
	readonly nodes: readonly NodeInfo[];
	/** Labels of a namespace; undefined where it is not known. */
	namespaceLabels(namespace: string): Readonly<Record<string, string>> | undefined;
}

/** Why a node (or every node) does not do, in upstream's words. */
export interface Refusal {
	readonly reasons: readonly string[];
	/** True where removing other pods may help. */
	readonly preemptable: boolean;
}

export type NodeFilter = (node: NodeInfo) => Refusal | undefined;
export type NodeScore = (node: NodeInfo) => number;

export interface FilterPlugin {
	readonly name: string;
	/** "skip" where the pod does not ask for what this plugin looks at; a Refusal where no node can do. */
	prepare(pod: PodInfo, snapshot: Snapshot): 'skip' | Refusal | NodeFilter;
	/** What, changing in the cluster, may make a refused pod fit (upstream's queueing hints, by kind of change). */
	readonly wokenBy: readonly ClusterEvent[];
}

export interface ScorePlugin {
	readonly name: string;
	prepare(pod: PodInfo, snapshot: Snapshot, feasible: readonly NodeInfo[]): 'skip' | NodeScore;
	/** Raw scores to 0..100; absent where they are that already. */
	normalize?(scores: readonly number[]): readonly number[];
}

export interface WeightedScorePlugin extends ScorePlugin {
	readonly weight: number;
}

/** What a pod that was given a node holds until it is bound. */
export interface Reservation {
	/** Who holds it. */
	readonly plugin: string;
	/** Work that must be done before the pod is bound; throwing means that it is not. */
	beforeBinding(signal: AbortSignal): Promise<void>;
	/** The pod was not bound after all. What others may be given is free at once; what was written is taken back. */
	undo(signal: AbortSignal): void | Promise<void>;
}

/** Changes in the cluster that may let a waiting pod in. */
export const CLUSTER_EVENTS = [
	...(['nodeAdded', 'nodeTaint', 'nodeLabel', 'nodeAllocatable', 'nodeCondition', 'nodeFeatures'] as const),
	...(['podAdded', 'podDeleted', 'podChanged', 'namespaceChanged', 'claimChanged', 'volumeChanged', 'storageClassChanged'] as const),
	...(['csiNodeAdded', 'csiNodeGrown', 'capacityGrown', 'attachmentDeleted', 'devicesChanged'] as const),
] as const;
export type ClusterEvent = (typeof CLUSTER_EVENTS)[number];

export const MAX_SCORE = 100;

/** A plugin cannot tell whether nodes do: the decision is given up, and made again later (upstream's Error of a plugin). */
export class PluginFailed extends Error {}

/** The one constructor of refusals that other pods can be blamed for. */
export function blocked(...reasons: readonly string[]): Refusal {
	return { reasons, preemptable: true };
}

/** A refusal that no preemption can lift (upstream's UnschedulableAndUnresolvable). */
export function impossible(...reasons: readonly string[]): Refusal {
	return { reasons, preemptable: false };
}

/** Scales to 0..100 by the largest; `reverse` makes little much (upstream's DefaultNormalizeScore). */
export function scaleToMax(scores: readonly number[], reverse: boolean): readonly number[] {
	const max = Math.max(0, ...scores);
	if (max === 0) return scores.map(() => (reverse ? MAX_SCORE : 0));
	return scores.map((score) => {
		const scaled = Math.floor((MAX_SCORE * score) / max);
		return reverse ? MAX_SCORE - scaled : scaled;
	});
}
