/** What validating admission is shown: the object as it will be written, with the version it replaces, and the options that really hold. */
import test from 'ava';
import {
	CONFIG_MAPS,
	DEPLOYMENTS,
	PODS,
	REPLICA_SETS,
	SERVICE_ACCOUNTS,
	VALIDATING_ADMISSION_POLICIES,
	VALIDATING_ADMISSION_POLICY_BINDINGS,
} from '../../../api/resources.ts';
import { noLog } from '../../../base/log.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import type { Client } from '../../../client/client.ts';
import { testApiServer, type TestApiServer } from '../../../test/fakes/api-server.ts';

const stop = new AbortController();
let server: TestApiServer;
const META = { name: 'a', namespace: 'default' };
const KEY = 'default/a';
const DEPLOYMENT = {
	metadata: META,
	spec: {
		selector: { matchLabels: { a: 'b' } },
		template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
	},
};
test.before(async () => {
	server = await testApiServer({ clock: new VirtualClock(Date.parse('2026-01-01T00:00:00Z')), log: noLog }, stop.signal);
	const { client } = server;
	await client.create(SERVICE_ACCOUNTS, { metadata: { ...META, name: 'default' } });
	await client.create(SERVICE_ACCOUNTS, { metadata: META });
	await client.create(CONFIG_MAPS, { metadata: META });
	await client.create(DEPLOYMENTS, DEPLOYMENT);
	await client.create(PODS, { metadata: META, spec: { containers: [{ name: 'c', image: 'i' }] } });
});
test.after.always(async () => {
	stop.abort();
	await server.stopped;
});

/** Everything but what fits the expression is refused. */
async function onlyIf(
	client: Client,
	name: string,
	apiGroups: readonly string[],
	resources: readonly string[],
	expression: string,
): Promise<void> {
	const resourceRules = [{ apiGroups, apiVersions: ['*'], resources, operations: ['*'] }];
	const spec = { matchConstraints: { resourceRules }, validations: [{ expression }] };
	await client.create(VALIDATING_ADMISSION_POLICIES, { metadata: { name }, spec });
	const binding = { metadata: { name }, spec: { policyName: name, validationActions: ['Deny'] } };
	await client.create(VALIDATING_ADMISSION_POLICY_BINDINGS, binding);
}

const merge = (body: object) => ({ type: 'merge', body }) as const;

for (const [name, group, resource, expression, act] of [
	[
		'an update that names no version',
		'',
		'configmaps',
		'object.metadata.resourceVersion == oldObject.metadata.resourceVersion',
		(client: Client) => client.update(CONFIG_MAPS, { metadata: META, data: { a: 'b' } }),
	],
	[
		'a patch of a status',
		'apps',
		'deployments/status',
		'object.metadata.resourceVersion == oldObject.metadata.resourceVersion',
		(client: Client) => client.patch(DEPLOYMENTS, KEY, merge({ status: { replicas: 1 } }), { subresource: 'status' }),
	],
	[
		'a scale, as its workload will have it',
		'apps',
		'deployments/scale',
		"object.metadata.uid == oldObject.metadata.uid && object.status.selector == 'a=b' && object.spec.replicas == 3",
		(client: Client) => client.update(DEPLOYMENTS, { metadata: META, spec: { replicas: 3 } } as never, { subresource: 'scale' }),
	],
	[
		'a token, with whom it is for',
		'',
		'serviceaccounts/token',
		"object.metadata.name == 'a' && has(object.metadata.uid) && object.spec.audiences == ['https://k']",
		(client: Client) => client.create(SERVICE_ACCOUNTS, { spec: {} }, { subresource: 'token', key: KEY }),
	],
	[
		'a status of what is made, which says nothing yet',
		'apps',
		'replicasets',
		'object.status == {"replicas": 0}',
		(client: Client) => client.create(REPLICA_SETS, { ...DEPLOYMENT, status: { replicas: 7, readyReplicas: 7 } }),
	],
	[
		'a binding, with its namespace',
		'',
		'pods/binding',
		"object.metadata.namespace == 'default'",
		(client: Client) => client.create(PODS, { metadata: { name: 'a' }, target: { name: 'n' } }, { subresource: 'binding', key: KEY }),
	],
] as const)
	test.serial(`shown: ${name}`, async (t) => {
		await onlyIf(server.client, `p${resource.replace('/', '-')}`, [group], [resource], expression);
		await t.notThrowsAsync(act(server.client));
	});

test.serial('shown: how long a deleted pod really has; of one that goes anyway nobody is asked', async (t) => {
	const { client } = server;
	await client.create(PODS, { metadata: { ...META, name: 'unbound' }, spec: { containers: [{ name: 'c', image: 'i' }] } });
	const spec = { nodeName: 'n', terminationGracePeriodSeconds: 7, containers: [{ name: 'c', image: 'i' }] };
	await client.create(PODS, { metadata: { ...META, name: 'bound' }, spec });
	await onlyIf(client, 'graces', [''], ['pods'], "request.options.gracePeriodSeconds == (request.name == 'bound' ? 7 : 0)");
	await t.notThrowsAsync(client.delete(PODS, 'default/unbound', { gracePeriodSeconds: 5 }));
	await t.notThrowsAsync(client.delete(PODS, 'default/bound'));
	await t.notThrowsAsync(client.delete(PODS, 'default/bound', { gracePeriodSeconds: 9 }));
	await t.throwsAsync(client.delete(PODS, 'default/bound', { gracePeriodSeconds: 3 }), { message: /graces/ });
});
