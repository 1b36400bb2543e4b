/** CronJobs: a Job at each time of the schedule, in the zone it names (the controller's own where it names none), and no more history than asked for. */
import type { CronJob, CronJobStatus, Job, ObjectReference } from '../../../api/gen/types.ts';
import { keyOf, type Key } from '../../../api/resource.ts';
import { CRON_JOBS, JOBS } from '../../../api/resources.ts';
import { sameButNulls } from '../../../api/same-json.ts';
import { timeOf } from '../../../api/time.ts';
import type { Clock } from '../../../base/clock.ts';
import { codeOf, ignore, messageOf } from '../../../base/errors.ts';
import type { Lister } from '../../../client/cache.ts';
import type { Client } from '../../../client/client.ts';
import { keysFrom, type Again } from '../../../client/controller.ts';
import { referenceTo, type EventRecorder, type EventType } from '../../../client/events.ts';
import type { Informers } from '../../../client/informers.ts';
import { ownerKey } from '../interest.ts';
import { isNamespaceGoing } from '../namespaced.ts';
import { controllerOf, controllerRef } from '../owned.ts';
import type { Reconciler } from '../reconciler.ts';
import { changesOf } from './changes.ts';
import { byStart, endOf } from './ended.ts';
import { dueRun, msUntilNext, type Due } from './due.ts';
import { parseSchedule, type Schedule } from './schedule.ts';
import { hostZone, inZone, isTimeZone, rfc1123 } from './time-zone.ts';

interface Deps {
	readonly client: Client;
	readonly informers: Informers;
	readonly clock: Clock;
	readonly recorder: EventRecorder;
}

interface Options {
	/** Of schedules that name none: this process's own unless told. */
	readonly zone?: string | undefined;
}

const SCHEDULED_AT = 'batch.kubernetes.io/cronjob-scheduled-timestamp';

export function cronJobReconciler({ client, informers, clock, recorder }: Deps, options: Options = {}): Reconciler {
	const cronJobs = informers.get(CRON_JOBS);
	const jobs = informers.get(JOBS);
	return {
		sources: [
			changesOf(cronJobs, clock, options.zone),
			keysFrom(jobs, ({ before, after }) =>
				[before, after].flatMap((job) => (job === undefined ? [] : (ownerKey(job, CRON_JOBS.kind) ?? []))),
			),
		],
		async reconcile(key, signal) {
			const cronJob = cronJobs.lister.get(key);
			if (cronJob === undefined) return;
			const own = jobs.lister.list(cronJob.metadata.namespace).filter((job) => controllerOf(job)?.uid === cronJob.metadata.uid);
			// Asked only when there is a schedule: the tables of zones take memory.
			const zone = options.zone ?? hostZone();
			const run = new Run({ client, clock, recorder, zone, jobs: jobs.lister }, cronJob, own, signal);
			try {
				return await run.act();
			} finally {
				await run.writeStatus();
			}
		},
	};
}

interface RunDeps {
	readonly client: Client;
	readonly clock: Clock;
	readonly recorder: EventRecorder;
	readonly zone: string;
	readonly jobs: Lister<Job>;
}

/** One look at one CronJob; its status is written once, at the end. */
class Run {
	readonly #deps: RunDeps;
	#cronJob: CronJob;
	readonly #own: readonly Job[];
	readonly #signal: AbortSignal;
	#active: ObjectReference[];
	#status: CronJobStatus;

	constructor(deps: RunDeps, cronJob: CronJob, own: readonly Job[], signal: AbortSignal) {
		this.#deps = deps;
		this.#cronJob = cronJob;
		this.#own = own;
		this.#signal = signal;
		this.#active = [...(cronJob.status?.active ?? [])];
		this.#status = { ...cronJob.status };
	}

