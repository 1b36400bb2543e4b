/** The status of an autoscaler while it is worked out. */
import type { HorizontalPodAutoscaler, HorizontalPodAutoscalerStatus, MetricStatus } from '../../../api/gen/types.ts';
import { sameButNulls } from '../../../api/same-json.ts';
import { timeOf } from '../../../api/time.ts';
import { withCondition } from '../../../api/conditions.ts';
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
		const next = { type, status: holds ? 'True' : 'False', reason, message };
		this.#status = { ...this.#status, conditions: withCondition(this.#status.conditions, next, this.#now) };
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
