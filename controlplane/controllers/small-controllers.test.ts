import test from 'ava';
import { generateKeyPairSync } from 'node:crypto';
import type { Node, Pod, Secret } from '../../api/gen/types.ts';
import {
	CONFIG_MAPS,
	NODES,
	PERSISTENT_VOLUME_CLAIMS,
	PERSISTENT_VOLUMES,
	PODS,
	SECRETS,
	SERVICE_ACCOUNTS,
	VOLUME_ATTRIBUTES_CLASSES,
} from '../../api/resources.ts';
import { createMetrics } from '../../base/metrics.ts';
import { controlledCluster } from '../../test/fakes/controlled-cluster.ts';
import { detachedSignature, signingToken, tokenEnds } from './bootstrap-token/tokens.ts';
import { ttlSeconds, ttlStep } from './node-ttl.ts';
import { surplusOf } from './terminated-pods.ts';
import { uses } from './storage-protection/controllers.ts';

const b64 = (text: string): string => Buffer.from(text).toString('base64');
const token = (data: Record<string, string>, name = 'bootstrap-token-abcdef'): Secret => ({
	metadata: { name },
	data: Object.fromEntries(
		Object.entries({ 'token-id': 'abcdef', 'token-secret': '0123456789abcdef', 'usage-bootstrap-signing': 'true', ...data }).map(
			([key, value]) => [key, b64(value)],
		),
	),
});
const NOW = Date.UTC(2026, 0, 1);

for (const [name, secret, may] of [
	['a good one', token({}), true],
	['one whose name is another', token({}, 'bootstrap-token-fedcba'), false],
	['one that may not sign', token({ 'usage-bootstrap-signing': 'false' }), false],
	['one whose time is over', token({ expiration: '2025-12-31T00:00:00Z' }), false],
	['one whose time cannot be read', token({ expiration: 'soon' }), false],
	['one whose time is to come', token({ expiration: '2026-01-02T00:00:00Z' }), true],
] as const)
	test(`bootstrap tokens that sign: ${name}`, (t) => t.is(signingToken(secret, NOW) !== undefined, may));

test('a detached signature is a JWS without its content', (t) => {
	t.is(tokenEnds(token({})), undefined);
	const [header, content, signature] = detachedSignature('x', { id: 'abcdef', secret: 's' }).split('.');
	t.is(Buffer.from(header ?? '', 'base64url').toString(), '{"alg":"HS256","kid":"abcdef"}');
	t.is(content, '');
	t.is(signature?.length, 43);
});

test('kubelets of larger clusters may keep what they read for longer; the steps overlap', (t) => {
	t.deepEqual(
		[0, 100, 101, 5000].map((nodes) => ttlSeconds(ttlStep(0, nodes))),
		[0, 0, 15, 300],
	);
	t.is(ttlStep(1, 95), 1);
	t.is(ttlStep(1, 89), 0);
});

const claim = {
	metadata: { name: 'p-data', ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'pu', controller: true }] },
};
const pod = (spec: object, metadata: object = {}): Pod => ({
	metadata: { name: 'p', uid: 'pu', ...metadata },
	spec: { containers: [], ...spec },
});
for (const [name, one, want] of [
	['by name, on a node', pod({ nodeName: 'n', volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'p-data' } }] }), true],
	['not without a node', pod({ volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'p-data' } }] }), false],
	['its own ephemeral one', pod({ nodeName: 'n', volumes: [{ name: 'data', ephemeral: {} }] }), true],
	['not another pod of the name', pod({ nodeName: 'n', volumes: [{ name: 'data', ephemeral: {} }] }, { uid: 'other' }), false],
] as const)
	test(`a pod uses a claim: ${name}`, (t) => t.is(uses(one, claim), want));

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const serviceAccountKey = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

