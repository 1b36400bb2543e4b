/** All pods of this node: routes changes of the API and events of the runtime to one worker a UID. */
import { isDeepStrictEqual } from 'node:util';
import type { Node, Pod } from '../../api/gen/types.ts';
import type { Change } from '../../client/cache.ts';
import { withDeadline } from '../../base/abort.ts';
import { Condition } from '../../base/condition.ts';
import { messageOf } from '../../base/errors.ts';
import { refusalOf } from '../admission/admit.ts';
import { preemptionFor, PREEMPTED } from '../admission/preemption.ts';
import { podEvent, type AgentContext } from '../context.ts';
import type { PodRuntime, PodStates } from '../runtime/runtime.ts';
import type { Disruption } from './memory.ts';
import type { PodLife } from './pod-figures.ts';
import type { Waiting } from './plan.ts';
import { graceMsOf, type WorkerState } from './state.ts';
import { StatusWriter } from './status-writer.ts';
import { PodWorker } from './worker.ts';

/** The least that the runtime has to end a pod that the node ends for its own sake. */
const MIN_KILL_MS = 10_000;

export class PodWorkers {
	readonly #context: AgentContext;
	readonly #signal: AbortSignal;
	readonly #writer: StatusWriter;
	readonly #shown: ((pod: Pod) => Pod | undefined) | undefined;
	readonly #workers = new Map<string, PodWorker>();
	readonly #running = new Map<string, Promise<void>>();
	readonly #moved = new Condition();
	readonly #onMove = (): void => this.#moved.changed();
	/** What the runtime held when the agent started, until a worker takes it. */
	readonly #found: Map<string, PodRuntime>;

