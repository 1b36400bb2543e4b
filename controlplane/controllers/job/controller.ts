/** Jobs: pods until enough have succeeded or too many failed, each finished pod counted exactly once. */
import type { Job, Pod } from '../../../api/gen/types.ts';
import { keyOf, type Key } from '../../../api/resource.ts';
import { JOBS, PODS } from '../../../api/resources.ts';
import { timeOf } from '../../../api/time.ts';
import { isActive, isTerminal } from '../../../api/pod/phase.ts';
import { sameButNulls } from '../../../api/same-json.ts';
import type { Clock } from '../../../base/clock.ts';
import { codeOf, ignore, messageOf } from '../../../base/errors.ts';
import type { Registry } from '../../../base/metrics.ts';
import type { Change } from '../../../client/cache.ts';
import type { Client } from '../../../client/client.ts';
import { keysFrom, type Again } from '../../../client/controller.ts';
import { referenceTo, type EventRecorder } from '../../../client/events.ts';
import type { Informers } from '../../../client/informers.ts';
import { matchesLabelSelector } from '../../../api/selector/label.ts';
import { claimAll } from '../claim.ts';
import { Expectations } from '../expectations.ts';
import { interested, itself, seen } from '../interest.ts';
import { isNamespaceGoing } from '../namespaced.ts';
import { controllerOf, isEmptySelector } from '../owned.ts';
import type { Reconciler } from '../reconciler.ts';
import { slowStart } from '../slow-start.ts';
import { recordAfter, type BackoffRecord } from './backoff.ts';
import { matchedRule } from './failure-policy.ts';
import { failuresAfter, limitsEachIndex, NEVER_FAILED, type IndexFailures } from './index-failures.ts';
import { makePod } from './make-pod.ts';
import { actionOf, JobMetrics, type SyncAction } from './metrics.ts';
import { planJob, type JobPlan } from './plan.ts';
import { isTracked, TRACKING_FINALIZER } from './pods.ts';
import { isJobFinished, statusOf } from './status.ts';
import { tellStatus } from './told.ts';
import { lettingGo, tally, type Tally } from './tally.ts';

interface Deps {
	readonly client: Client;
	readonly informers: Informers;
	readonly clock: Clock;
	readonly recorder: EventRecorder;
}

interface Parts extends Deps {
	readonly metrics: JobMetrics;
}

/** spec.managedBy of Jobs that are ours. */
const MANAGER = 'kubernetes.io/job-controller';

export function jobController(deps: Deps, registry?: Registry): Reconciler {
	const { informers, clock } = deps;
	const metrics = new JobMetrics(registry);
	const jobs = informers.get(JOBS);
	const pods = informers.get(PODS);
	pods.addIndex('job', (pod) => jobKeys(pod));
	pods.addIndex('nobodys', (pod) => (controllerOf(pod) === undefined ? [pod.metadata.namespace ?? ''] : []));
	const expectations = new Expectations(clock);
	const ofPod = ({ before, after }: Change<Pod>): readonly Key[] => {
		metrics.seen(before, after);
		seen({ before, after } as Change<Pod>, 'Job', expectations);
		return [...interested({ before, after } as Change<Pod>, 'Job', jobs.lister)];
	};
	const ofJob = (change: Change<Job>): readonly Key[] => {
		const { before, after } = change;
		if (before === undefined && after !== undefined && managerOf(after) !== MANAGER) metrics.managedBy(managerOf(after));
		return itself(change, expectations);
	};
	const worker = new JobWorker({ ...deps, metrics }, expectations);
	return {
		sources: [keysFrom(jobs, ofJob), keysFrom(pods, ofPod)],
		reconcile: (key, signal) => {
			const job = jobs.lister.get(key);
			const nobodys = pods.lister.byIndex('nobodys', job?.metadata.namespace ?? '');
			return worker.reconcile(key, job, pods.lister.byIndex('job', key), nobodys, signal);
		},
	};
}

const managerOf = ({ spec }: Job): string => spec?.managedBy ?? MANAGER;

function jobKeys(pod: Pod): readonly Key[] {
	const ref = controllerOf(pod);
	return ref?.kind === 'Job' ? [`${pod.metadata.namespace}/${ref.name}`] : [];
}

function failuresOf(job: Job, { replaced }: Tally, index: number | undefined): IndexFailures | undefined {
	if (!limitsEachIndex(job) || index === undefined) return undefined;
	const failed = replaced.get(index);
	return failed === undefined ? NEVER_FAILED : failuresAfter(job, failed);
}

interface Remembered extends BackoffRecord {
	/** The Job's. */
	readonly uid: string;
	/** uids of the pods that were just let go of. */
	readonly judged: ReadonlySet<string>;
}

