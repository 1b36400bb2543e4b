/** HorizontalPodAutoscalers, in both served versions. */
import { fieldForbidden, invalidValue, notSupported, required } from '../../field-error.ts';
import type {
	AutoscalingV1HorizontalPodAutoscaler,
	CrossVersionObjectReference,
	HorizontalPodAutoscaler,
	HPAScalingRules,
	MetricSpec,
	MetricTarget,
} from '../../gen/types.ts';
import { parseQuantity } from '../../quantity.ts';
import { pathSegment, dnsLabel } from '../names.ts';
import { NAMESPACED, objectMeta, objectMetaUpdate } from '../metadata.ts';
import { containerResourceName } from '../pod/resources.ts';
import { nonNegative, oneOf, present, texts, type Errors } from '../rule.ts';

/** In the order in which they are looked at: only the first that is given is checked. */
const SOURCES = {
	Object: 'object',
	External: 'external',
	Pods: 'pods',
	Resource: 'resource',
	ContainerResource: 'containerResource',
} as const;
type Hpa = HorizontalPodAutoscaler | AutoscalingV1HorizontalPodAutoscaler;

export function autoscaler(out: Errors, object: Hpa): void {
	objectMeta(out, object.metadata, NAMESPACED);
	autoscalerSpec(out, object, undefined);
}

export function autoscalerUpdate(out: Errors, object: Hpa, old: Hpa): void {
	objectMetaUpdate(out, object.metadata, old.metadata);
	autoscalerSpec(out, object, old);
}

export function autoscalerStatus(out: Errors, object: Hpa, old: Hpa): void {
	objectMetaUpdate(out, object.metadata, old.metadata);
	nonNegative(out, 'status.currentReplicas', object.status?.currentReplicas);
	nonNegative(out, 'status.desiredReplicas', object.status?.desiredReplicas);
}

/** What an API version must be: 'any' was wrong before and may stay so. */
type Version = 'any' | 'well formed' | 'with group';
const NOBODY: CrossVersionObjectReference = { kind: '', name: '' };

function autoscalerSpec(out: Errors, object: Hpa, old: Hpa | undefined): void {
	const spec = (object.spec ?? {}) as Partial<HorizontalPodAutoscaler['spec']>;
	const before = old?.spec as Partial<HorizontalPodAutoscaler['spec']> | undefined;
	const { minReplicas, maxReplicas = 0, scaleTargetRef = NOBODY } = spec;
	const metrics = spec.metrics ?? [];
	const least = before?.minReplicas === 0 ? 0 : 1;
	if (minReplicas !== undefined && minReplicas < least)
		out.push(invalidValue('spec.minReplicas', minReplicas, `must be greater than or equal to ${least}`));
	if (maxReplicas === 0) out.push(required('spec.maxReplicas', 'must be set and greater than 0'));
	else if (maxReplicas < 0) out.push(invalidValue('spec.maxReplicas', maxReplicas, 'must be greater than or equal to 1'));
	if (minReplicas !== undefined && maxReplicas < minReplicas)
		out.push(invalidValue('spec.maxReplicas', maxReplicas, 'must be greater than or equal to `minReplicas`'));
	const { kind, apiVersion = '' } = scaleTargetRef;
	const kept = before !== undefined && before.scaleTargetRef?.kind === kind && (before.scaleTargetRef.apiVersion ?? '') === apiVersion;
	reference(out, 'spec.scaleTargetRef', scaleTargetRef, kept ? 'any' : kind === 'ReplicationController' ? 'well formed' : 'with group');
	const wrongBefore = (before?.metrics ?? []).some(
		(m) => m.type === 'Object' && versionFault(m.object?.describedObject, 'well formed') !== '',
	);
	for (const [i, metric] of metrics.entries()) metricSpec(out, `spec.metrics[${i}]`, metric, wrongBefore ? 'any' : 'well formed');
	if (minReplicas === 0 && !metrics.some(({ type }) => type === 'Object' || type === 'External'))
		out.push(fieldForbidden('spec.metrics', 'must specify at least one Object or External metric to support scaling to zero replicas'));
	for (const key of ['scaleUp', 'scaleDown'] as const) {
		const rules = spec.behavior?.[key];
		if (rules !== undefined) scalingRules(out, `spec.behavior.${key}`, rules);
	}
}

function versionFault({ apiVersion = '' }: CrossVersionObjectReference = NOBODY, version: Version): string {
	if (version === 'any') return '';
	const parts = apiVersion === '/' ? [] : apiVersion.split('/');
	if (parts.length > 2) return `unexpected GroupVersion string: ${apiVersion}`;
	return version === 'with group' && (parts.length < 2 || parts[0] === '') ? 'apiVersion must specify API group' : '';
}

function reference(out: Errors, at: string, ref: CrossVersionObjectReference, version: Version): void {
	const { kind, name, apiVersion = '' } = ref;
	if (present(out, `${at}.kind`, kind)) texts(out, `${at}.kind`, kind, pathSegment(kind));
	if (present(out, `${at}.name`, name)) texts(out, `${at}.name`, name, pathSegment(name));
	const fault = versionFault(ref, version);
	if (fault !== '') out.push(invalidValue(`${at}.apiVersion`, apiVersion, fault));
}

