/** The scheduler: gives every waiting pod a node, as soon as one fits. */
import type { Node, Pod } from '../../api/gen/types.ts';
import { keyOf } from '../../api/resource.ts';
import { NAMESPACES, NODES, POD_DISRUPTION_BUDGETS, PODS } from '../../api/resources.ts';
import { StatusError } from '../../api/status.ts';
import { isTerminal } from '../../api/pod/phase.ts';
import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { Registry } from '../../base/metrics.ts';
import type { Service } from '../../base/service.ts';
import type { Change } from '../../client/cache.ts';
import type { Client } from '../../client/client.ts';
import type { EventRecorder } from '../../client/events.ts';
import type { Informers } from '../../client/informers.ts';
import { SchedulerCache } from './cache.ts';
import { defaultSettings, type SchedulerSettings } from './configuration/configuration.ts';
import { DEFAULT_SCHEDULER } from './configuration/profile.ts';
import { nodeEvents, podEvents, waitingPodChanged } from './cluster-events.ts';
import { SchedulerDevices } from './devices/devices.ts';
import { decide, preempt } from './extenders/decide.ts';
import { makeExtenders, type Extenders } from './extenders/extenders.ts';
import { DEFAULT_PREEMPTION, DYNAMIC_RESOURCES, fitMessage, triedInstead } from './fit-message.ts';
import { workedByLeader } from './leadership.ts';
import { schedulerMetrics, type SchedulerMetrics } from './metrics.ts';
import { podInfo, type PodInfo } from './pod-info.ts';
import { PodWriter } from './pod-writer.ts';
import { PodsInPreBind, Preempted } from './prebinding.ts';
import { NotPrepared, prepare } from './prepare.ts';
import { makeProfile, type Profile } from './profiles.ts';
import { SchedulingQueue } from './queue.ts';
import type { Decision, Unfit } from './schedule.ts';
import { PluginFailed, type Reservation, type Snapshot } from './framework.ts';
import { VOLUME_BINDING } from './storage/reservation.ts';
import { SchedulerStorage } from './storage/storage.ts';
import { Verdicts } from './verdicts.ts';
import { takeVictims } from './victims.ts';
import { SchedulerWorkloads } from './workloads.ts';

export interface SchedulerDeps {
	readonly client: Client;
	/** Run by the caller. */
	readonly informers: Informers;
	readonly clock: Clock;
	readonly log: Log;
	readonly metrics: Registry;
	/** Run by the caller. */
	readonly recorder: EventRecorder;
	/** Upstream's defaults unless told. */
	readonly settings?: SchedulerSettings;
	readonly after?: readonly string[];
}

/** A pod that is made together with its claims may be seen before them: they get a moment to arrive. */
const CLAIMS_MS = 50;
/** Decisions are made without pause for at most this long; then others have their turn. */
const SLICE_MS = 4;

/** The scheduler as a Service: ready once it knows the cluster, or at once where it waits to be the leader. */
export function createScheduler(deps: SchedulerDeps): Service {
	const { clock, log, settings = defaultSettings(), after = [] } = deps;
	let scheduler: Scheduler | undefined;
	const metrics = schedulerMetrics(deps.metrics, () => scheduler?.waiting() ?? {});
	return workedByLeader(settings.leaderElection, deps, {
		name: 'scheduler',
		after,
		async run(signal, ready) {
			scheduler = new Scheduler(deps, settings, metrics, await makeExtenders(settings.extenders, clock, log));
			try {
				await scheduler.run(signal, ready);
			} catch (error) {
				if (!signal.aborted) throw error;
			} finally {
				scheduler = undefined;
			}
		},
	});
}

