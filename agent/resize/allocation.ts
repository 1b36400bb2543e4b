/** What a pod was given of cpu and memory: its spec says what is wanted, this what the node agreed to. Pure; upstream's allocation manager. */
import type { Container, Pod, ResourceRequirements } from '../../api/gen/types.ts';
import { qosClass } from '../../api/pod/qos.ts';
import { podRequests } from '../../api/pod/resources.ts';
import { shortages } from '../../api/pod/fit.ts';
import { amountsOf } from '../../api/pod/amounts.ts';
import type { Node } from '../../api/gen/types.ts';
import { amountOf } from '../pod/amounts.ts';
import { isStatic } from '../static/static-pod.ts';

export interface PodAllocation {
	readonly containers: Readonly<Record<string, ResourceRequirements>>;
	/** Of the pod itself, where it states some. */
	readonly pod?: ResourceRequirements;
}

const RESIZABLE = ['cpu', 'memory'] as const;

/** All but those for debugging. */
function resizable(pod: Pod): readonly Container[] {
	return [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])];
}

export function allocationOf(pod: Pod): PodAllocation {
	const own = pod.spec?.resources;
	return {
		containers: Object.fromEntries(resizable(pod).map((c) => [c.name, c.resources ?? {}])),
		...(own === undefined ? {} : { pod: own }),
	};
}

/** Containers of which nothing was kept, as agents of before kept nothing of init containers that end, have what they ask for. The same object where there are none. */
export function supplemented(given: PodAllocation, wanted: PodAllocation): PodAllocation {
	if (Object.keys(wanted.containers).every((name) => name in given.containers)) return given;
	return { ...given, containers: { ...wanted.containers, ...given.containers } };
}

/** The pod as it was agreed to; the same object where nothing differs. */
export function withAllocation(pod: Pod, allocation: PodAllocation | undefined): Pod {
	if (allocation === undefined || pod.spec === undefined || sameAllocation(allocationOf(pod), allocation)) return pod;
	const given = (c: Container): Container => {
		const own = allocation.containers[c.name];
		return own === undefined ? c : { ...c, resources: own };
	};
	const { initContainers, containers } = pod.spec;
	return {
		...pod,
		spec: {
			...pod.spec,
			containers: containers.map(given),
			...(initContainers === undefined ? {} : { initContainers: initContainers.map(given) }),
			...(allocation.pod === undefined ? {} : { resources: allocation.pod }),
		},
	};
}

export function sameAllocation(a: PodAllocation, b: PodAllocation): boolean {
	const names = new Set([...Object.keys(a.containers), ...Object.keys(b.containers)]);
	return [...names].every((name) => sameResources(a.containers[name], b.containers[name])) && sameResources(a.pod, b.pod);
}

/** By cpu and memory, each by its value. */
export function sameResources(a: ResourceRequirements | undefined, b: ResourceRequirements | undefined): boolean {
	return RESIZABLE.every(
		(name) => amount(a?.requests, name) === amount(b?.requests, name) && amount(a?.limits, name) === amount(b?.limits, name),
	);
}

export function amount(list: Readonly<Record<string, string>> | undefined, name: string): number {
	return amountOf(list?.[name] ?? '0');
}

export interface Refused {
	/** Infeasible will never be; Deferred may be once others need less. */
	readonly reason: 'Deferred' | 'Infeasible';
	readonly message: string;
	/** Of an infeasible one, as the metric has it. */
	readonly detail?:
		| 'static_pod'
		| 'insufficient_node_allocatable'
		| 'guaranteed_pod_cpu_manager_static_policy'
		| 'guaranteed_pod_memory_manager_static_policy';
}

/** Whether the node agrees to what the pod's spec wants now. `others` as they were agreed to. */
export function resizeRefusal(pod: Pod, node: Node | undefined, others: readonly Pod[]): Refused | undefined {
	if (isStatic(pod)) return { reason: 'Infeasible', message: 'In-place resize of static-pods is not supported', detail: 'static_pod' };
	if (node === undefined) return undefined;
	const has = amountsOf(node.status?.allocatable);
	const wants = podRequests(pod);
	for (const name of RESIZABLE) {
		const unit = name === 'cpu' ? 1_000_000n : 1_000_000_000n;
		const of = (map: typeof has): number => Number(((map.get(name)?.nano ?? 0n) + unit - 1n) / unit);
		if (has.has(name) && of(wants) > of(has))
			return {
				reason: 'Infeasible',
				message: `Node didn't have enough capacity: ${name}, requested: ${of(wants)}, capacity: ${of(has)}`,
				detail: 'insufficient_node_allocatable',
			};
	}
	const short = shortages(pod, node, others).find(({ resource }) => (RESIZABLE as readonly string[]).includes(resource));
	if (short === undefined) return undefined;
	const { resource, requested, used, capacity } = short;
	const message = `Node didn't have enough resource: ${resource}, requested: ${requested}, used: ${used}, capacity: ${capacity}`;
	return { reason: 'Deferred', message };
}

export interface Waiting {
	readonly pod: Pod;
	/** As it was agreed to. */
	readonly allocated: Pod;
	readonly since: number;
}

/** In which order deferred ones are tried again: those that ask for no more, by priority, by class of service, by age. */
export function inTurn(waiting: readonly Waiting[]): readonly Waiting[] {
	const grows = ({ pod, allocated }: Waiting): boolean => {
		const [now, before] = [podRequests(pod), podRequests(allocated)];
		return RESIZABLE.some((name) => (now.get(name)?.nano ?? 0n) > (before.get(name)?.nano ?? 0n));
	};
	const rows = waiting.map((w) => ({ w, grows: grows(w), guaranteed: qosClass(w.pod) === 'Guaranteed' }));
	return rows
		.toSorted(
			(a, b) =>
				Number(a.grows) - Number(b.grows) ||
				(b.w.pod.spec?.priority ?? 0) - (a.w.pod.spec?.priority ?? 0) ||
				Number(b.guaranteed) - Number(a.guaranteed) ||
				a.w.since - b.w.since,
		)
		.map(({ w }) => w);
}

/** Upstream's words of a pod's resources in events. */
export function resizeSummary(pod: Pod, generation: number, error = ''): string {
	const list = (containers: readonly Container[]) => containers.map(({ name, resources }) => ({ name, resources: inGoOrder(resources) }));
	const inits = pod.spec?.initContainers ?? [];
	return JSON.stringify({
		...(inits.length === 0 ? {} : { initContainers: list(inits) }),
		containers: list(pod.spec?.containers ?? []),
		generation,
		...(error === '' ? {} : { error }),
	});
}

function inGoOrder({ limits, requests }: ResourceRequirements = {}): object {
	const sorted = (map: Readonly<Record<string, string>>): object =>
		Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));
	return { ...(limits === undefined ? {} : { limits: sorted(limits) }), ...(requests === undefined ? {} : { requests: sorted(requests) }) };
}
