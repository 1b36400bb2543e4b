/** Jobs and CronJobs. */
import { invalidValue, notSupported, required, tooLong } from '../../field-error.ts';
import type { CronJob, CronJobSpec, Job, JobSpec } from '../../gen/types.ts';
import { internalForm } from '../../internal/form.ts';
import { sameTyped } from '../../same-typed.ts';
import { cronProblem } from './cron.ts';
import { completionMode, podFailurePolicy, successPolicy } from './job-policies.ts';
import { dnsLabel } from '../names.ts';
import { NAMESPACED, objectMeta, objectMetaUpdate } from '../metadata.ts';
import { STRICT, type PodOptions } from '../pod/options.ts';
import { podOptions } from '../pod/options-before.ts';
import { isNotSelected, podTemplate } from '../pod/template.ts';
import { zoneFault } from './time-zones.ts';
import { isWaiting, redirected } from './job-template.ts';
import { domainPrefixed, immutable, nonNegative, oneOf, type Errors } from '../rule.ts';
import { labelSelector, selects } from '../selectors.ts';

const UID_LABEL = 'batch.kubernetes.io/controller-uid';
const NAME_LABEL = 'batch.kubernetes.io/job-name';
const MAX_MANAGER = 63;

/** @param isPrefixed the template has the labels under their newer names, too; @param options what may stay */
export function job(out: Errors, object: Job, isPrefixed = true, options = STRICT): void {
	objectMeta(out, object.metadata, NAMESPACED);
	generatedSelector(out, object, isPrefixed);
	jobSpec(out, 'spec', object.spec, true, options);
	const { completionMode: mode, completions = 0 } = object.spec ?? {};
	if (mode !== 'Indexed' || completions <= 0) return;
	const name = `${object.metadata.name ?? ''}-${completions - 1}`;
	if (dnsLabel(name).length > 0)
		out.push(invalidValue('metadata.name', object.metadata.name ?? '', `will not able to create pod with invalid DNS label: ${name}`));
}

/** The labels that tie pods to their Job, unless it selects them by others (upstream's validateGeneratedSelector). */
function generatedSelector(out: Errors, { metadata, spec }: Job, isPrefixed: boolean): void {
	if (spec?.manualSelector === true || spec?.selector === undefined) return;
	const { uid = '', name = '' } = metadata;
	if (uid === '') out.push(required('metadata.uid'));
	const wanted = { 'controller-uid': uid, 'job-name': name, ...(isPrefixed ? { [UID_LABEL]: uid, [NAME_LABEL]: name } : {}) };
	const labels = spec.template?.metadata?.labels ?? {};
	for (const [key, value] of Object.entries(wanted)) {
		const path = `spec.template.metadata.labels[${key}]`;
		if (labels[key] === undefined) out.push(required(path, `must be '${value}'`));
		else if (labels[key] !== value) out.push(invalidValue(path, sorted(labels), `must be '${value}'`));
	}
	if (selects(spec.selector, wanted) !== false) return;
	const { matchLabels, ...rest } = spec.selector;
	const told = matchLabels === undefined ? rest : { matchLabels: sorted(matchLabels), ...rest };
	out.push(invalidValue('spec.selector', told, '`selector` not auto-generated'));
}

