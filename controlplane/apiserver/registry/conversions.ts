/** Kinds served in two versions but stored in one: Events (core/v1 is stored) and HorizontalPodAutoscalers (autoscaling/v2 is stored). */
import type { KubeObject } from '../../../api/resource.ts';

type Fields = Record<string, unknown>;
interface Converter {
	readonly toStored: (object: KubeObject) => KubeObject;
	readonly fromStored: (object: KubeObject) => KubeObject;
}

const zeroOf = (value: unknown): boolean => value === undefined || value === null || value === '' || value === 0;

function renamed(object: KubeObject, apiVersion: string, names: Readonly<Record<string, string>>): KubeObject {
	const out: Fields = {};
	for (const [key, value] of Object.entries(object)) {
		const name = Object.hasOwn(names, key) ? (names[key] as string) : key;
		if (!zeroOf(value) || name === 'metadata') out[name] = value;
	}
	out['apiVersion'] = apiVersion;
	return out as unknown as KubeObject;
}

const TO_CORE = {
	regarding: 'involvedObject',
	note: 'message',
	reportingController: 'reportingComponent',
	deprecatedSource: 'source',
	deprecatedFirstTimestamp: 'firstTimestamp',
	deprecatedLastTimestamp: 'lastTimestamp',
	deprecatedCount: 'count',
};
const FROM_CORE = Object.fromEntries(Object.entries(TO_CORE).map(([a, b]) => [b, a]));

/** Core fields that are always written, even empty. */
export const EVENT_CONVERSION: Converter = {
	toStored: (object) => ({
		source: {},
		reportingComponent: '',
		reportingInstance: '',
		involvedObject: {},
		eventTime: null,
		firstTimestamp: null,
		lastTimestamp: null,
		...renamed(object, 'v1', TO_CORE),
	}),
	fromStored: (object) => ({
		eventTime: null,
		regarding: {},
		deprecatedSource: {},
		deprecatedFirstTimestamp: null,
		deprecatedLastTimestamp: null,
		...renamed(object, 'events.k8s.io/v1', FROM_CORE),
	}),
};

interface Metric {
	readonly type: string;
	readonly resource?: { readonly name: string; readonly target: { readonly type: string; readonly averageUtilization?: number } };
}

/** v1 knows one CPU target; everything else of v2 travels in the annotations upstream uses for it. */
const METRICS = 'autoscaling.alpha.kubernetes.io/metrics';
const CURRENT = 'autoscaling.alpha.kubernetes.io/current-metrics';
const CONDITIONS = 'autoscaling.alpha.kubernetes.io/conditions';
const BEHAVIOR = 'autoscaling.alpha.kubernetes.io/behavior';

export const HPA_CONVERSION: Converter = {
	toStored(object) {
		const source = structuredClone(object) as KubeObject & { spec?: Fields; status?: Fields };
		const { targetCPUUtilizationPercentage: target, ...spec } = source.spec ?? {};
		const { currentCPUUtilizationPercentage: current, ...status } = source.status ?? {};
		const annotations = { ...source.metadata.annotations };
		const taken = (key: string): unknown => {
			const text = annotations[key];
			delete annotations[key];
			try {
				return text === undefined ? undefined : JSON.parse(text);
			} catch {
				return undefined;
			}
		};
		const metrics = (taken(METRICS) as unknown[] | undefined) ?? [];
		if (target !== undefined && target !== null)
			metrics.unshift({ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: target } } });
		const behavior = taken(BEHAVIOR);
		const conditions = taken(CONDITIONS);
		const others = (taken(CURRENT) as unknown[] | undefined) ?? [];
		if (current !== undefined && current !== null)
			others.unshift({ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: current } } });
		const metadata = { ...source.metadata };
		if (Object.keys(annotations).length > 0) metadata.annotations = annotations;
		else delete metadata.annotations;
		return {
			...source,
			apiVersion: 'autoscaling/v2',
			metadata,
			spec: { ...spec, ...(metrics.length > 0 ? { metrics } : {}), ...(behavior === undefined ? {} : { behavior }) },
			status: {
				...status,
				desiredReplicas: status['desiredReplicas'] ?? 0,
				currentMetrics: others.length > 0 ? others : null,
				...(conditions === undefined ? {} : { conditions }),
			},
		} as KubeObject;
	},
	fromStored(object) {
		const source = structuredClone(object) as KubeObject & { spec?: Fields; status?: Fields };
		const { metrics, behavior, ...spec } = source.spec ?? {};
		const { currentMetrics, conditions, ...status } = source.status ?? {};
		const isCpu = (m: Metric): boolean => m.type === 'Resource' && m.resource?.name === 'cpu' && m.resource.target?.type === 'Utilization';
		const all = (metrics as Metric[] | undefined) ?? [];
		const cpu = all.find(isCpu);
		const rest = all.filter((m) => m !== cpu);
		const annotations: Record<string, string> = { ...source.metadata.annotations };
		if (rest.length > 0) annotations[METRICS] = JSON.stringify(rest);
		if (behavior !== undefined) annotations[BEHAVIOR] = JSON.stringify(behavior);
		if (Array.isArray(conditions) && conditions.length > 0) annotations[CONDITIONS] = JSON.stringify(conditions);
		if (Array.isArray(currentMetrics) && currentMetrics.length > 0) annotations[CURRENT] = JSON.stringify(currentMetrics);
		return {
			...source,
			apiVersion: 'autoscaling/v1',
			metadata: { ...source.metadata, ...(Object.keys(annotations).length > 0 ? { annotations } : {}) },
			spec: { ...spec, ...(cpu === undefined ? {} : { targetCPUUtilizationPercentage: cpu.resource?.target.averageUtilization }) },
			status: { ...status, currentReplicas: status['currentReplicas'] ?? 0, desiredReplicas: status['desiredReplicas'] ?? 0 },
		} as KubeObject;
	},
};
