import test from 'ava';
import type { Pod, ResourceResourceClaim } from '../../../api/gen/types.ts';
import { createMetrics } from '../../../base/metrics.ts';
import { PODS, RESOURCE_CLAIM_TEMPLATES, RESOURCE_CLAIMS, SERVICE_ACCOUNTS } from '../../../api/resources.ts';
import { controlledCluster, type ControlledCluster } from '../../../test/fakes/controlled-cluster.ts';
import { claimFrom, EXTENDED_CLAIM, isDone } from './plan.ts';

const ONLY = { only: ['resourceclaim-controller'] };
const devices = { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu' } }] };
const template = { metadata: { namespace: 'default', name: 't' }, spec: { metadata: { labels: { from: 't' } }, spec: { devices } } };
const results = [{ driver: 'd.example.com', pool: 'n', device: 'gpu-0', request: 'gpu' }];

const podUsing = (claim: object, nodeName?: string): Pod => ({
	metadata: { namespace: 'default', name: 'p' },
	spec: {
		containers: [{ name: 'c', image: 'i', resources: { claims: [{ name: 'local' }] } }],
		resourceClaims: [{ name: 'local', ...claim }],
		...(nodeName === undefined ? {} : { nodeName }),
	},
});

async function prepared({ client }: ControlledCluster): Promise<void> {
	await client.create(SERVICE_ACCOUNTS, { metadata: { namespace: 'default', name: 'default' } });
}

async function allocated({ client }: ControlledCluster, key: string, users: readonly Pod[]): Promise<ResourceResourceClaim> {
	const claim = await client.get(RESOURCE_CLAIMS, key);
	const finalizers = ['resource.kubernetes.io/delete-protection'];
	const kept = await client.update(RESOURCE_CLAIMS, { ...claim, metadata: { ...claim.metadata, finalizers } });
	const reservedFor = users.map(({ metadata: { name = '', uid = '' } }) => ({ resource: 'pods', name, uid }));
	const status = { allocation: { devices: { results } }, ...(users.length === 0 ? {} : { reservedFor }) };
	return (await client.update(RESOURCE_CLAIMS, { ...kept, status }, { subresource: 'status' })) as ResourceResourceClaim;
}

test('a pod gets the claim of its template once there is one, its status names it, and it goes when the pod has ended', async (t) => {
	await controlledCluster(async (cluster) => {
		const { client, pass, events, refusals, report } = cluster;
		await prepared(cluster);
		await client.create(PODS, podUsing({ resourceClaimTemplateName: 't' }, 'n'));
		await pass();
		t.regex(
			(await events('p')).join('\n'),
			/FailedResourceClaimCreation: PodResourceClaim local: resource claim template "t": .*not found/,
		);
		await client.create(RESOURCE_CLAIM_TEMPLATES, template);
		await pass();
		const { items } = await client.list(RESOURCE_CLAIMS);
		const [claim] = items;
		const pod = await client.get(PODS, 'default/p');
		const name = claim?.metadata.name ?? '';
		t.is(items.length, 1);
		t.regex(name, /^p-local-[a-z0-9]{5}$/);
		t.deepEqual(pod.status?.resourceClaimStatuses, [{ name: 'local', resourceClaimName: name }]);
		t.like(claim?.metadata, { labels: { from: 't' }, annotations: { 'resource.kubernetes.io/pod-claim-name': 'local' } });
		await allocated(cluster, `default/${name}`, []);
		await pass();
		t.deepEqual((await client.get(RESOURCE_CLAIMS, `default/${name}`)).status?.reservedFor, [
			{ resource: 'pods', name: 'p', uid: pod.metadata.uid ?? '' },
		]);
		await report('default/p', { ...pod.status, phase: 'Succeeded' });
		await pass();
		t.deepEqual((await client.list(RESOURCE_CLAIMS)).items, []);
		t.deepEqual(refusals, []);
	}, ONLY);
});

/** A pod with a claim of template "t" and one of template "u". */
const POD_OF_TWO: Pod = {
	metadata: { namespace: 'default', name: 'p' },
	spec: {
		containers: [{ name: 'c', image: 'i' }],
		resourceClaims: ['t', 'u'].map((name) => ({ name, resourceClaimTemplateName: name })),
	},
};

test('the status names all claims of a pod: those made before one that cannot be, and those kept when another is made anew', async (t) => {
	await controlledCluster(async (cluster) => {
		const { client, pass, refusals } = cluster;
		await prepared(cluster);
		const named = async (): Promise<Record<string, string | undefined>> =>
			Object.fromEntries(
				((await client.get(PODS, 'default/p')).status?.resourceClaimStatuses ?? []).map((s) => [s.name, s.resourceClaimName]),
			);
		const claims = async (): Promise<readonly string[]> =>
			(await client.list(RESOURCE_CLAIMS)).items.map(({ metadata }) => metadata.name ?? '').toSorted();
		await client.create(RESOURCE_CLAIM_TEMPLATES, template);
		await client.create(PODS, POD_OF_TWO);
		await pass();
		const [first] = await claims();
		t.deepEqual(await named(), { t: first }, 'the second template is missing');
		await client.create(RESOURCE_CLAIM_TEMPLATES, { ...template, metadata: { namespace: 'default', name: 'u' } });
		await pass();
		const both = await named();
		t.is(both['t'], first);
		t.deepEqual(Object.values(both).toSorted(), await claims());
		await client.delete(RESOURCE_CLAIMS, `default/${first}`);
		await pass();
		const anew = await named();
		t.not(anew['t'], first);
		t.is(anew['u'], both['u']);
		t.deepEqual(Object.values(anew).toSorted(), await claims());
		t.deepEqual(refusals, []);
	}, ONLY);
});

test('a claim that pods share is freed by the last of them, and stays', async (t) => {
	await controlledCluster(async (cluster) => {
		const { client, pass, report, refusals } = cluster;
		await prepared(cluster);
		await client.create(RESOURCE_CLAIMS, { metadata: { namespace: 'default', name: 'shared' }, spec: { devices } });
		const first = await client.create(PODS, podUsing({ resourceClaimName: 'shared' }, 'n'));
		const second = await client.create(PODS, {
			...podUsing({ resourceClaimName: 'shared' }, 'n'),
			metadata: { namespace: 'default', name: 'q' },
		});
		await allocated(cluster, 'default/shared', [first, second]);
		const users = async (): Promise<readonly string[]> =>
			((await client.get(RESOURCE_CLAIMS, 'default/shared')).status?.reservedFor ?? []).map(({ name }) => name);
		await pass();
		t.deepEqual(await users(), ['p', 'q']);
		await client.delete(PODS, 'default/p', { gracePeriodSeconds: 0 });
		await pass();
		t.deepEqual(await users(), ['q']);
		await report('default/q', { phase: 'Failed' });
		await pass();
		const { metadata, status } = await client.get(RESOURCE_CLAIMS, 'default/shared');
		t.deepEqual([metadata.finalizers ?? [], status?.allocation, status?.reservedFor], [[], undefined, undefined]);
		t.deepEqual(refusals, []);
	}, ONLY);
});

test('a claim that is deleted while it is allocated and nobody uses it lets go of its devices', async (t) => {
	await controlledCluster(async (cluster) => {
		const { client, pass } = cluster;
		await client.create(RESOURCE_CLAIMS, { metadata: { namespace: 'default', name: 'idle' }, spec: { devices } });
		await allocated(cluster, 'default/idle', []);
		await pass();
		t.not((await client.get(RESOURCE_CLAIMS, 'default/idle')).status?.allocation, undefined);
		await client.delete(RESOURCE_CLAIMS, 'default/idle');
		await pass();
		t.deepEqual((await client.list(RESOURCE_CLAIMS)).items, []);
	}, ONLY);
});

test("what the scheduler claimed for a pod's extended resources goes when the pod has ended", async (t) => {
	await controlledCluster(async (cluster) => {
		const { client, pass, report, refusals } = cluster;
		await prepared(cluster);
		const amounts = { 'example.com/gpu': '1' };
		const spec = { containers: [{ name: 'c', image: 'i', resources: { requests: amounts, limits: amounts } }], nodeName: 'n' };
		const pod = await client.create(PODS, { metadata: { namespace: 'default', name: 'p' }, spec });
		const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: pod.metadata.uid ?? '', controller: true };
		await client.create(RESOURCE_CLAIMS, {
			metadata: { namespace: 'default', name: 'x', ownerReferences: [owner], annotations: { [EXTENDED_CLAIM]: 'true' } },
			spec: { devices },
		});
		await allocated(cluster, 'default/x', [pod]);
		const extendedResourceClaimStatus = {
			resourceClaimName: 'x',
			requestMappings: [{ containerName: 'c', resourceName: 'example.com/gpu', requestName: 'gpu' }],
		};
		const body = { status: { extendedResourceClaimStatus } };
		const told = await client.patch(PODS, 'default/p', { type: 'merge', body }, { subresource: 'status' });
		await pass();
		t.is((await client.list(RESOURCE_CLAIMS)).items.length, 1);
		await report('default/p', { ...told.status, phase: 'Succeeded' });
		await pass();
		t.deepEqual((await client.list(RESOURCE_CLAIMS)).items, []);
		t.deepEqual(refusals, []);
	}, ONLY);
});

