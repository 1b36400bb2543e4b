/** Defaults of single kinds, before the contract's own are set. Each changes the object in place. */
import { roundedToMilli } from '../quantity.ts';
import type { KindName } from '../kind-name.ts';
import type { Pod } from '../gen/types.ts';
import { defaultPodResources } from './pod-resources.ts';

type Json = Record<string, unknown>;
type Rule = (object: Json) => void;

const missing = (value: unknown): boolean => value === undefined || value === null || value === '';
const empty = (value: unknown): boolean => missing(value) || (typeof value === 'object' && Object.keys(value as object).length === 0);
const at = (value: unknown, ...path: readonly string[]): Json | undefined => {
	let found: unknown = value;
	for (const key of path) found = (found as Json | undefined | null)?.[key];
	return found === null ? undefined : (found as Json | undefined);
};
const put = (object: Json | undefined, key: string, value: unknown): void => {
	// These are pointers in Go: an empty text is a value.
	if (object !== undefined && (object[key] ?? null) === null) object[key] = value;
};

export function defaultKind(kind: KindName, object: Json): void {
	RULES[`${kind.group}/${kind.kind}`]?.(object);
}

const RULES: Readonly<Record<string, Rule>> = {
	'/Namespace': (o) => {
		const meta = at(o, 'metadata');
		const name = meta?.['name'];
		if (meta !== undefined && typeof name === 'string' && name !== '')
			meta['labels'] = { ...(meta['labels'] as Json | undefined), 'kubernetes.io/metadata.name': name };
	},
	'/Pod': (o) => {
		const spec = at(o, 'spec');
		if (spec === undefined) return;
		put(spec, 'enableServiceLinks', true);
		const own = at(spec, 'resources');
		if (own !== undefined) round(own, 'limits', 'requests');
		for (const list of ['containers', 'initContainers'] as const) {
			for (const container of (spec[list] as Json[] | undefined | null) ?? []) {
				const resources = at(container, 'resources');
				if (resources !== undefined) {
					round(resources, 'limits', 'requests');
					if (!empty(resources['limits']))
						resources['requests'] = { ...(resources['limits'] as Json), ...(resources['requests'] as Json | undefined) };
				}
				if (spec['hostNetwork'] === true)
					for (const port of (container['ports'] as Json[] | undefined | null) ?? [])
						if (missing(port['hostPort']) || port['hostPort'] === 0) port['hostPort'] = port['containerPort'];
			}
		}
		defaultPodResources(o as unknown as Pod);
	},
	'/Node': (o) => {
		const status = at(o, 'status');
		if (status === undefined) return;
		if (missing(status['allocatable']) && !empty(status['capacity'])) status['allocatable'] = structuredClone(status['capacity']);
		round(status, 'capacity', 'allocatable');
	},
	'/PersistentVolume': (o) => {
		const spec = at(o, 'spec');
		put(spec, 'persistentVolumeReclaimPolicy', 'Retain');
		put(spec, 'volumeMode', 'Filesystem');
		if (spec !== undefined) round(spec, 'capacity');
	},
	'/PersistentVolumeClaim': (o) => {
		const resources = at(o, 'spec', 'resources');
		if (resources !== undefined) round(resources, 'limits', 'requests');
	},
	'/LimitRange': (o) => {
		for (const item of (at(o, 'spec')?.['limits'] as Json[] | undefined | null) ?? [])
			round(item, 'max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio');
	},
	'/ResourceQuota': (o) => {
		for (const part of [at(o, 'spec'), at(o, 'status')]) if (part !== undefined) round(part, 'hard', 'used');
	},
	'/ReplicationController': (o) => {
		const labels = at(o, 'spec', 'template', 'metadata', 'labels');
		if (labels === undefined || empty(labels)) return;
		const spec = at(o, 'spec') as Json;
		const meta = at(o, 'metadata') as Json;
		if (empty(spec['selector'])) spec['selector'] = { ...labels };
		if (empty(meta['labels'])) meta['labels'] = { ...labels };
	},
	'/Service': defaultService,
	// Upstream writes what a claim's template is, whatever was said.
	'apps/StatefulSet': (o) => {
		const spec = at(o, 'spec');
		const claims = spec?.['volumeClaimTemplates'];
		if (spec === undefined || !Array.isArray(claims)) return;
		spec['volumeClaimTemplates'] = claims.map((claim: Json) => ({ ...claim, kind: 'PersistentVolumeClaim', apiVersion: 'v1' }));
	},
	'batch/Job': (o) => {
		const spec = at(o, 'spec');
		const labels = at(o, 'spec', 'template', 'metadata', 'labels');
		const meta = at(o, 'metadata');
		if (spec === undefined) return;
		if (missing(spec['completions']) && missing(spec['parallelism'])) spec['completions'] = 1;
		put(spec, 'parallelism', 1);
		put(spec, 'backoffLimit', missing(spec['backoffLimitPerIndex']) ? 6 : 2 ** 31 - 1);
		put(spec, 'completionMode', 'NonIndexed');
		put(spec, 'manualSelector', false);
		put(spec, 'suspend', false);
		put(spec, 'podReplacementPolicy', missing(spec['podFailurePolicy']) ? 'TerminatingOrFailed' : 'Failed');
		if (meta !== undefined && empty(meta['labels']) && labels !== undefined && !empty(labels)) meta['labels'] = labels;
	},
	/** The older version's only target; where metrics are in an annotation, conversion knows whether it counts. */
	'autoscaling/HorizontalPodAutoscaler': (o) => {
		if (o['apiVersion'] !== 'autoscaling/v1') return;
		if (at(o, 'metadata', 'annotations')?.['autoscaling.alpha.kubernetes.io/metrics'] !== undefined) return;
		put(at(o, 'spec'), 'targetCPUUtilizationPercentage', 80);
	},
	'networking.k8s.io/NetworkPolicy': (o) => {
		const spec = at(o, 'spec');
		if (spec !== undefined && empty(spec['policyTypes'])) spec['policyTypes'] = empty(spec['egress']) ? ['Ingress'] : ['Ingress', 'Egress'];
	},
	'apiextensions.k8s.io/CustomResourceDefinition': (o) => {
		const names = at(o, 'spec', 'names');
		const kind = names?.['kind'];
		if (typeof kind === 'string' && kind !== '') {
			put(names, 'listKind', `${kind}List`);
			put(names, 'singular', kind.toLowerCase());
		}
		const stored = ((at(o, 'spec')?.['versions'] as Json[] | undefined | null) ?? []).find((v) => v['storage'] === true);
		const status = at(o, 'status');
		if (status !== undefined && empty(status['storedVersions']) && stored !== undefined) status['storedVersions'] = [stored['name']];
	},
};

