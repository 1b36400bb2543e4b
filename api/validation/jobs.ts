/** Jobs and CronJobs. */
import { duplicate, invalidValue, notSupported, required } from '../field-error.ts';
import type { CronJob, CronJobSpec, Job, JobSpec, PodFailurePolicyRule } from '../gen/types.ts';
import { cronProblem } from './cron.ts';
import { dnsSubdomain, domainPrefixedPath } from './names.ts';
import { objectMeta, objectMetaUpdate } from './metadata.ts';
import { podTemplate } from './pod-template.ts';
import { immutable, nonNegative, oneOf, texts, type Errors } from './rule.ts';
import { labelSelector, selects } from './selectors.ts';

const META = { name: dnsSubdomain, namespaced: true, finalizers: true };
const UID_LABEL = 'batch.kubernetes.io/controller-uid';
const MAX_INDEXED = 100_000;

export function job(out: Errors, object: Job): void {
	objectMeta(out, object.metadata, META);
	generatedSelector(out, object);
	jobSpec(out, 'spec', object.spec, true);
}

function generatedSelector(out: Errors, { metadata, spec }: Job): void {
	if (spec?.manualSelector === true) return;
	const uid = metadata.uid ?? '';
	const matches = spec?.selector?.matchLabels ?? {};
	if (matches[UID_LABEL] !== uid || Object.keys(matches).length !== 1)
		out.push(invalidValue('spec.selector', spec?.selector ?? null, '`selector` not auto-generated'));
}

export function jobUpdate(out: Errors, object: Job, old: Job): void {
	objectMetaUpdate(out, object.metadata, old.metadata);
	jobSpec(out, 'spec', object.spec, true);
	const { spec } = object;
	const before = old.spec;
	if (spec?.completionMode !== 'Indexed' || spec.completions !== spec.parallelism)
		immutable(out, 'spec.completions', spec?.completions, before?.completions);
	immutable(out, 'spec.selector', spec?.selector, before?.selector);
	if (before?.suspend !== true || old.status?.startTime !== undefined) immutable(out, 'spec.template', spec?.template, before?.template);
	immutable(out, 'spec.completionMode', spec?.completionMode, before?.completionMode);
	immutable(out, 'spec.podFailurePolicy', spec?.podFailurePolicy, before?.podFailurePolicy);
	immutable(out, 'spec.backoffLimitPerIndex', spec?.backoffLimitPerIndex, before?.backoffLimitPerIndex);
	immutable(out, 'spec.managedBy', spec?.managedBy, before?.managedBy);
	immutable(out, 'spec.successPolicy', spec?.successPolicy, before?.successPolicy);
}

