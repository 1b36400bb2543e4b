/** Defaults with conditions inside one struct, wherever the struct stands, by the contract's type name. Each changes the struct in place. */
import { defaultPullPolicy } from './image.ts';
import { asSent } from '../sent-empty.ts';

type Json = Record<string, unknown>;
type Rule = (struct: Json) => void;

const missing = (value: unknown): boolean => value === undefined || value === null || value === '';

const pullPolicy: Rule = (c) => {
	if (missing(c['imagePullPolicy'])) c['imagePullPolicy'] = defaultPullPolicy((c['image'] as string | undefined) ?? '');
};

const rbacSubject: Rule = (s) => {
	if (missing(s['apiGroup']) && (s['kind'] === 'User' || s['kind'] === 'Group')) s['apiGroup'] = 'rbac.authorization.k8s.io';
};

const exactCount: Rule = (r) => {
	if ((missing(r['allocationMode']) || r['allocationMode'] === 'ExactCount') && (missing(r['count']) || r['count'] === 0)) r['count'] = 1;
};

export const defaultStruct: ReadonlyMap<string, Rule> = new Map<string, Rule>([
	['core/v1.Container', pullPolicy],
	['core/v1.EphemeralContainer', pullPolicy],
	[
		'core/v1.NodeSpec',
		(spec) => {
			const [first] = (spec['podCIDRs'] as string[] | undefined) ?? [];
			const one = spec['podCIDR'];
			// Where the two differ the single one holds.
			if (!missing(one) && one !== first) spec['podCIDRs'] = [one];
			else if (missing(one) && !missing(first)) spec['podCIDR'] = first;
		},
	],
	[
		'core/v1.PodStatus',
		(status) => {
			const [first] = (status['podIPs'] as { ip?: string }[] | undefined) ?? [];
			const one = status['podIP'];
			if (!missing(one) && one !== first?.ip) status['podIPs'] = [{ ip: one }];
			else if (missing(one) && !missing(first?.ip)) status['podIP'] = first?.ip;
		},
	],
	[
		'core/v1.PodSpec',
		(spec) => {
			// The old name of the field says the same.
			const name = missing(spec['serviceAccountName']) ? spec['serviceAccount'] : spec['serviceAccountName'];
			if (!missing(name)) Object.assign(spec, { serviceAccountName: name, serviceAccount: name });
		},
	],
	[
		'core/v1.PodSpec',
		(spec) => {
			// The old name of the field is always its alias.
			if (missing(spec['serviceAccountName'])) {
				if (!missing(spec['serviceAccount'])) spec['serviceAccountName'] = spec['serviceAccount'];
			} else spec['serviceAccount'] = spec['serviceAccountName'];
		},
	],
	[
		'core/v1.Volume',
		(v) => {
			if (Object.keys(v).every((k) => k === 'name' || v[k] === undefined || v[k] === null)) v['emptyDir'] = {};
		},
	],
	[
		'core/v1.ImageVolumeSource',
		(v) => {
			if (missing(v['pullPolicy'])) v['pullPolicy'] = defaultPullPolicy((v['reference'] as string | undefined) ?? '');
		},
	],
	[
		'core/v1.ServicePort',
		(p) => {
			if (missing(p['targetPort']) || p['targetPort'] === 0) p['targetPort'] = p['port'];
		},
	],
	['rbac/v1.Subject', rbacSubject],
	['resource/v1.ExactDeviceRequest', exactCount],
	['resource/v1.DeviceSubRequest', exactCount],
	['apps/v1.DeploymentStrategy', rolling({ maxUnavailable: '25%', maxSurge: '25%' })],
	['apps/v1.DaemonSetUpdateStrategy', rolling({ maxUnavailable: 1, maxSurge: 0 })],
	[
		'apps/v1.StatefulSetUpdateStrategy',
		(s) => {
			if (missing(s['type']) && missing(s['rollingUpdate'])) s['rollingUpdate'] = { partition: 0 };
			const update = s['rollingUpdate'] as Json | undefined;
			if ((missing(s['type']) || s['type'] === 'RollingUpdate') && update !== undefined && update !== null && missing(update['partition']))
				update['partition'] = 0;
		},
	],
	[
		'autoscaling/v2.HorizontalPodAutoscalerBehavior',
		(b) => {
			const percent = { type: 'Percent', value: 100, periodSeconds: 15 };
			const up = scaling(b, 'scaleUp', [{ type: 'Pods', value: 4, periodSeconds: 15 }, percent]);
			if (missing(up['stabilizationWindowSeconds'])) up['stabilizationWindowSeconds'] = 0;
			scaling(b, 'scaleDown', [percent]);
		},
	],
	[
		'core/v1.LimitRangeItem',
		(item) => {
			if (item['type'] !== 'Container') return;
			const filled = (own: unknown, from: unknown): Json => ({ ...(from as Json | undefined), ...(own as Json | undefined) });
			item['default'] = filled(item['default'], item['max']);
			item['defaultRequest'] = filled(filled(item['defaultRequest'], undefined), undefined);
			item['defaultRequest'] = { ...(item['min'] as Json | undefined), ...(item['default'] as Json), ...(item['defaultRequest'] as Json) };
		},
	],
]);

/** What is there of another type has zeros: upstream's own type knows no absent ones. */
function rolling(parts: Json): Rule {
	return (strategy) => {
		const isRolling = missing(strategy['type']) || strategy['type'] === 'RollingUpdate';
		if (!isRolling && missing(strategy['rollingUpdate'])) return;
		const update = (strategy['rollingUpdate'] ?? {}) as Json;
		for (const [key, value] of Object.entries(parts)) update[key] ??= isRolling ? value : 0;
		strategy['rollingUpdate'] = update;
	};
}

function scaling(behavior: Json, key: string, policies: readonly Json[]): Json {
	const rules = (behavior[key] ?? {}) as Json;
	behavior[key] = rules;
	rules['selectPolicy'] ??= 'Max';
	if (missing(asSent(rules, 'policies'))) rules['policies'] = structuredClone(policies);
	return rules;
}