	/** @param shown what the API has of a pod: of a static one its mirror, if there is one */
	constructor(context: AgentContext, found: readonly PodRuntime[], signal: AbortSignal, shown?: (pod: Pod) => Pod | undefined) {
		this.#context = context;
		this.#signal = signal;
		this.#shown = shown;
		this.#writer = new StatusWriter(context.client, context.clock, context.log, signal, shown, (seconds) =>
			context.figures.statusSync.observe(seconds),
		);
		context.resizes.begin(
			() => this.active,
			(uid) => this.wake(uid),
		);
		this.#found = new Map(found.map((pod) => [pod.uid, pod]));
	}

	/** The pods that have not finished, for the HTTPS API and admission. */
	get pods(): readonly Pod[] {
		return [...this.#workers.values()].map((w) => w.pod);
	}

	/** The pods that run or are yet to. */
	get active(): readonly Pod[] {
		return [...this.#workers.values()].filter((w) => w.phase === 'syncing' || w.phase === 'terminating').map((w) => w.pod);
	}

	/** Where each pod's life stands. */
	get lives(): readonly PodLife[] {
		return [...this.#workers.values()].map(({ pod, phase, why }) => ({ pod, phase, why }));
	}

	/** Where the life of a pod stands; undefined for one that nobody looks after. */
	phaseOf(uid: string): WorkerState['phase'] | undefined {
		return this.#workers.get(uid)?.phase;
	}

	/** Resolves once nothing of the pod runs; rejects with the signal's reason. */
	async stopped(uid: string, signal: AbortSignal): Promise<void> {
		await this.#moved.until(() => !['syncing', 'terminating'].includes(this.phaseOf(uid) ?? ''), signal);
	}

	/** Resolves once nothing of the pod is left here; rejects with the signal's reason. */
	async cleaned(uid: string, signal: AbortSignal): Promise<void> {
		await this.#moved.until(() => [undefined, 'finished'].includes(this.phaseOf(uid)), signal);
	}

	/** A change of the API. */
	changed({ before, after }: Change<Pod>): void {
		const [old, uid] = [before?.metadata.uid, after?.metadata.uid];
		if (old !== undefined && old !== uid) this.#workers.get(old)?.handle({ type: 'removed' });
		if (after === undefined || uid === undefined) return;
		const worker = this.#workers.get(uid);
		if (worker === undefined) this.#admit(uid, after);
		else worker.update(after, matters(worker.pod, after));
	}

	/** A static pod; its uid is new, or that of one that runs in the runtime. */
	begin(pod: Pod): void {
		const uid = pod.metadata.uid ?? '';
		const status = this.#found.has(uid) ? this.#shown?.(pod)?.status : undefined;
		this.#admit(uid, status === undefined ? pod : { ...pod, status });
	}

	/** The manifest of a static pod is gone. */
	withdraw(uid: string): void {
		this.#workers.get(uid)?.handle({ type: 'ended', why: 'withdrawn' });
	}

	/** Ends a pod for the node's own sake; false when it ends already. */
	disrupt(uid: string, disruption: Disruption, graceMs: number): boolean {
		const worker = this.#workers.get(uid);
		if (worker?.disrupt(disruption, graceMs) !== true) return false;
		this.#tellLate(worker.pod, graceMs);
		return true;
	}

	/** Upstream waits half as long again for the runtime, at least ten seconds. */
	#tellLate(pod: Pod, graceMs: number): void {
		const late = withDeadline(this.#context.clock, Math.max(MIN_KILL_MS, graceMs * 1.5), 'the end of a pod', this.#signal);
		this.stopped(pod.metadata.uid ?? '', late.signal)
			.finally(() => late[Symbol.dispose]())
			.catch(() => {
				if (this.#signal.aborted) return;
				const message = 'Container runtime did not kill the pod within specified grace period.';
				podEvent(this.#context, pod, 'Warning', 'ExceededGracePeriod', message);
			});
	}

	/** Resolves when nobody looks after the pod any more. */
	async ended(uid: string): Promise<void> {
		await this.#running.get(uid);
	}

	/** Of a static pod: its mirror is another one now. */
	shownAnew(uid: string): void {
		this.#writer.again(uid);
	}

	/** A pod that runs already, or has ended, is never turned away. */
	#admit(uid: string, pod: Pod): void {
		const found = this.#take(uid);
		const worker = new PodWorker(pod, found, this.#context, this.#writer, this.#onMove);
		this.#context.figures.containersPerPod.observe(pod.spec?.containers.length ?? 0);
		const node = this.#context.node();
		if (found.seen === undefined && worker.phase === 'syncing') {
			const refusal = this.#context.hostRefusal?.(pod) ?? (node === undefined ? undefined : this.#refusal(pod, node));
			if (refusal !== undefined) worker.refuse(refusal);
		}
		this.#start(uid, worker);
	}

	/** A critical pod that only lacks resources gets those of others. */
	#refusal(pod: Pod, node: Node): Waiting | undefined {
		const others = this.active.map((p) => this.#context.resizes.allocated(p));
		const refusal = refusalOf(pod, node, others);
		if (refusal?.reason.startsWith('OutOf') !== true) return refusal;
		const preemption = preemptionFor(pod, node, others);
		if (preemption === undefined) return refusal;
		const rest = refusalOf(
			pod,
			node,
			others.filter((other) => !preemption.victims.includes(other)),
		);
		if (rest !== undefined) return rest;
		for (const victim of preemption.victims) this.#preempt(victim, preemption.signal);
		return undefined;
	}

	#preempt(victim: Pod, signal: string): void {
		if (!this.disrupt(victim.metadata.uid ?? '', PREEMPTED, graceMsOf(victim))) return;
		podEvent(this.#context, victim, 'Warning', PREEMPTED.reason, PREEMPTED.message);
		this.#context.figures.preemptions.inc({ preemption_signal: signal });
	}

	/** The runtime says that something of the pod changed. */
	wake(uid: string): void {
		this.#workers.get(uid)?.wake();
	}

	/** As if the runtime had news of every pod. */
	wakeAll(): void {
		for (const worker of this.#workers.values()) worker.wake();
	}

	/** Ends what the runtime runs and the API does not know. To be called once the API's pods are all known. */
	endOrphans(found: readonly PodRuntime[]): void {
		for (const pod of found) {
			if (this.#workers.has(pod.uid)) continue;
			const { uid, name, namespace } = pod;
			this.#found.delete(uid);
			this.#context.figures.orphanedPods.inc();
			this.#context.log.info('ending a pod that the API does not know', { pod: `${namespace}/${name}`, uid });
			const worker = new PodWorker(
				{ metadata: { uid, name, namespace }, spec: { containers: [] } },
				{ seen: pod },
				this.#context,
				this.#writer,
				this.#onMove,
			);
			worker.handle({ type: 'ended', why: 'orphan' });
			this.#start(uid, worker);
		}
	}

	/** The same of what a look at everything shows. */
	async endUnknown(seen: readonly PodStates[]): Promise<void> {
		if (seen.every(({ uid }) => this.#workers.has(uid))) return;
		this.endOrphans(await this.#context.runtime.pods(this.#signal));
	}

	/** Resolves when no worker runs any more. */
	async allEnded(): Promise<void> {
		await Promise.all(this.#running.values());
	}

	#take(uid: string): { readonly seen: PodRuntime | undefined } {
		const seen = this.#found.get(uid);
		this.#found.delete(uid);
		return { seen };
	}

	#start(uid: string, worker: PodWorker): void {
		this.#workers.set(uid, worker);
		this.#context.groups.rebalance(() => this.active);
		const running = worker
			.run(this.#signal)
			.catch((error: unknown) => this.#context.log.error('pod worker failed', { uid, reason: messageOf(error), error }))
			.finally(() => {
				if (this.#running.get(uid) === running) this.#running.delete(uid);
				if (this.#workers.get(uid) === worker) this.#workers.delete(uid);
				this.#onMove();
				this.#context.groups.rebalance(() => this.active);
			});
		this.#running.set(uid, running);
	}
}

/** True when a change concerns the agent; what it wrote itself comes back and does not. Pure. */
export function matters(before: Pod, after: Pod): boolean {
	const facts = (pod: Pod): unknown => {
		const { generation, labels, annotations, deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
		const gates = (pod.spec?.readinessGates ?? []).map((g) => pod.status?.conditions?.find((c) => c.type === g.conditionType)?.status);
		return [generation, labels, annotations, deletionTimestamp, deletionGracePeriodSeconds, gates, pod.spec];
	};
	return !isDeepStrictEqual(facts(before), facts(after));
}
