/** HorizontalPodAutoscalers, in both served versions. */
import { fieldForbidden, invalidValue, notSupported, required } from '../field-error.ts';
import type {
	AutoscalingV1HorizontalPodAutoscaler,
	CrossVersionObjectReference,
	HorizontalPodAutoscaler,
	HPAScalingRules,
	MetricSpec,
	MetricTarget,
} from '../gen/types.ts';
import { parseQuantity } from '../quantity.ts';
import { dnsSubdomain, pathSegment } from './names.ts';
import { objectMeta, objectMetaUpdate } from './metadata.ts';
import { nonNegative, oneOf, present, texts, type Errors } from './rule.ts';

const META = { name: dnsSubdomain, namespaced: true, finalizers: true };
const SOURCES = {
	ContainerResource: 'containerResource',
	External: 'external',
	Object: 'object',
	Pods: 'pods',
	Resource: 'resource',
} as const;
type Hpa = HorizontalPodAutoscaler | AutoscalingV1HorizontalPodAutoscaler;

export function autoscaler(out: Errors, object: Hpa): void {
	objectMeta(out, object.metadata, META);
	autoscalerSpec(out, object);
}

export function autoscalerUpdate(out: Errors, object: Hpa, old: Hpa): void {
	objectMetaUpdate(out, object.metadata, old.metadata);
	autoscalerSpec(out, object);
}

function autoscalerSpec(out: Errors, object: Hpa): void {
	const spec = (object.spec ?? {}) as Partial<HorizontalPodAutoscaler['spec']>;
	const { minReplicas, maxReplicas = 0 } = spec;
	const metrics = spec.metrics ?? [];
	if (minReplicas !== undefined && minReplicas < 1)
		out.push(invalidValue('spec.minReplicas', minReplicas, 'must be greater than or equal to 1'));
	if (maxReplicas < 1) out.push(required('spec.maxReplicas', 'must be set and greater than 0'));
	if (minReplicas !== undefined && maxReplicas < minReplicas)
		out.push(invalidValue('spec.maxReplicas', maxReplicas, 'must be greater than or equal to `minReplicas`'));
	reference(out, 'spec.scaleTargetRef', spec.scaleTargetRef ?? { kind: '', name: '' }, true);
	for (const [i, metric] of metrics.entries()) metricSpec(out, `spec.metrics[${i}]`, metric);
	if (minReplicas === 0 && !metrics.some(({ type }) => type === 'Object' || type === 'External'))
		out.push(fieldForbidden('spec.metrics', 'must specify at least one Object or External metric to support scaling to zero replicas'));
	for (const key of ['scaleUp', 'scaleDown'] as const) {
		const rules = spec.behavior?.[key];
		if (rules !== undefined) scalingRules(out, `spec.behavior.${key}`, rules);
	}
}

function reference(out: Errors, at: string, { kind, name, apiVersion = '' }: CrossVersionObjectReference, wantsGroup: boolean): void {
	if (present(out, `${at}.kind`, kind)) texts(out, `${at}.kind`, kind, pathSegment(kind));
	if (present(out, `${at}.name`, name)) texts(out, `${at}.name`, name, pathSegment(name));
	if (wantsGroup && apiVersion === '' && !(kind === 'ReplicationController'))
		out.push(invalidValue(`${at}.apiVersion`, apiVersion, 'apiVersion must specify API group'));
}