interface Look {
	action: SyncAction;
}

class JobWorker {
	readonly #deps: Parts;
	readonly #expectations: Expectations;
	/** What is remembered of the failures of Jobs that are not over. */
	readonly #records = new Map<Key, Remembered>();
	constructor(deps: Parts, expectations: Expectations) {
		this.#deps = deps;
		this.#expectations = expectations;
	}

	/** `nobodys` are those of its namespace that no controller has. */
	async reconcile(
		key: Key,
		job: Job | undefined,
		all: readonly Pod[],
		nobodys: readonly Pod[],
		signal: AbortSignal,
	): Promise<Again | void> {
		const before = all.filter((pod) => controllerOf(pod)?.uid === job?.metadata.uid);
		const orphans = all.filter((pod) => !before.includes(pod) && isTracked(pod));
		await this.#release(orphans, signal);
		if (job === undefined || isJobFinished(job)) this.#records.delete(key);
		if (job === undefined || managerOf(job) !== MANAGER) return;
		if (isJobFinished(job)) return this.#release(before.filter(isTracked), signal);
		const { clock, metrics } = this.#deps;
		const since = clock.monotonic();
		const look: Look = { action: 'reconciling' };
		let result: 'success' | 'error' = 'error';
		try {
			const again = await this.#sync(key, job, before, nobodys, look, signal);
			result = 'success';
			return again;
		} finally {
			metrics.synced(job, result, look.action, clock.monotonic() - since);
		}
	}

	async #sync(key: Key, job: Job, before: readonly Pod[], nobodys: readonly Pod[], look: Look, signal: AbortSignal): Promise<Again | void> {
		const { clock } = this.#deps;
		const own = await this.#claim(job, before, nobodys, signal);
		const found = tally(job, own);
		const uid = job.metadata.uid ?? '';
		const remembered = this.#records.get(key);
		const known = remembered?.uid === uid ? remembered : undefined;
		const record = recordAfter(known, job, own);
		const plan = planJob(job, own, found, clock.now(), record);
		const act = job.metadata.deletionTimestamp === undefined && this.#expectations.satisfied(uid);
		if (act) look.action = actionOf(plan);
		const change = act ? await this.#perform(job, own, found, plan, signal) : { created: 0, removed: 0 };
		const count = this.#ending(job, own, found, act && plan.type === 'finish' ? plan : undefined);
		const now = timeOf(clock.now());
		const status = statusOf(job, own, count, plan, change, now);
		if (!sameButNulls(status, job.status)) {
			await this.#deps.client.update(JOBS, { ...job, status }, { subresource: 'status', signal });
			tellStatus(job, plan, status, this.#deps);
		}
		this.#records.set(key, { ...record, uid, judged: this.#judge(job, count, known?.judged) });
		await this.#release(count.release, signal);
		if (change.error !== undefined) throw change.error;
		if (plan.type === 'scale' && plan.waitMs !== undefined) return { afterMs: plan.waitMs };
	}

