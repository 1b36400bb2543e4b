/** Warnings on what makes pods: their templates, and names that pods and hosts get. Pure. */
import type { CronJob, JobSpec, PodTemplateSpec, StatefulSet } from '../../gen/types.ts';
import type { KubeObject } from '../../resource.ts';
import { dnsLabel } from '../names.ts';
import { claimWarnings } from './fractions.ts';
import { podTemplateWarnings } from './pod.ts';

export interface Templated extends KubeObject {
	readonly spec?: { readonly template?: PodTemplateSpec | undefined } | undefined;
}

/** From here on the indexes that an Indexed Job completed may not be told of (upstream's soft limits). */
const MANY_COMPLETIONS = 100_000;
const MUCH_PARALLELISM = 10_000;

/** When it is new, and after that with each change of what is wanted. */
export function isChanged(object: KubeObject, old: KubeObject | undefined): boolean {
	return object.metadata.generation !== old?.metadata.generation;
}

export function templateWarnings(object: Templated, old: Templated | undefined): readonly string[] {
	const template = object.spec?.template;
	return template === undefined || (old !== undefined && !isChanged(object, old)) ? [] : podTemplateWarnings('spec.template', template);
}

/** Upstream looks at the template that was there before. */
export function replicationControllerWarnings(object: Templated, old: Templated | undefined): readonly string[] {
	const template = (old ?? object).spec?.template;
	return template === undefined || (old !== undefined && !isChanged(object, old)) ? [] : podTemplateWarnings('spec.template', template);
}

/** A name that pods are named after, when it is new. */
export function nameWarnings({ metadata }: KubeObject, old: KubeObject | undefined): readonly string[] {
	return old === undefined ? labelWarnings(metadata.name ?? '', 'Pod names and hostnames') : [];
}

/** @param use what the name becomes */
export function labelWarnings(name: string, use: string): readonly string[] {
	const complaints = dnsLabel(name);
	return complaints.length === 0
		? []
		: [
				`metadata.name: this is used in ${use}, which can result in surprising behavior; a DNS label is recommended: [${complaints.join(' ')}]`,
			];
}

export function statefulSetWarnings(object: StatefulSet, old: StatefulSet | undefined): readonly string[] {
	const { volumeClaimTemplates = [], revisionHistoryLimit = 0 } = object.spec ?? {};
	return [
		...templateWarnings(object, old),
		// Upstream writes it so in updates.
		...volumeClaimTemplates.flatMap((claim, i) =>
			claimWarnings(`spec.volumeClaimTemplates[${i}]${old === undefined ? '' : '.Spec'}`, claim.spec),
		),
		...(revisionHistoryLimit < 0
			? ['spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended']
			: []),
	];
}

export function jobSpecWarnings(path: string, spec: JobSpec | undefined): readonly string[] {
	if (spec === undefined) return [];
	const { completionMode, completions = 0, parallelism = 0, template } = spec;
	return [
		...(completionMode === 'Indexed' && completions > MANY_COMPLETIONS && parallelism > MUCH_PARALLELISM
			? [
					`${path}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail`,
				]
			: []),
		...((template as typeof template | undefined) === undefined ? [] : podTemplateWarnings(`${path}.template`, template)),
	];
}

export function cronJobWarnings(object: CronJob, old: CronJob | undefined): readonly string[] {
	const isTimed = old !== undefined && (object.spec?.schedule ?? '').includes('TZ');
	return [
		...nameWarnings(object, old),
		...(old === undefined || isChanged(object, old) ? jobSpecWarnings('spec.jobTemplate.spec', object.spec?.jobTemplate.spec) : []),
		...(isTimed
			? [
					'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details',
				]
			: []),
	];
}