function jobSpec(out: Errors, at: string, spec: JobSpec | undefined, withSelector: boolean): void {
	if (spec === undefined) return;
	for (const key of [
		'parallelism',
		'completions',
		'activeDeadlineSeconds',
		'backoffLimit',
		'ttlSecondsAfterFinished',
		'backoffLimitPerIndex',
	] as const)
		nonNegative(out, `${at}.${key}`, spec[key]);
	if (spec.maxFailedIndexes !== undefined) {
		nonNegative(out, `${at}.maxFailedIndexes`, spec.maxFailedIndexes);
		if (spec.backoffLimitPerIndex === undefined) out.push(required(`${at}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified'));
	}
	if (spec.managedBy !== undefined) texts(out, `${at}.managedBy`, spec.managedBy, domainPrefixedPath(spec.managedBy));
	completionMode(out, at, spec);
	podFailurePolicy(out, `${at}.podFailurePolicy`, spec);
	successPolicy(out, `${at}.successPolicy`, spec);
	const replacement = spec.podFailurePolicy === undefined ? ['Failed', 'TerminatingOrFailed'] : ['Failed'];
	oneOf(out, `${at}.podReplacementPolicy`, spec.podReplacementPolicy, replacement);
	podTemplate(out, `${at}.template`, spec.template);
	const policy = spec.template?.spec?.restartPolicy ?? '';
	if (policy === '' || policy === 'Always') out.push(required(`${at}.template.spec.restartPolicy`, 'valid values: "OnFailure", "Never"'));
	else oneOf(out, `${at}.template.spec.restartPolicy`, policy, ['OnFailure', 'Never']);
	if (!withSelector) return;
	if (spec.selector === undefined) out.push(required(`${at}.selector`));
	else labelSelector(out, `${at}.selector`, spec.selector);
	const labels = spec.template?.metadata?.labels;
	if (selects(spec.selector, labels ?? {}) === false)
		out.push(invalidValue(`${at}.template.metadata.labels`, labels ?? null, '`selector` does not match template `labels`'));
}

function completionMode(out: Errors, at: string, { completionMode: mode, completions, parallelism }: JobSpec): void {
	if (mode === undefined) return;
	if (mode !== 'NonIndexed' && mode !== 'Indexed') out.push(notSupported(`${at}.completionMode`, mode, ['NonIndexed', 'Indexed']));
	if (mode !== 'Indexed') return;
	if (completions === undefined) out.push(required(`${at}.completions`, 'when completion mode is Indexed'));
	if (parallelism !== undefined && parallelism > MAX_INDEXED)
		out.push(
			invalidValue(`${at}.parallelism`, parallelism, `must be less than or equal to ${MAX_INDEXED} when completion mode is Indexed`),
		);
}

function podFailurePolicy(out: Errors, path: string, spec: JobSpec): void {
	const template = spec.template?.spec;
	const names = new Set([...(template?.containers ?? []), ...(template?.initContainers ?? [])].map(({ name }) => name));
	for (const [i, rule] of (spec.podFailurePolicy?.rules ?? []).entries()) failureRule(out, `${path}.rules[${i}]`, rule, names);
	if (spec.podFailurePolicy !== undefined && template?.restartPolicy !== 'Never')
		out.push(
			invalidValue(
				'spec.template.spec.restartPolicy',
				template?.restartPolicy ?? '',
				'only "Never" is supported when podFailurePolicy is specified',
			),
		);
}

function failureRule(
	out: Errors,
	at: string,
	{ action, onExitCodes, onPodConditions }: PodFailurePolicyRule,
	names: ReadonlySet<string>,
): void {
	oneOf(out, `${at}.action`, action, ['Count', 'FailIndex', 'FailJob', 'Ignore']);
	if (onExitCodes !== undefined) {
		const { containerName, operator, values } = onExitCodes;
		const path = `${at}.onExitCodes`;
		oneOf(out, `${path}.operator`, operator, ['In', 'NotIn']);
		if (containerName !== undefined && !names.has(containerName))
			out.push(
				invalidValue(`${path}.containerName`, containerName, 'must be one of the container or initContainer names in the pod template'),
			);
		let ordered = true;
		const seen = new Set<number>();
		for (const [i, value] of (values ?? []).entries()) {
			if (operator === 'In' && value === 0) out.push(invalidValue(`${path}.values[${i}]`, value, 'must not be 0 for the In operator'));
			if (seen.has(value)) out.push(duplicate(`${path}.values[${i}]`, value));
			seen.add(value);
			if (i > 0 && value < (values[i - 1] ?? 0)) ordered = false;
		}
		if (!ordered) out.push(invalidValue(`${path}.values`, values, 'must be ordered'));
	}
	const says = (text: string): void => void out.push({ reason: 'FieldValueInvalid', field: at, message: `Invalid value: ${text}` });
	const conditions = onPodConditions ?? [];
	if (onExitCodes !== undefined && conditions.length > 0) says('specifying both OnExitCodes and OnPodConditions is not supported');
	if (onExitCodes === undefined && conditions.length === 0) says('specifying one of OnExitCodes and OnPodConditions is required');
}

function successPolicy(out: Errors, path: string, { successPolicy: policy, completionMode: mode }: JobSpec): void {
	if (policy === undefined) return;
	if (mode !== 'Indexed') {
		const rules = (policy.rules ?? []).map((rule) => ({
			SucceededIndexes: rule.succeededIndexes ?? null,
			SucceededCount: rule.succeededCount ?? null,
		}));
		out.push(invalidValue(path, { Rules: rules }, 'requires indexed completion mode'));
		return;
	}
	if ((policy.rules ?? []).length === 0)
		out.push(required(`${path}.rules`, 'at least one rules must be specified when the successPolicy is specified'));
}

export function cronJob(out: Errors, object: CronJob): void {
	objectMeta(out, object.metadata, META);
	cronJobSpec(out, object.spec);
	const { name = '' } = object.metadata;
	if (name.length > 52) out.push(invalidValue('metadata.name', name, 'must be no more than 52 characters'));
}

export function cronJobUpdate(out: Errors, object: CronJob, old: CronJob): void {
	objectMetaUpdate(out, object.metadata, old.metadata);
	cronJobSpec(out, object.spec);
}

function cronJobSpec(out: Errors, spec: CronJobSpec | undefined): void {
	const { schedule = '', timeZone } = spec ?? {};
	if (schedule === '') out.push(required('spec.schedule'));
	else {
		if (schedule.includes('TZ'))
			out.push(invalidValue('spec.schedule', schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'));
		else {
			const problem = cronProblem(schedule);
			if (problem !== undefined) out.push(invalidValue('spec.schedule', schedule, problem));
		}
	}
	nonNegative(out, 'spec.startingDeadlineSeconds', spec?.startingDeadlineSeconds);
	if (timeZone !== undefined) zone(out, timeZone);
	if ((spec?.concurrencyPolicy ?? '') === '') out.push(required('spec.concurrencyPolicy'));
	else oneOf(out, 'spec.concurrencyPolicy', spec?.concurrencyPolicy, ['Allow', 'Forbid', 'Replace']);
	const template = spec?.jobTemplate?.spec;
	if (template?.manualSelector === true)
		out.push(notSupported('spec.jobTemplate.spec.manualSelector', template.manualSelector, ['nil', 'false']));
	jobSpec(out, 'spec.jobTemplate.spec', template, false);
	nonNegative(out, 'spec.successfulJobsHistoryLimit', spec?.successfulJobsHistoryLimit);
	nonNegative(out, 'spec.failedJobsHistoryLimit', spec?.failedJobsHistoryLimit);
}

function zone(out: Errors, name: string): void {
	const say = (text: string): void => void out.push(invalidValue('spec.timeZone', name, text));
	if (name === '') return say('timeZone must be nil or non-empty string');
	if (name.toLowerCase() === 'local') return say('timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones');
	try {
		new Intl.DateTimeFormat('en', { timeZone: name });
	} catch {
		say(`unknown time zone ${name}`);
	}
}
