import test from 'ava';
import type { Pod } from '../../../api/gen/types.ts';
import { podStrategy } from './pod.ts';
import type { Draft } from './strategy.ts';

const KEY = 'container.apparmor.security.beta.kubernetes.io/c';
const TOLD = `metadata.annotations[${KEY}]: deprecated since v1.30; use the "appArmorProfile" field instead`;
const NOW = '2026-01-01T00:00:00Z';

for (const [rule, annotation, ofPod, want, told] of [
	['becomes a field', 'localhost/p', undefined, { type: 'Localhost', localhostProfile: 'p' }, [TOLD]],
	['says what the pod says', 'runtime/default', { type: 'RuntimeDefault' }, undefined, []],
	['says another thing than the pod', 'unconfined', { type: 'RuntimeDefault' }, { type: 'Unconfined' }, [TOLD]],
	['names no profile', 'localhost/', undefined, undefined, [TOLD]],
	['names a padded profile', 'localhost/ p', undefined, undefined, [TOLD]],
	['is unknown', 'odd', undefined, undefined, [TOLD]],
] as const)
	test(`an annotation of AppArmor that ${rule}`, (t) => {
		const warnings: string[] = [];
		const pod: Pod = {
			metadata: { name: 'p', annotations: { [KEY]: annotation } },
			spec: { containers: [{ name: 'c' }], ...(ofPod === undefined ? {} : { securityContext: { appArmorProfile: ofPod } }) },
		} as Pod;
		const user = { name: 'u', uid: '', groups: [], extra: {} };
		podStrategy.prepareForCreate?.(pod as Draft, NOW, { user, warn: (text) => warnings.push(text) });
		t.deepEqual([pod.spec?.containers[0]?.securityContext?.appArmorProfile, warnings], [want, told]);
	});

const condition = (type: string, observedGeneration?: number): NonNullable<NonNullable<Pod['status']>['conditions']>[number] => ({
	type,
	status: 'True',
	...(observedGeneration === undefined ? {} : { observedGeneration }),
});

test('a status of somebody who knows nothing of generations keeps those that were seen', (t) => {
	const old: Pod = {
		metadata: {},
		status: { observedGeneration: 3, conditions: [condition('A', 1), condition('B', 2), condition('A', 4)] },
	};
	const now: Pod = { metadata: {}, status: { conditions: [condition('B', 5), condition('A'), condition('C'), condition('A')] } };
	podStrategy.prepareForStatusUpdate?.(now as Draft, old as Draft, NOW);
	t.deepEqual(now.status, {
		observedGeneration: 3,
		conditions: [condition('B', 5), condition('A', 1), condition('C'), condition('A', 4)],
	});
});

test('a pod that says what it may use as a whole is read with what admission gave its containers', (t) => {
	const pod = {
		metadata: {},
		spec: {
			resources: { limits: { cpu: '3' }, requests: { cpu: '2' } },
			containers: [{ name: 'c', resources: { limits: { memory: '1Gi' }, requests: { memory: '1Gi' } } }],
		},
	};
	podStrategy.readBack?.(pod as unknown as Draft);
	t.deepEqual(pod.spec.resources, { limits: { cpu: '3' }, requests: { cpu: '2', memory: '1Gi' } });
});