class Scheduler {
	readonly #deps: SchedulerDeps;
	readonly #storage: SchedulerStorage;
	readonly #devices: SchedulerDevices;
	readonly #workloads: SchedulerWorkloads;
	readonly #settings: SchedulerSettings;
	readonly #profiles: ReadonlyMap<string, Profile>;
	readonly #cache = new SchedulerCache();
	readonly #queue: SchedulingQueue;
	readonly #writer: PodWriter;
	readonly #verdicts: Verdicts;
	readonly #prebinding = new PodsInPreBind();
	readonly #metrics: SchedulerMetrics;
	readonly #extenders: Extenders;
	readonly #underWay = new Set<Promise<void>>();
	#start = 0;

	constructor(deps: SchedulerDeps, settings: SchedulerSettings, metrics: SchedulerMetrics, extenders: Extenders) {
		this.#deps = deps;
		this.#extenders = extenders;
		this.#settings = settings;
		this.#storage = new SchedulerStorage(deps);
		this.#devices = new SchedulerDevices({ ...deps, metrics });
		this.#workloads = new SchedulerWorkloads(deps.informers);
		const parts = { storage: this.#storage, devices: this.#devices, siblingsOf: this.#workloads.siblingsOf };
		this.#profiles = new Map(this.#settings.profiles.map((profile) => [profile.schedulerName, makeProfile(profile, parts)]));
		const { podInitialBackoffSeconds, podMaxBackoffSeconds } = this.#settings;
		this.#queue = new SchedulingQueue(deps.clock, { initialMs: podInitialBackoffSeconds * 1000, maxMs: podMaxBackoffSeconds * 1000 });
		this.#writer = new PodWriter(deps.client, deps.clock);
		this.#verdicts = new Verdicts(deps, this.#writer);
		this.#metrics = metrics;
	}

	/** Pods by queue. */
	waiting(): Readonly<Record<string, number>> {
		return this.#queue.counts();
	}

	async run(signal: AbortSignal, ready: () => void): Promise<void> {
		const { informers, clock } = this.#deps;
		const nodes = informers.get(NODES);
		const pods = informers.get(PODS);
		const namespaces = informers.get(NAMESPACES);
		const budgets = informers.get(POD_DISRUPTION_BUDGETS);
		using subscriptions = new DisposableStack();
		for (const part of [this.#queue, this.#storage, this.#devices]) subscriptions.use(part);
		subscriptions.use(nodes.subscribe((change) => this.#nodeChanged(change)));
		subscriptions.use(pods.subscribe((change) => this.#podChanged(change)));
		subscriptions.use(namespaces.subscribe(({ before }) => before !== undefined && this.#queue.happened(['namespaceChanged'])));
		subscriptions.use(this.#storage.subscribe((events, concerns) => this.#queue.happened(events, concerns)));
		subscriptions.use(this.#devices.subscribe((events, concerns) => this.#queue.happened(events, concerns)));
		if (this.#settings.profiles.some(({ args }) => args.PodTopologySpread.defaultConstraints.length > 0)) this.#workloads.follow();
		await Promise.all([nodes, pods, namespaces, budgets, this.#storage, this.#workloads].map((informer) => informer.synced(signal)));
		ready();
		try {
			let since = clock.monotonic();
			for (;;) {
				const pod = await this.#queue.pop(signal);
				await this.#one(pod, signal);
				if (clock.monotonic() - since < SLICE_MS) continue;
				await new Promise((resolve) => setImmediate(resolve));
				since = clock.monotonic();
			}
		} finally {
			await Promise.all(this.#underWay);
		}
	}

	#nodeChanged(change: Change<Node>): void {
		if (change.after === undefined) this.#cache.deleteNode(change.before?.metadata.name ?? '');
		else if (this.#cache.setNode(change.after) > 1) this.#workloads.follow();
		this.#queue.happened(nodeEvents(change));
	}

	#podChanged(change: Change<Pod>): void {
		const { before, after } = change;
		if (after === undefined) {
			if (before === undefined) return;
			const key = keyOf(before);
			const assumed = this.#cache.isAssumed(key);
			this.#cache.deletePod(key);
			this.#queue.delete(key);
			this.#queue.happened(assumed ? ['podDeleted'] : podEvents(change));
			return;
		}
		if ((after.spec?.nodeName ?? '') !== '') {
			this.#cache.setPod(after);
			this.#queue.delete(keyOf(after));
			this.#queue.happened(podEvents(change));
		} else if (this.#cache.isAssumed(keyOf(after))) {
			// Its binding is under way; the entry stays in flight.
		} else if (this.#waits(after))
			this.#queue.put(podInfo(after), waitingPodChanged(before, after), this.#storage.lacksClaims(after) ? CLAIMS_MS : 0);
		else this.#queue.delete(keyOf(after));
	}

	/** SchedulingGates: a pod with gates is not even tried. */
	#waits(pod: Pod): boolean {
		const { spec, metadata } = pod;
		const profile = this.#profileOf(pod);
		if (profile === undefined || isTerminal(pod) || metadata.deletionTimestamp !== undefined) return false;
		return !profile.gates || (spec?.schedulingGates ?? []).length === 0;
	}

	#profileOf({ spec }: Pod): Profile | undefined {
		return this.#profiles.get(spec?.schedulerName ?? DEFAULT_SCHEDULER);
	}

	async #one(pod: PodInfo, signal: AbortSignal): Promise<void> {
		const { informers } = this.#deps;
		const current = informers.get(PODS).lister.get(pod.key);
		const profile = this.#profileOf(pod.pod);
		if (profile === undefined || current === undefined || current.metadata.uid !== pod.uid) return this.#queue.done(pod);
		const started = this.#deps.clock.monotonic();
		const snapshot = this.#cache.snapshot((namespace) => informers.get(NAMESPACES).lister.get(namespace)?.metadata.labels);
		let decision: Decision;
		let reservations: readonly Reservation[] = [];
		try {
			const random = (): number => this.#deps.clock.random();
			const decided = decide(this.#extenders, signal, pod, snapshot, profile, random, this.#start++);
			decision = decided instanceof Promise ? await decided : decided;
			// While extenders were asked, it may have gone, or been given a node by somebody else.
			if (decided instanceof Promise && !this.#isOpen(pod)) return this.#queue.done(pod);
			const name = 'node' in decision ? decision.node : undefined;
			const node = snapshot.nodes.find((one) => one.name === name);
			if (node !== undefined) reservations = profile.reserve(pod, node);
		} catch (error) {
			return this.#track(this.#failed(pod, error, signal));
		}
		const seconds = (this.#deps.clock.monotonic() - started) / 1000;
		this.#metrics.decided('node' in decision ? 'scheduled' : 'unschedulable', profile.schedulerName, seconds);
		if ('node' in decision) {
			this.#cache.assume(pod, decision.node);
			this.#track(this.#bind(pod, decision.node, reservations, signal));
		} else {
			const refused = this.#refuse(pod, profile, decision.unfit, snapshot, signal);
			this.#track(refused.catch(async (error: unknown) => this.#failed(pod, error, signal)));
		}
	}

	#isOpen({ key, uid }: PodInfo): boolean {
		const pod = this.#deps.informers.get(PODS).lister.get(key);
		return pod?.metadata.uid === uid && (pod.spec?.nodeName ?? '') === '';
	}

	/** One pod's failure, whosever mistake it is, is not the end of scheduling. */
	async #failed(pod: PodInfo, error: unknown, signal: AbortSignal): Promise<void> {
		if (signal.aborted) return;
		if (!(error instanceof PluginFailed)) this.#deps.log.error('scheduling failed', { pod: pod.key, reason: messageOf(error), error });
		await this.#fail(pod, messageOf(error), signal);
	}

	/** Failures are handled in the work itself; what is left over is a mistake of ours and is logged. */
	#track(work: Promise<void>): void {
		const tracked = work
			.catch((error: unknown) => this.#deps.log.error('scheduling failed', { reason: messageOf(error), error }))
			.finally(() => this.#underWay.delete(tracked));
		this.#underWay.add(tracked);
	}

	async #bind(pod: PodInfo, node: string, reservations: readonly Reservation[], signal: AbortSignal): Promise<void> {
		const { log } = this.#deps;
		try {
			// Work that may take long: the pod's status says where it is going to be.
			if (reservations.length > 0) {
				using prebinding = this.#prebinding.begin(pod, signal);
				await this.#writer.nominated(pod.pod, node, signal);
				await prepare(reservations, prebinding.signal, signal);
				prebinding.settle();
			}
			if (!(await this.#extenders.bind(pod, node, signal))) await this.#writer.bind(pod, node, signal);
		} catch (error) {
			this.#cache.forget(pod.key);
			const undone = Promise.all(reservations.map(async (reservation) => reservation.undo(signal)));
			this.#queue.happened(['podDeleted']);
			await undone;
			if (signal.aborted) return;
			if (error instanceof NotPrepared && error.plugin === VOLUME_BINDING) this.#metrics.volumesFailed('bind');
			if (error instanceof NotPrepared || error instanceof Preempted) await this.#fail(pod, error.message, signal, null);
			// Gone, or bound by somebody else: its informer tells.
			else if (error instanceof StatusError && (error.httpCode === 404 || error.httpCode === 409)) this.#queue.refused(pod, 'error');
			else await this.#fail(pod, `binding rejected: ${messageOf(error)}`, signal);
			return;
		}
		this.#queue.done(pod);
		this.#metrics.bound(this.#deps.clock.now() - Date.parse(pod.pod.metadata.creationTimestamp ?? ''));
		this.#verdicts.event(pod, pod, 'Normal', 'Scheduled', `Successfully assigned ${pod.key} to ${node}`);
		log.info('pod scheduled', { pod: pod.key, node });
	}

	async #fail(pod: PodInfo, message: string, signal: AbortSignal, nominated?: null): Promise<void> {
		const { log } = this.#deps;
		log.warn('cannot schedule pod', { pod: pod.key, reason: message });
		this.#verdicts.event(pod, pod, 'Warning', 'FailedScheduling', message);
		this.#queue.refused(pod, 'error');
		await this.#verdicts.unscheduled(pod, 'SchedulerError', message, nominated, signal);
	}

	async #refuse(pod: PodInfo, profile: Profile, unfit: Unfit, snapshot: Snapshot, signal: AbortSignal): Promise<void> {
		const { log, informers } = this.#deps;
		const budgets = informers.get(POD_DISRUPTION_BUDGETS).lister.list();
		const preemption = profile.postFilters.includes(DEFAULT_PREEMPTION)
			? await preempt(this.#extenders, signal, pod, unfit, snapshot, profile.filters, budgets, profile.preemption)
			: undefined;
		const candidate = preemption?.type === 'found' ? preemption.candidate : undefined;
		const devices = profile.postFilters.includes(DYNAMIC_RESOURCES) ? await this.#devices.makeRoom(pod, signal).catch(messageOf) : '';
		const nodes = snapshot.nodes.length;
		const message = fitMessage(unfit, nodes, triedInstead(profile.postFilters, unfit, nodes, preemption, devices));
		log.info('pod fits no node', { pod: pod.key, reason: message });
		// Victims that end are deleted pods, which wake it.
		const waitsForVictims = preemption !== undefined && preemption.type !== 'none';
		this.#queue.refused(pod, new Set([...unfit.wokenBy, ...(waitsForVictims ? (['podDeleted'] as const) : [])]));
		this.#verdicts.event(pod, pod, 'Warning', 'FailedScheduling', message);
		await this.#verdicts.unscheduled(pod, 'Unschedulable', message, candidate?.node, signal);
		const taking = { writer: this.#writer, verdicts: this.#verdicts, prebinding: this.#prebinding, log };
		if (candidate !== undefined) await takeVictims(pod, candidate, profile.schedulerName, taking, signal);
	}
}