test('no claim is made where the status says that none is needed', async (t) => {
	await controlledCluster(async (cluster) => {
		const { client, pass } = cluster;
		await prepared(cluster);
		await client.create(PODS, podUsing({ resourceClaimTemplateName: 't' }));
		const body = { status: { resourceClaimStatuses: [{ name: 'local' }] } };
		await client.patch(PODS, 'default/p', { type: 'merge', body }, { subresource: 'status' });
		await client.create(RESOURCE_CLAIM_TEMPLATES, template);
		await pass();
		t.deepEqual((await client.list(RESOURCE_CLAIMS)).items, []);
	}, ONLY);
});

test('a pod that was given a node by hand has a claim that is allocated later reserved for it', async (t) => {
	await controlledCluster(async (cluster) => {
		const { client, pass } = cluster;
		await prepared(cluster);
		await client.create(PODS, podUsing({ resourceClaimName: 'shared' }, 'n'));
		await client.create(RESOURCE_CLAIMS, { metadata: { namespace: 'default', name: 'shared' }, spec: { devices } });
		await pass();
		await allocated(cluster, 'default/shared', []);
		await pass();
		const { status } = await client.get(RESOURCE_CLAIMS, 'default/shared');
		t.deepEqual(
			status?.reservedFor?.map(({ name }) => name),
			['p'],
		);
	}, ONLY);
});

