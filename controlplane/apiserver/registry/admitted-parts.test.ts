/** Mutating admission sees what is asked for; what a write may not change stays as it is, whoever would change it. */
import test from 'ava';
import type { CertificateSigningRequest } from '../../../api/gen/types.ts';
import {
	CERTIFICATE_SIGNING_REQUESTS,
	CLUSTER_ROLE_BINDINGS,
	CLUSTER_ROLES,
	DEPLOYMENTS,
	MUTATING_ADMISSION_POLICIES,
	MUTATING_ADMISSION_POLICY_BINDINGS,
	NODES,
} from '../../../api/resources.ts';
import { noLog } from '../../../base/log.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { createClient } from '../../../client/rest.ts';
import { testApiServer, type TestApiServer } from '../../../test/fakes/api-server.ts';
import { createSigningRequest } from '../../../wire/tls/authority.ts';

const stop = new AbortController();
let server: TestApiServer;
test.before(async () => {
	server = await testApiServer({ clock: new VirtualClock(Date.parse('2026-01-01T00:00:00Z')), log: noLog }, stop.signal);
});
test.after.always(async () => {
	stop.abort();
	await server.stopped;
});

test('a policy changes neither the spec through the status nor the status of what is made', async (t) => {
	const { client } = server;
	const expression =
		'Object{metadata: Object.metadata{labels: {"seen": "yes"}}, spec: Object.spec{replicas: 7}, status: Object.status{replicas: 9}}';
	await client.create(MUTATING_ADMISSION_POLICIES, {
		metadata: { name: 'meddles' },
		spec: {
			matchConstraints: {
				resourceRules: [
					{ apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments', 'deployments/status'], operations: ['CREATE', 'UPDATE'] },
				],
			},
			mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression } }],
			reinvocationPolicy: 'Never',
		},
	});
	await client.create(MUTATING_ADMISSION_POLICY_BINDINGS, { metadata: { name: 'meddles' }, spec: { policyName: 'meddles' } });
	const labels = { a: 'b' };
	const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
	const made = await client.create(DEPLOYMENTS, {
		metadata: { name: 'd', namespace: 'default' },
		spec: { replicas: 1, selector: { matchLabels: labels }, template },
	});
	t.deepEqual([made.metadata.labels?.['seen'], made.spec?.replicas, made.status], ['yes', 7, {}]);
	const scaled = await client.update(DEPLOYMENTS, { ...made, spec: { ...made.spec, replicas: 1 } } as typeof made);
	t.deepEqual([scaled.spec?.replicas, scaled.status], [7, {}]);
	const told = await client.update(
		DEPLOYMENTS,
		{ ...scaled, spec: { ...scaled.spec, replicas: 2 }, status: { replicas: 1 } } as typeof made,
		{ subresource: 'status' },
	);
	t.deepEqual([told.spec?.replicas, told.status?.replicas, told.metadata.generation], [7, 9, 1]);
});

test('a node that would taint itself through its status is told so', async (t) => {
	await server.client.create(NODES, { metadata: { name: 'n1' } });
	const node = createClient(
		server.server.transport({ name: 'system:node:n1', uid: '', groups: ['system:nodes', 'system:authenticated'], extra: {} }),
	);
	const body = { spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] } };
	await t.throwsAsync(node.patch(NODES, 'n1', { type: 'merge', body }, { subresource: 'status' }), {
		message: 'nodes "n1" is forbidden: node "n1" is not allowed to modify taints',
	});
});

test('who may not sign adds no condition to a request', async (t) => {
	const { client } = server;
	const { csrPem } = await createSigningRequest({ commonName: 'x', organizations: [] });
	const made = await client.create<CertificateSigningRequest>(CERTIFICATE_SIGNING_REQUESTS, {
		metadata: { name: 'r' },
		spec: { signerName: 'example.com/s', request: Buffer.from(csrPem).toString('base64'), usages: ['client auth'] },
	});
	await client.create(CLUSTER_ROLES, {
		metadata: { name: 'teller' },
		rules: [{ apiGroups: ['certificates.k8s.io'], resources: ['certificatesigningrequests/status'], verbs: ['update'] }],
	});
	await client.create(CLUSTER_ROLE_BINDINGS, {
		metadata: { name: 'teller' },
		roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'teller' },
		subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'teller' }],
	});
	const teller = createClient(server.server.transport({ name: 'teller', uid: '', groups: ['system:authenticated'], extra: {} }));
	const told = { ...made, status: { conditions: [{ type: 'Seen', status: 'True', reason: 'r', message: 'm' }] } };
	await t.throwsAsync(teller.update(CERTIFICATE_SIGNING_REQUESTS, told, { subresource: 'status' }), {
		message:
			'certificatesigningrequests.certificates.k8s.io "r" is forbidden: user not permitted to sign requests with signerName "example.com/s"',
	});
});