function scalingRules(out: Errors, at: string, rules: HPAScalingRules): void {
	const window = rules.stabilizationWindowSeconds;
	nonNegative(out, `${at}.stabilizationWindowSeconds`, window);
	if (window !== undefined && window > 3600)
		out.push(invalidValue(`${at}.stabilizationWindowSeconds`, window, 'must be less than or equal to 3600'));
	oneOf(out, `${at}.selectPolicy`, rules.selectPolicy, ['Disabled', 'Max', 'Min']);
	for (const [i, { type, value, periodSeconds }] of (rules.policies ?? []).entries()) {
		const path = `${at}.policies[${i}]`;
		oneOf(out, `${path}.type`, type, ['Percent', 'Pods']);
		if (value <= 0) out.push(invalidValue(`${path}.value`, value, 'must be greater than zero'));
		if (periodSeconds <= 0) out.push(invalidValue(`${path}.periodSeconds`, periodSeconds, 'must be greater than zero'));
		if (periodSeconds > 1800) out.push(invalidValue(`${path}.periodSeconds`, periodSeconds, 'must be less than or equal to 1800'));
	}
}

function metricSpec(out: Errors, at: string, metric: MetricSpec): void {
	const { type } = metric;
	if (type === '') out.push(required(`${at}.type`, 'must specify a metric source type'));
	const kinds = Object.keys(SOURCES);
	if (!Object.hasOwn(SOURCES, type)) {
		out.push(notSupported(`${at}.type`, type, kinds), notSupported(`${at}.type`, type, kinds));
		return;
	}
	const expected = SOURCES[type as keyof typeof SOURCES];
	const given = Object.values(SOURCES).filter((key) => metric[key] !== undefined);
	if (!given.includes(expected)) out.push(required(`${at}.${expected}`, 'must populate information for the given metric source'));
	for (const key of given) {
		if (key !== expected) out.push(fieldForbidden(`${at}.${key}`, 'must populate the given metric source only'));
	}
	if (metric[expected] !== undefined) source(out, `${at}.${expected}`, expected, metric);
}

function source(out: Errors, at: string, key: (typeof SOURCES)[keyof typeof SOURCES], metric: MetricSpec): void {
	switch (key) {
		case 'object':
			reference(out, `${at}.describedObject`, metric.object?.describedObject ?? { kind: '', name: '' }, false);
			present(out, `${at}.metric.name`, metric.object?.metric.name);
			target(out, `${at}.target`, metric.object?.target);
			return;
		case 'pods':
			present(out, `${at}.metric.name`, metric.pods?.metric.name);
			if (metric.pods?.target.averageValue === undefined || !isPositive(metric.pods.target.averageValue))
				out.push(required(`${at}.target.averageValue`, 'must specify a positive target averageValue'));
			return;
		case 'external':
			present(out, `${at}.metric.name`, metric.external?.metric.name);
			target(out, `${at}.target`, metric.external?.target);
			return;
		case 'containerResource':
			present(out, `${at}.container`, metric.containerResource?.container, 'must specify a container');
			present(out, `${at}.name`, metric.containerResource?.name, 'must specify a resource name');
			resourceTarget(out, `${at}.target`, metric.containerResource?.target);
			return;
		case 'resource':
			present(out, `${at}.name`, metric.resource?.name, 'must specify a resource name');
			resourceTarget(out, `${at}.target`, metric.resource?.target);
	}
}

const isPositive = (value: string | number): boolean => parseQuantity(value).nano > 0n;

function target(out: Errors, at: string, given: MetricTarget | undefined): void {
	if (given?.value === undefined && given?.averageValue === undefined)
		out.push(required(`${at}.averageValue`, 'must set either a target value for metric or a per-pod target'));
}

function resourceTarget(out: Errors, at: string, given: MetricTarget | undefined): void {
	const { averageUtilization, averageValue } = given ?? {};
	if (averageUtilization !== undefined && averageUtilization < 1)
		out.push(invalidValue(`${at}.averageUtilization`, averageUtilization, 'must be greater than 0'));
	if (averageUtilization === undefined && averageValue === undefined)
		out.push(required(`${at}.averageUtilization`, 'must set either a target raw value or a target utilization'));
	if (averageUtilization !== undefined && averageValue !== undefined)
		out.push(fieldForbidden(`${at}.averageValue`, 'may not set both a target raw value and a target utilization'));
}
