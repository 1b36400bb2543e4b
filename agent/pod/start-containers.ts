/** Makes the containers of a pod whose sandbox and volumes are ready, all at once, and starts them one after the other. */
import type { Pod } from '../../api/gen/types.ts';
import { createContainer, startContainer } from '../container/start.ts';
import type { AgentContext } from '../context.ts';
import type { ComingImages } from '../image/coming.ts';
import { countMounts } from '../image/volume-image.ts';
import { containerType } from '../metrics.ts';
import type { PodRuntime, SandboxOptions } from '../runtime/runtime.ts';
import type { VolumePaths } from '../volume/volumes.ts';
import { earliest } from './earliest.ts';
import type { PodMemory } from './memory.ts';
import type { StartAction } from './plan.ts';
import { postStart } from './post-start.ts';
import { RETRY_MS, StartFailure } from './start-failure.ts';
import type { StatusWriter } from './status-writer.ts';

/** What containers are made of. */
export interface Ready {
	readonly pod: Pod;
	readonly seen: PodRuntime | undefined;
	readonly sandboxId: string;
	readonly sandbox: SandboxOptions;
	readonly volumes: VolumePaths;
	readonly images: ComingImages;
	/** The pod's addresses. */
	readonly addressed: Promise<readonly string[]>;
}

/** When to look again because some did not start; why, the pod's status says. */
export async function startContainers(
	ready: Ready,
	actions: readonly StartAction[],
	memory: PodMemory,
	context: AgentContext,
	writer: StatusWriter,
	signal: AbortSignal,
): Promise<number | undefined> {
	const { pod } = ready;
	let againMs: number | undefined;
	const fail = (action: StartAction, error: unknown): void => {
		if (signal.aborted || !(error instanceof StartFailure)) throw error;
		noteFailure(pod, action, error, memory, context);
		againMs = earliest(againMs, error.againMs);
	};
	const made = async (action: StartAction): Promise<string | undefined> => {
		try {
			return await create(ready, action, context, signal);
		} catch (error) {
			fail(action, error);
			return undefined;
		}
	};
	const created = await Promise.all(actions.map(made));
	await ready.addressed;
	for (const [i, action] of actions.entries()) {
		const id = created[i];
		if (id === undefined) continue;
		const { name, lifecycle } = action.container.spec;
		try {
			if (lifecycle?.postStart !== undefined) memory.starting.add(id);
			await startContainer(pod, action, id, context, signal);
			memory.waiting.delete(name);
			await postStart(pod, action, id, memory, context, writer, signal);
		} catch (error) {
			memory.starting.delete(id);
			fail(action, error);
		}
	}
	return againMs;
}

function noteFailure(pod: Pod, { container }: StartAction, error: StartFailure, memory: PodMemory, { figures, log }: AgentContext): void {
	const { name } = container.spec;
	memory.waiting.set(name, { reason: error.reason, message: error.message });
	figures.startedContainersErrors.inc({ container_type: containerType(container.kind), code: error.reason });
	log.warn('container not started', {
		pod: `${pod.metadata.namespace ?? ''}/${pod.metadata.name ?? ''}`,
		container: name,
		why: error.reason,
		reason: error.message,
	});
}

/** The new container's id. */
async function create(ready: Ready, action: StartAction, context: AgentContext, signal: AbortSignal): Promise<string> {
	const { pod, seen, sandboxId, sandbox, addressed } = ready;
	const { mounted, image: coming } = await ready.images.of(action);
	try {
		const image = await coming;
		const podIps = namesAddress(action) ? await addressed : [];
		const volumes = new Map([...ready.volumes, ...mounted]);
		const input = { pod, action, image, sandboxId, sandbox, podIps, volumes, targetId: targetOf(action, seen) };
		const id = await createContainer(input, context, signal);
		countMounts(action.container, mounted, context.figures);
		return id;
	} catch (error) {
		countMounts(action.container, mounted, context.figures, error);
		throw error;
	}
}

/** The container whose processes an ephemeral one is to see; '' for one that names none. */
function targetOf({ container: { target } }: StartAction, seen: PodRuntime | undefined): string {
	if (target === '') return '';
	const found = seen?.containers.find((c) => c.name === target);
	if (found !== undefined) return found.id;
	throw new StartFailure('CreateContainerConfigError', `unable to find target container ${target}`, RETRY_MS);
}

function namesAddress(action: StartAction): boolean {
	return (action.container.spec.env ?? []).some((e) => e.valueFrom?.fieldRef?.fieldPath.startsWith('status.podIP') === true);
}
