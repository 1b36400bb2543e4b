/** Which containers that run do not have what they were given, and what is to be done about each. Pure; upstream's computePodResizeAction. */
import type { ContainerStatus, Pod, ResourceRequirements } from '../../api/gen/types.ts';
import { formatQuantity } from '../../api/quantity.ts';
import { MIN_SHARES, quotaOf, sharesOf } from '../cgroup/limits.ts';
import { containersOf, type PodContainer } from '../pod/containers.ts';
import type { ActualResources, ContainerRuntime, PodRuntime } from '../runtime/runtime.ts';
import { amount, sameResources } from './allocation.ts';

/** What the runtime was last told of a container; undefined for one of which nobody knows, which is taken to have what it was given. */
export type Actuated = (name: string) => ResourceRequirements | undefined;

export interface ContainerChange {
	readonly spec: PodContainer;
	readonly container: ContainerRuntime;
	readonly from: ResourceRequirements;
	readonly to: ResourceRequirements;
	/** Its resizePolicy wants a new start for it. */
	readonly restart: boolean;
}

/** Those that shrink first, so that the pod as a whole never has more than before and after. */
export function changesOf(pod: Pod, seen: PodRuntime | undefined, actuated: Actuated): readonly ContainerChange[] {
	const changes = containersOf(pod).flatMap((spec): readonly ContainerChange[] => {
		if (spec.kind === 'ephemeral') return [];
		const container = seen?.containers.find((c) => c.name === spec.spec.name);
		const [from, to] = [actuated(spec.spec.name), spec.spec.resources ?? {}];
		if (container?.state !== 'running' || from === undefined || sameResources(from, to)) return [];
		return [{ spec, container, from, to, restart: restartsFor(spec, from) }];
	});
	return changes.toSorted((a, b) => Number(grows(a)) - Number(grows(b)));
}

export function restartsFor({ spec }: PodContainer, from: ResourceRequirements | undefined): boolean {
	if (from === undefined) return false;
	const to = spec.resources ?? {};
	return (spec.resizePolicy ?? []).some(
		({ resourceName, restartPolicy }) =>
			restartPolicy === 'RestartContainer' &&
			(amount(from.requests, resourceName) !== amount(to.requests, resourceName) ||
				amount(from.limits, resourceName) !== amount(to.limits, resourceName)),
	);
}

function grows({ from, to }: ContainerChange): boolean {
	return ['cpu', 'memory'].some(
		(name) => amount(to.limits, name) > amount(from.limits, name) || amount(to.requests, name) > amount(from.requests, name),
	);
}

/** Why memory limits cannot shrink now; empty when they can. @param used bytes that the pod, and a container by name, uses */
export function shrinkFault(
	changes: readonly ContainerChange[],
	podLimits: { readonly from: number; readonly to: number },
	used: { readonly pod: number | undefined; of(name: string): number | undefined },
): string {
	const faults: string[] = [];
	// 0 and less is no limit.
	const shrinks = (from: number, to: number): boolean => to > 0 && (from <= 0 || to < from);
	if (shrinks(podLimits.from, podLimits.to)) {
		if (used.pod === undefined) faults.push('missing pod memory usage');
		else if (used.pod >= podLimits.to)
			faults.push(`attempting to set pod memory limit (${podLimits.to}) below current usage (${used.pod})`);
	}
	for (const { spec, from, to, restart } of changes) {
		const [before, after] = [amount(from.limits, 'memory'), amount(to.limits, 'memory')];
		if (restart || !shrinks(before, after)) continue;
		const { name } = spec.spec;
		const bytes = used.of(name);
		if (bytes === undefined) faults.push(`missing container "${name}" memory usage`);
		else if (bytes >= after) faults.push(`attempting to set container "${name}" memory limit (${after}) below current usage (${bytes})`);
	}
	if (faults.length === 0) return '';
	return `cannot decrease memory limits: ${faults.length === 1 ? faults[0] : `[${faults.join(', ')}]`}`;
}

/** What a status says of a container's resources: those that it has, as the runtime tells them. */
export function reported(
	{ spec: { resources = {} } }: PodContainer,
	container: ContainerRuntime | undefined,
	actuated: ResourceRequirements | undefined,
): Pick<ContainerStatus, 'allocatedResources' | 'resources'> {
	const { requests, limits } = resources;
	const actual = container?.state === 'running' ? container.resources : undefined;
	const has = actual === undefined ? resources : inForce(resources, actuated ?? resources, actual);
	return {
		...(requests === undefined ? {} : { allocatedResources: requests }),
		resources: { ...(limits === undefined ? {} : { limits: has.limits }), ...(requests === undefined ? {} : { requests: has.requests }) },
	};
}

const MIN_MILLI_LIMIT = 10;

/** The kernel rounds: what it was told stands for what it has where both come to the same. */
function inForce(allocated: ResourceRequirements, told: ResourceRequirements, actual: ActualResources): ResourceRequirements {
	const milli = (list: Readonly<Record<string, string>> | undefined): number =>
		Math.ceil(Number((amount(list, 'cpu') * 1000).toPrecision(12)));
	const limits = { ...allocated.limits };
	const requests = { ...allocated.requests };
	const { cpuQuotaUs, cpuPeriodUs, cpuShares, memoryLimitBytes } = actual;
	if (cpuQuotaUs > 0 && allocated.limits !== undefined) {
		const has = Math.ceil((cpuQuotaUs * 1000) / cpuPeriodUs);
		if (quotaOf(milli(told.limits), cpuPeriodUs) === cpuQuotaUs) setFrom(limits, told.limits, 'cpu');
		else if (has > MIN_MILLI_LIMIT || milli(limits) > MIN_MILLI_LIMIT) limits['cpu'] = milliText(has);
	}
	if (memoryLimitBytes > 0 && allocated.limits !== undefined) {
		if (amount(told.limits, 'memory') === memoryLimitBytes) setFrom(limits, told.limits, 'memory');
		else limits['memory'] = formatQuantity({ nano: BigInt(memoryLimitBytes) * 1_000_000_000n, format: 'BinarySI' });
	}
	if (allocated.requests !== undefined && requests['cpu'] !== undefined) {
		const has = Math.ceil((cpuShares * 1000) / 1024);
		if (sharesOf(milli(told.requests)) === cpuShares) setFrom(requests, told.requests, 'cpu');
		else if (has > MIN_SHARES || milli(requests) > MIN_SHARES) requests['cpu'] = milliText(has);
	}
	// Memory that was asked for is nowhere in the kernel.
	if (requests['memory'] !== undefined) setFrom(requests, told.requests, 'memory');
	return { limits, requests };
}

function setFrom(to: Record<string, string>, from: Readonly<Record<string, string>> | undefined, name: string): void {
	const value = from?.[name];
	if (value !== undefined) to[name] = value;
}

function milliText(milli: number): string {
	return formatQuantity({ nano: BigInt(milli) * 1_000_000n, format: 'DecimalSI' });
}
