/** Who names parameters for a policy must be able to read them: a whole server, in process, asked by people with few rights. */
import test from 'ava';
import {
	CLUSTER_ROLE_BINDINGS,
	CLUSTER_ROLES,
	MUTATING_ADMISSION_POLICIES,
	MUTATING_ADMISSION_POLICY_BINDINGS,
	NAMESPACES,
	ROLE_BINDINGS,
	VALIDATING_ADMISSION_POLICIES,
	VALIDATING_ADMISSION_POLICY_BINDINGS,
} from '../../../api/resources.ts';
import type { Resource, KubeObject } from '../../../api/resource.ts';
import { noLog } from '../../../base/log.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { createClient } from '../../../client/rest.ts';
import type { Client } from '../../../client/client.ts';
import { testApiServer, type TestApiServer } from '../../../test/fakes/api-server.ts';
import { said } from '../../../test/fakes/policed-server.ts';

const RBAC = 'rbac.authorization.k8s.io';
const ADMISSION = 'admissionregistration.k8s.io';
const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' };
const stop = new AbortController();
let server: TestApiServer;

function as(name: string, extra: Record<string, string[]> = {}): Client {
	return createClient(server.server.transport({ name, uid: '', groups: ['system:authenticated'], extra }));
}

test.before(async () => {
	server = await testApiServer({ clock: new VirtualClock(Date.parse('2026-01-01T00:00:00Z')), log: noLog }, stop.signal);
	const { client } = server;
	const verbs = ['get', 'create', 'update', 'patch'];
	const author = { apiGroups: [ADMISSION], resources: ['*'], verbs };
	const may = async (user: string, rules: object[]): Promise<void> => {
		await client.create(CLUSTER_ROLES, { metadata: { name: user }, rules: [author, ...rules] as never });
		await client.create(CLUSTER_ROLE_BINDINGS, {
			metadata: { name: user },
			roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: user },
			subjects: [{ kind: 'User', name: user, apiGroup: RBAC }],
		});
	};
	await may('author', []);
	await may('getter', [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }]);
	await may('lister', [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }]);
	await may('of-one', [{ apiGroups: [''], resources: ['configmaps'], resourceNames: ['p'], verbs: ['get'] }]);
	await may('of-version', [{ apiGroups: ['x.io'], resources: ['*'], verbs: ['get'] }]);
	await may('of-all', [{ apiGroups: ['*'], resources: ['*'], verbs: ['get'] }]);
	await may('here', []);
	await client.create(NAMESPACES, { metadata: { name: 'n' } });
	await client.create(ROLE_BINDINGS, {
		metadata: { name: 'here', namespace: 'n' },
		roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'getter' },
		subjects: [{ kind: 'User', name: 'here', apiGroup: RBAC }],
	});
	for (const [name, paramKind] of [
		['with', CONFIG_MAP],
		['without', undefined],
		['odd', { apiVersion: 'x.io/v1', kind: 'Odd' }],
	] as const)
		for (const kind of ['Validating', 'Mutating'] as const) await write(client, policyOf(kind, name, paramKind));
});
test.after.always(async () => {
	stop.abort();
	await server.stopped;
});

type Kind = 'Validating' | 'Mutating';
type Written = readonly [Resource, object];

function policyOf(kind: Kind, name: string, paramKind: object | undefined): Written {
	const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] };
	const common = { matchConstraints: { resourceRules: [rule] }, ...(paramKind === undefined ? {} : { paramKind }) };
	const mutations = [{ patchType: 'JSONPatch', jsonPatch: { expression: '[JSONPatch{op: "remove", path: "/spec"}]' } }];
	return kind === 'Validating'
		? [VALIDATING_ADMISSION_POLICIES, { metadata: { name }, spec: { ...common, validations: [{ expression: 'true' }] } }]
		: [MUTATING_ADMISSION_POLICIES, { metadata: { name }, spec: { ...common, mutations, reinvocationPolicy: 'Never' } }];
}

function bindingOf(kind: Kind, name: string, policyName: string, ref: object | undefined): Written {
	const spec = { policyName, ...(ref === undefined ? {} : { paramRef: { parameterNotFoundAction: 'Deny', ...ref } }) };
	return kind === 'Validating'
		? [VALIDATING_ADMISSION_POLICY_BINDINGS, { metadata: { name }, spec: { ...spec, validationActions: ['Deny'] } }]
		: [MUTATING_ADMISSION_POLICY_BINDINGS, { metadata: { name }, spec }];
}

const write = (client: Client, [resource, object]: Written): Promise<KubeObject> => client.create(resource, object as never);

const user = (name: string): string => `&{${name}  [system:authenticated] map[]}`;
const refusal = (kind: string, name: string, field: string, why: string): string =>
	`422 ${kind}.${ADMISSION} "${name}" is invalid: spec.${field}: Forbidden: ${why}`;
const kindNotRead = (kind: Kind, by: string, name: string, { apiVersion, kind: of } = CONFIG_MAP): string =>
	refusal(
		`${kind}AdmissionPolicy`,
		name,
		'paramKind',
		`user ${user(by)} must have "get" permission on all objects of the referenced paramKind (kind=${of}, apiVersion=${apiVersion})`,
	);

