/** Amounts of resources as the scheduler adds and compares them: cpu in thousandths, all else in units. Pure. */
import type { Container, Pod, ResourceRequirements } from '../../api/gen/types.ts';
import { inAll, isPodLevelResource, type Arithmetic } from '../../api/pod/resources.ts';
import { ceilMilli, ceilUnits } from '../../api/quantity.ts';

/** Resource name to amount. */
export type Amounts = ReadonlyMap<string, number>;

/** What a container that asks for nothing is counted as when nodes are compared (upstream's GetNonzeroRequests). */
const DEFAULT_MILLI_CPU = 100;
const DEFAULT_MEMORY = 200 * 1024 * 1024;

type Quantities = Readonly<Record<string, string | number>> | undefined;

/** A map of quantities as amounts, rounded up. */
export function amountsOf(quantities: Quantities): Map<string, number> {
	return new Map(Object.entries(quantities ?? {}).map(([name, q]) => [name, name === 'cpu' ? ceilMilli(q) : ceilUnits(q)]));
}

/** What a pod takes of a node; with `nonZero`, containers without requests count as a little (for scoring). */
export function podAmounts(pod: Pod, nonZero = false): Amounts {
	const { spec, status } = pod;
	const actual = new Map((status?.containerStatuses ?? []).map((s) => [s.name, s.resources ?? { requests: s.allocatedResources }]));
	const of = (container: Container): Map<string, number> => {
		const amounts = amountsOf(container.resources?.requests);
		takeMax(amounts, amountsOf(actual.get(container.name)?.requests));
		if (nonZero) withDefaults(amounts);
		return amounts;
	};
	const total = inAll(pod, of, ROUNDED);
	replaceByPodLevel(total, spec?.resources);
	return add(total, amountsOf(spec?.overhead));
}

/** Requests of the pod as a whole stand for those of its containers (upstream's pod-level resources: cpu, memory, huge pages). */
function replaceByPodLevel(total: Map<string, number>, resources: ResourceRequirements | undefined): void {
	for (const [name, amount] of amountsOf(resources?.requests)) if (isPodLevelResource(name)) total.set(name, amount);
}

function withDefaults(amounts: Map<string, number>): void {
	if (!amounts.has('cpu')) amounts.set('cpu', DEFAULT_MILLI_CPU);
	if (!amounts.has('memory')) amounts.set('memory', DEFAULT_MEMORY);
}

/** Adds in place; `sign` -1 takes away. */
export function add(to: Map<string, number>, more: Amounts, sign: 1 | -1 = 1): Map<string, number> {
	for (const [name, amount] of more) to.set(name, (to.get(name) ?? 0) + sign * amount);
	return to;
}

function takeMax(to: Map<string, number>, other: Amounts): Map<string, number> {
	for (const [name, amount] of other) to.set(name, Math.max(to.get(name) ?? 0, amount));
	return to;
}

const ROUNDED: Arithmetic<Map<string, number>> = { none: () => new Map(), add: (to, more) => add(to, more), raise: takeMax };
