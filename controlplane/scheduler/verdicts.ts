/** What is said of pods: events, and the PodScheduled condition of those that have no node. */
import { PODS } from '../../api/resources.ts';
import { StatusError } from '../../api/status.ts';
import { messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { referenceTo, type EventRecorder, type EventType } from '../../client/events.ts';
import { DEFAULT_SCHEDULER } from './configuration/profile.ts';
import type { PodInfo } from './pod-info.ts';
import type { PodWriter } from './pod-writer.ts';

interface Deps {
	readonly recorder: EventRecorder;
	readonly log: Log;
}

export class Verdicts {
	readonly #deps: Deps;
	readonly #writer: PodWriter;

	constructor(deps: Deps, writer: PodWriter) {
		this.#deps = deps;
		this.#writer = writer;
	}

	/** Told by the scheduler that `pod` names, as upstream's recorders of the profiles do. */
	event(pod: PodInfo, about: PodInfo, type: EventType, reason: string, message: string): void {
		const component = pod.pod.spec?.schedulerName ?? DEFAULT_SCHEDULER;
		this.#deps.recorder.event(referenceTo(PODS, about.pod), type, reason, message, { component });
	}

	/** Logged where it cannot be written. @param nominated null takes a nomination back */
	async unscheduled(
		pod: PodInfo,
		reason: string,
		message: string,
		nominated: string | null | undefined,
		signal: AbortSignal,
	): Promise<void> {
		try {
			await this.#writer.unscheduled(pod.pod, reason, message, nominated, signal);
		} catch (error) {
			const gone = error instanceof StatusError && error.httpCode === 404;
			if (!gone && !signal.aborted) this.#deps.log.warn('cannot update pod status', { pod: pod.key, reason: messageOf(error) });
		}
	}
}
