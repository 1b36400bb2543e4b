/** Deployments, ReplicaSets, StatefulSets and DaemonSets. */
import { fieldForbidden, invalidValue, notSupported, required } from '../../field-error.ts';
import type {
	DaemonSet,
	DaemonSetSpec,
	Deployment,
	DeploymentSpec,
	LabelSelector,
	PodTemplateSpec,
	ReplicaSet,
	ReplicaSetSpec,
	StatefulSet,
	StatefulSetSpec,
} from '../../gen/types.ts';
import { sameTyped } from '../../same-typed.ts';
import { dnsLabel, percent } from '../names.ts';
import { NAMESPACED, annotations, labels, objectMeta, objectMetaUpdate } from '../metadata.ts';
import { podAnnotations } from '../pod/annotations.ts';
import { STRICT, type PodOptions } from '../pod/options.ts';
import { podOptions } from '../pod/options-before.ts';
import { alwaysRestarts, isEmptySelector, isNotSelected, noDeadline, podTemplate, selectorMatchesTemplate } from '../pod/template.ts';
import { immutable, nonNegative, oneOf, texts, type Errors } from '../rule.ts';
import { internalForm } from '../../internal/form.ts';
import { claimSpec } from '../storage/claim-spec.ts';
import { labelSelector, selects } from '../selectors.ts';

type IntOrString = number | string | undefined;

/** A count or percentage that is not negative and not above 100 %. */
function portion(out: Errors, path: string, value: IntOrString): void {
	if (typeof value === 'number') nonNegative(out, path, value);
	else if (value !== undefined) texts(out, path, value, percent(value));
}

function notMoreThanAll(out: Errors, path: string, value: IntOrString): void {
	if (typeof value === 'string' && percent(value).length === 0 && Number.parseInt(value, 10) > 100)
		out.push(invalidValue(path, value, 'must not be greater than 100%'));
}

/** What is no number counts as nothing. */
const isZero = (value: IntOrString): boolean =>
	value === undefined ||
	(typeof value === 'number' ? value === 0 : !/^([0-9]+%|[+-]?[0-9]+)$/.test(value) || Number.parseInt(value, 10) === 0);

export function deployment(out: Errors, object: Deployment): void {
	objectMeta(out, object.metadata, NAMESPACED);
	deploymentSpec(out, object.spec, STRICT);
}

function deploymentSpec(out: Errors, spec: DeploymentSpec | undefined, options: PodOptions): void {
	nonNegative(out, 'spec.replicas', spec?.replicas);
	selectedTemplate(out, spec, 'Deployment', options);
	const strategy = spec?.strategy;
	const rolling = strategy?.rollingUpdate;
	if (strategy?.type === 'Recreate') {
		if (rolling !== undefined)
			out.push(fieldForbidden('spec.strategy.rollingUpdate', "may not be specified when strategy `type` is 'Recreate'"));
	} else if (strategy?.type === 'RollingUpdate') {
		if (rolling === undefined) out.push(required('spec.strategy.rollingUpdate', 'this should be defaulted and never be nil'));
		else {
			const at = 'spec.strategy.rollingUpdate';
			portion(out, `${at}.maxUnavailable`, rolling.maxUnavailable);
			portion(out, `${at}.maxSurge`, rolling.maxSurge);
			if (isZero(rolling.maxUnavailable) && isZero(rolling.maxSurge))
				out.push(invalidValue(`${at}.maxUnavailable`, rolling.maxUnavailable ?? 0, 'may not be 0 when `maxSurge` is 0'));
			notMoreThanAll(out, `${at}.maxUnavailable`, rolling.maxUnavailable);
		}
	} else out.push(notSupported('spec.strategy', internalForm('apps/v1.DeploymentStrategy', strategy), ['Recreate', 'RollingUpdate']));
	nonNegative(out, 'spec.minReadySeconds', spec?.minReadySeconds);
	nonNegative(out, 'spec.revisionHistoryLimit', spec?.revisionHistoryLimit);
	const progress = spec?.progressDeadlineSeconds;
	if (progress !== undefined) {
		nonNegative(out, 'spec.progressDeadlineSeconds', progress);
		if (progress <= (spec?.minReadySeconds ?? 0))
			out.push(invalidValue('spec.progressDeadlineSeconds', progress, 'must be greater than minReadySeconds'));
	}
}

