/** What Jobs come to, under upstream's names (job_controller_*). */
import type { Job, JobStatus, Pod } from '../../../api/gen/types.ts';
import { isTerminal } from '../../../api/pod/phase.ts';
import { Counter, Registry, SeriesHistogram, type Series } from '../../../base/metrics.ts';
import { limitsEachIndex } from './index-failures.ts';
import { parseIndexes } from './indexes.ts';
import type { JobPlan } from './plan.ts';
import { isIndexed, isTracked } from './pods.ts';

/** What a look at a Job led to. */
export type SyncAction = 'reconciling' | 'tracking' | 'pods_created' | 'pods_deleted';

/** 4 ms, doubled fourteen times. */
const SECONDS = Array.from({ length: 15 }, (_, i) => 0.004 * 2 ** i);

export class JobMetrics {
	readonly #seconds: SeriesHistogram;
	readonly #series = new Map<string, Series>();
	readonly #syncs: Counter<'completion_mode' | 'result' | 'action'>;
	readonly #finished: Counter<'completion_mode' | 'result' | 'reason'>;
	readonly #others: Counter<'controller_name'>;
	readonly #pods: Counter<'completion_mode' | 'result'>;
	readonly #policy: Counter<'action'>;
	readonly #tracked: Counter<'event'>;
	readonly #indexes: Counter<'status' | 'backoffLimit'>;
	readonly #created: Counter<'reason' | 'status'>;

	constructor(registry = new Registry()) {
		const registers = [registry];
		const counter = <L extends string>(name: string, help: string, labelNames: readonly L[]): Counter<L> =>
			new Counter({ name: `job_controller_${name}`, help, labelNames, registers });
		const sync = ['completion_mode', 'result', 'action'] as const;
		this.#seconds = new SeriesHistogram({
			...{ name: 'job_controller_job_sync_duration_seconds', help: 'The time it took to sync a job', buckets: SECONDS, registers },
		});
		this.#syncs = counter('job_syncs_total', 'The number of job syncs', sync);
		this.#finished = counter('jobs_finished_total', 'The number of finished jobs', ['completion_mode', 'result', 'reason']);
		this.#others = counter('jobs_by_external_controller_total', 'The number of Jobs managed by an external controller', [
			'controller_name',
		]);
		this.#pods = counter('job_pods_finished_total', 'The number of finished Pods that are fully tracked', ['completion_mode', 'result']);
		this.#policy = counter(
			'pod_failures_handled_by_failure_policy_total',
			'The number of failed Pods handled by failure policy with respect to the failure policy action applied based on the matched rule.',
			['action'],
		);
		this.#tracked = counter(
			'terminated_pods_tracking_finalizer_total',
			'The number of terminated pods (phase=Failed|Succeeded) that have the finalizer batch.kubernetes.io/job-tracking',
			['event'],
		);
		this.#indexes = counter('job_finished_indexes_total', 'The number of finished indexes', ['status', 'backoffLimit']);
		this.#created = counter(
			'job_pods_creation_total',
			'The number of Pods created by the Job controller labelled with a reason for the Pod creation.',
			['reason', 'status'],
		);
	}

	synced(job: Job, result: 'success' | 'error', action: SyncAction, ms: number): void {
		const labels = { completion_mode: modeOf(job), result, action };
		const key = Object.values(labels).join();
		let series = this.#series.get(key);
		if (series === undefined) this.#series.set(key, (series = this.#seconds.series(labels)));
		series.observe(ms / 1000);
		this.#syncs.inc(labels);
	}

	finished(job: Job, success: boolean, reason: string): void {
		this.#finished.inc({ completion_mode: modeOf(job), result: success ? 'succeeded' : 'failed', reason });
	}

	managedBy(controller: string): void {
		this.#others.inc({ controller_name: controller });
	}

	/** What a status that was written says more than the one before. */
	counted(job: Job, after: JobStatus): void {
		const before = job.status ?? {};
		const completion_mode = modeOf(job);
		const indexes = (text: string | undefined): number => parseIndexes(text ?? '', job.spec?.completions ?? 0).size;
		let succeeded = (after.succeeded ?? 0) - (before.succeeded ?? 0);
		if (isIndexed(job)) {
			succeeded = indexes(after.completedIndexes) - indexes(before.completedIndexes);
			const backoffLimit = limitsEachIndex(job) ? 'perIndex' : 'global';
			this.#indexes.inc({ status: 'succeeded', backoffLimit }, Math.max(0, succeeded));
			const failed = indexes(after.failedIndexes) - indexes(before.failedIndexes);
			if (limitsEachIndex(job) && failed > 0) this.#indexes.inc({ status: 'failed', backoffLimit }, failed);
		}
		this.#pods.inc({ completion_mode, result: 'succeeded' }, Math.max(0, succeeded));
		this.#pods.inc({ completion_mode, result: 'failed' }, Math.max(0, (after.failed ?? 0) - (before.failed ?? 0)));
	}

	handledByPolicy(action: string): void {
		this.#policy.inc({ action });
	}

	/** Of every pod, whoever has it. */
	seen(before: Pod | undefined, after: Pod | undefined): void {
		const was = before !== undefined && isTerminal(before) && isTracked(before);
		const is = after !== undefined && isTerminal(after) && isTracked(after);
		if (was !== is) this.#tracked.inc({ event: is ? 'add' : 'delete' });
	}

	created(job: Job, pods: { readonly failed: number; readonly terminating: number }, made: number, refused: number): void {
		const reason =
			job.spec?.podReplacementPolicy === 'Failed' && pods.failed > 0
				? 'recreate_failed'
				: pods.failed > 0 || pods.terminating > 0
					? 'recreate_terminating_or_failed'
					: 'new';
		if (made > 0) this.#created.inc({ reason, status: 'succeeded' }, made);
		if (refused > 0) this.#created.inc({ reason, status: 'failed' }, refused);
	}
}

const modeOf = (job: Job): string => (isIndexed(job) ? 'Indexed' : 'NonIndexed');

export function actionOf(plan: JobPlan): SyncAction {
	switch (plan.type) {
		case 'finish':
			return 'reconciling';
		case 'suspend':
			return 'pods_deleted';
		case 'scale':
			if (plan.remove.length > 0) return 'pods_deleted';
			return plan.create.length > 0 ? 'pods_created' : 'tracking';
	}
}
