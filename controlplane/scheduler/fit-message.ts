/** Why a pod fits nowhere, in upstream's words (framework.FitError). Pure. */
import type { Preemption } from './preemption.ts';
import type { Unfit } from './schedule.ts';

export const DEFAULT_PREEMPTION = 'DefaultPreemption';
export const DYNAMIC_RESOURCES = 'DynamicResources';

/** "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable." and, after a blank, what was tried instead. */
export function fitMessage(unfit: Unfit, nodes: number, tried: string | undefined): string {
	if (nodes === 0) return 'no nodes available to schedule pods';
	const reasons =
		unfit.everywhere === undefined ? countReasons([...unfit.refusals.values()].map((r) => r.reasons)) : unfit.everywhere.reasons.join(', ');
	return `0/${nodes} nodes are available: ${reasons}.${tried === undefined ? '' : ` ${tried}`}`;
}

/** What upstream's plugins say that look for a way out: DynamicResources ends the search where its own filter was never asked. @param devices what that says else */
export function triedInstead(
	postFilters: readonly string[],
	unfit: Unfit,
	nodes: number,
	preemption: Preemption | undefined,
	devices = 'no new claims to deallocate',
): string | undefined {
	if (preemption?.type === 'found') return undefined;
	if (postFilters.includes(DYNAMIC_RESOURCES) && unfit.everywhere !== undefined) return 'not found';
	const texts = postFilters.flatMap((name) => {
		if (name === DYNAMIC_RESOURCES) return devices;
		return preemption === undefined ? [] : `preemption: ${preemptionMessage(unfit, nodes, preemption)}`;
	});
	return texts.length === 0 ? undefined : texts.join(', ');
}

/** What preemption says where it cannot help: "0/3 nodes are available: 1 No preemption …, 2 Preemption is not ….", or why it may not. */
function preemptionMessage(unfit: Unfit, nodes: number, preemption: Exclude<Preemption, { type: 'found' }>): string {
	if (preemption.type === 'ineligible') return preemption.why;
	const refusals = [...unfit.refusals];
	const texts =
		unfit.everywhere === undefined
			? refusals.map(([node]) => preemption.refusals.get(node) ?? [NOT_HELPFUL])
			: Array.from({ length: nodes }, () => [NOT_HELPFUL]);
	return `0/${nodes} nodes are available: ${countReasons(texts)}.`;
}

const NOT_HELPFUL = 'Preemption is not helpful for scheduling';

/** "2 a, 1 b", sorted as text, as upstream does. */
function countReasons(reasons: readonly (readonly string[])[]): string {
	const counts = new Map<string, number>();
	for (const reason of reasons.flat()) counts.set(reason, (counts.get(reason) ?? 0) + 1);
	return [...counts]
		.map(([reason, count]) => `${count} ${reason}`)
		.toSorted()
		.join(', ');
}
