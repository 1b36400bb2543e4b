/** Writes pod statuses to the API: the newest of each pod, one write at a time, nothing that is already there. */
import type { Pod, PodStatus } from '../../api/gen/types.ts';
import { PODS } from '../../api/resources.ts';
import { keyOf } from '../../api/resource.ts';
import { delayMs } from '../../base/backoff.ts';
import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { Client } from '../../client/client.ts';
import { StatusError } from '../../api/status.ts';
import { isNotFound } from '../volume/objects.ts';
import { statusPatch, withTimesOf } from './status-patch.ts';

interface Slot {
	pod: Pod;
	wanted: PodStatus;
	/** JSON of the last status that the API took. */
	written: string;
	busy: Promise<void> | undefined;
	/** When the oldest change that is not written was set. */
	since: number | undefined;
	/** The API's answer to the last write: newer than what the informer may hold. */
	answer: Pod | undefined;
}

const RETRY = { initialMs: 100, maxMs: 10_000 };

export class StatusWriter {
	readonly #client: Client;
	readonly #clock: Clock;
	readonly #log: Log;
	/** Of the agent, not of a pod's round: a status outlives the round that made it. */
	readonly #signal: AbortSignal;
	/** What the API has of a pod: of a static one its mirror, if there is one. */
	readonly #shown: (pod: Pod) => Pod | undefined;
	/** Told how long a change waited for the API to have it. */
	readonly #written: (seconds: number) => void;
	readonly #slots = new Map<string, Slot>();

	constructor(
		client: Client,
		clock: Clock,
		log: Log,
		signal: AbortSignal,
		shown: (pod: Pod) => Pod | undefined = (pod) => pod,
		written: (seconds: number) => void = () => {},
	) {
		this.#shown = shown;
		this.#written = written;
		this.#signal = signal;
		this.#client = client;
		this.#clock = clock;
		this.#log = log;
	}

	/** Writes in the background; a later call overtakes one not yet begun. */
	set(pod: Pod, status: PodStatus): void {
		const uid = pod.metadata.uid ?? '';
		const slot = this.#slots.get(uid) ?? { pod, wanted: status, written: '', busy: undefined, since: undefined, answer: undefined };
		slot.pod = pod;
		slot.wanted = status;
		slot.since ??= this.#clock.monotonic();
		this.#slots.set(uid, slot);
		this.#begin(slot);
	}

	/** What the API shows of the pod is another object now: all is written again. */
	again(uid: string): void {
		const slot = this.#slots.get(uid);
		if (slot === undefined) return;
		slot.written = '';
		slot.answer = undefined;
		this.#begin(slot);
	}

	/** The API shows the pod so: what somebody wrote over ours is put right. */
	seen(pod: Pod): void {
		const slot = this.#slots.get(pod.metadata.uid ?? '');
		if (slot === undefined || slot.busy !== undefined || slot.written === '') return;
		if (slot.answer !== undefined && revision(pod) <= revision(slot.answer)) return;
		if (statusPatch(pod, pod.status ?? {}, slot.wanted) === undefined) return;
		slot.pod = pod;
		slot.written = '';
		this.#begin(slot);
	}

	#begin(slot: Slot): void {
		slot.busy ??= this.#drain(slot, this.#signal).finally(() => {
			slot.busy = undefined;
		});
	}

	/** Resolves when what was set last has been written, or the pod is gone. */
	async flushed(uid: string): Promise<void> {
		await this.#slots.get(uid)?.busy;
	}

	forget(uid: string): void {
		this.#slots.delete(uid);
	}

	async #drain(slot: Slot, signal: AbortSignal): Promise<void> {
		for (let attempt = 0; !signal.aborted; ) {
			const status = slot.wanted;
			const text = JSON.stringify(status);
			const shown = this.#shown(slot.pod);
			if (text === slot.written) slot.since = undefined;
			if (text === slot.written || shown === undefined) return;
			try {
				await this.#write(slot, shown, status, signal);
				slot.written = text;
				if (slot.since !== undefined) this.#written((this.#clock.monotonic() - slot.since) / 1000);
				slot.since = undefined;
				attempt = 0;
			} catch (error) {
				if (signal.aborted || isNotFound(error) || (error instanceof StatusError && error.httpCode === 409)) return;
				const waitMs = delayMs(RETRY, attempt++, 0);
				this.#log.warn('pod status not written', { pod: keyOf(slot.pod), reason: messageOf(error), retryMs: waitMs });
				await this.#clock.sleep(waitMs, signal).catch(() => {});
			}
		}
	}

	async #write(slot: Slot, pod: Pod, status: PodStatus, signal: AbortSignal): Promise<void> {
		const { answer } = slot;
		const base = answer !== undefined && answer.metadata.uid === pod.metadata.uid && revision(answer) > revision(pod) ? answer : pod;
		// Of a static pod the API remembers more than an agent that has started again.
		const wanted = pod === slot.pod ? status : withTimesOf(status, base.status ?? {});
		const body = statusPatch(pod, base.status ?? {}, wanted);
		if (body === undefined) return;
		slot.answer = await this.#client.patch(PODS, keyOf(pod), { type: 'strategic', body }, { subresource: 'status', signal });
	}
}

/** Resource versions are ordered (since 1.35 by contract). */
function revision(pod: Pod): bigint {
	const text = pod.metadata.resourceVersion ?? '';
	return /^\d+$/.test(text) ? BigInt(text) : 0n;
}
