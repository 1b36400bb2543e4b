/** Which pods make room for a critical one that the node would turn away for want of resources (upstream pkg/kubelet/preemption). Pure. */
import type { Node, Pod } from '../../api/gen/types.ts';
import type { Shortage } from '../../api/pod/fit.ts';
import { qosClass } from '../../api/pod/qos.ts';
import { podRequests } from '../../api/pod/resources.ts';
import { isCritical } from '../eviction/ranking.ts';
import { shortagesHere } from './shortages.ts';

/** What is missing, by resource: thousandths of cpu, else units. */
type Missing = ReadonlyMap<string, number>;

export interface Preemption {
	readonly victims: readonly Pod[];
	/** As the metric names it. */
	readonly signal: string;
}

/** Upstream's words. */
export const PREEMPTED = {
	reason: 'Preempting',
	message: 'Preempted in order to admit critical pod',
	condition: {
		type: 'DisruptionTarget',
		status: 'True',
		reason: 'TerminationByKubelet',
		message: 'Pod was preempted by Kubelet to accommodate a critical pod.',
	},
} as const;

/** Undefined where nobody may or could make room. The pods that hurt least: by class of service, and as few as the resources allow. */
export function preemptionFor(pod: Pod, node: Node, others: readonly Pod[]): Preemption | undefined {
	const short = shortagesHere(pod, node, others);
	const [first] = short;
	if (first === undefined || !isCritical(pod)) return undefined;
	const missing: Missing = new Map(short.map((s) => [s.resource, lack(s)]));
	const preemptable = others.filter((other) => other.metadata.uid !== pod.metadata.uid && !isCritical(other));
	const of = (qos: string): readonly Pod[] => preemptable.filter((other) => qosClass(other) === qos);
	const [bestEffort, burstable, guaranteed] = [of('BestEffort'), of('Burstable'), of('Guaranteed')];
	if (without(missing, preemptable).size > 0) return undefined;
	const last = byDistance(guaranteed, without(missing, [...bestEffort, ...burstable]));
	const next = byDistance(burstable, without(missing, [...bestEffort, ...last]));
	return { victims: [...byDistance(bestEffort, without(missing, [...next, ...last])), ...next, ...last], signal: first.resource };
}

function lack({ requested, used, capacity }: Shortage): number {
	return requested - (capacity - used);
}

function without(missing: Missing, pods: readonly Pod[]): Missing {
	const left = [...missing].map(([name, amount]) => [name, amount - pods.reduce((sum, pod) => sum + given(pod, name), 0)] as const);
	return new Map(left.filter(([, amount]) => amount > 0));
}

/** One after the other the pod after which least is missing; of equals the one that asks for less. */
function byDistance(pods: readonly Pod[], missing: Missing): readonly Pod[] {
	const chosen: Pod[] = [];
	let left = missing;
	let candidates = pods;
	while (left.size > 0) {
		const now = left;
		const [best] = candidates.toSorted((a, b) => distance(now, a) - distance(now, b) || smaller(a, b));
		if (best === undefined) break;
		chosen.push(best);
		left = without(left, [best]);
		candidates = candidates.filter((pod) => pod !== best);
	}
	return chosen;
}

/** Of what is missing the share that would still be, squared and summed. */
function distance(missing: Missing, pod: Pod): number {
	return [...missing].reduce((sum, [name, amount]) => sum + (Math.max(0, amount - given(pod, name)) / amount) ** 2, 0);
}

function smaller(a: Pod, b: Pod): number {
	return given(a, 'memory') - given(b, 'memory') || given(a, 'cpu') - given(b, 'cpu');
}

function given(pod: Pod, name: string): number {
	if (name === 'pods') return 1;
	const nano = podRequests(pod).get(name)?.nano ?? 0n;
	return Number(name === 'cpu' ? nano / 1_000_000n : nano / 1_000_000_000n);
}