	async act(): Promise<Again | void> {
		await this.#cleanUp();
		await this.#takeStock();
		await this.#forgetMissing();
		if (this.#cronJob.metadata.deletionTimestamp === undefined) return this.#start();
	}

	async writeStatus(): Promise<void> {
		const { active: _, ...others } = this.#status;
		const status: CronJobStatus = { ...others, ...(this.#active.length === 0 ? {} : { active: this.#active }) };
		if (sameButNulls(status, this.#cronJob.status ?? {})) return;
		await this.#deps.client
			.update(CRON_JOBS, { ...this.#cronJob, status }, { subresource: 'status', signal: this.#signal })
			.catch(ignore('NotFound'));
	}

	async #takeStock(): Promise<void> {
		for (const job of this.#own) {
			const isActive = this.#isActive(job);
			const ended = endOf(job);
			if (ended === undefined) {
				if (!isActive && !(await this.#isActiveByNow(job)))
					this.#tell('Warning', 'UnexpectedJob', `Saw a job that the controller did not create or forgot: ${job.metadata.name}`);
				continue;
			}
			if (isActive) {
				this.#drop(job.metadata.uid);
				this.#tell('Normal', 'SawCompletedJob', `Saw completed job: ${job.metadata.name}, condition: ${ended}`);
			}
			const completed = job.status?.completionTime;
			if (
				ended === 'Complete' &&
				completed !== undefined &&
				Date.parse(completed) > (Date.parse(this.#status.lastSuccessfulTime ?? '') || 0)
			)
				this.#status = { ...this.#status, lastSuccessfulTime: completed };
		}
	}

	#isActive({ metadata }: Job): boolean {
		return this.#active.some(({ uid }) => uid === metadata.uid);
	}

	/** The cache of CronJobs may be behind that of Jobs: what is there now is gone on with. */
	async #isActiveByNow(job: Job): Promise<boolean> {
		const live = await this.#deps.client.get(CRON_JOBS, keyOf(this.#cronJob), { signal: this.#signal });
		if ((live.status?.active ?? []).every(({ uid }) => uid !== job.metadata.uid)) return false;
		this.#cronJob = live;
		this.#active = [...(live.status?.active ?? [])];
		this.#status = { ...live.status };
		return true;
	}

	/** What is active and not in the cache is asked for: it may be new. */
	async #forgetMissing(): Promise<void> {
		for (const ref of [...this.#active]) {
			if (this.#own.some((job) => job.metadata.uid === ref.uid)) continue;
			const found = await this.#deps.client.get(JOBS, this.#key(ref.name), { signal: this.#signal }).catch(ignore('NotFound'));
			if (found !== undefined) continue;
			this.#tell('Normal', 'MissingJob', `Active job went missing: ${ref.name}`);
			this.#drop(ref.uid);
		}
	}

	async #start(): Promise<Again | undefined> {
		const { spec } = this.#cronJob;
		const now = this.#deps.clock.now();
		const zone = spec?.timeZone;
		if (zone !== undefined && !isTimeZone(zone)) {
			this.#tell('Warning', 'UnknownTimeZone', `invalid timeZone: ${JSON.stringify(zone)}: unknown time zone ${zone}`);
			return undefined;
		}
		if (spec?.suspend === true) return undefined;
		const schedule = this.#schedule(zone);
		if (schedule === undefined) return undefined;
		const later = (): Again | undefined => {
			const afterMs = msUntilNext({ ...this.#cronJob, status: this.#status }, schedule, now);
			return afterMs === undefined ? undefined : { afterMs };
		};
		const due = this.#due(schedule, now);
		if (due === undefined) return undefined;
		const { at, tooManyMissed } = due;
		if (tooManyMissed)
			this.#tell(
				'Warning',
				'TooManyMissedTimes',
				'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew',
			);
		if (at === undefined || (await this.#isHeldBack(at, now))) return later();
		await this.#create(at, zone ?? 'UTC');
		return later();
	}

	#schedule(zone: string | undefined): Schedule | undefined {
		const text = this.#cronJob.spec?.schedule ?? '';
		if (text.includes('TZ'))
			this.#tell(
				'Warning',
				'UnsupportedSchedule',
				`CRON_TZ or TZ used in schedule ${JSON.stringify(text)} is not officially supported, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details`,
			);
		try {
			return parseSchedule(text, zone ?? this.#deps.zone);
		} catch (error) {
			this.#tell('Warning', 'UnparseableSchedule', `unparseable schedule: ${JSON.stringify(text)} : ${messageOf(error)}`);
			return undefined;
		}
	}

	#due(schedule: Schedule, now: number): Due | undefined {
		try {
			return dueRun(this.#cronJob, schedule, now);
		} catch (error) {
			this.#tell('Warning', 'InvalidSchedule', `invalid schedule: ${this.#cronJob.spec?.schedule} : ${messageOf(error)}`);
			return undefined;
		}
	}

	/** Too late, started already, or another still runs. */
	async #isHeldBack(at: number, now: number): Promise<boolean> {
		const { startingDeadlineSeconds, concurrencyPolicy } = this.#cronJob.spec ?? {};
		if (startingDeadlineSeconds !== undefined && at + startingDeadlineSeconds * 1000 < now) {
			this.#tell('Warning', 'MissSchedule', `Missed scheduled time to start a job: ${rfc1123(at)}`);
			return true;
		}
		if (this.#active.some((ref) => ref.name === this.#name(at)) || Date.parse(this.#status.lastScheduleTime ?? '') === at) return true;
		if (this.#active.length === 0) return false;
		if (concurrencyPolicy === 'Forbid') {
			this.#tell('Normal', 'JobAlreadyActive', 'Not starting job because prior execution is running and concurrency policy is Forbid');
			return true;
		}
		if (concurrencyPolicy === 'Replace') for (const { name, uid } of [...this.#active]) await this.#delete(name ?? '', uid);
		return false;
	}

	async #create(at: number, zone: string): Promise<void> {
		const { client } = this.#deps;
		const { jobTemplate } = this.#cronJob.spec ?? {};
		const made: Job = {
			metadata: {
				...{ name: this.#name(at), namespace: this.#cronJob.metadata.namespace, labels: jobTemplate?.metadata?.labels },
				annotations: { ...jobTemplate?.metadata?.annotations, [SCHEDULED_AT]: inZone(zone, at) },
				ownerReferences: [controllerRef(CRON_JOBS, this.#cronJob)],
			},
			spec: structuredClone(jobTemplate?.spec),
		};
		let job: Job;
		try {
			job = await client.create(JOBS, made, { signal: this.#signal });
			this.#tell('Normal', 'SuccessfulCreate', `Created job ${job.metadata.name}`);
		} catch (error) {
			if (isNamespaceGoing(error)) return;
			if (codeOf(error) !== 'AlreadyExists') {
				this.#tell('Warning', 'FailedCreate', `Error creating job: ${messageOf(error)}`);
				throw error;
			}
			job = await client.get(JOBS, keyOf(made), { signal: this.#signal });
			if (controllerOf(job)?.uid !== this.#cronJob.metadata.uid || this.#active.some((ref) => ref.uid === job.metadata.uid)) return;
		}
		this.#active.push({ ...referenceTo(JOBS, job) });
		this.#status = { ...this.#status, lastScheduleTime: timeOf(at) };
	}

	/** The oldest beyond what is kept of each kind. */
	async #cleanUp(): Promise<void> {
		const { successfulJobsHistoryLimit, failedJobsHistoryLimit } = this.#cronJob.spec ?? {};
		for (const [how, limit] of [
			['Complete', successfulJobsHistoryLimit],
			['Failed', failedJobsHistoryLimit],
		] as const) {
			if (limit === undefined) continue;
			const ended = this.#own.filter((job) => endOf(job) === how && job.metadata.deletionTimestamp === undefined).toSorted(byStart);
			// What fails is told, and tried again with the next look.
			for (const { metadata } of ended.slice(0, Math.max(0, ended.length - limit)))
				await this.#delete(metadata.name ?? '', metadata.uid).catch(this.#unlessStopped);
		}
	}

	async #delete(name: string, uid: string | undefined): Promise<void> {
		try {
			await this.#deps.client.delete(JOBS, this.#key(name), { propagationPolicy: 'Background', signal: this.#signal });
		} catch (error) {
			if (codeOf(error) === 'NotFound') return this.#drop(uid);
			this.#tell('Warning', 'FailedDelete', `Deleted job: ${messageOf(error)}`);
			throw error;
		}
		this.#drop(uid);
		this.#tell('Normal', 'SuccessfulDelete', `Deleted job ${name}`);
	}

	readonly #unlessStopped = (error: unknown): void => {
		if (this.#signal.aborted) throw error;
	};

	#drop(uid: string | undefined): void {
		this.#active = this.#active.filter((ref) => ref.uid !== uid);
	}

	#tell(type: EventType, reason: string, message: string): void {
		this.#deps.recorder.event(referenceTo(CRON_JOBS, this.#cronJob), type, reason, message);
	}

	#name(at: number): string {
		return `${this.#cronJob.metadata.name}-${Math.floor(at / 60_000)}`;
	}

	#key(name: string | undefined): Key {
		return `${this.#cronJob.metadata.namespace}/${name}`;
	}
}
