/** A pod's status from the pod, the runtime and the agent's knowledge. Pure. */
import type { ContainerStatus, Pod, PodStatus } from '../../api/gen/types.ts';
import { timeOf } from '../../api/time.ts';
import type { PodRuntime } from '../runtime/runtime.ts';
import { isStatic } from '../static/static-pod.ts';
import { hostNetworkIps, oneOfEachKind } from './addresses.ts';
import { conditionsOf, withTimes } from './conditions.ts';
import { containerStatus } from './container-status.ts';
import { containersOf, type ContainerKind, type PodContainer } from './containers.ts';
import type { StatusFacts } from './facts.ts';
import { withinLimit } from './message-limit.ts';
import { phaseOf, type Phase } from './phase.ts';
import { containersToReset, couldRestartAll, saysRestarting } from './restart-all.ts';
import { sandboxNeed } from './sandbox-need.ts';

/** @param before the status last made, or the API's */
export function statusOf(pod: Pod, seen: PodRuntime | undefined, before: PodStatus, facts: StatusFacts): PodStatus {
	const statuses = new Map<string, ContainerStatus>();
	const old = new Map(
		[...(before.initContainerStatuses ?? []), ...(before.containerStatuses ?? []), ...(before.ephemeralContainerStatuses ?? [])].map(
			(s) => [s.name, s],
		),
	);
	const containers = containersOf(pod);
	const resetting = !facts.ended && containersToReset(pod, seen, before).length > 0;
	const reset = resetting || saysRestarting(before);
	for (const c of containers) {
		// An ephemeral container that has never been made has no status.
		if (
			c.kind === 'ephemeral' &&
			!old.has(c.spec.name) &&
			!facts.waiting.has(c.spec.name) &&
			!seen?.containers.some((r) => r.name === c.spec.name)
		)
			continue;
		const before = old.get(c.spec.name);
		statuses.set(c.spec.name, { ...containerStatus(pod, c, seen, before, facts, reset), ...devicesOf(c, before, facts) });
	}
	const listed = (...kinds: readonly ContainerKind[]): ContainerStatus[] =>
		withinLimit(
			pod,
			containers.filter((c) => kinds.includes(c.kind)).flatMap((c) => statuses.get(c.spec.name) ?? []),
		);
	const sticky = before.phase === 'Succeeded' || before.phase === 'Failed' ? (before.phase as Phase) : undefined;
	const failure = sticky === undefined ? facts.failure : undefined;
	const ended = facts.ended && !isStatic(pod);
	const computed = (): Phase => phaseOf(pod, statuses, { ended, initialized: hasRegularContainer(pod, seen) });
	const phase: Phase = sticky ?? (failure === undefined ? computed() : 'Failed');
	const ips = ipsOf(pod, seen, before, facts);
	const kept = sticky !== undefined || before.phase === phase ? { reason: before.reason, message: before.message } : {};
	const explained = failure ?? kept;
	const [inits, ephemerals] = [listed('init', 'sidecar'), listed('ephemeral')];
	const hostIps = oneOfEachKind(facts.nodeIps).map((ip) => ({ ip }));
	const now = timeOf(facts.now);
	return {
		...(pod.metadata.generation === undefined ? {} : { observedGeneration: pod.metadata.generation }),
		phase,
		...(explained.reason ? { reason: explained.reason } : {}),
		...(explained.message ? { message: explained.message } : {}),
		conditions: withTimes(
			conditionsOf({
				pod,
				statuses,
				phase,
				before: before.conditions ?? [],
				sandboxReady: !facts.ended && !sandboxNeed(pod, seen).create,
				...(couldRestartAll(pod) ? { restarting: resetting } : {}),
				more: facts.conditions ?? [],
			}),
			before.conditions ?? [],
			now,
		),
		...(hostIps[0] === undefined ? {} : { hostIP: hostIps[0].ip, hostIPs: hostIps }),
		...(ips[0] === undefined ? {} : { podIP: ips[0], podIPs: ips.map((ip) => ({ ip })) }),
		startTime: before.startTime ?? now,
		...(inits.length === 0 ? {} : { initContainerStatuses: inits }),
		containerStatuses: listed('app'),
		...(ephemerals.length === 0 ? {} : { ephemeralContainerStatuses: ephemerals }),
		...(pod.status?.qosClass === undefined ? {} : { qosClass: pod.status.qosClass }),
	};
}

/** In the sandbox in use: those of one before say nothing of how far the pod is now. */
function hasRegularContainer(pod: Pod, seen: PodRuntime | undefined): boolean {
	const names = new Set(pod.spec?.containers.map(({ name }) => name));
	return seen?.containers.some((c) => c.sandboxId === seen.sandboxes[0]?.id && names.has(c.name)) === true;
}

/** As upstream's, of regular containers only; what was last said stays when they are given back. */
function devicesOf({ kind, spec }: PodContainer, before: ContainerStatus | undefined, facts: StatusFacts): Partial<ContainerStatus> {
	const now = kind === 'app' ? (facts.devices?.(spec.name) ?? []) : [];
	if (now.length > 0) return { allocatedResourcesStatus: now.toSorted((a, b) => (a.name < b.name ? -1 : 1)) };
	return before?.allocatedResourcesStatus === undefined ? {} : { allocatedResourcesStatus: before.allocatedResourcesStatus };
}

/** The sandbox's, the node's on the host network, or those it had. */
export function ipsOf(
	pod: Pod,
	seen: Pick<PodRuntime, 'sandboxes'> | undefined,
	before: PodStatus,
	facts: { readonly nodeIps: readonly string[] },
): readonly string[] {
	const told = (before.podIPs ?? []).map((p) => p.ip);
	if (pod.spec?.hostNetwork === true) return hostNetworkIps(facts.nodeIps, told);
	const ips = seen?.sandboxes[0]?.ips ?? [];
	return ips.length > 0 ? oneOfEachKind(ips, facts.nodeIps[0]) : told;
}