/** As Go prints a map. */
function sorted(map: Readonly<Record<string, string>>): object {
	return Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function jobUpdate(out: Errors, object: Job, old: Job): void {
	const had = old.spec?.template?.metadata?.labels ?? {};
	const options = podOptions(old.spec?.template, old.spec?.selector);
	job(out, object, had[UID_LABEL] !== undefined && had[NAME_LABEL] !== undefined, options);
	objectMetaUpdate(out, object.metadata, old.metadata);
	jobSpec(out, 'spec', object.spec, true, options);
	const { spec } = object;
	const before = old.spec;
	if (spec?.completionMode !== 'Indexed') immutable(out, 'spec.completions', spec?.completions, before?.completions);
	else if (spec.completions !== undefined && spec.completions !== before?.completions && spec.completions !== spec.parallelism)
		out.push(invalidValue('spec.completions', spec.completions, 'can only be modified in tandem with spec.parallelism'));
	immutable(out, 'spec.selector', spec?.selector, before?.selector);
	if (!isWaiting(old)) fixed(out, 'spec.template', 'core/v1.PodTemplateSpec', spec?.template, before?.template);
	else fixed(out, 'spec.template.spec', 'core/v1.PodSpec', spec?.template?.spec, redirected(spec?.template?.spec, before?.template?.spec));
	immutable(out, 'spec.completionMode', spec?.completionMode, before?.completionMode);
	fixed(out, 'spec.podFailurePolicy', 'batch/v1.PodFailurePolicy', spec?.podFailurePolicy, before?.podFailurePolicy);
	immutable(out, 'spec.backoffLimitPerIndex', spec?.backoffLimitPerIndex, before?.backoffLimitPerIndex);
	immutable(out, 'spec.managedBy', spec?.managedBy, before?.managedBy);
	fixed(out, 'spec.successPolicy', 'batch/v1.SuccessPolicy', spec?.successPolicy, before?.successPolicy);
}

function fixed(out: Errors, path: string, type: string, value: object | undefined, old: object | undefined): void {
	if (!sameTyped(type, value, old))
		out.push(invalidValue(path, value === undefined ? null : internalForm(type, value), 'field is immutable'));
}

function jobSpec(out: Errors, at: string, spec: JobSpec | undefined, withSelector: boolean, options: PodOptions): void {
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
	if (spec.managedBy !== undefined) {
		domainPrefixed(out, `${at}.managedBy`, spec.managedBy);
		if (Buffer.byteLength(spec.managedBy) > MAX_MANAGER) out.push(tooLong(`${at}.managedBy`, MAX_MANAGER));
	}
	completionMode(out, at, spec);
	podFailurePolicy(out, at, spec);
	successPolicy(out, at, spec);
	const replacement = spec.podFailurePolicy === undefined ? ['Failed', 'TerminatingOrFailed'] : ['Failed'];
	oneOf(out, `${at}.podReplacementPolicy`, spec.podReplacementPolicy, replacement);
	podTemplate(out, `${at}.template`, spec.template, options);
	const policy = spec.template?.spec?.restartPolicy ?? '';
	if (policy === '' || policy === 'Always') out.push(required(`${at}.template.spec.restartPolicy`, 'valid values: "OnFailure", "Never"'));
	else if (policy !== 'OnFailure' && policy !== 'Never')
		out.push(notSupported(`${at}.template.spec.restartPolicy`, policy, ['OnFailure', 'Never']));
	else if (spec.podFailurePolicy !== undefined && policy !== 'Never')
		out.push(invalidValue(`${at}.template.spec.restartPolicy`, policy, 'only "Never" is supported when podFailurePolicy is specified'));
	if (!withSelector) return;
	if (spec.selector === undefined) out.push(required(`${at}.selector`));
	else labelSelector(out, `${at}.selector`, spec.selector, options.has('affinityValues') ? 'any' : 'checked');
	if (selects(spec.selector, spec.template?.metadata?.labels ?? {}) === false) isNotSelected(out, `${at}.template`, spec.template);
}

export function cronJob(out: Errors, object: CronJob): void {
	objectMeta(out, object.metadata, NAMESPACED);
	cronJobSpec(out, object.spec);
	const { name = '' } = object.metadata;
	if (Buffer.byteLength(name) > 52) out.push(invalidValue('metadata.name', name, 'must be no more than 52 characters'));
}

export function cronJobUpdate(out: Errors, object: CronJob, old: CronJob): void {
	objectMetaUpdate(out, object.metadata, old.metadata);
	cronJobSpec(out, object.spec, old.spec);
}

function cronJobSpec(out: Errors, spec: CronJobSpec | undefined, old?: CronJobSpec): void {
	const { schedule = '', timeZone } = spec ?? {};
	if (schedule === '') out.push(required('spec.schedule'));
	else {
		const say = (problem: string): void => void out.push(invalidValue('spec.schedule', schedule, problem));
		const problem = cronProblem(schedule);
		if (problem !== undefined) say(problem);
		if (schedule.includes('TZ') && old?.schedule?.includes('TZ') !== true)
			say('cannot use TZ or CRON_TZ in schedule, use timeZone field instead');
		else if (schedule.includes('TZ') && timeZone !== undefined) say('cannot use both timeZone field and TZ or CRON_TZ in schedule');
	}
	nonNegative(out, 'spec.startingDeadlineSeconds', spec?.startingDeadlineSeconds);
	if (timeZone !== undefined && (old === undefined || timeZone !== old.timeZone)) zone(out, timeZone);
	if ((spec?.concurrencyPolicy ?? '') === '') out.push(required('spec.concurrencyPolicy'));
	else oneOf(out, 'spec.concurrencyPolicy', spec?.concurrencyPolicy, ['Allow', 'Forbid', 'Replace']);
	const template = spec?.jobTemplate?.spec;
	jobSpec(out, 'spec.jobTemplate.spec', template, false, podOptions(old?.jobTemplate?.spec?.template));
	if (template?.selector !== undefined)
		out.push(invalidValue('spec.jobTemplate.spec.selector', template.selector, '`selector` will be auto-generated'));
	if (template?.manualSelector === true)
		out.push(notSupported('spec.jobTemplate.spec.manualSelector', template.manualSelector, ['nil', 'false']));
	nonNegative(out, 'spec.successfulJobsHistoryLimit', spec?.successfulJobsHistoryLimit);
	nonNegative(out, 'spec.failedJobsHistoryLimit', spec?.failedJobsHistoryLimit);
}

function zone(out: Errors, name: string): void {
	const say = (text: string): void => void out.push(invalidValue('spec.timeZone', name, text));
	if (name === '') return say('timeZone must be nil or non-empty string');
	const isZonePart = (part: string): boolean => /^[A-Za-z._0-9+][A-Za-z._0-9+-]{0,13}$/.test(part) && part !== '.' && part !== '..';
	if (!name.split('/').every(isZonePart)) return say(`unknown time zone ${name}`);
	if (name.toLowerCase() === 'local') say('timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones');
	const fault = zoneFault(name);
	if (fault !== undefined) say(fault);
}
