/** Decisions about a pod: as `schedule` and `choosePreemption` make them, but for extenders, which are asked in between. */
import { CLUSTER_EVENTS, PluginFailed, type Snapshot } from '../framework.ts';
import type { PodInfo } from '../pod-info.ts';
import { bestCandidate, choosePreemption, preemptionCandidates, type Preemption } from '../preemption.ts';
import { best, feasibleNodes, schedule, type Decision, type Plugins } from '../schedule.ts';
import type { Extenders } from './extenders.ts';

/** At once where there are no extenders. Throws, or rejects with, PluginFailed. */
export function decide(
	extenders: Extenders,
	signal: AbortSignal,
	...of: Required<Parameters<typeof schedule>>
): Decision | Promise<Decision> {
	return extenders.isEmpty ? schedule(...of) : scheduleWith(extenders, signal, ...of);
}

async function scheduleWith(
	extenders: Extenders,
	signal: AbortSignal,
	pod: PodInfo,
	snapshot: Snapshot,
	plugins: Plugins,
	random: () => number,
	start: number,
): Promise<Decision> {
	const { feasible, unfit } = feasibleNodes(pod, snapshot, plugins, start);
	if (feasible.length === 0) return { unfit };
	const { nodes, refusals } = await extenders.filter(pod, feasible, signal);
	// Nobody knows what would change an extender's mind.
	const wokenBy = nodes.length === feasible.length ? unfit.wokenBy : new Set(CLUSTER_EVENTS);
	if (nodes.length === 0) return { unfit: { ...unfit, refusals: new Map([...unfit.refusals, ...refusals]), wokenBy } };
	const more = nodes.length === 1 ? undefined : await extenders.scores(pod, nodes, signal);
	return { node: best(pod, snapshot, nodes, plugins.scores, random, more) };
}

export async function preempt(
	extenders: Extenders,
	signal: AbortSignal,
	...of: Parameters<typeof preemptionCandidates>
): Promise<Preemption> {
	if (extenders.isEmpty) return choosePreemption(...of);
	const found = preemptionCandidates(...of);
	if (found.type !== 'candidates') return found;
	const [pod, , snapshot] = of;
	try {
		const left = await extenders.preempt(pod, found.candidates, snapshot.nodes, signal);
		if (left.length > 0) return { type: 'found', candidate: bestCandidate(left) };
		return { type: 'ineligible', why: 'no candidate node for preemption' };
	} catch (error) {
		if (error instanceof PluginFailed) return { type: 'ineligible', why: error.message };
		throw error;
	}
}