let serial = 0;
for (const kind of ['Validating', 'Mutating'] as const) {
	for (const [what, by, paramKind, isTaken] of [
		['no parameters', 'author', undefined, true],
		['parameters that nobody lets them read', 'author', CONFIG_MAP, false],
		['parameters that they read', 'getter', CONFIG_MAP, true],
		['parameters of which they read one', 'of-one', CONFIG_MAP, false],
		['parameters of which they read those of a namespace', 'here', CONFIG_MAP, false],
		['parameters of a kind that is not served, whose group they read', 'of-version', { apiVersion: 'x.io/v1', kind: 'Odd' }, true],
		['parameters of a kind that is not served', 'getter', { apiVersion: 'x.io/v1', kind: 'Odd' }, false],
	] as const)
		test(`${kind} policy: ${what}`, async (t) => {
			const name = `p${++serial}`;
			const want = isTaken ? 'ok' : kindNotRead(kind, by, name, paramKind);
			t.is(await said(write(as(by), policyOf(kind, name, paramKind))), want);
		});

	const notRead = (by: string, verb: string): string => {
		const [first, second] = kind === 'Validating' ? [user(by), verb] : [verb, user(by)];
		return `user ${first} does not have "${second}" permission on the object referenced by paramRef`;
	};
	const unclear = (by: string, why: string): string =>
		`unable to ${why} to determine minimum required permissions and user ${user(by)} does not have "get" permission for all groups, versions and resources`;
	for (const [what, by, policy, ref, want] of [
		['no parameters', 'author', 'with', undefined, undefined],
		['one that they do not read', 'author', 'with', { name: 'p', namespace: 'n' }, notRead('author', 'get')],
		['one that they read', 'of-one', 'with', { name: 'p', namespace: 'n' }, undefined],
		['another one', 'of-one', 'with', { name: 'q' }, notRead('of-one', 'get')],
		['one of a namespace whose they read', 'here', 'with', { name: 'p', namespace: 'n' }, undefined],
		['one of any namespace', 'here', 'with', { name: 'p' }, notRead('here', 'get')],
		['those that a selector chooses', 'getter', 'with', { selector: {} }, notRead('getter', 'list')],
		['those that a selector chooses, which they list', 'lister', 'with', { selector: {} }, undefined],
		['one for a policy that has none', 'getter', 'without', { name: 'p' }, notRead('getter', 'get')],
		['one for a policy that has none, and they read everything', 'of-all', 'without', { name: 'p' }, undefined],
		['one for a policy that is not there', 'getter', 'gone', { name: 'p' }, unclear('getter', 'get policy gone')],
		['one for a policy that is not there, and they read everything', 'of-all', 'gone', { name: 'p' }, undefined],
		['one of a kind that is not served', 'getter', 'odd', { name: 'p' }, unclear('getter', 'resolve paramKind &{x.io/v1 Odd}')],
		['one of a kind that is not served, whose group they read', 'of-version', 'odd', { name: 'p' }, undefined],
	] as const)
		test(`binding of a ${kind} policy: ${what}`, async (t) => {
			const name = `b${++serial}`;
			const told = await said(write(as(by), bindingOf(kind, name, policy, ref)));
			t.is(told, want === undefined ? 'ok' : refusal(`${kind}AdmissionPolicyBinding`, name, 'paramRef', want));
		});

	test(`${kind} policy: an update is looked at where it has other parameters than before`, async (t) => {
		const name = `p${++serial}`;
		await write(server.client, policyOf(kind, name, CONFIG_MAP));
		const [resource] = policyOf(kind, name, undefined);
		const change = (body: object): Promise<string> => said(as('author').patch(resource, name, { type: 'merge', body }));
		t.is(await change({ metadata: { labels: { a: 'b' } } }), 'ok');
		const secret = { apiVersion: 'v1', kind: 'Secret' };
		t.is(await change({ spec: { paramKind: secret } }), kindNotRead(kind, 'author', name, secret));
		t.is(await change({ spec: { paramKind: null } }), 'ok');
		t.is(await change({ spec: { paramKind: CONFIG_MAP } }), kindNotRead(kind, 'author', name));
	});

	test(`binding of a ${kind} policy: every update that leaves it parameters is looked at`, async (t) => {
		const name = `b${++serial}`;
		await write(server.client, bindingOf(kind, name, 'with', { name: 'p' }));
		const [resource] = bindingOf(kind, name, '', undefined);
		const change = (by: string, body: object): Promise<string> => said(as(by).patch(resource, name, { type: 'merge', body }));
		const refused = refusal(`${kind}AdmissionPolicyBinding`, name, 'paramRef', notRead('author', 'get'));
		t.is(await change('author', { metadata: { labels: { a: 'b' } } }), refused);
		t.is(await change('getter', { metadata: { labels: { a: 'b' } } }), 'ok');
		t.is(await change('author', { spec: { paramRef: null } }), 'ok');
	});

	test(`${kind} policy: what is wrong with it is told alone`, async (t) => {
		const told = await said(write(as('author'), policyOf(kind, `p${++serial}`, { apiVersion: 'v1' })));
		t.regex(told, /spec\.paramKind\.kind: Required value/);
		t.notRegex(told, /Forbidden/);
	});
}

test('the user is shown as Go prints one', async (t) => {
	const someone = as('author', { 'x.io/b': ['1', '2'], 'x.io/a': [] });
	const told = await said(write(someone, policyOf('Validating', 'shown', CONFIG_MAP)));
	t.regex(told, /user &\{author {2}\[system:authenticated\] map\[x\.io\/a:\[\] x\.io\/b:\[1 2\]\]\} must/);
});
