/** The scheduler's metrics under upstream's names. */
import { Counter, Gauge, Histogram, type Registry } from '../../base/metrics.ts';

export interface SchedulerMetrics {
	/** @param profile the scheduler's name that the pod has */
	decided(result: 'scheduled' | 'unschedulable', profile: string, seconds: number): void;
	/** @param ms since the pod was created */
	bound(ms: number): void;
	/** A step of upstream's volume binder failed. */
	volumesFailed(operation: 'bind'): void;
	/** Of one device that a pod waited for, or had together with such. */
	devicesWaited(profile: string, driver: string, status: WaitStatus, seconds: number): void;
	/** Of one device that had to get ready first. */
	devicesAllocated(profile: string, driver: string, status: WaitStatus): void;
	/** A claim that stands for extended resources. */
	claimCreated(status: 'success' | 'failure'): void;
}

export type WaitStatus = 'success' | 'failure' | 'timeout' | 'error';

/** prometheus.ExponentialBuckets(0.001, 2, 15) and (0.01, 2, 20). */
const ATTEMPT_BUCKETS = Array.from({ length: 15 }, (_, i) => 0.001 * 2 ** i);
/** (0.1, 2, 14). */
const WAIT_BUCKETS = Array.from({ length: 14 }, (_, i) => 0.1 * 2 ** i);
const POD_BUCKETS = Array.from({ length: 20 }, (_, i) => 0.01 * 2 ** i);

export function schedulerMetrics(registry: Registry, counts: () => Readonly<Record<string, number>>): SchedulerMetrics {
	const registers = [registry];
	const attempts = new Counter({
		name: 'scheduler_schedule_attempts_total',
		help: 'Number of attempts to schedule pods, by the result',
		labelNames: ['result', 'profile'],
		registers,
	});
	const duration = new Histogram({
		name: 'scheduler_scheduling_attempt_duration_seconds',
		help: 'Scheduling attempt latency in seconds',
		labelNames: ['result', 'profile'],
		buckets: ATTEMPT_BUCKETS,
		registers,
	});
	const sli = new Histogram({
		name: 'scheduler_pod_scheduling_sli_duration_seconds',
		help: 'E2e latency for a pod being scheduled, from the time the pod enters the scheduling queue',
		buckets: POD_BUCKETS,
		registers,
	});
	const volumeErrors = new Counter({
		name: 'scheduler_volume_scheduling_stage_error_total',
		help: 'Volume scheduling stage error count',
		labelNames: ['operation'],
		registers,
	});
	const labelNames = ['profile', 'driver', 'status'];
	const waited = new Histogram({
		name: 'scheduler_dra_bindingconditions_wait_duration_seconds',
		help: 'Time in seconds spent waiting for BindingConditions to be satisfied during PreBind.',
		labelNames,
		buckets: WAIT_BUCKETS,
		registers,
	});
	const allocated = new Counter({
		name: 'scheduler_dra_bindingconditions_allocations_total',
		help: 'Number of allocations using devices with BindingConditions, counted per driver per scheduling attempt',
		labelNames,
		registers,
	});
	const claims = new Counter({
		name: 'scheduler_resourceclaim_creates_total',
		help: 'Number of ResourceClaims creation requests within scheduler',
		labelNames: ['status'],
		registers,
	});
	const pending = new Gauge({
		name: 'scheduler_pending_pods',
		help: 'Number of pending pods, by the queue type',
		labelNames: ['queue'],
		registers,
		collect() {
			for (const [queue, count] of Object.entries(counts())) this.set({ queue }, count);
		},
	});
	pending.reset();
	return {
		decided(result, profile, seconds) {
			attempts.inc({ result, profile });
			duration.observe({ result, profile }, seconds);
		},
		volumesFailed: (operation) => volumeErrors.inc({ operation }),
		devicesWaited: (profile, driver, status, seconds) => waited.observe({ profile, driver, status }, seconds),
		devicesAllocated: (profile, driver, status) => allocated.inc({ profile, driver, status }),
		claimCreated: (status) => claims.inc({ status }),
		bound(ms) {
			if (Number.isFinite(ms)) sli.observe(Math.max(0, ms) / 1000);
		},
	};
}