function scalingRules(out: Errors, at: string, rules: HPAScalingRules): void {
	const window = rules.stabilizationWindowSeconds;
	if (window !== undefined && window < 0)
		out.push(invalidValue(`${at}.stabilizationWindowSeconds`, window, 'must be greater than or equal to zero'));
	if (window !== undefined && window > 3600)
		out.push(invalidValue(`${at}.stabilizationWindowSeconds`, window, 'must be less than or equal to 3600'));
	oneOf(out, `${at}.selectPolicy`, rules.selectPolicy, ['Disabled', 'Max', 'Min']);
	if ((rules.policies ?? []).length === 0) out.push(required(`${at}.policies`, 'must specify at least one Policy'));
	for (const [i, { type, value, periodSeconds }] of (rules.policies ?? []).entries()) {
		const path = `${at}.policies[${i}]`;
		oneOf(out, `${path}.type`, type, ['Percent', 'Pods']);
		if (value <= 0) out.push(invalidValue(`${path}.value`, value, 'must be greater than zero'));
		if (periodSeconds <= 0) out.push(invalidValue(`${path}.periodSeconds`, periodSeconds, 'must be greater than zero'));
		if (periodSeconds > 1800) out.push(invalidValue(`${path}.periodSeconds`, periodSeconds, 'must be less than or equal to 1800'));
	}
	if (rules.tolerance !== undefined && parseQuantity(rules.tolerance).nano < 0n)
		out.push(invalidValue(`${at}.tolerance`, rules.tolerance, 'must be greater than or equal to 0'));
}

function metricSpec(out: Errors, at: string, metric: MetricSpec, version: Version): void {
	const { type = '' } = metric;
	if (type === '') out.push(required(`${at}.type`, 'must specify a metric source type'));
	const kinds = Object.keys(SOURCES).toSorted();
	const known = Object.hasOwn(SOURCES, type);
	if (!known) out.push(notSupported(`${at}.type`, type, kinds));
	const given = Object.values(SOURCES).filter((key) => metric[key] !== undefined);
	const [first] = given;
	if (first !== undefined) source(out, `${at}.${first}`, first, metric, version);
	const expected = known ? SOURCES[type as keyof typeof SOURCES] : undefined;
	if (expected === undefined) out.push(notSupported(`${at}.type`, type, kinds));
	else if (metric[expected] === undefined) out.push(required(`${at}.${expected}`, 'must populate information for the given metric source'));
	if (given.length === 1) return;
	for (const key of given) if (key !== expected) out.push(fieldForbidden(`${at}.${key}`, 'must populate the given metric source only'));
}

type SourceKey = (typeof SOURCES)[keyof typeof SOURCES];

function source(out: Errors, at: string, key: SourceKey, metric: MetricSpec, version: Version): void {
	const { object, pods, external, containerResource, resource } = metric;
	switch (key) {
		case 'object':
			reference(out, `${at}.describedObject`, object?.describedObject ?? NOBODY, version);
			identifier(out, `${at}.metric.name`, object?.metric?.name);
			target(out, `${at}.target`, object?.target, 'value', 'must set either a target value or averageValue');
			return;
		case 'pods':
			identifier(out, `${at}.metric.name`, pods?.metric?.name);
			metricTarget(out, `${at}.target`, pods?.target);
			if (pods?.target?.averageValue === undefined)
				out.push(required(`${at}.target.averageValue`, 'must specify a positive target averageValue'));
			return;
		case 'external': {
			identifier(out, `${at}.metric.name`, external?.metric?.name);
			target(out, `${at}.target`, external?.target, 'value', 'must set either a target value for metric or a per-pod target');
			const { value, averageValue } = external?.target ?? {};
			if (value !== undefined && averageValue !== undefined)
				out.push(fieldForbidden(`${at}.target.value`, 'may not set both a target value for metric and a per-pod target'));
			return;
		}
		case 'containerResource': {
			const { name = '', container = '' } = containerResource ?? {};
			if (present(out, `${at}.name`, name, 'must specify a resource name')) containerResourceName(out, `${at}.name`, name);
			if (present(out, `${at}.container`, container, 'must specify a container'))
				texts(out, `${at}.container`, container, dnsLabel(container));
			resourceTarget(out, `${at}.target`, containerResource?.target);
			return;
		}
		case 'resource':
			present(out, `${at}.name`, resource?.name, 'must specify a resource name');
			resourceTarget(out, `${at}.target`, resource?.target);
	}
}

function identifier(out: Errors, path: string, name: string | undefined): void {
	if (present(out, path, name, 'must specify a metric name')) texts(out, path, name, pathSegment(name ?? ''));
}

function metricTarget(out: Errors, at: string, { type = '', value, averageValue, averageUtilization }: Partial<MetricTarget> = {}): void {
	if (type === '') out.push(required(`${at}.type`, 'must specify a metric target type'));
	if (!['Utilization', 'Value', 'AverageValue'].includes(type))
		out.push(invalidValue(`${at}.type`, type, 'must be either Utilization, Value, or AverageValue'));
	for (const [key, amount] of Object.entries({ value, averageValue }))
		if (amount !== undefined && parseQuantity(amount).nano <= 0n) out.push(invalidValue(`${at}.${key}`, amount, 'must be positive'));
	if (averageUtilization !== undefined && averageUtilization < 1)
		out.push(invalidValue(`${at}.averageUtilization`, averageUtilization, 'must be greater than 0'));
}

/** A target that needs one of two: an amount, or an amount a pod. */
function target(out: Errors, at: string, given: MetricTarget | undefined, key: 'value' | 'averageUtilization', missing: string): void {
	metricTarget(out, at, given);
	if (given?.[key] === undefined && given?.averageValue === undefined)
		out.push(required(`${at}.${key === 'value' ? 'averageValue' : key}`, missing));
}

function resourceTarget(out: Errors, at: string, given: MetricTarget | undefined): void {
	target(out, at, given, 'averageUtilization', 'must set either a target raw value or a target utilization');
	if (given?.averageUtilization !== undefined && given.averageValue !== undefined)
		out.push(fieldForbidden(`${at}.averageValue`, 'may not set both a target raw value and a target utilization'));
}
