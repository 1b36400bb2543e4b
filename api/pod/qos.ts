/** A pod's quality-of-service class (upstream core/v1/helper/qos). Pure. */
import type { Pod, ResourceRequirements } from '../gen/types.ts';
import { addTo, amountsOf, type Amounts } from './amounts.ts';

export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';

const COUNTED = ['cpu', 'memory'] as const;

/** By cpu and memory: nothing said is BestEffort, limits on both equal to the requests Guaranteed. Pod-level resources stand for the containers', empty ones too. */
export function qosClass(pod: Pod): QosClass {
	const { spec } = pod;
	const own = spec?.resources;
	const all: readonly (ResourceRequirements | undefined)[] =
		own === undefined ? [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].map((c) => c.resources) : [own];
	const requests: Amounts = new Map();
	const limits: Amounts = new Map();
	let limited = true;
	for (const resources of all) {
		addTo(requests, counted(resources?.requests));
		const own = counted(resources?.limits);
		addTo(limits, own);
		if (own.size < COUNTED.length) limited = false;
	}
	if (requests.size === 0 && limits.size === 0) return 'BestEffort';
	const equal = requests.size === limits.size && [...requests].every(([name, { nano }]) => limits.get(name)?.nano === nano);
	return limited && equal ? 'Guaranteed' : 'Burstable';
}

function counted(list: Readonly<Record<string, string>> | undefined): Amounts {
	return new Map([...amountsOf(list)].filter(([name, { nano }]) => nano > 0n && (COUNTED as readonly string[]).includes(name)));
}