function defaultService(o: Json): void {
	const spec = at(o, 'spec');
	if (spec === undefined) return;
	const type = missing(spec['type']) ? 'ClusterIP' : spec['type'];
	if (missing(spec['sessionAffinity']) || spec['sessionAffinity'] === 'None') delete spec['sessionAffinityConfig'];
	if (spec['sessionAffinity'] === 'ClientIP') {
		const config = (spec['sessionAffinityConfig'] ?? {}) as Json;
		const clientIp = (config['clientIP'] ?? {}) as Json;
		put(clientIp, 'timeoutSeconds', 10800);
		spec['sessionAffinityConfig'] = { ...config, clientIP: clientIp };
	}
	if (type === 'LoadBalancer') put(spec, 'allocateLoadBalancerNodePorts', true);
	if (type === 'NodePort' || type === 'LoadBalancer' || (type === 'ClusterIP' && !empty(spec['externalIPs'])))
		put(spec, 'externalTrafficPolicy', 'Cluster');
	if (type === 'NodePort' || type === 'LoadBalancer' || type === 'ClusterIP') put(spec, 'internalTrafficPolicy', 'Cluster');
	if (type === 'LoadBalancer')
		for (const ingress of (at(o, 'status', 'loadBalancer')?.['ingress'] as Json[] | undefined | null) ?? [])
			if (!missing(ingress['ip'])) put(ingress, 'ipMode', 'VIP');
}

/** Every quantity of these resource lists, rounded up to thousandths. */
function round(object: Json, ...keys: readonly string[]): void {
	for (const key of keys) {
		const list = object[key] as Record<string, string> | undefined | null;
		if (list === undefined || list === null) continue;
		for (const [name, value] of Object.entries(list)) list[name] = roundedToMilli(value);
	}
}