/** What a template must be for a controller to make pods of it, whatever selects them. */
export function wholeTemplate(out: Errors, template: PodTemplateSpec | undefined, kind: string, options: PodOptions): void {
	const at = 'spec.template';
	podTemplate(out, at, template, options);
	alwaysRestarts(out, at, template);
	// Upstream says so of deployments too.
	noDeadline(out, at, template, kind === 'Deployment' ? 'ReplicaSet' : kind);
}

export function deploymentUpdate(out: Errors, object: Deployment, old: Deployment): void {
	objectMetaUpdate(out, object.metadata, old.metadata);
	deploymentSpec(out, object.spec, podOptions(old.spec?.template));
	immutable(out, 'spec.selector', object.spec?.selector, old.spec?.selector);
}

export function replicaSet(out: Errors, object: ReplicaSet): void {
	objectMeta(out, object.metadata, NAMESPACED);
	replicaSetSpec(out, object.spec, STRICT);
}

function replicaSetSpec(out: Errors, spec: ReplicaSetSpec | undefined, options: PodOptions): void {
	nonNegative(out, 'spec.replicas', spec?.replicas);
	nonNegative(out, 'spec.minReadySeconds', spec?.minReadySeconds);
	selectedTemplate(out, spec, 'ReplicaSet', options);
}

export function replicaSetUpdate(out: Errors, object: ReplicaSet, old: ReplicaSet): void {
	objectMetaUpdate(out, object.metadata, old.metadata);
	replicaSetSpec(out, object.spec, podOptions(old.spec?.template));
	immutable(out, 'spec.selector', object.spec?.selector, old.spec?.selector);
}

export function daemonSet(out: Errors, object: DaemonSet): void {
	objectMeta(out, object.metadata, NAMESPACED);
	daemonSetSpec(out, object.spec, STRICT);
}

function daemonSetSpec(out: Errors, spec: DaemonSetSpec | undefined, options: PodOptions): void {
	const selector = spec?.selector as LabelSelector | undefined | null;
	labelSelector(out, 'spec.selector', selector, options.has('affinityValues') ? 'any' : 'checked');
	if (selects(selector, spec?.template?.metadata?.labels ?? {}) === false) isNotSelected(out, 'spec.template', spec?.template);
	if (selector !== undefined && selector !== null && isEmptySelector(selector))
		out.push(invalidValue('spec.selector', selector, 'empty selector is invalid for daemonset'));
	podTemplate(out, 'spec.template', spec?.template, options);
	alwaysRestarts(out, 'spec.template', spec?.template);
	noDeadline(out, 'spec.template', spec?.template, 'DaemonSet');
	nonNegative(out, 'spec.minReadySeconds', spec?.minReadySeconds);
	const { type, rollingUpdate } = spec?.updateStrategy ?? {};
	const at = 'spec.updateStrategy.rollingUpdate';
	if (type === 'RollingUpdate') {
		if (rollingUpdate === undefined) out.push(required(at));
		else {
			const { maxUnavailable, maxSurge } = rollingUpdate;
			portion(out, `${at}.maxUnavailable`, maxUnavailable);
			portion(out, `${at}.maxSurge`, maxSurge);
			notMoreThanAll(out, `${at}.maxUnavailable`, maxUnavailable);
			notMoreThanAll(out, `${at}.maxSurge`, maxSurge);
			if (!isZero(maxUnavailable) && !isZero(maxSurge))
				out.push(invalidValue(`${at}.maxSurge`, maxSurge, 'may not be set when maxUnavailable is non-zero'));
			else if (isZero(maxUnavailable) && isZero(maxSurge)) out.push(required(`${at}.maxUnavailable`, 'cannot be 0 when maxSurge is 0'));
		}
	} else if (type !== 'OnDelete')
		out.push(
			notSupported('spec.updateStrategy', internalForm('apps/v1.DaemonSetUpdateStrategy', spec?.updateStrategy), [
				'RollingUpdate',
				'OnDelete',
			]),
		);
	nonNegative(out, 'spec.revisionHistoryLimit', spec?.revisionHistoryLimit);
}