test('secrets of service accounts are filled, and go with their account', async (t) => {
	await controlledCluster(
		async ({ client, pass, until, ca, refusals }) => {
			await client.create(SERVICE_ACCOUNTS, { metadata: { namespace: 'default', name: 'robot' } });
			await pass();
			const annotations = { 'kubernetes.io/service-account.name': 'robot' };
			await client.create(SECRETS, {
				metadata: { namespace: 'default', name: 's', annotations },
				type: 'kubernetes.io/service-account-token',
				data: { token: '', namespace: '' },
			});
			const secret = (): Promise<Secret | undefined> => client.get(SECRETS, 'default/s').catch(() => undefined);
			await until(async () => (await secret())?.data?.['ca.crt'] !== undefined);
			const filled = await secret();
			const text = (name: string): string => Buffer.from(filled?.data?.[name] ?? '', 'base64').toString();
			t.is(text('namespace'), 'default');
			t.is(text('ca.crt'), ca);
			const claims = JSON.parse(Buffer.from(text('token').split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;
			const { uid } = (await client.get(SERVICE_ACCOUNTS, 'default/robot')).metadata;
			t.deepEqual(claims, {
				iss: 'kubernetes/serviceaccount',
				sub: 'system:serviceaccount:default:robot',
				'kubernetes.io/serviceaccount/namespace': 'default',
				'kubernetes.io/serviceaccount/secret.name': 's',
				'kubernetes.io/serviceaccount/service-account.name': 'robot',
				'kubernetes.io/serviceaccount/service-account.uid': uid,
			});
			t.is(filled?.metadata.annotations?.['kubernetes.io/service-account.uid'], uid);
			await client.patch(SERVICE_ACCOUNTS, 'default/robot', { type: 'merge', body: { secrets: [{ name: 's' }, { name: 'kept' }] } });
			await client.delete(SECRETS, 'default/s');
			await pass();
			t.deepEqual((await client.get(SERVICE_ACCOUNTS, 'default/robot')).secrets, [{ name: 'kept' }]);
			await client.create(SECRETS, {
				metadata: { namespace: 'default', name: 's', annotations },
				type: 'kubernetes.io/service-account-token',
			});
			await client.delete(SERVICE_ACCOUNTS, 'default/robot');
			await until(async () => (await secret()) === undefined);
			t.is(await secret(), undefined);
			t.deepEqual(refusals, []);
		},
		{ only: ['serviceaccount-token-controller'], more: { serviceAccountKey } },
	);
});

test('bootstrap tokens sign cluster-info and end; nodes are told; claims and volumes stay while they are used', async (t) => {
	await controlledCluster(
		async ({ client, clock, pass, refusals }) => {
			await client.create(CONFIG_MAPS, {
				metadata: { namespace: 'kube-public', name: 'cluster-info' },
				data: { kubeconfig: 'k', 'jws-kubeconfig-oldold': 'x' },
			});
			const { data } = token({ expiration: new Date(clock.now() + 60_000).toISOString() });
			await client.create(SECRETS, {
				metadata: { namespace: 'kube-system', name: 'bootstrap-token-abcdef' },
				type: 'bootstrap.kubernetes.io/token',
				data,
			});
			await pass();
			const information = async () => (await client.get(CONFIG_MAPS, 'kube-public/cluster-info')).data;
			t.deepEqual(await information(), {
				kubeconfig: 'k',
				'jws-kubeconfig-abcdef': detachedSignature('k', { id: 'abcdef', secret: '0123456789abcdef' }),
			});
			await pass(70_000);
			t.is(await client.get(SECRETS, 'kube-system/bootstrap-token-abcdef').catch(() => undefined), undefined);
			t.deepEqual(await information(), { kubeconfig: 'k' });

			await client.create(NODES, { metadata: { name: 'n' } });
			await pass();
			t.is((await client.get<Node>(NODES, 'n')).metadata.annotations?.['node.alpha.kubernetes.io/ttl'], '0');

			await client.create(SERVICE_ACCOUNTS, { metadata: { namespace: 'default', name: 'default' } });
			const accessModes = ['ReadWriteOnce'];
			await client.create(PERSISTENT_VOLUME_CLAIMS, {
				metadata: { namespace: 'default', name: 'c' },
				spec: { accessModes, resources: { requests: { storage: '1Gi' } } },
			});
			const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }];
			await client.create(PODS, {
				metadata: { namespace: 'default', name: 'p' },
				spec: { nodeName: 'n', volumes, containers: [{ name: 'c', image: 'i' }] },
			});
			await client.delete(PERSISTENT_VOLUME_CLAIMS, 'default/c');
			await pass();
			t.truthy((await client.get(PERSISTENT_VOLUME_CLAIMS, 'default/c')).metadata.deletionTimestamp);
			await client.delete(PODS, 'default/p', { gracePeriodSeconds: 0 });
			await pass();
			t.is(await client.get(PERSISTENT_VOLUME_CLAIMS, 'default/c').catch(() => undefined), undefined);

			const volume = await client.create(PERSISTENT_VOLUMES, {
				metadata: { name: 'pv' },
				spec: { capacity: { storage: '1Gi' }, accessModes, hostPath: { path: '/tmp/x' } },
			});
			await client.update(PERSISTENT_VOLUMES, { ...volume, status: { phase: 'Bound' } }, { subresource: 'status' });
			await client.delete(PERSISTENT_VOLUMES, 'pv');
			await pass();
			const bound = await client.get(PERSISTENT_VOLUMES, 'pv');
			t.truthy(bound.metadata.deletionTimestamp);
			await client.update(PERSISTENT_VOLUMES, { ...bound, status: { phase: 'Released' } }, { subresource: 'status' });
			await pass();
			t.is(await client.get(PERSISTENT_VOLUMES, 'pv').catch(() => undefined), undefined);
			t.deepEqual(refusals, []);
		},
		{
			only: [
				'bootstrap-signer-controller',
				'token-cleaner-controller',
				'ttl-controller',
				'persistentvolumeclaim-protection-controller',
				'persistentvolume-protection-controller',
			],
		},
	);
});

