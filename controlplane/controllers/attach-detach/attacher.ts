/** Brings the attachments of one node to what its pods need (upstream's attachDetachController). */
import type { Node, PersistentVolume, Pod } from '../../../api/gen/types.ts';
import type { Key } from '../../../api/resource.ts';
import { PODS, VOLUME_ATTACHMENTS } from '../../../api/resources.ts';
import { attachmentName } from '../../../api/storage/attachment.ts';
import type { Clock } from '../../../base/clock.ts';
import { ignore, messageOf } from '../../../base/errors.ts';
import type { Lister } from '../../../client/cache.ts';
import type { Client } from '../../../client/client.ts';
import type { Again } from '../../../client/controller.ts';
import { referenceTo, type EventRecorder } from '../../../client/events.ts';
import type { Attachment, Attachments } from './attachments.ts';
import type { Detacher } from './detacher.ts';
import type { AttachDetachMetrics } from './metrics.ts';
import { planNode, type Step } from './plan.ts';
import { Progress } from './progress.ts';
import { attachFailed, attachSucceeded, attachTimedOut, multiAttach } from './told.ts';
import { wantedBy, type Storage, type Wanted } from './wanted.ts';

interface Deps {
	readonly client: Client;
	readonly clock: Clock;
	readonly recorder: EventRecorder;
	readonly storage: Storage;
	readonly attachments: Attachments;
	readonly detacher: Detacher;
	readonly metrics: AttachDetachMetrics | undefined;
	readonly nodes: Lister<Node>;
	podsOn(node: string): readonly Pod[];
}

export class Attacher {
	readonly #deps: Deps;
	readonly #progress: Progress;
	/** Since when each attachment has been unwanted. */
	readonly #unwanted = new Map<string, number>();
	/** Volumes that nodes could not have when last looked at: their pods were told. */
	readonly #refused = new Map<Key, ReadonlySet<string>>();

	constructor(deps: Deps) {
		this.#deps = deps;
		this.#progress = new Progress(deps.clock);
	}

	async reconcile(name: Key, signal: AbortSignal): Promise<Again | void> {
		const { attachments, storage, nodes, detacher } = this.#deps;
		const wanted = wantedBy(this.#deps.podsOn(name), storage);
		const steps = planNode({
			...{ name, node: nodes.get(name), wanted, attachments: attachments.of('node', name) },
			attachmentsOf: (volume) => attachments.of('volume', volume),
			volume: (volume) => storage.volume(volume),
			unwantedMs: (attachment) => this.#unwantedMs(attachment),
		});
		this.#refuse(name, steps);
		const waits: number[] = [];
		let failure: { readonly error: unknown } | undefined;
		for (const step of steps) {
			try {
				waits.push(...(await this.#take(name, step, signal)));
			} catch (error) {
				failure ??= { error };
			}
		}
		for (const one of wanted.values()) waits.push(...this.#news(name, one));
		await detacher.report(name, signal);
		if (failure !== undefined) throw failure.error;
		if (waits.length > 0) return { afterMs: Math.min(...waits) };
	}

	async #take(node: string, step: Step, signal: AbortSignal): Promise<readonly number[]> {
		const { detacher, metrics } = this.#deps;
		switch (step.do) {
			case 'attach':
				await this.#attach(node, step.wanted, signal);
				return [];
			case 'refuse': // told of already
				return [];
			case 'await':
				return [step.afterMs];
			case 'detach': {
				const { name = '' } = step.attachment.metadata;
				if (!(await detacher.detach(step.attachment as Attachment, step.forced !== undefined, signal))) return [];
				if (step.forced !== undefined) metrics?.forced(step.forced);
				this.#unwanted.delete(name);
				this.#progress.forget(name);
				return [];
			}
		}
	}

	async #attach(nodeName: string, wanted: Wanted, signal: AbortSignal): Promise<void> {
		const { csi } = wanted.volume.spec ?? {};
		if (csi === undefined) return;
		const name = attachmentName(csi, nodeName);
		const source = { persistentVolumeName: wanted.volume.metadata.name };
		const wish = { metadata: { name }, spec: { attacher: csi.driver, nodeName, source } };
		try {
			const made = await this.#deps.client.create(VOLUME_ATTACHMENTS, wish, { signal }).catch(ignore('AlreadyExists'));
			if (made !== undefined) this.#deps.attachments.made(made);
		} catch (error) {
			const why = `kubernetes.io/csi: attacher.Attach failed: ${messageOf(error)}`;
			this.#tell(wanted, 'Warning', 'FailedAttachVolume', attachFailed(wanted.volume, why));
			throw error;
		}
		this.#progress.asked(name);
	}

	/** Each pod is told once that it cannot have a volume. */
	#refuse(node: Key, steps: readonly Step[]): void {
		const before = this.#refused.get(node);
		const now = new Set<string>();
		for (const step of steps) {
			if (step.do !== 'refuse') continue;
			const { volume, pods } = step.wanted;
			now.add(volume.metadata.name ?? '');
			if (before?.has(volume.metadata.name ?? '') === true) continue;
			const users = step.nodes.flatMap((other) => this.#usersOn(other, volume));
			for (const pod of pods)
				this.#deps.recorder.event(referenceTo(PODS, pod), 'Warning', 'FailedAttachVolume', multiAttach(volume, pod, users));
		}
		if (now.size === 0) this.#refused.delete(node);
		else this.#refused.set(node, now);
	}

	#usersOn(node: string, volume: PersistentVolume): readonly Pod[] {
		return wantedBy(this.#deps.podsOn(node), this.#deps.storage).get(volume.metadata.name ?? '')?.pods ?? [];
	}

	/** Tells the pods what became of it; how long to wait for more. */
	#news(node: string, wanted: Wanted): readonly number[] {
		const { csi } = wanted.volume.spec ?? {};
		const attachment = csi === undefined ? undefined : this.#deps.attachments.get(attachmentName(csi, node));
		if (attachment === undefined) return [];
		this.#unwanted.delete(attachment.metadata.name ?? '');
		const { news, afterMs } = this.#progress.look(attachment);
		switch (news?.type) {
			case 'attached':
				this.#tell(wanted, 'Normal', 'SuccessfulAttachVolume', attachSucceeded(wanted.volume));
				break;
			case 'failed':
				this.#tell(wanted, 'Warning', 'FailedAttachVolume', attachFailed(wanted.volume, news.why));
				break;
			case 'timedOut':
				this.#tell(wanted, 'Warning', 'FailedAttachVolume', attachFailed(wanted.volume, attachTimedOut(wanted.volume)));
				break;
			case undefined:
		}
		return afterMs === undefined ? [] : [afterMs];
	}

	#tell({ pods }: Wanted, type: 'Normal' | 'Warning', reason: string, message: string): void {
		for (const pod of pods) this.#deps.recorder.event(referenceTo(PODS, pod), type, reason, message);
	}

	#unwantedMs(attachment: string): number {
		const now = this.#deps.clock.monotonic();
		const since = this.#unwanted.get(attachment) ?? now;
		this.#unwanted.set(attachment, since);
		return now - since;
	}
}
