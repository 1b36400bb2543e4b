/** Autoscalers: every 15 seconds each one's metrics are read, and its target is scaled to what they ask for, at the pace it allows. */
import type { HorizontalPodAutoscaler, MetricStatus } from '../../../api/gen/types.ts';
import { parseQuantity } from '../../../api/quantity.ts';
import { keyOf, type Key } from '../../../api/resource.ts';
import { HORIZONTAL_POD_AUTOSCALERS, PODS } from '../../../api/resources.ts';
import type { Clock } from '../../../base/clock.ts';
import { AppError, codeOf, messageOf } from '../../../base/errors.ts';
import type { Registry } from '../../../base/metrics.ts';
import type { Client } from '../../../client/client.ts';
import type { Again, KeySource } from '../../../client/controller.ts';
import { referenceTo, type EventRecorder, type EventType } from '../../../client/events.ts';
import type { Informers } from '../../../client/informers.ts';
import { awaited } from '../awaited.ts';
import type { Reconciler } from '../reconciler.ts';
import { actionOf, AutoscalerMetrics, type ActionLabel, type ErrorLabel } from './metrics.ts';
import { changing, NO_PAST, paced, recalling, type Past } from './pace.ts';
import { proposalsOf, type Observe, type Proposals } from './proposals.ts';
import { MetricSource } from './samples.ts';
import { scaleTarget, setReplicas, type ScaleTarget } from './scale-target.ts';
import { SelectedPods, SelectorFailure } from './selected.ts';
import { StatusDraft } from './status.ts';
import type { Tolerances } from './usage.ts';

/** Upstream's --horizontal-pod-autoscaler-sync-period and -tolerance. */
const PERIOD_MS = 15_000;
const TOLERANCE = 0.1;

interface Deps {
	readonly client: Client;
	readonly informers: Informers;
	readonly clock: Clock;
	readonly recorder: EventRecorder;
}

interface Parts extends Deps {
	readonly source: MetricSource;
	readonly selected: SelectedPods;
	readonly past: Map<Key, Past>;
	readonly metrics: AutoscalerMetrics;
}

/** Keys are autoscalers. */
export function horizontalPodAutoscaling(deps: Deps, registry?: Registry): Reconciler {
	const autoscalers = deps.informers.get(HORIZONTAL_POD_AUTOSCALERS);
	const pods = deps.informers.get(PODS);
	const metrics = new AutoscalerMetrics(() => autoscalers.lister.list().length, registry);
	const source = new MetricSource(deps.client, deps.clock);
	const parts: Parts = { ...deps, source, selected: new SelectedPods(pods.lister), past: new Map(), metrics };
	/** Never at once: writes follow each other, metrics do not. */
	const inTime: KeySource = {
		synced: (signal) => autoscalers.synced(signal),
		subscribe: (enqueue) =>
			autoscalers.subscribe(({ before, after }) => {
				const object = after ?? before;
				if (object !== undefined) enqueue(keyOf(object), PERIOD_MS);
			}),
	};
	return {
		sources: [inTime, awaited(pods)],
		async reconcile(key, signal): Promise<Again | void> {
			const autoscaler = autoscalers.lister.get(key);
			if (autoscaler === undefined) {
				parts.selected.forget(key);
				parts.past.delete(key);
				return;
			}
			const run = new Run(parts, key, autoscaler, signal);
			const since = deps.clock.monotonic();
			try {
				await run.act();
			} catch (error) {
				// Its conditions and events tell it; sooner than in its period nothing is tried again.
				if (signal.aborted) throw error;
				run.failed(codeOf(error) === 'InvalidArgument' ? 'spec' : 'internal');
			}
			await run.writeStatus();
			metrics.reconciled(run.action, run.error, deps.clock.monotonic() - since);
			return { afterMs: PERIOD_MS };
		},
	};
}

/** One look at one autoscaler; its status is written once, at the end. */
class Run {
	readonly #parts: Parts;
	readonly #key: Key;
	readonly #autoscaler: HorizontalPodAutoscaler;
	readonly #signal: AbortSignal;
	readonly #now: number;
	readonly #status: StatusDraft;
	action: ActionLabel = 'none';
	error: ErrorLabel = 'none';

