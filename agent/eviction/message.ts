/** What an evicted pod is told, in upstream's words. Pure. */
import type { Pod, PodCondition } from '../../api/gen/types.ts';
import { formatQuantity, parseQuantity } from '../../api/quantity.ts';
import { containersOf } from '../pod/containers.ts';
import type { Consumption } from './consumption.ts';
import { starvedOf, type Observations, type Starved } from './observation.ts';
import { amountIn, type Threshold } from './threshold.ts';

export interface EvictionWords {
	readonly message: string;
	readonly annotations: Readonly<Record<string, string>>;
}

/** @param due the thresholds that are acted on */
export function evictionWords(
	pod: Pod,
	starved: Starved,
	use: Consumption | undefined,
	due: readonly Threshold[],
	seen: Observations,
): EvictionWords {
	let message = `The node was low on resource: ${starved}. `;
	const threshold = due.find((t) => starvedOf(t.signal) === starved && seen.has(t.signal));
	const found = threshold === undefined ? undefined : seen.get(threshold.signal);
	if (threshold !== undefined && found !== undefined)
		message += `Threshold quantity: ${bytes(amountIn(threshold.limit, found.capacity))}, available: ${bytes(found.available)}. `;
	const offending: { readonly name: string; readonly usage: string }[] = [];
	for (const c of use?.containers ?? []) {
		const spec = containersOf(pod).find(({ spec: { name } }) => name === c.name)?.spec;
		const used = usageOf(c, starved);
		if (spec === undefined || used === undefined) continue;
		const request = spec.resources?.requests?.[starved];
		if (used <= (request === undefined ? 0 : units(request))) continue;
		message += `Container ${c.name} was using ${bytes(used)}, request is ${request ?? '0'}, has larger consumption of ${starved}. `;
		offending.push({ name: c.name, usage: bytes(used) });
	}
	return {
		message,
		annotations: {
			offending_containers: offending.map((o) => o.name).join(','),
			offending_containers_usage: offending.map((o) => o.usage).join(','),
			starved_resource: starved,
		},
	};
}

/** The condition of a pod that the node ended for its own sake. */
export function disruption(message: string): Pick<PodCondition, 'type' | 'status' | 'reason' | 'message'> {
	return { type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet', message };
}

function usageOf(c: Consumption['containers'][number], starved: Starved): number | undefined {
	if (starved === 'memory') return c.memoryBytes;
	if (starved !== 'ephemeral-storage' || c.layer === undefined || c.logs === undefined) return undefined;
	return c.layer.bytes + c.logs.bytes;
}

/** As upstream prints an amount of bytes or a count. */
export function bytes(amount: number): string {
	return formatQuantity({ nano: BigInt(Math.round(amount)) * 1_000_000_000n, format: 'BinarySI' });
}

function units(quantity: string): number {
	return Number(parseQuantity(quantity).nano) / 1e9;
}
