/** Decides which pods get the resources that their specs want now, and remembers what they were given (upstream pkg/kubelet/allocation). */
import type { Node, Pod, PodCondition, ResourceRequirements } from '../../api/gen/types.ts';
import type { Clock } from '../../base/clock.ts';
import type { EventType } from '../../client/events.ts';
import type { Log } from '../../base/log.ts';
import { uidOf } from '../pod/uid.ts';
import {
	allocationOf,
	inTurn,
	resizeRefusal,
	resizeSummary,
	sameAllocation,
	supplemented,
	withAllocation,
	type Refused,
} from './allocation.ts';
import type { ResizeFigures, RetryTrigger } from './figures.ts';
import { Records } from './records.ts';

interface Pending extends Refused {
	readonly generation: number;
	readonly since: number;
}

interface InProgress {
	readonly generation: number;
	readonly since: number;
	/** Why it does not go on; empty while it does. */
	readonly error: string;
}

interface PodResize {
	pod: Pod;
	pending: Pending | undefined;
	inProgress: InProgress | undefined;
	/** The generation of the spec whose resize was counted. */
	counted: number | undefined;
}

export interface ResizesDeps {
	readonly clock: Clock;
	readonly node: () => Node | undefined;
	/** Why the pod keeps what it has, whatever the node could give; nothing when absent. */
	readonly fixed?: (pod: Pod, before: Pod) => Refused | undefined;
	readonly event: (pod: Pod, type: EventType, reason: string, message: string) => void;
	readonly figures: ResizeFigures;
}

export class Resizes {
	readonly #deps: ResizesDeps;
	readonly #allocated: Records;
	readonly #actuated: Records;
	readonly #states = new Map<string, PodResize>();
	#active: () => readonly Pod[] = () => [];
	#wake: (uid: string) => void = () => {};

	constructor(deps: ResizesDeps, allocated: Records, actuated: Records) {
		this.#deps = deps;
		this.#allocated = allocated;
		this.#actuated = actuated;
	}

	static async open(deps: ResizesDeps, rootDir: string, log: Log): Promise<Resizes> {
		const [allocated, actuated] = await Promise.all([
			Records.open(rootDir, 'allocated_pods_state', log),
			Records.open(rootDir, 'actuated_pods_state', log),
		]);
		return new Resizes(deps, allocated, actuated);
	}

