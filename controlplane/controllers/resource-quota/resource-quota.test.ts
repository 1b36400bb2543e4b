import test from 'ava';
import { evaluatorsFor } from '../../../api/quota/evaluators.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { RESOURCE_QUOTAS } from '../../../api/resources.ts';
import { controlledCluster } from '../../../test/fakes/controlled-cluster.ts';
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

test('what was charged a moment ago is not given back before it could be made, but then it is', async (t) => {
	await controlledCluster(
		async ({ client, pass }) => {
			const used = async () => (await client.get(RESOURCE_QUOTAS, 'default/q')).status?.used?.['pods'];
			await pass(10_000); // the start is over
			await client.create(RESOURCE_QUOTAS, { metadata: { namespace: 'default', name: 'q' }, spec: { hard: { pods: '2' } } });
			await pass(500);
			t.is(await used(), '0');
			const quota = await client.get(RESOURCE_QUOTAS, 'default/q');
			const charged = { ...quota, status: { hard: { pods: '2' }, used: { pods: '1' } } }; // as admission does, for a pod that comes next
			await client.update(RESOURCE_QUOTAS, charged, { subresource: 'status' });
			await pass(600); // it was counted again meanwhile
			t.is(await used(), '1');
			await pass(1500);
			t.is(await used(), '0');
		},
		{ only: ['resourcequota-controller'] },
	);
});
