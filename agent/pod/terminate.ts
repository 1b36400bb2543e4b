/** The end of a pod: containers and sandboxes stopped, last status written, volumes gone, the API object deleted. */
import type { Pod, PodStatus } from '../../api/gen/types.ts';
import { PODS } from '../../api/resources.ts';
import { isTerminal } from '../../api/pod/phase.ts';
import { keyOf } from '../../api/resource.ts';
import { StatusError } from '../../api/status.ts';
import { messageOf } from '../../base/errors.ts';
import { onGroups, podEvent, type AgentContext } from '../context.ts';
import { unprepareClaims } from '../dra/prepare.ts';
import type { PodRuntime } from '../runtime/runtime.ts';
import { isStatic } from '../static/static-pod.ts';
import { isNotFound } from '../volume/objects.ts';
import { tearDownVolumes } from '../volume/volumes.ts';
import { makeStatus } from './make-status.ts';
import type { PodMemory } from './memory.ts';
import type { Waiting } from './plan.ts';
import { tell } from './report.ts';
import type { EndReason } from './state.ts';
import { timeOf } from '../../api/time.ts';
import type { StatusWriter } from './status-writer.ts';
import { removeFromRuntime, stopContainers, stopSandboxes } from './stop-pod.ts';

/** Upstream's words for a pod past its activeDeadlineSeconds. */
const DEADLINE: Waiting = { reason: 'DeadlineExceeded', message: 'Pod was active on the node longer than the specified deadline' };

export interface EndingPod {
	readonly pod: Pod;
	readonly why: EndReason;
	readonly memory: PodMemory;
	readonly context: AgentContext;
	readonly writer: StatusWriter;
}

/** Stops everything and writes the last status. Idempotent. */
export async function stopPod({ pod, why, memory, context, writer }: EndingPod, graceMs: number, signal: AbortSignal): Promise<void> {
	const { runtime } = context;
	const uid = pod.metadata.uid ?? '';
	if (memory.refusal !== undefined) {
		const begun = await runtime.pod(uid, signal);
		if (begun !== undefined) {
			await stopContainers(pod, begun, graceMs, memory, context, signal);
			await stopSandboxes(begun, context, signal);
		}
		await unprepareClaims(uid, context, signal);
		return writer.set(pod, refusedStatus(pod, memory.refusal, context));
	}
	memory.probes.ending();
	const { disruption } = memory;
	const failure = disruption !== undefined ? { failure: disruption } : why === 'deadline' ? { failure: DEADLINE } : {};
	const seen = await runtime.pod(uid, signal);
	if (why === 'deadline') podEvent(context, pod, 'Normal', DEADLINE.reason, DEADLINE.message);
	if (why === 'deadline') tell(pod, await makeStatus(pod, seen, memory, context, { ended: false, ...failure }), memory, writer);
	if (seen !== undefined) {
		const killing = async (): Promise<PodRuntime | undefined> => {
			await stopContainers(pod, seen, graceMs, memory, context, signal);
			const last = runtime.pod(uid, signal);
			return (await Promise.all([last, stopSandboxes(seen, context, signal)]))[0];
		};
		const stopped = await killing().catch((error: unknown) => {
			if (!signal.aborted) podEvent(context, pod, 'Warning', 'FailedKillPod', `error killing pod: ${messageOf(error)}`);
			throw error;
		});
		memory.probes.stop();
		await unprepareClaims(uid, context, signal);
		if (why !== 'orphan' && why !== 'removed')
			writer.set(pod, await makeStatus(pod, stopped, memory, context, { ended: true, ...failure }));
		return;
	}
	memory.probes.stop();
	await unprepareClaims(uid, context, signal);
	// It ended in an agent's earlier life, which has said all there is to say.
	if (isTerminal(pod)) return;
	if (why !== 'orphan' && why !== 'removed') writer.set(pod, await makeStatus(pod, seen, memory, context, { ended: true, ...failure }));
}

/** Upstream says no more of such a pod either. */
function refusedStatus(pod: Pod, { reason, message }: Waiting, { clock }: AgentContext): PodStatus {
	const { qosClass, startTime, conditions } = pod.status ?? {};
	return {
		phase: 'Failed',
		reason,
		message: `Pod was rejected: ${message}`,
		startTime: startTime ?? timeOf(clock.now()),
		...(qosClass === undefined ? {} : { qosClass }),
		...(conditions === undefined ? {} : { conditions }),
		...(pod.metadata.generation === undefined ? {} : { observedGeneration: pod.metadata.generation }),
	};
}

/** Volumes away and the status durable; a deleted pod's object goes too. */
export async function cleanUpPod(ending: EndingPod, signal: AbortSignal): Promise<void> {
	const { pod, why, context, writer } = ending;
	const uid = pod.metadata.uid ?? '';
	await onGroups(context, 'destroy', (groups) => groups.remove(pod));
	context.placed.placement.ended(uid);
	context.resizes.ended(uid);
	// A static pod does not wait for an API that may be away.
	await Promise.all([tearDownVolumes(uid, context), isStatic(pod) ? undefined : writer.flushed(uid)]);
	if (why === 'deleted') await deleteObject(pod, context, signal);
}

/** The final delete: grace 0, of this pod only. */
export async function deleteObject(pod: Pod, context: AgentContext, signal: AbortSignal): Promise<void> {
	const uid = pod.metadata.uid;
	try {
		await context.client.delete(PODS, keyOf(pod), { gracePeriodSeconds: 0, ...(uid === undefined ? {} : { uid }), signal });
	} catch (error) {
		// A conflict says that another pod has the name now.
		if (!isNotFound(error) && !(error instanceof StatusError && error.httpCode === 409)) throw error;
	}
}

/** What is left in the runtime once nobody reads it any more: containers with their logs, sandboxes. */
export async function sweep({ pod, context }: EndingPod, signal: AbortSignal): Promise<void> {
	const seen = await context.runtime.pod(pod.metadata.uid ?? '', signal);
	if (seen !== undefined) await removeFromRuntime(seen, context, signal);
}
