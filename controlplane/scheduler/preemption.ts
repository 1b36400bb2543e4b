/** Which pods would have to go so that a more important one fits (upstream's DefaultPreemption). Pure. */
import type { PodDisruptionBudget } from '../../api/gen/types.ts';
import { matchesLabelSelector } from '../../api/selector/label.ts';
import { isEmptySelector } from '../../api/validation/pod/template.ts';
import type { FilterPlugin, Refusal, Snapshot } from './framework.ts';
import { withPods, type NodeInfo } from './node-info.ts';
import { DEFAULT_ARGS, type PluginArgs } from './plugin-args.ts';
import type { PodInfo } from './pod-info.ts';
import { refusalOn, type Unfit } from './schedule.ts';

export interface Candidate {
	readonly node: string;
	/** Most important first. */
	readonly victims: readonly PodInfo[];
	readonly violations: number;
}

export type Preemption =
	| { readonly type: 'found'; readonly candidate: Candidate }
	/** By node, of those where pods might go: why that does not help. */
	| { readonly type: 'none'; readonly refusals: ReadonlyMap<string, readonly string[]> }
	| { readonly type: 'ineligible'; readonly why: string };

/** The best node to make room on, where that helps and is allowed. */
export function choosePreemption(...of: Parameters<typeof preemptionCandidates>): Preemption {
	const found = preemptionCandidates(...of);
	return found.type === 'candidates' ? { type: 'found', candidate: bestCandidate(found.candidates) } : found;
}

/** Nodes where pods could make room, at least one; or why there are none. */
export function preemptionCandidates(
	pod: PodInfo,
	unfit: Unfit,
	snapshot: Snapshot,
	filters: readonly FilterPlugin[],
	budgets: readonly PodDisruptionBudget[],
	args: PluginArgs['DefaultPreemption'] = DEFAULT_ARGS.DefaultPreemption,
): Exclude<Preemption, { type: 'found' }> | { readonly type: 'candidates'; readonly candidates: readonly Candidate[] } {
	if (pod.pod.spec?.preemptionPolicy === 'Never') return { type: 'ineligible', why: 'not eligible due to preemptionPolicy=Never.' };
	if (victimsUnderWay(pod, unfit, snapshot))
		return { type: 'ineligible', why: 'not eligible due to a terminating pod on the nominated node.' };
	const refusals = new Map<string, readonly string[]>();
	if (unfit.everywhere?.preemptable === false) return { type: 'none', refusals };
	const percent = Math.floor((snapshot.nodes.length * args.minCandidateNodesPercentage) / 100);
	const enough = Math.max(args.minCandidateNodesAbsolute, percent);
	const candidates: Candidate[] = [];
	for (const node of snapshot.nodes) {
		if (unfit.refusals.get(node.name)?.preemptable !== true) continue;
		const candidate = victimsOn(pod, node, snapshot, filters, budgets);
		if ('reasons' in candidate) refusals.set(node.name, candidate.reasons);
		else candidates.push(candidate);
		if (candidates.length >= enough && candidates.some(({ violations }) => violations === 0)) break;
	}
	return candidates.length === 0 ? { type: 'none', refusals } : { type: 'candidates', candidates };
}

/** @param candidates at least one */
export function bestCandidate(candidates: readonly Candidate[]): Candidate {
	return candidates.toSorted(compare)[0] as Candidate;
}

/** True while victims of the scheduler on the nominated node still end: then no further ones are needed, unless the node would not do without them either. */
function victimsUnderWay(pod: PodInfo, unfit: Unfit, snapshot: Snapshot): boolean {
	const nominated = pod.pod.status?.nominatedNodeName ?? '';
	const node = nominated === '' ? undefined : snapshot.nodes.find((n) => n.name === nominated);
	if (node === undefined || (unfit.everywhere ?? unfit.refusals.get(nominated))?.preemptable === false) return false;
	return node.pods.some((other) => other.priority < pod.priority && isVictim(other));
}

function isVictim({ pod: { metadata, status } }: PodInfo): boolean {
	if (metadata.deletionTimestamp === undefined) return false;
	const told = status?.conditions?.find((condition) => condition.type === 'DisruptionTarget');
	return told?.status === 'True' && told.reason === 'PreemptionByScheduler';
}

/** Takes all less important pods away, then puts back as many as fit: those protected by budgets first, the more important first. Or why even all are not enough. */
function victimsOn(
	pod: PodInfo,
	node: NodeInfo,
	snapshot: Snapshot,
	filters: readonly FilterPlugin[],
	budgets: readonly PodDisruptionBudget[],
): Candidate | Pick<Refusal, 'reasons'> {
	const lower = node.pods.filter((other) => other.priority < pod.priority);
	if (lower.length === 0) return { reasons: ['No preemption victims found for incoming pod'] };
	const refusedWith = (pods: readonly PodInfo[]): Refusal | undefined => {
		const changed = withPods(node, pods);
		const nodes = snapshot.nodes.map((n) => (n.name === node.name ? changed : n));
		return refusalOn(pod, changed, { ...snapshot, nodes }, filters);
	};
	let kept = node.pods.filter((other) => other.priority >= pod.priority);
	const refused = refusedWith(kept);
	if (refused !== undefined) return refused;
	const violating = violatingOf(lower, budgets);
	const order = lower.toSorted((a, b) => Number(violating.has(b)) - Number(violating.has(a)) || moreImportant(a, b));
	const victims: PodInfo[] = [];
	for (const other of order) {
		if (refusedWith([...kept, other]) === undefined) kept = [...kept, other];
		else victims.push(other);
	}
	return { node: node.name, victims: victims.toSorted(moreImportant), violations: victims.filter((v) => violating.has(v)).length };
}

/** Pods whose end their disruption budgets do not allow, each budget counted down as pods use it. */
function violatingOf(pods: readonly PodInfo[], budgets: readonly PodDisruptionBudget[]): ReadonlySet<PodInfo> {
	const left = new Map(budgets.map((budget) => [budget, budget.status?.disruptionsAllowed ?? 0]));
	const violating = new Set<PodInfo>();
	for (const pod of pods.toSorted(moreImportant)) {
		for (const [budget, allowed] of left) {
			const { selector } = budget.spec ?? {};
			// One that selects all is about none here, as upstream has it.
			if (budget.metadata.namespace !== pod.namespace || isEmptySelector(selector)) continue;
			if (!matchesLabelSelector(selector, pod.pod.metadata.labels ?? {})) continue;
			if (budget.status?.disruptedPods?.[pod.pod.metadata.name ?? ''] !== undefined) continue;
			left.set(budget, allowed - 1);
			if (allowed - 1 < 0) violating.add(pod);
		}
	}
	return violating;
}

/** Upstream's pickOneNodeForPreemption: fewest violations, least important victims, fewest of them, started latest. */
function compare(a: Candidate, b: Candidate): number {
	const sum = (c: Candidate): number => c.victims.reduce((total, v) => total + v.priority + 2 ** 31, 0);
	return (
		a.violations - b.violations ||
		(a.victims[0]?.priority ?? 0) - (b.victims[0]?.priority ?? 0) ||
		sum(a) - sum(b) ||
		a.victims.length - b.victims.length ||
		startOf(b.victims[0]).localeCompare(startOf(a.victims[0]))
	);
}

/** Higher priority first, then the longer running. */
function moreImportant(a: PodInfo, b: PodInfo): number {
	return b.priority - a.priority || startOf(a).localeCompare(startOf(b));
}

function startOf(pod: PodInfo | undefined): string {
	return pod?.pod.status?.startTime ?? pod?.pod.metadata.creationTimestamp ?? '';
}
