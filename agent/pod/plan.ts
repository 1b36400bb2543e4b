/** What to do next for a running pod, from what is wanted and what is seen. Pure: every rule of upstream's computePodActions, no calls. */
import type { Pod, PodStatus, ResourceRequirements } from '../../api/gen/types.ts';
import type { ContainerRuntime, PodRuntime } from '../runtime/runtime.ts';
import { restartsFor } from '../resize/actions.ts';
import { goSeconds, remainingMs, type BackoffEntry } from './backoff.ts';
import { containersOf, type PodContainer } from './containers.ts';
import { containerHash } from './hash.ts';
import { containersToReset } from './restart-all.ts';
import { restartsAfter, restartsAfterProbe } from './restart-rules.ts';
import { sandboxNeed } from './sandbox-need.ts';

/** What the agent knows of containers beyond the runtime. */
export interface Knowledge {
	readonly now: number;
	/** Ran its postStart hook and passed its startup probe. */
	started(container: ContainerRuntime): boolean;
	/** A failure that calls for a kill. */
	failed(container: ContainerRuntime): 'liveness' | 'startup' | undefined;
	backoff(key: string): BackoffEntry | undefined;
	/** The status last made, or the API's. */
	readonly status: PodStatus;
	/** How often a container, by name, was started that the runtime no longer has: from its logs. */
	starts(name: string): number | undefined;
	/** What the runtime was last told of a container's resources, by name. */
	actuated?(name: string): ResourceRequirements | undefined;
	/** When a container, by name, ended that had all restarted. */
	resetAt(name: string): number | undefined;
}

export interface StartAction {
	readonly container: PodContainer;
	/** The restart count of the new one. */
	readonly attempt: number;
	readonly backoffKey: string;
	/** When the one before ended, if there was one. */
	readonly failedAt: number | undefined;
}

export interface KillAction {
	readonly container: ContainerRuntime;
	readonly spec: PodContainer;
	readonly why: 'changed' | 'liveness' | 'startup' | 'unknown' | 'resize';
	readonly message: string;
}

export interface Waiting {
	readonly reason: string;
	readonly message: string;
}

export interface PodPlan {
	/** End everything of the pod that runs, sandboxes included, first. */
	readonly killPod: boolean;
	/** Of the new sandbox; absent when none is to be made. */
	readonly sandboxAttempt: number | undefined;
	readonly sandboxId: string | undefined;
	readonly kill: readonly KillAction[];
	/** All containers are to restart: these go first, in this order, and nothing starts in this round. */
	readonly reset: readonly ContainerRuntime[];
	/** In the order in which they start. */
	readonly start: readonly StartAction[];
	/** Containers held back, by name. */
	readonly waiting: ReadonlyMap<string, Waiting>;
	/** When to look again if nothing happens before: the end of the first back-off. */
	readonly againMs: number | undefined;
}

export function plan(pod: Pod, seen: PodRuntime | undefined, known: Knowledge): PodPlan {
	const draft = new Draft(pod, seen, known);
	const need = sandboxNeed(pod, seen);
	const containers = containersOf(pod);
	const nothing: PodPlan = {
		killPod: false,
		sandboxAttempt: undefined,
		sandboxId: need.id,
		kill: [],
		reset: [],
		start: [],
		waiting: new Map(),
		againMs: undefined,
	};
	const reset = containersToReset(pod, seen, known.status);
	if (reset.length > 0) return { ...nothing, reset };
	if (need.create) {
		const apps = containers.filter((c) => c.kind === 'app' && draft.wantsRun(c));
		const killPod = (seen?.sandboxes.length ?? 0) > 0;
		if (need.forbidden || apps.length === 0) return { ...nothing, killPod };
		const inits = containers.filter((c) => c.kind === 'init' || c.kind === 'sidecar');
		const first = inits[0];
		for (const c of containers.filter((c) => c.kind === 'ephemeral' && draft.newest(c) === undefined)) draft.start(c);
		for (const c of first === undefined ? apps : [first]) draft.start(c);
		return draft.result(killPod, need.attempt, undefined);
	}
	for (const c of containers) if (c.kind === 'ephemeral' && draft.newest(c) === undefined) draft.start(c);
	const initialized = planInit(draft, containers, need.id);
	if (initialized === 'failed') return { ...nothing, killPod: true };
	if (initialized === 'waiting') return draft.result(false, undefined, need.id);
	const apps = containers.filter((c) => c.kind === 'app').map((c) => planApp(draft, c));
	// A sidecar does not keep the pod, not even one that is to start again.
	return apps.includes(true) ? draft.result(false, undefined, need.id) : { ...nothing, killPod: true };
}

