import test from 'ava';
import { evaluatorsFor } from '../../../api/quota/evaluators.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { quotaStatus, sameStatus } from './usage.ts';

const pod = (cpu: string, phase = 'Running'): KubeObject =>
	({ metadata: {}, spec: { containers: [{ name: 'c', resources: { requests: { cpu } } }] }, status: { phase } }) as unknown as KubeObject;

for (const [what, spec, pods, used] of [
	['nothing', { hard: { pods: '2', 'requests.cpu': '4' } }, [], { pods: '0', 'requests.cpu': '0' }],
	['what runs', { hard: { pods: '2', 'requests.cpu': '4' } }, [pod('1'), pod('500m')], { pods: '2', 'requests.cpu': '1500m' }],
	['what has ended not', { hard: { pods: '2', 'count/pods': '4' } }, [pod('1'), pod('1', 'Failed')], { pods: '1', 'count/pods': '2' }],
	['what is in its scopes', { hard: { pods: '2' }, scopes: ['BestEffort'] }, [pod('1')], { pods: '0' }],
	['and leaves what nobody counts', { hard: { pods: '2', zork: '1' } }, [], { pods: '0' }],
] as const)
	test(`a quota's status counts ${what}`, (t) => {
		const quota = { metadata: {}, spec: spec as never };
		const counted = evaluatorsFor(Object.keys(spec.hard)).map((found) => ({ ...found, objects: pods }));
		t.deepEqual(quotaStatus(quota, counted, 0), { hard: spec.hard, used });
	});

test('amounts are compared, not texts', (t) => {
	t.true(sameStatus({ hard: { cpu: '1' }, used: { cpu: '500m' } }, { hard: { cpu: '1000m' }, used: { cpu: '0.5' } }));
	t.false(sameStatus({ hard: { cpu: '1' }, used: {} }, { hard: { cpu: '1' } }));
});
