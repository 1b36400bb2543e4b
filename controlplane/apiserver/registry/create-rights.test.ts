/** Who may change what is there may not make what is not: a whole server, in process, asked by somebody with few rights. */
import { buffer } from 'node:stream/consumers';
import test from 'ava';
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, CONFIG_MAPS, LEASES, NAMESPACES } from '../../../api/resources.ts';
import { noLog } from '../../../base/log.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { testApiServer, type TestApiServer } from '../../../test/fakes/api-server.ts';

const stop = new AbortController();
let server: TestApiServer;

test.before(async () => {
	server = await testApiServer({ clock: new VirtualClock(Date.parse('2026-01-01T00:00:00Z')), log: noLog }, stop.signal);
	const { client } = server;
	await client.create(NAMESPACES, { metadata: { name: 'n' } });
	for (const [name, rules] of [
		[
			'changer',
			[
				{ apiGroups: ['', 'coordination.k8s.io'], resources: ['configmaps', 'leases'], verbs: ['get', 'update', 'patch'] },
				{ apiGroups: ['autoscaling'], resources: ['horizontalpodautoscalers'], verbs: ['patch'] },
			],
		],
		['maker', [{ apiGroups: ['', 'coordination.k8s.io'], resources: ['configmaps', 'leases'], verbs: ['create'] }]],
		[
			'maker-of-one',
			[{ apiGroups: ['', 'coordination.k8s.io'], resources: ['configmaps', 'leases'], resourceNames: ['one'], verbs: ['create'] }],
		],
	] as const)
		await client.create(CLUSTER_ROLES, { metadata: { name }, rules: rules.map((rule) => ({ ...rule, verbs: [...rule.verbs] })) as never });
	for (const [user, role] of [
		['changer', 'changer'],
		['maker', 'changer'],
		['maker', 'maker'],
		['maker-of-one', 'changer'],
		['maker-of-one', 'maker-of-one'],
	] as const)
		await client.create(CLUSTER_ROLE_BINDINGS, {
			metadata: { name: `${user}-${role}` },
			roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
			subjects: [{ kind: 'User', name: user, apiGroup: 'rbac.authorization.k8s.io' }],
		});
	await client.create(CONFIG_MAPS, { metadata: { name: 'there', namespace: 'n' } });
	await client.create(LEASES, { metadata: { name: 'there', namespace: 'n' } });
});
test.after.always(async () => {
	stop.abort();
	await server.stopped;
});

interface Answer {
	readonly status: number;
	readonly message: string | undefined;
}

async function ask(user: string, method: 'PUT' | 'PATCH', path: string, object: object): Promise<Answer> {
	const transport = server.server.transport({ name: user, uid: '', groups: ['system:authenticated'], extra: {} });
	const headers = { 'content-type': method === 'PUT' ? 'application/json' : 'application/apply-patch+yaml' };
	const answer = await transport.request({ method, path, headers, body: JSON.stringify(object) }, stop.signal);
	const { message } = JSON.parse((await buffer(answer.body)).toString()) as { readonly message?: string };
	return { status: answer.status, message };
}

const configMap = (name: string, more = ''): readonly ['PATCH', string, object] => [
	'PATCH',
	`/api/v1/namespaces/n/configmaps/${name}?fieldManager=m${more}`,
	{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } },
];
const lease = (name: string): readonly ['PUT', string, object] => [
	'PUT',
	`/apis/coordination.k8s.io/v1/namespaces/n/leases/${name}`,
	{ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name } },
];
const scaler = {
	apiVersion: 'autoscaling/v1',
	kind: 'HorizontalPodAutoscaler',
	metadata: { name: 'a' },
	spec: { maxReplicas: 1, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' } },
};
const mayNot = (user: string, what: string, name: string, group = ''): string =>
	`${what}${group === '' ? '' : `.${group}`} "${name}" is forbidden: User "${user}" cannot create resource "${what}" in API group "${group}" in the namespace "n"`;

for (const [what, user, request, want] of [
	['apply to what is there', 'changer', configMap('there'), 200],
	['apply to what is not', 'changer', configMap('a'), mayNot('changer', 'configmaps', 'a')],
	['the same as a dry run', 'changer', configMap('a', '&dryRun=All'), mayNot('changer', 'configmaps', 'a')],
	['apply with the right to create', 'maker', configMap('b'), 201],
	['apply with the right to create one of another name', 'maker-of-one', configMap('two'), mayNot('maker-of-one', 'configmaps', 'two')],
	['apply with the right to create this one', 'maker-of-one', configMap('one'), 201],
	['put what is not there', 'changer', lease('a'), mayNot('changer', 'leases', 'a', 'coordination.k8s.io')],
	['put with the right to create', 'maker', lease('b'), 201],
	[
		'apply what is stored in another version',
		'changer',
		['PATCH', '/apis/autoscaling/v1/namespaces/n/horizontalpodautoscalers/a?fieldManager=m', scaler],
		mayNot('changer', 'horizontalpodautoscalers', 'a', 'autoscaling'),
	],
] as const)
	test(`who may change: ${what}`, async (t) => {
		const [method, path, object] = request;
		const { status, message } = await ask(user, method, path, object);
		t.deepEqual({ status, message }, typeof want === 'number' ? { status: want, message: undefined } : { status: 403, message: want });
	});
