/**
 * RestartAllContainers: a container's exit that a rule names starts the whole pod anew in its sandbox. All containers are killed without
 * preStop hooks and taken from the runtime, those that called for it last; then the pod begins with its init containers. Pure.
 */
import type { Pod, PodStatus } from '../../api/gen/types.ts';
import type { ContainerRuntime, PodRuntime } from '../runtime/runtime.ts';
import { containersOf, type PodContainer } from './containers.ts';
import { ruleFor } from './restart-rules.ts';

/** The pod condition, and the reason in container states. */
export const RESTARTING_CONDITION = 'AllContainersRestarting';
export const RESTARTING_REASON = 'RestartingAllContainers';
export const RESTARTING_MESSAGE = 'The container is removed because RestartAllContainers in place';

/** Whether the pod has such a rule at all: only then it has the condition. */
export function couldRestartAll(pod: Pod): boolean {
	return members(pod).some(({ spec }) => spec.restartPolicyRules?.some((rule) => rule.action === 'RestartAllContainers') === true);
}

/** A container ended with a code that restarts all. */
export function callsForRestartAll({ spec }: PodContainer, seen: ContainerRuntime | undefined): boolean {
	return seen?.state === 'exited' && seen.exitCode !== undefined && ruleFor(spec, seen.exitCode)?.action === 'RestartAllContainers';
}

/**
 * The containers that are to go, in the order in which they go; empty when there is nothing of the kind to do.
 * @param before the status last made, or the API's: a restart once begun goes on, whoever began it
 */
export function containersToReset(pod: Pod, seen: PodRuntime | undefined, before: PodStatus): readonly ContainerRuntime[] {
	if (!couldRestartAll(pod)) return [];
	const all = members(pod);
	const newest = (c: PodContainer): ContainerRuntime | undefined => seen?.containers.find((r) => r.name === c.spec.name);
	const sources = all.filter((c) => callsForRestartAll(c, newest(c)));
	if (sources.length === 0 && !saysRestarting(before)) return [];
	const ofEach = (containers: readonly PodContainer[]): readonly ContainerRuntime[] =>
		containers.flatMap((c) => (seen?.containers ?? []).filter((r) => r.name === c.spec.name));
	return [...ofEach(all.filter((c) => !sources.includes(c)).toReversed()), ...ofEach(sources.toReversed())];
}

export function saysRestarting(status: PodStatus): boolean {
	return status.conditions?.some((c) => c.type === RESTARTING_CONDITION && c.status === 'True') === true;
}

/** Ephemeral containers are neither killed nor started again. */
function members(pod: Pod): readonly PodContainer[] {
	return containersOf(pod).filter((c) => c.kind !== 'ephemeral');
}
