/** Taking pods away for a more important one: those that run end, those that are only being prepared for their node go back to wait. */
import { messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { DEFAULT_PREEMPTION } from './fit-message.ts';
import type { PodInfo } from './pod-info.ts';
import type { PodWriter } from './pod-writer.ts';
import type { PodsInPreBind } from './prebinding.ts';
import type { Candidate } from './preemption.ts';
import type { Verdicts } from './verdicts.ts';

interface Deps {
	readonly writer: PodWriter;
	readonly verdicts: Verdicts;
	readonly prebinding: PodsInPreBind;
	readonly log: Log;
}

/** What fails is logged. @param scheduler the name of the profile */
export async function takeVictims(
	pod: PodInfo,
	{ victims, node }: Candidate,
	scheduler: string,
	{ writer, verdicts, prebinding, log }: Deps,
	signal: AbortSignal,
): Promise<void> {
	for (const victim of victims) {
		const note = `Preempted by pod ${pod.uid} on node ${node}`;
		try {
			const isWaiting = prebinding.preempt(victim, DEFAULT_PREEMPTION);
			if (!isWaiting) await writer.evict(victim, scheduler, signal);
			verdicts.event(pod, victim, 'Normal', 'Preempted', isWaiting ? `${note} (in kube-scheduler memory).` : note);
		} catch (error) {
			log.warn('cannot preempt pod', { pod: victim.key, for: pod.key, reason: messageOf(error) });
		}
	}
}
