import test from 'ava';
import type { KubeObject } from '../../resource.ts';
import { validateUpdate } from '../validation.ts';

const metadata = { name: 'a', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };
const role = (value: string): KubeObject => {
	const selector = { matchExpressions: [{ key: 'k', operator: 'In', values: [value] }] };
	return { metadata, aggregationRule: { clusterRoleSelectors: [selector] } } as unknown as KubeObject;
};
const AT = 'aggregationRule.clusterRoleSelectors[0]';

for (const [before, after, want] of [
	['v', '-', [`${AT}.matchExpressions[0].values[0]`, AT]],
	['-', '-', [AT]],
	['-', 'v', []],
] as const)
	test(`cluster roles: roles are selected by "${after}" after "${before}"`, (t) =>
		t.deepEqual(
			validateUpdate('rbac.authorization.k8s.io', 'v1', 'ClusterRole', role(after), role(before), false).map(({ field }) => field),
			[...want],
		));
