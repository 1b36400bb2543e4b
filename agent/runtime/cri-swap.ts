/** What a container may use of the machine's swap (memorySwap.swapBehavior). Pure; upstream's swapConfigurationHelper. */
import type { Pod } from '../../api/gen/types.ts';
import { qosClass } from '../../api/pod/qos.ts';
import type { LinuxContainerResources } from '../../wire/gen/cri.ts';
import { isCritical } from '../eviction/ranking.ts';
import { amountOf } from '../pod/amounts.ts';
import type { PodContainer } from '../pod/containers.ts';
import type { SwapRules } from './runtime.ts';

type SwapLimits = Pick<LinuxContainerResources, 'unified' | 'memorySwapLimitInBytes'>;

/** @param memoryLimit 0 for none */
export function swapLimits(
	pod: Pod,
	c: PodContainer,
	memoryLimit: bigint,
	memoryCapacity: number,
	rules: SwapRules | undefined,
): SwapLimits {
	if (rules === undefined) return { unified: {}, memorySwapLimitInBytes: 0n };
	// Version 1 limits memory and swap together.
	if (rules.version === 1) return { unified: {}, memorySwapLimitInBytes: memoryLimit };
	const request = rules.behavior === 'LimitedSwap' ? sharing(pod, c) : 0;
	const bytes = Math.floor((request / memoryCapacity) * rules.capacityBytes);
	return { unified: { 'memory.swap.max': String(bytes) }, memorySwapLimitInBytes: 0n };
}

/** By what it asks for of memory burstable pods share the swap; 0 for who gets none of it. */
function sharing(pod: Pod, { spec: { resources } }: PodContainer): number {
	if (qosClass(pod) !== 'Burstable' || isCritical(pod)) return 0;
	const request = amountOf(resources?.requests?.['memory'] ?? '0');
	return request === amountOf(resources?.limits?.['memory'] ?? '0') ? 0 : request;
}
