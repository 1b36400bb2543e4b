/** Pods that have processors or memory of their own keep what they have (upstream allocation/handlers.go). Pure. */
import type { Pod } from '../../api/gen/types.ts';
import { qosClass } from '../../api/pod/qos.ts';
import { amount, type Refused } from '../resize/allocation.ts';
import { inOrder } from './amounts.ts';

/** @param before what it was given */
export function resizeFault(
	pod: Pod,
	before: Pod,
	{ cpus, memory }: { readonly cpus: unknown; readonly memory: unknown },
): Refused | undefined {
	if (qosClass(pod) !== 'Guaranteed') return undefined;
	const refused = (manager: string, policy: string, detail: NonNullable<Refused['detail']>): Refused => ({
		reason: 'Infeasible',
		message: `Resize is infeasible for Guaranteed Pods alongside ${manager} policy "${policy}"`,
		detail,
	});
	if (cpus !== undefined && differs(pod, before, 'cpu'))
		return refused('CPU Manager', 'static', 'guaranteed_pod_cpu_manager_static_policy');
	if (memory !== undefined && differs(pod, before, 'memory'))
		return refused('Memory Manager', 'Static', 'guaranteed_pod_memory_manager_static_policy');
	return undefined;
}

/** Of a Guaranteed pod requests are limits. */
function differs(pod: Pod, before: Pod, resource: string): boolean {
	const of = (p: Pod): readonly number[] => inOrder(p).map(({ resources }) => amount(resources?.limits, resource));
	const [now, then] = [of(pod), of(before)];
	return now.some((value, i) => value !== then[i]);
}