	constructor(parts: Parts, key: Key, autoscaler: HorizontalPodAutoscaler, signal: AbortSignal) {
		this.#parts = parts;
		this.#key = key;
		this.#autoscaler = autoscaler;
		this.#signal = signal;
		this.#now = parts.clock.now();
		this.#status = new StatusDraft(autoscaler, this.#now);
	}

	/** The first failure counts. */
	failed(why: ErrorLabel): void {
		if (this.error === 'none') this.error = why;
	}

	async act(): Promise<void> {
		const { spec } = this.#autoscaler;
		const target = await this.#target();
		const current = target.scale.spec?.replicas ?? 0;
		const { minReplicas: least = 1, maxReplicas: most } = spec;
		if (!this.#parts.past.has(this.#key)) this.#remember(recalling(spec, NO_PAST, current, this.#now));
		if (current === 0) {
			const message = 'scaling is disabled since the replica count of the target is zero';
			this.#status.condition('ScalingActive', false, { reason: 'ScalingDisabled', message });
			this.#decided(current, current, []);
		} else if (current > most) await this.#scale(target, most, 'Current number of replicas above Spec.MaxReplicas', []);
		else if (current < least) await this.#scale(target, least, 'Current number of replicas below Spec.MinReplicas', []);
		else await this.#byMetrics(target, current);
	}

	async #byMetrics(target: ScaleTarget, current: number): Promise<void> {
		const { spec } = this.#autoscaler;
		const { replicas: wanted, metric, statuses } = await this.#wanted(target, current);
		const { replicas, able, limited } = paced(spec, this.#past, current, wanted, this.#now);
		this.#remember(recalling(spec, this.#past, wanted, this.#now));
		this.#status.condition('AbleToScale', true, able);
		this.#status.condition('ScalingLimited', limited.is, limited);
		if (replicas === current) return this.#decided(current, current, statuses);
		const why = wanted > current ? `${metric} above target` : wanted < current ? 'All metrics below target' : '';
		await this.#scale(target, replicas, why, statuses);
	}

	#decided(current: number, replicas: number, statuses: readonly MetricStatus[]): void {
		const { namespace = '', name = '' } = this.#autoscaler.metadata;
		this.#status.decided(current, replicas, statuses);
		this.#parts.metrics.desired(namespace, name, replicas);
	}

	async writeStatus(): Promise<void> {
		const status = this.#status.changed;
		if (status === undefined) return;
		const options = { subresource: 'status', signal: this.#signal };
		try {
			await this.#parts.client.update(HORIZONTAL_POD_AUTOSCALERS, { ...this.#autoscaler, status }, options);
		} catch (error) {
			if (codeOf(error) === 'NotFound' || this.#signal.aborted) return;
			this.#tell('Warning', 'FailedUpdateStatus', messageOf(error));
			this.error = 'internal';
		}
	}

	get #past(): Past {
		return this.#parts.past.get(this.#key) ?? NO_PAST;
	}

	#remember(past: Past): void {
		this.#parts.past.set(this.#key, past);
	}

	async #target(): Promise<ScaleTarget> {
		const { spec, metadata } = this.#autoscaler;
		try {
			const found = await scaleTarget(this.#parts.client, metadata.namespace ?? '', spec.scaleTargetRef, this.#signal);
			const message = "the HPA controller was able to get the target's current scale";
			this.#status.condition('AbleToScale', true, { reason: 'SucceededGetScale', message });
			return found;
		} catch (error) {
			this.#tell('Warning', 'FailedGetScale', messageOf(error));
			const message = `the HPA controller was unable to get the target's current scale: ${messageOf(error)}`;
			this.#status.condition('AbleToScale', false, { reason: 'FailedGetScale', message });
			throw error;
		}
	}