test('ephemeral volumes get claims of their pods; a claim of somebody else is told of', async (t) => {
	const metrics = createMetrics();
	await controlledCluster(
		async ({ client, pass, events, refusals }) => {
			await client.create(SERVICE_ACCOUNTS, { metadata: { namespace: 'default', name: 'default' } });
			const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
			await client.create(PERSISTENT_VOLUME_CLAIMS, { metadata: { namespace: 'default', name: 'b-v' }, spec });
			const volumes = [{ name: 'v', ephemeral: { volumeClaimTemplate: { metadata: { labels: { l: 'm' } }, spec } } }];
			for (const name of ['a', 'b'])
				await client.create(PODS, { metadata: { namespace: 'default', name }, spec: { volumes, containers: [{ name: 'c', image: 'i' }] } });
			await pass();
			const made = await client.get(PERSISTENT_VOLUME_CLAIMS, 'default/a-v');
			t.like(made.metadata, { labels: { l: 'm' }, ownerReferences: [{ kind: 'Pod', name: 'a', controller: true }] });
			t.deepEqual(await events('a'), []);
			const told = 'FailedBinding: ephemeral volume v: PVC default/b-v was not created for pod default/b (pod is not owner)';
			t.is((await events('b'))[0], told);
			t.regex(await metrics.metrics(), /ephemeral_volume_controller_create_total 1\n/);
			await pass(60_000); // tried again ever more seldom
			await client.delete(PERSISTENT_VOLUME_CLAIMS, 'default/b-v');
			await client.patch(PERSISTENT_VOLUME_CLAIMS, 'default/b-v', { type: 'merge', body: { metadata: { finalizers: null } } });
			await pass();
			t.is(
				(await client.get(PERSISTENT_VOLUME_CLAIMS, 'default/b-v')).metadata.ownerReferences?.[0]?.name,
				'b',
				'once it is out of the way',
			);
			t.deepEqual(refusals, []);
		},
		{ only: ['ephemeral-volume-controller'], more: { metrics } },
	);
});