export function daemonSetUpdate(out: Errors, object: DaemonSet, old: DaemonSet): void {
	objectMetaUpdate(out, object.metadata, old.metadata);
	immutable(out, 'spec.selector', object.spec?.selector, old.spec?.selector);
	daemonSetSpec(out, object.spec, podOptions(old.spec?.template, old.spec?.selector));
}

export function statefulSet(out: Errors, object: StatefulSet): void {
	objectMeta(out, object.metadata, { ...NAMESPACED, name: dnsLabel });
	statefulSetSpec(out, object.spec, STRICT);
}

/** On updates, what may not change anyway is not looked at, nor the template where there was something wrong before (`isTolerated`). */
function statefulSetSpec(out: Errors, spec: StatefulSetSpec | undefined, options: PodOptions, isUpdate = false, isTolerated = false): void {
	const policy = spec?.podManagementPolicy ?? '';
	if (policy === '') out.push(required('spec.podManagementPolicy'));
	else if (policy !== 'OrderedReady' && policy !== 'Parallel')
		out.push(invalidValue('spec.podManagementPolicy', policy, "must be 'OrderedReady' or 'Parallel'"));
	const { type = '', rollingUpdate } = spec?.updateStrategy ?? {};
	if (type === '') out.push(required('spec.updateStrategy'));
	else if (type === 'OnDelete') {
		if (rollingUpdate !== undefined)
			out.push(
				invalidValue(
					'spec.updateStrategy.rollingUpdate',
					internalForm('apps/v1.RollingUpdateStatefulSetStrategy', rollingUpdate),
					"only allowed for updateStrategy 'RollingUpdate'",
				),
			);
	} else if (type === 'RollingUpdate') {
		nonNegative(out, 'spec.updateStrategy.rollingUpdate.partition', rollingUpdate?.partition);
		if (rollingUpdate?.maxUnavailable !== undefined) {
			portion(out, 'spec.updateStrategy.rollingUpdate.maxUnavailable', rollingUpdate.maxUnavailable);
			if (isZero(rollingUpdate.maxUnavailable))
				out.push(invalidValue('spec.updateStrategy.rollingUpdate.maxUnavailable', rollingUpdate.maxUnavailable, 'cannot be 0'));
			notMoreThanAll(out, 'spec.updateStrategy.rollingUpdate.maxUnavailable', rollingUpdate.maxUnavailable);
		}
	} else
		out.push(
			invalidValue(
				'spec.updateStrategy',
				internalForm('apps/v1.StatefulSetUpdateStrategy', spec?.updateStrategy),
				"must be 'RollingUpdate' or 'OnDelete'",
			),
		);
	const retention = spec?.persistentVolumeClaimRetentionPolicy;
	for (const key of ['whenDeleted', 'whenScaled'] as const)
		oneOf(out, `spec.persistentVolumeClaimRetentionPolicy.${key}`, retention?.[key], ['Retain', 'Delete']);
	for (const [i, { spec: claim }] of (isUpdate ? [] : (spec?.volumeClaimTemplates ?? [])).entries())
		claimSpec(out, `spec.volumeClaimTemplates[${i}].spec`, claim ?? {});
	nonNegative(out, 'spec.replicas', spec?.replicas);
	nonNegative(out, 'spec.minReadySeconds', spec?.minReadySeconds);
	nonNegative(out, 'spec.ordinals.start', spec?.ordinals?.start);
	if (!isUpdate && (spec?.serviceName ?? '') !== '') texts(out, 'spec.serviceName', spec?.serviceName, dnsLabel(spec?.serviceName ?? ''));
	const selector = requiredSelector(out, spec?.selector, 'statefulset');
	if (selector !== undefined && selects(selector, {}) === undefined) out.push(invalidValue('spec.selector', selector, ''));
	else {
		selectorMatchesTemplate(out, 'spec.template', selector, spec?.template);
		if (!isTolerated) podTemplate(out, 'spec.template', asPods(spec), options);
		// Upstream checks these twice.
		labels(out, 'spec.template.labels', spec?.template?.metadata?.labels);
		const given = spec?.template?.metadata?.annotations;
		annotations(out, 'spec.template.annotations', given);
		podAnnotations(out, 'spec.template.annotations', given ?? {}, spec?.template?.spec ?? { containers: [] }, options);
	}
	alwaysRestarts(out, 'spec.template', spec?.template);
	noDeadline(out, 'spec.template', spec?.template, 'StatefulSet');
}