	/** What the metric that asks for most asks for. */
	async #wanted({ scale }: ScaleTarget, current: number): Promise<Proposals> {
		const { selector = '', replicas: observed = 0 } = scale.status ?? {};
		const { namespace = '' } = this.#autoscaler.metadata;
		let statuses: readonly MetricStatus[] = [];
		try {
			const pods = this.#parts.selected.of(this.#key, namespace, selector);
			const look = { namespace, pods, current, observed, selector, tolerances: tolerancesOf(this.#autoscaler), now: this.#now };
			const { source, clock, metrics } = this.#parts;
			const told = this.#autoscaler.status?.currentReplicas ?? 0;
			let since = clock.monotonic();
			const observe: Observe = ({ type }, replicas, isUnknown) => {
				const error = replicas === undefined ? (isUnknown ? 'spec' : 'internal') : 'none';
				metrics.computed(type, replicas, told, error, clock.monotonic() - since);
				since = clock.monotonic();
			};
			const found = await proposalsOf(source, this.#autoscaler.spec.metrics ?? [], { ...look, signal: this.#signal }, observe);
			if (found.failures.length > 0) this.failed('internal');
			statuses = found.statuses;
			for (const { reason, why } of found.failures) this.#tell('Warning', reason, why);
			const [first] = found.failures;
			// Some may fail, unless the others would scale down.
			if (first !== undefined && (found.failures.length === statuses.length || found.replicas < current)) {
				const message = `the HPA was unable to compute the replica count: ${first.why}`;
				this.#status.condition('ScalingActive', false, { reason: first.reason, message });
				const count = `${found.failures.length} invalid out of ${statuses.length}`;
				throw new AppError('Unavailable', `invalid metrics (${count}), first error is: ${messageOf(first)}`);
			}
			const message = `the HPA was able to successfully calculate a replica count from ${found.metric}`;
			this.#status.condition('ScalingActive', true, { reason: 'ValidMetricFound', message });
			return found;
		} catch (error) {
			if (error instanceof SelectorFailure) {
				this.#tell('Warning', error.event, error.message);
				this.#status.condition('ScalingActive', false, { reason: error.reason, message: error.condition });
			}
			this.#status.seen(current, statuses);
			this.#tell('Warning', 'FailedComputeMetricsReplicas', messageOf(error));
			throw error;
		}
	}

	async #scale(target: ScaleTarget, replicas: number, why: string, statuses: readonly MetricStatus[]): Promise<void> {
		const current = target.scale.spec?.replicas ?? 0;
		const { spec } = this.#autoscaler;
		try {
			await setReplicas(this.#parts, target, replicas, this.#signal);
		} catch (error) {
			this.#tell('Warning', 'FailedRescale', `New size: ${replicas}; reason: ${why}; error: ${messageOf(error)}`);
			const message = `the HPA controller was unable to update the target scale: ${messageOf(error)}`;
			this.#status.condition('AbleToScale', false, { reason: 'FailedUpdateScale', message });
			this.#status.seen(current, statuses);
			throw error;
		}
		const message = `the HPA controller was able to update the target scale to ${replicas}`;
		this.#status.condition('AbleToScale', true, { reason: 'SucceededRescale', message });
		this.#tell('Normal', 'SuccessfulRescale', `New size: ${replicas}; reason: ${why}`);
		if (spec.behavior !== undefined) this.#remember(changing(spec, this.#past, current, replicas, this.#now));
		this.action = actionOf(current, replicas);
		this.#decided(current, replicas, statuses);
		this.#status.scaled();
	}

	#tell(type: EventType, reason: string, message: string): void {
		this.#parts.recorder.event(referenceTo(HORIZONTAL_POD_AUTOSCALERS, this.#autoscaler), type, reason, message);
	}
}

function tolerancesOf({ spec: { behavior } }: HorizontalPodAutoscaler): Tolerances {
	const of = (text: string | undefined): number => (text === undefined ? TOLERANCE : Number(parseQuantity(text).nano) / 1e9);
	return { up: of(behavior?.scaleUp?.tolerance), down: of(behavior?.scaleDown?.tolerance) };
}