test('a claim that asks for more is left to a resizer outside; classes of attributes stay while they are used', async (t) => {
	await controlledCluster(
		async ({ client, pass, events, refusals }) => {
			const accessModes = ['ReadWriteOnce'];
			const claim = await client.create(PERSISTENT_VOLUME_CLAIMS, {
				metadata: { namespace: 'default', name: 'c' },
				spec: { accessModes, resources: { requests: { storage: '2Gi' } }, volumeName: 'v', volumeAttributesClassName: 'gold' },
			});
			const { uid } = claim.metadata;
			await client.create(PERSISTENT_VOLUMES, {
				metadata: { name: 'v' },
				spec: {
					...{ accessModes, capacity: { storage: '1Gi' }, csi: { driver: 'd', volumeHandle: 'h' } },
					claimRef: { namespace: 'default', name: 'c', uid },
				},
			});
			const status = { phase: 'Bound', capacity: { storage: '2Gi' } };
			const bound = await client.update(PERSISTENT_VOLUME_CLAIMS, { ...claim, status }, { subresource: 'status' });
			await pass();
			t.deepEqual(await events('c'), []);
			await client.update(
				PERSISTENT_VOLUME_CLAIMS,
				{ ...bound, status: { ...status, capacity: { storage: '1Gi' } } },
				{ subresource: 'status' },
			);
			await client.patch(PERSISTENT_VOLUME_CLAIMS, 'default/c', { type: 'merge', body: { metadata: { labels: { a: 'b' } } } });
			await pass();
			t.deepEqual(await events('c'), [], 'only growth is looked at');
			await client.update(
				PERSISTENT_VOLUME_CLAIMS,
				{ ...(await client.get(PERSISTENT_VOLUME_CLAIMS, 'default/c')), status: { ...status, capacity: { storage: '1500Mi' } } },
				{ subresource: 'status' },
			);
			await pass();
			t.deepEqual(await events('c'), ['ExternalExpanding: waiting for an external controller to expand this PVC']);

			const gone = async (): Promise<boolean> => (await client.get(VOLUME_ATTRIBUTES_CLASSES, 'gold').catch(() => undefined)) === undefined;
			await client.create(VOLUME_ATTRIBUTES_CLASSES, { metadata: { name: 'gold' }, driverName: 'd', parameters: { a: 'b' } });
			await pass();
			await client.delete(VOLUME_ATTRIBUTES_CLASSES, 'gold');
			await pass();
			t.false(await gone());
			await client.delete(PERSISTENT_VOLUME_CLAIMS, 'default/c');
			await client.patch(PERSISTENT_VOLUME_CLAIMS, 'default/c', { type: 'merge', body: { metadata: { finalizers: null } } });
			await pass();
			t.true(await gone());
			t.deepEqual(refusals, []);
		},
		{ only: ['persistentvolume-expander-controller', 'volumeattributesclass-protection-controller'] },
	);
});

test('pods that are deleted on a node out of service end at once, others do not', async (t) => {
	await controlledCluster(
		async ({ client, pass, report, refusals }) => {
			await client.create(SERVICE_ACCOUNTS, { metadata: { namespace: 'default', name: 'default' } });
			await client.create(NODES, {
				metadata: { name: 'n' },
				spec: { taints: [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }] },
			});
			for (const name of ['going', 'staying']) {
				const spec = { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] };
				await client.create(PODS, { metadata: { namespace: 'default', name }, spec });
				await report(`default/${name}`, { phase: 'Running' });
			}
			await client.delete(PODS, 'default/going', { gracePeriodSeconds: 30 });
			await pass();
			t.deepEqual(
				(await client.list(PODS)).items.map((one) => one.metadata.name),
				['staying'],
			);
			t.deepEqual(refusals, []);
		},
		{ only: ['pod-garbage-collector-controller'] },
	);
});

const ended = (name: string, hour: number, reason?: string): Pod => ({
	metadata: { name, namespace: 'n', creationTimestamp: `2026-01-01T0${hour}:00:00Z` },
	status: { phase: 'Failed', ...(reason === undefined ? {} : { reason }) },
});
for (const [what, threshold, want] of [
	['all fit', 4, []],
	['the evicted go first', 3, ['late']],
	['then the oldest, by name where they are of one age', 1, ['late', 'a', 'b']],
] as const)
	test(`pods that are over: ${what}`, (t) => {
		const pods = [ended('c', 2), ended('b', 1), ended('a', 1), ended('late', 3, 'Evicted')];
		t.deepEqual(
			surplusOf(pods, threshold).map((pod) => pod.metadata.name),
			[...want],
		);
	});
