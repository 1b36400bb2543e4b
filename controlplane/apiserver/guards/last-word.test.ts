/** What plugins make of an object is judged as it will be stored: a whole server, in process, with policies that change what somebody writes. */
import test from 'ava';
import {
	CERTIFICATE_SIGNING_REQUESTS,
	CLUSTER_ROLE_BINDINGS,
	CLUSTER_ROLES,
	MUTATING_ADMISSION_POLICIES,
	MUTATING_ADMISSION_POLICY_BINDINGS,
	VALIDATING_ADMISSION_POLICIES,
	VALIDATING_ADMISSION_POLICY_BINDINGS,
} from '../../../api/resources.ts';
import { realClock } from '../../../base/clock.ts';
import { noLog } from '../../../base/log.ts';
import { createClient } from '../../../client/rest.ts';
import type { Client } from '../../../client/client.ts';
import { testApiServer, type TestApiServer } from '../../../test/fakes/api-server.ts';
import { said } from '../../../test/fakes/policed-server.ts';
import { createSigningRequest } from '../../../wire/tls/authority.ts';

const RBAC = 'rbac.authorization.k8s.io';
const PODS = { apiGroups: [''], resources: ['pods'], verbs: ['get'] };
const stop = new AbortController();
let server: TestApiServer;
let jane: Client;

/** A policy for what jane writes. In the order of their names; each looks again where a later one has changed something. */
async function changing(name: string, group: string, resource: string, ...expressions: readonly string[]): Promise<void> {
	const metadata = { name };
	const mutations = expressions.map((expression) => ({ patchType: 'JSONPatch' as const, jsonPatch: { expression } }));
	const rules = [{ apiGroups: [group], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: [resource] }];
	const matchConditions = [{ name: 'of-jane', expression: 'request.userInfo.username == "jane"' }];
	await server.client.create(MUTATING_ADMISSION_POLICIES, {
		metadata,
		spec: { matchConstraints: { resourceRules: rules }, matchConditions, reinvocationPolicy: 'IfNeeded', mutations },
	});
	await server.client.create(MUTATING_ADMISSION_POLICY_BINDINGS, { metadata, spec: { policyName: name } });
}

test.before(async () => {
	server = await testApiServer({ clock: realClock, log: noLog }, stop.signal);
	const { client } = server;
	jane = createClient(
		server.server.transport({ name: 'jane', uid: '7', groups: ['g', 'system:authenticated'], extra: { 'x.io/k': ['a', 'b'] } }),
	);
	const verbs = ['create', 'get', 'update', 'patch'];
	await client.create(CLUSTER_ROLES, {
		metadata: { name: 'writer' },
		rules: [
			{ apiGroups: [RBAC, 'certificates.k8s.io'], resources: ['clusterroles', 'clusterrolebindings', 'certificatesigningrequests'], verbs },
			PODS,
		],
	});
	await client.create(CLUSTER_ROLE_BINDINGS, {
		metadata: { name: 'writer' },
		roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'writer' },
		subjects: [{ kind: 'User', name: 'jane', apiGroup: RBAC }],
	});
	const secrets = '{"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"]}';
	const labelled = 'has(object.metadata.labels) && "x" in object.metadata.labels';
	const more = `{op: "add", path: "/rules/-", value: dyn(${secrets})}`;
	await changing('b', RBAC, 'clusterroles', `${labelled} && object.metadata.labels.x == "second" ? [JSONPatch${more}] : []`);
	await changing(
		'c',
		RBAC,
		'clusterroles',
		`${labelled} && object.metadata.labels.x == "first" ? [JSONPatch{op: "add", path: "/metadata/labels/x", value: "second"}] : []`,
	);
	await changing(
		'a',
		'certificates.k8s.io',
		'certificatesigningrequests',
		'[JSONPatch{op: "add", path: "/metadata/labels", value: {"saw": object.spec.username}}]',
		'[JSONPatch{op: "add", path: "/spec/username", value: "root"}, JSONPatch{op: "add", path: "/spec/groups", value: ["system:masters"]}]',
	);
	const metadata = { name: 'as-themselves' };
	const rules = [
		{ apiGroups: ['certificates.k8s.io'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['certificatesigningrequests'] },
	];
	await client.create(VALIDATING_ADMISSION_POLICIES, {
		metadata,
		spec: {
			matchConstraints: { resourceRules: rules },
			validations: [{ expression: 'object.spec.username == request.userInfo.username' }],
		},
	});
	await client.create(VALIDATING_ADMISSION_POLICY_BINDINGS, {
		metadata,
		spec: { policyName: 'as-themselves', validationActions: ['Deny'] },
	});
});
test.after.always(async () => {
	stop.abort();
	await server.stopped;
});

test.serial('a certificate request is of who sends it, whatever plugins say, which see what was sent', async (t) => {
	const { csrPem } = await createSigningRequest({ commonName: 'u' });
	const request = Buffer.from(csrPem).toString('base64');
	const sent = { signerName: 'x.io/s', request, usages: ['client auth' as const], username: 'somebody', groups: ['others'] };
	const { metadata, spec } = await jane.create(CERTIFICATE_SIGNING_REQUESTS, { metadata: { name: 'r' }, spec: sent });
	const { username, uid, groups, extra } = spec;
	t.deepEqual(
		{ username, uid, groups, extra },
		{ username: 'jane', uid: '7', groups: ['g', 'system:authenticated'], extra: { 'x.io/k': ['a', 'b'] } },
	);
	t.deepEqual(metadata.labels, { saw: 'somebody' });
});

test.serial('nobody is granted by a plugin what the writer does not hold', async (t) => {
	const lacks =
		'403 clusterroles.rbac.authorization.k8s.io "r" is forbidden: user "jane" (groups=["g" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}';
	for (const x of ['second', 'first']) {
		const labels = { x };
		t.is(await said(jane.create(CLUSTER_ROLES, { metadata: { name: 'r', labels }, rules: [PODS] })), lacks, x);
		t.is(await said(server.client.create(CLUSTER_ROLES, { metadata: { name: 'r' }, rules: [PODS] })), 'ok');
		t.is(await said(jane.patch(CLUSTER_ROLES, 'r', { type: 'merge', body: { metadata: { labels } } })), lacks, x);
		await server.client.delete(CLUSTER_ROLES, 'r');
	}
});