/** The template as its pods will be: hosts are named by the set, and each claim template is a volume, in place of one of that name. */
function asPods({ volumeClaimTemplates = [], template }: Partial<StatefulSetSpec> = {}): PodTemplateSpec | undefined {
	if (template?.spec === undefined) return template;
	const { hostname: _h, subdomain: _s, ...spec } = template.spec;
	const claims = new Set(volumeClaimTemplates.map(({ metadata }) => metadata?.name ?? ''));
	const volumes = [
		...[...claims].map((name) => ({ name, persistentVolumeClaim: { claimName: name } })),
		...(spec.volumes ?? []).filter(({ name }) => !claims.has(name)),
	];
	return { ...template, spec: { ...spec, volumes } };
}

const UPDATE_TEXT =
	"updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
const MAY_CHANGE = [
	'replicas',
	'ordinals',
	'template',
	'updateStrategy',
	'revisionHistoryLimit',
	'persistentVolumeClaimRetentionPolicy',
	'minReadySeconds',
] as const;

export function statefulSetUpdate(out: Errors, object: StatefulSet, old: StatefulSet): void {
	objectMetaUpdate(out, object.metadata, old.metadata);
	const wrongBefore: Errors = [];
	const options = podOptions(old.spec?.template);
	statefulSetSpec(wrongBefore, old.spec, options, true);
	statefulSetSpec(out, object.spec, options, true, wrongBefore.length > 0);
	const fixed = (spec: StatefulSetSpec | undefined): Partial<StatefulSetSpec> => {
		const rest: Partial<StatefulSetSpec> = { ...spec };
		for (const key of MAY_CHANGE) delete rest[key];
		return rest;
	};
	if (!sameTyped('apps/v1.StatefulSetSpec', fixed(object.spec), fixed(old.spec))) out.push(fieldForbidden('spec', UPDATE_TEXT));
}

/** Upstream names the deployment in the messages of replica sets too. */
function selectedTemplate(out: Errors, spec: DeploymentSpec | ReplicaSetSpec | undefined, kind: string, options: PodOptions): void {
	const selector = requiredSelector(out, spec?.selector, 'deployment');
	if (selector !== undefined && selects(selector, {}) === undefined)
		out.push(invalidValue('spec.selector', selector, 'invalid label selector'));
	else {
		selectorMatchesTemplate(out, 'spec.template', selector, spec?.template);
		wholeTemplate(out, spec?.template, kind, options);
	}
}

/** The selector of a workload, which must be there and select something. */
function requiredSelector(out: Errors, given: LabelSelector | undefined | null, kind: string): LabelSelector | undefined {
	if (given === undefined || given === null) {
		out.push(required('spec.selector'));
		return undefined;
	}
	labelSelector(out, 'spec.selector', given);
	if (isEmptySelector(given)) out.push(invalidValue('spec.selector', given, `empty selector is invalid for ${kind}`));
	return given;
}
