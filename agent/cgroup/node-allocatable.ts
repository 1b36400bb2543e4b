/** Keeps pods to what the node has to give, and what is reserved to its own: limits of kubepods and of the reserved groups, told as upstream tells it. */
import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { HostFacts } from '../../host/facts.ts';
import { pidStats } from '../../host/pids.ts';
import type { ResourceSettings } from '../config/resource-settings.ts';
import { podsShare } from '../node/capacity.ts';
import { amountOf } from '../pod/amounts.ts';
import { sharesOf, type GroupLimits } from './limits.ts';
import type { PodGroups } from './pod-groups.ts';

type NodeEvent = (type: 'Normal' | 'Warning', reason: string, message: string) => void;

/** Pods may use more already than they are to have: eviction will free that. */
const RETRY_MS = 60_000;

interface Allocatable {
	readonly groups: PodGroups;
	readonly host: HostFacts;
	readonly settings: ResourceSettings;
	readonly event: NodeEvent;
	readonly clock: Clock;
}

/** Resolves once both limits were tried, and pods' was set or the signal aborts. */
export async function enforceAllocatable(node: Allocatable, signal: AbortSignal): Promise<void> {
	if (!node.groups.enabled) return;
	await Promise.all([limitPods(node, signal), limitReserved(node)]);
}

/** What nobody holds pods to is all that there is: the kernel's own share for a group is small. */
async function limitPods({ groups, host, settings, event, clock }: Allocatable, signal: AbortSignal): Promise<void> {
	const held = settings.enforce.has('pods') ? settings : { ...settings, kubeReserved: {}, systemReserved: {} };
	const { kubeReserved, systemReserved } = held;
	const { pid } = { ...kubeReserved, ...systemReserved };
	const reservedPids = amountOf(kubeReserved['pid'] ?? '0') + amountOf(systemReserved['pid'] ?? '0');
	const pids = pid === undefined ? {} : { pids: (await pidStats()).limit - reservedPids };
	const { milliCpu, memoryBytes } = podsShare(host, held);
	const limits = { shares: sharesOf(milliCpu), memoryBytes, ...pids };
	const limited = (): Promise<boolean> =>
		tell(
			() => groups.limit(undefined, limits),
			'Updated Node Allocatable limit across pods',
			(why) => `Failed to update Node Allocatable Limits "${groups.podsPath}": ${why}`,
			event,
		);
	while (!signal.aborted && !(await limited())) await clock.sleep(RETRY_MS, signal).catch(() => {});
}

async function limitReserved({ groups, settings, event }: Allocatable): Promise<void> {
	const { enforce } = settings;
	for (const [which, reserved, path] of [
		['system', settings.systemReserved, settings.systemReservedCgroup],
		['kube', settings.kubeReserved, settings.kubeReservedCgroup],
	] as const) {
		const all = enforce.has(`${which}-reserved`);
		if (path === undefined || !(all || enforce.has(`${which}-reserved-compressible`))) continue;
		await tell(
			() => groups.limit(path, reservedLimits(reserved, all)),
			`Updated limits on ${which} reserved cgroup ${path}`,
			(why) =>
				`Failed to enforce ${which === 'system' ? 'System' : 'Kube'} Reserved ${all ? '' : 'Compressible '}Cgroup Limits on "${path}": ${why}`,
			event,
		);
	}
}

/** @param all memory and process ids too, which cannot be taken back by waiting. Pure. */
export function reservedLimits(reserved: Readonly<Record<string, string>>, all: boolean): GroupLimits {
	const { cpu, memory, pid } = reserved;
	return {
		...(cpu === undefined ? {} : { shares: sharesOf(Math.ceil(amountOf(cpu) * 1000)) }),
		...(memory === undefined || !all ? {} : { memoryBytes: amountOf(memory) }),
		...(pid === undefined || !all ? {} : { pids: amountOf(pid) }),
	};
}

/** True when it was done. */
async function tell(work: () => Promise<void>, done: string, failed: (why: string) => string, event: NodeEvent): Promise<boolean> {
	try {
		await work();
		event('Normal', 'NodeAllocatableEnforced', done);
		return true;
	} catch (error) {
		event('Warning', 'FailedNodeAllocatableEnforcement', failed(messageOf(error)));
		return false;
	}
}
