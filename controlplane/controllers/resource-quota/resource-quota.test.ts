import test from 'ava';
import { evaluatorsFor } from '../../../api/quota/evaluators.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { PERSISTENT_VOLUME_CLAIMS, PODS, RESOURCE_QUOTAS } from '../../../api/resources.ts';
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

test('what leaves a quota by another scope is given back at once, and what comes to it that way is counted', async (t) => {
	await controlledCluster(
		async ({ client, pass }) => {
			const used = async (name: string) => Object.values((await client.get(RESOURCE_QUOTAS, `default/${name}`)).status?.used ?? {})[0];
			const quota = (name: string, resource: string, scopeName: string, values: readonly string[]) => {
				const selector = {
					scopeName,
					operator: values.length > 0 ? 'In' : 'Exists',
					...(values.length > 0 ? { values: [...values] } : {}),
				};
				const spec = { hard: { [resource]: '2' }, scopeSelector: { matchExpressions: [selector] } };
				return client.create(RESOURCE_QUOTAS, { metadata: { namespace: 'default', name }, spec });
			};
			await pass(1000); // the service account is there
			const meta = { namespace: 'default', name: 'a' };
			await client.create(PODS, { metadata: meta, spec: { containers: [{ name: 'c', image: 'i' }] } });
			const resources = { requests: { storage: '1Gi' } };
			const claim = await client.create(PERSISTENT_VOLUME_CLAIMS, {
				metadata: meta,
				spec: { accessModes: ['ReadWriteOnce'], resources, volumeAttributesClassName: 'silver' },
			});
			const current = async (name: string) => {
				const status = { ...claim.status, currentVolumeAttributesClassName: name };
				const now = await client.get(PERSISTENT_VOLUME_CLAIMS, 'default/a');
				await client.update(PERSISTENT_VOLUME_CLAIMS, { ...now, status }, { subresource: 'status' });
			};
			await current('gold');
			await quota('long', 'pods', 'NotTerminating', []);
			await quota('short', 'pods', 'Terminating', []);
			await quota('gold', 'persistentvolumeclaims', 'VolumeAttributesClass', ['gold']);
			await quota('silver', 'persistentvolumeclaims', 'VolumeAttributesClass', ['silver']);
			await pass(5000); // counted, and counted again
			const all = () => Promise.all(['long', 'short', 'gold', 'silver'].map(used));
			t.deepEqual(await all(), ['1', '0', '1', '1']);
			const pod = await client.get(PODS, 'default/a');
			await client.update(PODS, { ...pod, spec: { ...pod.spec, containers: pod.spec?.containers ?? [], activeDeadlineSeconds: 60 } });
			await current('silver');
			await pass(5000);
			t.deepEqual(await all(), ['0', '1', '0', '1']);
		},
		{ only: ['resourcequota-controller', 'serviceaccount-controller'] },
	);
});