/** Init containers one after the other; sidecars kept running. Says whether regular containers may run. */
function planInit(draft: Draft, containers: readonly PodContainer[], sandboxId: string | undefined): 'done' | 'waiting' | 'failed' {
	const inits = containers.filter((c) => c.kind === 'init' || c.kind === 'sidecar');
	const current = (c: PodContainer): ContainerRuntime | undefined => draft.newest(c, sandboxId);
	const appExists = containers.some((c) => c.kind === 'app' && current(c) !== undefined);
	for (const [i, c] of inits.entries()) {
		const seen = current(c);
		if (c.kind === 'sidecar') {
			if (seen?.state === 'running') {
				if (draft.killIfUnfit(c, seen)) draft.startAfterKill();
				else if (!appExists && !draft.known.started(seen)) return 'waiting';
				continue;
			}
			if (seen?.state === 'unknown') draft.killUnknown(c, seen);
			draft.start(c);
			if (!appExists) return 'waiting';
			continue;
		}
		if (appExists) continue;
		if (seen === undefined && inits.slice(i + 1).some((later) => current(later) !== undefined)) continue;
		switch (seen?.state) {
			case undefined:
			case 'created':
				draft.start(c);
				return 'waiting';
			case 'running':
				return 'waiting';
			case 'unknown':
				// It may not have ended, so that no rule speaks of its exit.
				if (!restartsAfterProbe(draft.pod, c)) return 'failed';
				if (seen !== undefined) draft.killUnknown(c, seen);
				draft.startAfterKill();
				return 'waiting';
			case 'exited':
				if (seen?.exitCode === 0) continue;
				if (!restartsAfter(draft.pod, c, seen?.exitCode ?? 1)) return 'failed';
				draft.start(c);
				return 'waiting';
		}
	}
	return 'done';
}

/** True when the container runs on, or is to run again. */
function planApp(draft: Draft, c: PodContainer): boolean {
	const seen = draft.newest(c);
	if (seen?.state !== 'running') {
		if (seen?.state === 'unknown') draft.killUnknown(c, seen);
		if (!draft.wantsRun(c)) return false;
		draft.start(c);
		return true;
	}
	if (!draft.killIfUnfit(c, seen)) return true;
	if (containerHash(c.spec) === seen.hash && !draft.resizes(c) && !restartsAfterProbe(draft.pod, c)) return false;
	draft.startAfterKill();
	return true;
}

/** Collects actions; knows the newest container of each name. */
class Draft {
	readonly pod: Pod;
	readonly known: Knowledge;
	readonly #seen: PodRuntime | undefined;
	readonly #kill: KillAction[] = [];
	readonly #start: StartAction[] = [];
	readonly #waiting = new Map<string, Waiting>();
	#againMs: number | undefined;

	constructor(pod: Pod, seen: PodRuntime | undefined, known: Knowledge) {
		this.pod = pod;
		this.#seen = seen;
		this.known = known;
	}

	newest(c: PodContainer, sandboxId?: string): ContainerRuntime | undefined {
		return this.#seen?.containers.find((seen) => seen.name === c.spec.name && (sandboxId === undefined || seen.sandboxId === sandboxId));
	}