	/** Counts once, of each pod that is let go of, what the failure policy says of it; the answer is of which it has. */
	#judge(job: Job, { release }: Tally, before: ReadonlySet<string> = new Set()): ReadonlySet<string> {
		const judged = new Set<string>();
		for (const pod of release) {
			const uid = pod.metadata.uid ?? '';
			const action = matchedRule(job, pod)?.action;
			if (action !== undefined && !before.has(uid)) this.#deps.metrics.handledByPolicy(action);
			judged.add(uid);
		}
		return judged;
	}

	/** Its pods, after adopting and releasing; what it lets go of is no longer tracked, what it takes is. */
	async #claim(job: Job, before: readonly Pod[], nobodys: readonly Pod[], signal: AbortSignal): Promise<readonly Pod[]> {
		const selector = job.spec?.selector;
		if (isEmptySelector(selector)) return before;
		const { client } = this.#deps;
		const matches = (pod: Pod): boolean => matchesLabelSelector(selector, pod.metadata.labels ?? {});
		const own = await claimAll(client, PODS, { resource: JOBS, object: job }, [...before, ...nobodys], matches, signal);
		const uids = new Set(own.map((pod) => pod.metadata.uid));
		const isFree = job.metadata.deletionTimestamp === undefined;
		await this.#release(isFree ? before.filter((pod) => isTracked(pod) && !uids.has(pod.metadata.uid)) : [], signal);
		const known = new Set(before.map((pod) => pod.metadata.uid));
		await Promise.all(
			own
				.filter((pod) => !known.has(pod.metadata.uid) && !isTracked(pod))
				.map((pod) => {
					const body = { metadata: { uid: pod.metadata.uid, finalizers: [TRACKING_FINALIZER] } };
					return client
						.patch(PODS, keyOf(pod), { type: 'strategic', body }, { signal })
						.catch(ignore('NotFound', 'InvalidArgument', 'Aborted'));
				}),
		);
		return isFree ? own : before;
	}

	#ending(job: Job, own: readonly Pod[], found: Tally, finish: { readonly success: boolean } | undefined): Tally {
		if (job.metadata.deletionTimestamp !== undefined) return lettingGo(job, own, found, true);
		return finish === undefined ? found : lettingGo(job, own, found, finish.success);
	}

	async #perform(
		job: Job,
		own: readonly Pod[],
		count: Tally,
		plan: JobPlan,
		signal: AbortSignal,
	): Promise<{ readonly created: number; readonly removed: number; readonly error?: Error }> {
		switch (plan.type) {
			case 'finish':
				return { created: 0, removed: await this.#delete(job, own.filter(isActive), signal) };
			case 'suspend':
				return { created: 0, removed: await this.#discard(job, own.filter(isActive), signal) };
			case 'scale': {
				const removed = await this.#discard(job, plan.remove, signal);
				const { created, error } = await this.#create(job, plan.create, { count, own }, signal);
				return { created, removed, ...(error === undefined ? {} : { error }) };
			}
		}
	}

	async #create(
		job: Job,
		indexes: readonly (number | undefined)[],
		{ count, own }: { readonly count: Tally; readonly own: readonly Pod[] },
		signal: AbortSignal,
	): Promise<{ readonly created: number; readonly error?: Error }> {
		if (indexes.length === 0) return { created: 0 };
		const { client, recorder, metrics } = this.#deps;
		const uid = job.metadata.uid ?? '';
		this.#expectations.expectCreations(uid, indexes.length);
		const { succeeded, error } = await slowStart(indexes.length, async (i) => {
			try {
				const pod = await client.create(PODS, makePod(job, indexes[i], failuresOf(job, count, indexes[i])), { signal });
				recorder.event(referenceTo(JOBS, job), 'Normal', 'SuccessfulCreate', `Created pod: ${pod.metadata.name}`);
			} catch (failure) {
				if (isNamespaceGoing(failure)) return this.#expectations.creationObserved(uid); // it takes nothing more
				recorder.event(referenceTo(JOBS, job), 'Warning', 'FailedCreate', `Error creating: ${messageOf(failure)}`);
				throw failure;
			}
		});
		const terminating = own.filter((pod) => pod.metadata.deletionTimestamp !== undefined && !isTerminal(pod)).length;
		metrics.created(job, { failed: count.failed, terminating }, succeeded, error === undefined ? 0 : 1);
		if (error === undefined) return { created: succeeded };
		this.#expectations.creationObserved(uid, indexes.length - succeeded);
		return { created: succeeded, error: error instanceof Error ? error : new Error(messageOf(error)) };
	}

	/** Pods that the Job has no more use for count neither as failed nor as succeeded: they are let go of first. */
	async #discard(job: Job, going: readonly Pod[], signal: AbortSignal): Promise<number> {
		await this.#release(going.filter(isTracked), signal);
		return this.#delete(job, going, signal);
	}

	async #delete(job: Job, going: readonly Pod[], signal: AbortSignal): Promise<number> {
		if (going.length === 0) return 0;
		const { client, recorder } = this.#deps;
		const own = job.metadata.uid ?? '';
		this.#expectations.expectDeletions(
			own,
			going.map((pod) => pod.metadata.uid ?? ''),
		);
		await Promise.all(
			going.map(async (pod) => {
				const uid = pod.metadata.uid ?? '';
				try {
					await client.delete(PODS, keyOf(pod), { uid, signal });
					recorder.event(referenceTo(JOBS, job), 'Normal', 'SuccessfulDelete', `Deleted pod: ${pod.metadata.name}`);
				} catch (error) {
					this.#expectations.deletionObserved(own, uid);
					if (codeOf(error) !== 'NotFound' && codeOf(error) !== 'Aborted') throw error;
				}
			}),
		);
		return going.length;
	}

	/** Takes the tracking finalizer off, so that the pods may go. */
	async #release(pods: readonly Pod[], signal: AbortSignal): Promise<void> {
		await Promise.all(
			pods.map((pod) => {
				const body = { metadata: { uid: pod.metadata.uid, '$deleteFromPrimitiveList/finalizers': [TRACKING_FINALIZER] } };
				return this.#deps.client.patch(PODS, keyOf(pod), { type: 'strategic', body }, { signal }).catch(ignore('NotFound', 'Aborted'));
			}),
		);
	}
}
