/** The status of a Job: what controllers of Jobs may say, checked where it changes (upstream ValidateJobUpdateStatus with JobManagedBy on). */
import { duplicate, invalidValue, required, type FieldError } from '../../field-error.ts';
import type { Job, JobStatus } from '../../gen/types.ts';
import { internalForm } from '../../internal/form.ts';
import { indexesComplaint, overlapping } from './job-indexes.ts';
import { objectMetaUpdate } from '../metadata.ts';
import { nonNegative, same, type Errors } from '../rule.ts';

const CONDITIONS = 'status.conditions';

export function jobStatusUpdate(out: Errors, job: Job, old: Job): void {
	objectMetaUpdate(out, job.metadata, old.metadata);
	const [status, before] = [job.status ?? {}, old.status ?? {}];
	counts(out, status);
	conditions(out, status, before);
	finished(out, job, status, before);
	indexes(out, job, status, before);
	totals(out, status, before);
	together(out, job, status);
	transitions(out, job, status, before);
}

const unquoted = (field: string, detail: string): FieldError => ({
	reason: 'FieldValueInvalid',
	message: `Invalid value: ${detail}`,
	field,
});

function isTrue({ conditions: list = [] }: JobStatus, type: string): boolean {
	return list.some((c) => c.type === type && c.status === 'True');
}

const isFinished = (status: JobStatus): boolean => isTrue(status, 'Complete') || isTrue(status, 'Failed');

function changed(status: JobStatus, before: JobStatus, ...what: readonly (keyof JobStatus | ((s: JobStatus) => boolean))[]): boolean {
	return what.some((it) => (typeof it === 'function' ? it(status) !== it(before) : !same(status[it], before[it])));
}

const complete = (s: JobStatus): boolean => isTrue(s, 'Complete');
const failed = (s: JobStatus): boolean => isTrue(s, 'Failed');
const failing = (s: JobStatus): boolean => isTrue(s, 'FailureTarget');
const succeeding = (s: JobStatus): boolean => isTrue(s, 'SuccessCriteriaMet');

function counts(out: Errors, status: JobStatus): void {
	for (const name of ['active', 'succeeded', 'failed', 'ready', 'terminating'] as const) nonNegative(out, `status.${name}`, status[name]);
	const seen = new Set<string>();
	for (const part of ['succeeded', 'failed'] as const)
		for (const [i, uid] of (status.uncountedTerminatedPods?.[part] ?? []).entries()) {
			const path = `status.uncountedTerminatedPods.${part}[${i}]`;
			if (uid === '') out.push(invalidValue(path, uid, 'must not be empty'));
			else if (seen.has(uid)) out.push(duplicate(path, uid));
			seen.add(uid);
		}
}

function conditions(out: Errors, status: JobStatus, before: JobStatus): void {
	const { completionTime, startTime } = status;
	const time = changed(status, before, complete, 'completionTime');
	if (changed(status, before, complete, failed) && complete(status) && failed(status))
		out.push(unquoted(CONDITIONS, 'cannot set Complete=True and Failed=true conditions'));
	if (changed(status, before, complete, failing) && complete(status) && failing(status))
		out.push(unquoted(CONDITIONS, 'cannot set Complete=True and FailureTarget=true conditions'));
	if (time && completionTime !== undefined && !complete(status))
		out.push(invalidValue('status.completionTime', completionTime, 'cannot set completionTime when there is no Complete=True condition'));
	if (time && completionTime === undefined && complete(status))
		out.push(required('status.completionTime', 'completionTime is required for Complete jobs'));
	if (
		changed(status, before, 'startTime', 'completionTime') &&
		startTime !== undefined &&
		completionTime !== undefined &&
		completionTime < startTime
	)
		out.push(invalidValue('status.completionTime', completionTime, 'must be equal to or after `startTime`'));
	if (changed(status, before, failed, 'failedIndexes') && failed(status) && !failing(status))
		out.push(unquoted(CONDITIONS, 'cannot set Failed=True condition without the FailureTarget=true condition'));
	if (changed(status, before, complete, succeeding) && complete(status) && !succeeding(status))
		out.push(unquoted(CONDITIONS, 'cannot set Complete=True condition without the SuccessCriteriaMet=true condition'));
}

function finished(out: Errors, { spec }: Job, status: JobStatus, before: JobStatus): void {
	if (!isFinished(status)) return;
	const { active = 0, startTime, uncountedTerminatedPods: uncounted } = status;
	if (changed(status, before, isFinished, 'active') && active > 0)
		out.push(invalidValue('status.active', active, 'active>0 is invalid for finished job'));
	const isIdle = spec?.suspend === true && spec.completions === 0;
	if (changed(status, before, isFinished, 'startTime') && !isIdle && startTime === undefined)
		out.push(required('status.startTime', 'startTime is required for finished job'));
	const waiting = (uncounted?.failed ?? []).length + (uncounted?.succeeded ?? []).length;
	if (changed(status, before, isFinished, 'uncountedTerminatedPods') && waiting > 0)
		out.push(
			invalidValue(
				'status.uncountedTerminatedPods',
				internalForm('batch/v1.UncountedTerminatedPods', uncounted),
				'must be empty for finished job',
			),
		);
}

