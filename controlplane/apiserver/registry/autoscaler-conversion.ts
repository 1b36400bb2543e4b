/** HorizontalPodAutoscalers are stored as autoscaling/v2. v1 knows one CPU target; everything else of v2 travels in the annotations upstream uses for it. */
import type { HorizontalPodAutoscaler, HPAScalingRules, MetricSpec, MetricStatus } from '../../../api/gen/types.ts';
import { canonicalObject } from '../../../api/codec/canonical.ts';
import { goJson } from '../../../api/go-json.ts';
import { internalForm } from '../../../api/internal/form.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { typeNamed, type StructType } from '../../../api/schema.ts';
import { newSpec, newStatus, oldSpec, oldStatus } from './autoscaler-metrics.ts';
import type { Converter } from './kinds.ts';

const PREFIX = 'autoscaling.alpha.kubernetes.io';
const METRICS = `${PREFIX}/metrics`;
const CURRENT = `${PREFIX}/current-metrics`;
const CONDITIONS = `${PREFIX}/conditions`;
const BEHAVIOR = `${PREFIX}/behavior`;
const OWN = [METRICS, CURRENT, CONDITIONS, BEHAVIOR, `${PREFIX}/scale-down-tolerance`, `${PREFIX}/scale-up-tolerance`];

/** Percent of what was asked for, where nothing else is measured. */
const DEFAULT_UTILIZATION = 80;

interface Old extends KubeObject {
	readonly spec?: Record<string, unknown> & { readonly targetCPUUtilizationPercentage?: number | null };
	readonly status?: Record<string, unknown> & { readonly currentCPUUtilizationPercentage?: number | null };
}

export const HPA_CONVERSION: Converter = {
	toStored(object) {
		const { metadata, ...source } = structuredClone(object) as Old;
		const { targetCPUUtilizationPercentage: target, ...spec } = source.spec ?? {};
		const { currentCPUUtilizationPercentage: current, ...status } = source.status ?? {};
		const listed = <T, R>(key: string, type: string, fn: (item: T) => R): R[] | undefined =>
			parsed(metadata.annotations?.[key], (value) => (value as unknown[]).map((item) => fn(decoded<T>(type, item))));
		const metrics = listed(METRICS, 'autoscaling/v1.MetricSpec', newSpec) ?? [];
		const utilization = target ?? (metrics.length === 0 ? DEFAULT_UTILIZATION : undefined);
		if (utilization !== undefined)
			metrics.push({ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: utilization } } });
		const behavior = behaviorOf(metadata.annotations?.[BEHAVIOR]);
		const conditions = listed(CONDITIONS, 'autoscaling/v1.HorizontalPodAutoscalerCondition', (condition: object) => condition);
		const measured = listed(CURRENT, 'autoscaling/v1.MetricStatus', newStatus);
		const cpu = { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: current } } };
		return {
			...source,
			apiVersion: 'autoscaling/v2',
			metadata: withoutOwn(metadata),
			spec: { ...spec, metrics, ...(behavior === undefined ? {} : { behavior }) },
			status: {
				...status,
				desiredReplicas: status['desiredReplicas'] ?? 0,
				currentMetrics: measured ?? ((current ?? null) === null ? null : [cpu]),
				...(conditions === undefined ? {} : { conditions }),
			},
		} as KubeObject;
	},
	fromStored(object) {
		const { metadata, ...source } = structuredClone(object) as HorizontalPodAutoscaler;
		const { metrics = [], behavior, ...spec } = source.spec ?? {};
		const { currentMetrics, conditions, ...status } = source.status ?? { desiredReplicas: 0 };
		const target = metrics.find(isCpu)?.resource?.target.averageUtilization;
		const current = (currentMetrics ?? []).findLast(isCurrentCpu)?.resource?.current.averageUtilization;
		const own = withoutOwn(metadata);
		const annotations: Record<string, string> = { ...own.annotations };
		const rest = metrics.filter((metric) => !isCpu(metric));
		if (rest.length > 0) annotations[METRICS] = goJson(rest.map(oldSpec));
		if (behavior !== undefined) annotations[BEHAVIOR] = goJson(internalForm('autoscaling/v2.HorizontalPodAutoscalerBehavior', behavior));
		if ((conditions ?? []).length > 0) annotations[CONDITIONS] = goJson(conditions);
		if ((currentMetrics ?? []).length > 0) annotations[CURRENT] = goJson(currentMetrics?.map(oldStatus));
		return {
			...source,
			apiVersion: 'autoscaling/v1',
			metadata: { ...own, ...(Object.keys(annotations).length > 0 ? { annotations } : {}) },
			spec: { ...spec, ...(target === undefined ? {} : { targetCPUUtilizationPercentage: target }) },
			status: {
				...status,
				currentReplicas: status.currentReplicas ?? 0,
				desiredReplicas: status.desiredReplicas ?? 0,
				...(current === undefined ? {} : { currentCPUUtilizationPercentage: current }),
			},
		} as unknown as KubeObject;
	},
};

function isCpu({ type, resource }: MetricSpec): boolean {
	return type === 'Resource' && resource?.name === 'cpu' && resource.target?.averageUtilization !== undefined;
}

function isCurrentCpu({ type, resource }: MetricStatus): boolean {
	return type === 'Resource' && resource?.name === 'cpu' && resource.current?.averageUtilization !== undefined;
}

function withoutOwn(metadata: KubeObject['metadata']): KubeObject['metadata'] {
	const { annotations, ...others } = metadata;
	const kept = Object.entries(annotations ?? {}).filter(([key]) => !OWN.includes(key));
	return kept.length === 0 ? others : { ...others, annotations: Object.fromEntries(kept) };
}

/** Undefined for what cannot be read. */
function parsed<R>(text: string | undefined, read: (value: unknown) => R): R | undefined {
	try {
		return text === undefined ? undefined : read(JSON.parse(text));
	} catch {
		return undefined;
	}
}

/** It is written with the names of Go's fields. */
function behaviorOf(text: string | undefined): { readonly scaleUp?: HPAScalingRules; readonly scaleDown?: HPAScalingRules } | undefined {
	const value = parsed(text, (given) =>
		decoded<NonNullable<ReturnType<typeof behaviorOf>>>('autoscaling/v2.HorizontalPodAutoscalerBehavior', lowered(given)),
	);
	return value === undefined || Object.keys(value).length === 0 ? undefined : value;
}

/** Throws for what does not fit the contract's type. */
function decoded<T>(type: string, value: unknown): T {
	if (typeof value !== 'object' || Array.isArray(value)) throw new TypeError(`This is no ${type}`);
	return canonicalObject(typeNamed(type) as StructType, { ...value }, { unknown: () => {} }) as T;
}

function lowered(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(lowered);
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(
		Object.entries(value).flatMap(([key, inner]) => (inner === null ? [] : [[key.charAt(0).toLowerCase() + key.slice(1), lowered(inner)]])),
	);
}
