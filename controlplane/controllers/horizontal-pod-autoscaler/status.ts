/** The status of an autoscaler while it is worked out. */
import type {
	HorizontalPodAutoscaler,
	HorizontalPodAutoscalerCondition,
	HorizontalPodAutoscalerStatus,
	MetricStatus,
} from '../../../api/gen/types.ts';
import { sameButNulls } from '../../../api/same-json.ts';
import { timeOf } from '../../../api/time.ts';
import type { Reason } from './pace.ts';

export type ConditionType = 'AbleToScale' | 'ScalingActive' | 'ScalingLimited';

export class StatusDraft {
	readonly #before: HorizontalPodAutoscalerStatus | undefined;
	readonly #now: number;
	#status: HorizontalPodAutoscalerStatus;

	constructor({ status }: HorizontalPodAutoscaler, now: number) {
		this.#before = status;
		this.#now = now;
		this.#status = { desiredReplicas: 0, ...status };
	}

	/** Undefined where nothing changed. */
	get changed(): HorizontalPodAutoscalerStatus | undefined {
		return sameButNulls(this.#status, this.#before ?? {}) ? undefined : this.#status;
	}

	condition(type: ConditionType, holds: boolean, { reason, message }: Reason): void {
		const { conditions = [] } = this.#status;
		const before = conditions.find((c) => c.type === type);
		const status = holds ? 'True' : 'False';
		const lastTransitionTime = before?.status === status ? before.lastTransitionTime : timeOf(this.#now);
		const next: HorizontalPodAutoscalerCondition = { type, status, reason, message, lastTransitionTime };
		this.#status = {
			...this.#status,
			conditions: before === undefined ? [...conditions, next] : conditions.map((c) => (c === before ? next : c)),
		};
	}

	/** What was seen where nothing could be decided. */
	seen(currentReplicas: number, metrics: readonly MetricStatus[]): void {
		this.#status = { ...this.#status, currentReplicas, currentMetrics: [...metrics] };
	}

	decided(currentReplicas: number, desiredReplicas: number, metrics: readonly MetricStatus[]): void {
		this.seen(currentReplicas, metrics);
		this.#status = { ...this.#status, desiredReplicas };
	}

	scaled(): void {
		this.#status = { ...this.#status, lastScaleTime: timeOf(this.#now) };
	}
}