function indexes(out: Errors, { spec }: Job, status: JobStatus, before: JobStatus): void {
	const { completedIndexes: done = '', failedIndexes } = status;
	const { completions, backoffLimitPerIndex, completionMode } = spec ?? {};
	const [doneChanged, failedChanged] = [changed(status, before, 'completedIndexes'), changed(status, before, 'failedIndexes')];
	const say = (path: string, value: string, detail: string): void => void out.push(invalidValue(`status.${path}`, value, detail));
	const wrong = completions === undefined ? undefined : indexesComplaint(done, completions);
	if (doneChanged && wrong !== undefined) say('completedIndexes', done, `error parsing completedIndexes: ${wrong}`);
	const wrongFailed = completions === undefined || failedIndexes === undefined ? undefined : indexesComplaint(failedIndexes, completions);
	if (failedChanged && backoffLimitPerIndex !== undefined && failedIndexes !== undefined && wrongFailed !== undefined)
		say('failedIndexes', failedIndexes, `error parsing failedIndexes: ${wrongFailed}`);
	if (doneChanged && done !== '' && completionMode !== 'Indexed')
		say('completedIndexes', done, 'cannot set non-empty completedIndexes when non-indexed completion mode');
	if (failedIndexes === undefined) return;
	if (failedChanged && backoffLimitPerIndex === undefined)
		say('failedIndexes', failedIndexes, 'cannot set non-null failedIndexes when backoffLimitPerIndex is null');
	if (!(doneChanged || failedChanged) || completions === undefined) return;
	const both = overlapping(done, failedIndexes, completions);
	if (both !== undefined) say('failedIndexes', failedIndexes, `failedIndexes and completedIndexes overlap at index: ${both}`);
}

function totals(out: Errors, status: JobStatus, before: JobStatus): void {
	const { terminating = 0, ready = 0, active = 0 } = status;
	if (changed(status, before, isFinished, 'terminating') && terminating > 0 && isFinished(status))
		out.push(invalidValue('status.terminating', terminating, 'terminating>0 is invalid for finished job'));
	if (status.ready !== undefined && changed(status, before, 'ready', 'active') && ready > active)
		out.push(invalidValue('status.ready', ready, 'cannot set more ready pods than active'));
}

function together(out: Errors, { spec }: Job, status: JobStatus): void {
	if (succeeding(status) && failed(status)) out.push(unquoted(CONDITIONS, 'cannot set SuccessCriteriaMet=True and Failed=true conditions'));
	if (succeeding(status) && failing(status))
		out.push(unquoted(CONDITIONS, 'cannot set SuccessCriteriaMet=True and FailureTarget=true conditions'));
	if (spec?.successPolicy !== undefined && !succeeding(status) && complete(status))
		out.push(unquoted(CONDITIONS, 'cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True'));
}

function transitions(out: Errors, { spec }: Job, status: JobStatus, before: JobStatus): void {
	for (const type of ['Failed', 'Complete', 'FailureTarget'])
		if (isTrue(before, type) && !isTrue(status, type)) out.push(unquoted(CONDITIONS, `cannot disable the terminal ${type}=True condition`));
	const mayShrink = spec?.completionMode === 'Indexed' && spec.completions === spec.parallelism;
	for (const name of ['failed', 'succeeded'] as const)
		if ((status[name] ?? 0) < (before[name] ?? 0) && !(name === 'succeeded' && mayShrink))
			out.push(invalidValue(`status.${name}`, status[name] ?? 0, `cannot decrease the ${name} counter`));
	const { completionTime, startTime } = status;
	if (completionTime !== undefined && before.completionTime !== undefined && completionTime !== before.completionTime)
		out.push(invalidValue('status.completionTime', completionTime, 'field is immutable'));
	const resumes = isTrue(before, 'Suspended') && (status.conditions ?? []).some((c) => c.type === 'Suspended' && c.status === 'False');
	if (before.startTime !== undefined && startTime !== before.startTime && !resumes && spec?.suspend !== true)
		out.push(invalidValue('status.startTime', startTime ?? null, 'field is immutable for unsuspended job once set'));
	if (succeeding(before) && !succeeding(status)) out.push(unquoted(CONDITIONS, 'cannot disable the SuccessCriteriaMet=True condition'));
	if (complete(before) && !succeeding(before) && succeeding(status))
		out.push(unquoted(CONDITIONS, 'cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions'));
}
