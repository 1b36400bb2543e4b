import test from 'ava';
import type { Namespace } from '../../api/gen/types.ts';
import {
	CONFIG_MAPS,
	DEPLOYMENTS,
	JOBS,
	NAMESPACES,
	NODES,
	PODS,
	RESOURCE_QUOTAS,
	SERVICE_ACCOUNTS,
	SERVICES,
} from '../../api/resources.ts';
import { controlledCluster } from '../../test/fakes/controlled-cluster.ts';

test('controllers do their work with the rights of their own roles', async (t) => {
	await controlledCluster(async ({ client, pass, report, refusals }) => {
		await client.create(NAMESPACES, { metadata: { name: 'n' } });
		await pass();
		t.is((await client.get(SERVICE_ACCOUNTS, 'n/default')).metadata.name, 'default');
		t.true('ca.crt' in ((await client.get(CONFIG_MAPS, 'n/kube-root-ca.crt')).data ?? {}));
		const metadata = { namespace: 'n', name: 'x', labels: { app: 'x' } };
		const template = { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
		await client.create(NODES, { metadata: { name: 'node' }, status: { conditions: [{ type: 'Ready', status: 'True' }] } });
		await client.create(RESOURCE_QUOTAS, { metadata, spec: { hard: { pods: '10' } } });
		await client.create(SERVICES, { metadata, spec: { selector: { app: 'x' }, ports: [{ port: 80 }] } });
		await client.create(DEPLOYMENTS, { metadata, spec: { replicas: 2, selector: { matchLabels: { app: 'x' } }, template } });
		await client.create(JOBS, { metadata, spec: { template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } } } });
		await pass(2000);
		const pods = (await client.list(PODS, { namespace: 'n' })).items;
		t.is(pods.length, 3);
		for (const pod of pods) await report(`n/${pod.metadata.name}`, { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] });
		await pass(2000);
		const deployment = await client.get(DEPLOYMENTS, 'n/x');
		t.is(deployment.status?.readyReplicas, 2);
		t.is(deployment.metadata.annotations?.['deployment.kubernetes.io/revision'], '1');
		t.is(deployment.metadata.generation, 1);
		t.is((await client.get(RESOURCE_QUOTAS, 'n/x')).status?.used?.['pods'], '3');
		await client.delete(NAMESPACES, 'n');
		await pass(10_000);
		t.is(await client.get<Namespace>(NAMESPACES, 'n').catch(() => undefined), undefined);
		t.deepEqual(refusals, []);
	});
});

test('pods of a node that is gone are ended and deleted', async (t) => {
	await controlledCluster(async ({ client, pass, refusals }) => {
		await client.create(SERVICE_ACCOUNTS, { metadata: { namespace: 'default', name: 'default' } }).catch(() => {});
		const spec = { nodeName: 'gone', containers: [{ name: 'c', image: 'i' }] };
		await client.create(PODS, { metadata: { namespace: 'default', name: 'p', finalizers: ['x.io/stay'] }, spec });
		await pass(60_000);
		const { metadata, status } = await client.get(PODS, 'default/p');
		t.is(status?.phase, 'Failed');
		t.is(status?.conditions?.find((c) => c.type === 'DisruptionTarget')?.reason, 'DeletionByPodGC');
		t.is(status?.observedGeneration, 1);
		t.truthy(metadata.deletionTimestamp);
		t.deepEqual(refusals, []);
	});
});

test('an idle cluster stays idle: ten minutes pass without a write', async (t) => {
	await controlledCluster(async ({ client, pass }) => {
		await pass(10_000);
		const version = async (): Promise<number> => Number((await client.list(NAMESPACES)).metadata.resourceVersion);
		// But for the API server's own lease, which is renewed every ten seconds.
		const renewals = 600_000 / 10_000;
		const before = await version();
		await pass(600_000);
		t.is((await version()) - before, renewals);
	});
});
