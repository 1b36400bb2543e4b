/** Gives the containers that run what their pod was given anew: the pod's group first where it grows, last where it shrinks. */
import type { Pod } from '../../api/gen/types.ts';
import { messageOf } from '../../base/errors.ts';
import { onGroups, type AgentContext } from '../context.ts';
import type { PodRuntime } from '../runtime/runtime.ts';
import { changesOf, shrinkFault, type ContainerChange } from './actions.ts';
import { withAllocation } from './allocation.ts';

export type Outcome = 'nothing' | 'done' | 'failed';

/** Containers that must start anew for it are left to the plan. */
export async function actuate(pod: Pod, seen: PodRuntime | undefined, context: AgentContext, signal: AbortSignal): Promise<Outcome> {
	const { resizes, runtime, resourceRules, log } = context;
	const changes = changesOf(pod, seen, (name) => resizes.actuated(pod, name));
	if (changes.length === 0 && !resizes.inProgress(pod)) return 'nothing';
	const before = asActuated(pod, changes);
	try {
		const fault = changes.length === 0 ? '' : await shrinking(pod, before, changes, context, signal);
		if (fault !== '') throw new Error(fault);
		await onGroups(context, 'update', (groups) => groups.update(pod, before));
		for (const { container, spec, to } of changes.filter((c) => !c.restart)) {
			await runtime.updateResources(container.id, pod, spec.spec.name, resourceRules, signal);
			resizes.setActuated(pod, spec.spec.name, to);
		}
		if (changes.some((c) => c.restart)) return 'done';
		await onGroups(context, 'update', (groups) => groups.update(pod));
		resizes.completed(pod);
		return 'done';
	} catch (error) {
		if (signal.aborted) throw error;
		log.warn('a pod is not resized', { pod: `${pod.metadata.namespace ?? ''}/${pod.metadata.name ?? ''}`, reason: messageOf(error) });
		resizes.failed(pod, messageOf(error));
		return 'failed';
	}
}

/** The pod with what its containers have now. */
function asActuated(pod: Pod, changes: readonly ContainerChange[]): Pod {
	return withAllocation(pod, {
		containers: Object.fromEntries(changes.map(({ spec, from }) => [spec.spec.name, from])),
		...(pod.spec?.resources === undefined ? {} : { pod: pod.spec.resources }),
	});
}

async function shrinking(
	pod: Pod,
	before: Pod,
	changes: readonly ContainerChange[],
	context: AgentContext,
	signal: AbortSignal,
): Promise<string> {
	const { groups, runtime } = context;
	const limits = { from: groups.memoryLimit(before), to: groups.memoryLimit(pod) };
	const nothing = { pod: 0, of: () => 0 };
	// Whether anything shrinks is told without asking the runtime.
	if (shrinkFault(changes, limits, { pod: Number.POSITIVE_INFINITY, of: () => Number.POSITIVE_INFINITY }) === '')
		return shrinkFault(changes, limits, nothing);
	const [usage] = await runtime.usage(signal, pod.metadata.uid);
	return shrinkFault(changes, limits, {
		pod: usage?.memoryBytes,
		of: (name) => usage?.containers.find((c) => c.name === name)?.memoryBytes,
	});
}