test('claims are counted by what they are for, and their making', async (t) => {
	const metrics = createMetrics();
	await controlledCluster(
		async (cluster) => {
			const { client, pass } = cluster;
			await prepared(cluster);
			await client.create(RESOURCE_CLAIM_TEMPLATES, template);
			await client.create(PODS, podUsing({ resourceClaimTemplateName: 't' }));
			await client.create(RESOURCE_CLAIMS, { metadata: { namespace: 'default', name: 'own' }, spec: { devices } });
			await pass();
			await allocated(cluster, 'default/own', []);
			await pass();
			const lines = (await metrics.metrics()).split('\n').filter((line) => line.startsWith('resourceclaim_controller_'));
			t.deepEqual(lines.toSorted(), [
				'resourceclaim_controller_creates_total{status="success",admin_access="false"} 1',
				'resourceclaim_controller_resource_claims{allocated="false",admin_access="false",source="resource_claim_template"} 1',
				'resourceclaim_controller_resource_claims{allocated="true",admin_access="false",source=""} 1',
			]);
		},
		{ ...ONLY, more: { metrics } },
	);
});

test('claimFrom(): long names are shortened alike', (t) => {
	const pod = { metadata: { name: 'p'.repeat(60), namespace: 'n', uid: 'u' } };
	const { generateName } = claimFrom(template, pod, { name: 'c'.repeat(20) }).metadata;
	t.is(generateName, `${'p'.repeat(41)}-${'c'.repeat(13)}`);
});

for (const [name, pod, want] of [
	['runs', { metadata: {}, status: { phase: 'Running' } }, false],
	['has ended', { metadata: {}, status: { phase: 'Failed' } }, true],
	['is deleted before it had a node', { metadata: { deletionTimestamp: 'x' } }, true],
	['is deleted on its node', { metadata: { deletionTimestamp: 'x' }, spec: { containers: [], nodeName: 'n' } }, false],
] satisfies readonly (readonly [string, Pod, boolean])[])
	test(`isDone(): a pod that ${name}`, (t) => t.is(isDone(pod), want));
