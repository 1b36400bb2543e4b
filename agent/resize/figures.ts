/** Resizes in numbers, under upstream's names. */
import type { ResourceRequirements } from '../../api/gen/types.ts';
import { compareQuantities } from '../../api/quantity.ts';
import { Counter, Gauge, Histogram, type Registry } from '../../base/metrics.ts';
import type { Refused } from './allocation.ts';

/** What made a resize that waited be looked at again, in upstream's words. */
export type RetryTrigger = 'pod_resized' | 'pod_updated' | 'pod_terminated' | 'periodic_retry';

type Operation = 'add' | 'remove' | 'increase' | 'decrease';

const BUCKETS_MS = [10, 50, 100, 500, 1000, 2000, 5000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000, 600_000];

export class ResizeFigures {
	readonly requested: Counter;
	readonly infeasible: Counter;
	readonly durationMs: Histogram;
	readonly accepted: Counter<'retry_trigger'>;

	/** Why those that wait now do. */
	pending: () => readonly Refused['reason'][] = () => [];
	/** How many are being done. */
	inProgress: () => number = () => 0;

	constructor(registry: Registry) {
		const registers = [registry];
		this.requested = new Counter({
			name: 'kubelet_container_requested_resizes_total',
			help: "[ALPHA] Number of requested resizes, counted at the container level. Different resources on the same container are counted separately. The 'requirement' label refers to 'memory' or 'limits'; the 'operation' label can be one of 'add', 'remove', 'increase' or 'decrease'.",
			labelNames: ['resource', 'requirement', 'operation'],
			registers,
		});
		const pending: Gauge = new Gauge({
			name: 'kubelet_pod_pending_resizes',
			help: '[ALPHA] Number of pending resizes for pods.',
			labelNames: ['reason'],
			registers,
			collect: () => {
				const now = this.pending();
				for (const reason of ['Deferred', 'Infeasible'] as const)
					pending.set({ reason: reason.toLowerCase() }, now.filter((one) => one === reason).length);
			},
		});
		const inProgress: Gauge = new Gauge({
			name: 'kubelet_pod_in_progress_resizes',
			help: '[ALPHA] Number of in-progress resizes for pods.',
			registers,
			collect: () => inProgress.set(this.inProgress()),
		});
		this.accepted = new Counter({
			name: 'kubelet_pod_deferred_accepted_resizes_total',
			help: '[ALPHA] Cumulative number of resizes that were accepted after being deferred.',
			labelNames: ['retry_trigger'],
			registers,
		});
		this.infeasible = new Counter({
			name: 'kubelet_pod_infeasible_resizes_total',
			help: '[ALPHA] Number of infeasible resizes for pods.',
			labelNames: ['reason_detail'],
			registers,
		});
		this.durationMs = new Histogram({
			name: 'kubelet_pod_resize_duration_milliseconds',
			help: '[ALPHA] Duration in milliseconds to actuate a pod resize',
			labelNames: ['success'],
			buckets: BUCKETS_MS,
			registers,
		});
	}

	/** What of the containers, by name, is to become something else. */
	count(from: Readonly<Record<string, ResourceRequirements>>, to: Readonly<Record<string, ResourceRequirements>>): void {
		for (const [name, wanted] of Object.entries(to))
			for (const requirement of ['requests', 'limits'] as const)
				for (const resource of ['cpu', 'memory'] as const) {
					const operation = operationOf(from[name]?.[requirement]?.[resource], wanted[requirement]?.[resource]);
					if (operation !== undefined) this.requested.inc({ resource, requirement, operation });
				}
	}
}

/** Pure; undefined where nothing changes. */
export function operationOf(from: string | undefined, to: string | undefined): Operation | undefined {
	if (from === undefined) return to === undefined ? undefined : 'add';
	if (to === undefined) return 'remove';
	const order = compareQuantities(from, to);
	return order === 0 ? undefined : order < 0 ? 'increase' : 'decrease';
}