	/** @param active the pods that run, as their specs are */
	begin(active: () => readonly Pod[], wake: (uid: string) => void): void {
		this.#active = active;
		this.#wake = wake;
		const { figures } = this.#deps;
		figures.inProgress = () => [...this.#states.values()].filter(({ inProgress }) => inProgress !== undefined).length;
		figures.pending = () => [...this.#states.values()].flatMap(({ pending }) => (pending === undefined ? [] : [pending.reason]));
	}

	/** The pod as it was agreed to. */
	allocated(pod: Pod): Pod {
		return withAllocation(pod, this.#allocated.get(uidOf(pod)));
	}

	/** The pod as it is to run now: what its spec wants where the node agrees, else what it has. @param trigger why it is looked at, where that is not the pod itself */
	decide(pod: Pod, trigger?: RetryTrigger): Pod {
		const uid = uidOf(pod);
		const kept = this.#allocated.get(uid);
		const wanted = allocationOf(pod);
		if (kept === undefined) {
			this.#allocated.set(uid, wanted);
			return pod;
		}
		const given = supplemented(kept, wanted);
		if (given !== kept) this.#allocated.set(uid, given);
		if (sameAllocation(given, wanted)) {
			const known = this.#known(pod);
			if (known !== undefined) known.pending = undefined;
			return pod;
		}
		const state = this.#state(pod);
		state.pod = pod;
		const generation = pod.metadata.generation ?? 0;
		const updated = state.counted !== generation;
		if (updated) this.#deps.figures.count(given.containers, wanted.containers);
		state.counted = generation;
		const others = this.#active()
			.filter((other) => uidOf(other) !== uid)
			.map((other) => this.allocated(other));
		const refused = this.#deps.fixed?.(pod, withAllocation(pod, given)) ?? resizeRefusal(pod, this.#deps.node(), others);
		if (refused === undefined) {
			this.#allocated.set(uid, wanted);
			if (state.pending?.reason === 'Deferred')
				this.#deps.figures.accepted.inc({ retry_trigger: trigger ?? (updated ? 'pod_updated' : 'periodic_retry') });
			state.pending = undefined;
			state.inProgress = { generation, since: this.#deps.clock.now(), error: '' };
			this.#deps.event(pod, 'Normal', 'ResizeStarted', `Pod resize started: ${resizeSummary(pod, generation)}`);
			this.#retry('pod_resized', uid);
			return pod;
		}
		const { pending } = state;
		const isNew = pending?.reason !== refused.reason || pending.generation !== generation;
		state.pending = { ...refused, generation, since: pending?.since ?? this.#deps.clock.now() };
		if (isNew) {
			if (refused.detail !== undefined) this.#deps.figures.infeasible.inc({ reason_detail: refused.detail });
			const text = `Pod resize ${refused.reason}: ${resizeSummary(pod, generation, refused.message)}`;
			this.#deps.event(pod, 'Warning', `Resize${refused.reason}`, text);
		}
		return withAllocation(pod, given);
	}

	/** There may be room now: the pods that wait are looked at again, each in its turn. @param but this one is just being looked at */
	#retry(trigger: RetryTrigger, but?: string): void {
		const waiting = [...this.#states].flatMap(([uid, { pod, pending }]) =>
			uid === but || pending?.reason !== 'Deferred' ? [] : [{ pod, allocated: this.allocated(pod), since: pending.since }],
		);
		for (const { pod } of inTurn(waiting)) {
			const uid = uidOf(pod);
			this.decide(pod, trigger);
			if (this.#states.get(uid)?.pending === undefined) this.#wake(uid);
		}
	}

	/** What the runtime was last told of a container. */
	actuated(pod: Pod, name: string): ResourceRequirements | undefined {
		return this.#actuated.get(uidOf(pod))?.containers[name];
	}

	setActuated(pod: Pod, name: string, resources: ResourceRequirements): void {
		this.#actuated.setContainer(uidOf(pod), name, resources);
	}

	inProgress(pod: Pod): boolean {
		return this.#known(pod)?.inProgress !== undefined;
	}

	/** Some of it could not be done. */
	failed(pod: Pod, error: string): void {
		const state = this.#state(pod);
		const generation = state.inProgress?.generation ?? pod.metadata.generation ?? 0;
		if (state.inProgress?.error === error) return;
		const since = state.inProgress?.since ?? this.#deps.clock.now();
		state.inProgress = { generation, since, error };
		this.#deps.figures.durationMs.observe({ success: 'false' }, this.#deps.clock.now() - since);
		this.#deps.event(pod, 'Warning', 'ResizeError', `Pod resize error: ${resizeSummary(pod, generation, error)}`);
	}

	/** All of it is done. */
	completed(pod: Pod): void {
		const state = this.#states.get(uidOf(pod));
		if (state?.inProgress === undefined) return;
		const { generation, since } = state.inProgress;
		state.inProgress = undefined;
		this.#deps.figures.durationMs.observe({ success: 'true' }, this.#deps.clock.now() - since);
		this.#deps.event(pod, 'Normal', 'ResizeCompleted', `Pod resize completed: ${resizeSummary(pod, generation)}`);
	}

	/** What the pod's status says of it. */
	conditions(pod: Pod): readonly PodCondition[] {
		const { pending, inProgress } = this.#states.get(uidOf(pod)) ?? {};
		const found: PodCondition[] = [];
		if (pending !== undefined)
			found.push({
				type: 'PodResizePending',
				status: 'True',
				reason: pending.reason,
				message: pending.message,
				observedGeneration: pending.generation,
			});
		if (inProgress !== undefined)
			found.push({
				...{ type: 'PodResizeInProgress', status: 'True', observedGeneration: inProgress.generation },
				...(inProgress.error === '' ? {} : { reason: 'Error', message: inProgress.error }),
			});
		return found;
	}

	/** The pod has ended: what it had is free for others. */
	ended(uid: string): void {
		this.#allocated.forget(uid);
		this.#actuated.forget(uid);
		this.#states.delete(uid);
		this.#retry('pod_terminated');
	}

	/** Forgets pods that came and went while the agent was away. */
	keep(known: (uid: string) => boolean): void {
		this.#allocated.keep(known);
		this.#actuated.keep(known);
	}

	async saved(): Promise<void> {
		await Promise.all([this.#allocated.saved(), this.#actuated.saved()]);
	}

	/** Undefined for a pod that nobody resizes. */
	#known(pod: Pod): PodResize | undefined {
		const said = pod.status?.conditions?.some((c) => c.type.startsWith('PodResize') && c.status === 'True');
		return said === true ? this.#state(pod) : this.#states.get(uidOf(pod));
	}

	/** What an agent that has just started knows of it is what the status says. */
	#state(pod: Pod): PodResize {
		const known = this.#states.get(uidOf(pod));
		if (known !== undefined) return known;
		const condition = (type: string): PodCondition | undefined =>
			pod.status?.conditions?.find((c) => c.type === type && c.status === 'True');
		const [pending, inProgress] = [condition('PodResizePending'), condition('PodResizeInProgress')];
		const state: PodResize = {
			pod,
			pending:
				pending === undefined
					? undefined
					: {
							reason: pending.reason === 'Infeasible' ? 'Infeasible' : 'Deferred',
							message: pending.message ?? '',
							generation: pending.observedGeneration ?? 0,
							since: Date.parse(pending.lastTransitionTime ?? '') || this.#deps.clock.now(),
						},
			inProgress:
				inProgress === undefined
					? undefined
					: { generation: inProgress.observedGeneration ?? 0, since: this.#deps.clock.now(), error: inProgress.message ?? '' },
			counted: (pending ?? inProgress)?.observedGeneration,
		};
		this.#states.set(uidOf(pod), state);
		return state;
	}
}