	/** An app container that does not run now and should. */
	wantsRun(c: PodContainer): boolean {
		const seen = this.newest(c);
		return seen === undefined || seen.state !== 'exited' || restartsAfter(this.pod, c, seen.exitCode ?? 1);
	}

	killIfUnfit(c: PodContainer, seen: ContainerRuntime): boolean {
		const label = c.kind === 'sidecar' ? 'Init container' : 'Container';
		const failure = this.known.failed(seen);
		if (containerHash(c.spec) !== seen.hash) this.kill(c, seen, 'changed', `${label} ${c.spec.name} definition changed`);
		else if (failure !== undefined) this.kill(c, seen, failure, `${label} ${c.spec.name} failed ${failure} probe`);
		else if (this.resizes(c)) this.kill(c, seen, 'resize', `Container ${c.spec.name} resize requires restart`);
		else return false;
		return true;
	}

	/** Its new resources are for a new start only. */
	resizes(c: PodContainer): boolean {
		return restartsFor(c, this.known.actuated?.(c.spec.name));
	}

	kill(spec: PodContainer, container: ContainerRuntime, why: KillAction['why'], message: string): void {
		// That a sidecar is restarted goes without saying.
		const said = spec.kind !== 'sidecar';
		const again = said && (why === 'changed' || ((why === 'liveness' || why === 'startup') && restartsAfterProbe(this.pod, spec)));
		this.#kill.push({ container, spec, why, message: again ? `${message}, will be restarted` : message });
	}

	/** Nobody knows whether it runs: two at the same time must not. */
	killUnknown(spec: PodContainer, container: ContainerRuntime): void {
		const label = spec.kind === 'app' ? 'Container' : 'Init container';
		this.kill(spec, container, 'unknown', `${label} is in "unknown" state, try killing it before restart`);
	}

	/** Starts the one that replaces a container about to be killed; its back-off counts from its end, in the next round. */
	startAfterKill(): void {
		this.#againMs = 0;
	}

	start(c: PodContainer): void {
		const before = this.newest(c);
		const key = `${this.pod.metadata.uid ?? ''}_${c.spec.name}_${containerHash(c.spec)}`;
		const ended = before?.state === 'exited' ? (before.finishedAt ?? before.createdAt) : undefined;
		const failedAt = before === undefined ? this.known.resetAt(c.spec.name) : ended;
		const entry = this.known.backoff(key);
		const waitMs = failedAt === undefined ? 0 : remainingMs(entry, failedAt, this.known.now);
		if (waitMs > 0) {
			const { name = '', namespace = '', uid = '' } = this.pod.metadata;
			const message = `back-off ${goSeconds(entry?.delayMs ?? 0)} restarting failed container=${c.spec.name} pod=${name}_${namespace}(${uid})`;
			this.#waiting.set(c.spec.name, { reason: 'CrashLoopBackOff', message });
			this.#againMs = Math.min(this.#againMs ?? waitMs, waitMs);
			return;
		}
		this.#start.push({
			container: c,
			attempt: before === undefined ? Math.max(this.known.starts(c.spec.name) ?? 0, countBefore(this.known.status, c)) : before.attempt + 1,
			backoffKey: key,
			failedAt,
		});
	}

	result(killPod: boolean, sandboxAttempt: number | undefined, sandboxId: string | undefined): PodPlan {
		return {
			killPod,
			sandboxAttempt,
			sandboxId,
			kill: this.#kill,
			reset: [],
			start: this.#start,
			waiting: this.#waiting,
			againMs: this.#againMs,
		};
	}
}

/** The restart count of a container whose forerunner the runtime has lost: one more than was last said of it, unless that was said already. */
function countBefore({ initContainerStatuses = [], containerStatuses = [] }: PodStatus, c: PodContainer): number {
	const known = [...initContainerStatuses, ...containerStatuses].find((s) => s.name === c.spec.name);
	if (known === undefined) return 0;
	return known.containerID ? known.restartCount + 1 : known.restartCount;
}
