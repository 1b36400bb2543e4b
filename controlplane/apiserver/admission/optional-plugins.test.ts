import test from 'ava';
import type { KubeObject } from '../../../api/resource.ts';
import { StatusError } from '../../../api/status.ts';
import { CONFIG_MAPS, DEPLOYMENTS, NAMESPACES, NODES, REPLICA_SETS } from '../../../api/resources.ts';
import { realClock } from '../../../base/clock.ts';
import { noLog } from '../../../base/log.ts';
import { attributesOf, reader } from '../../../test/fakes/admission.ts';
import { testApiServer } from '../../../test/fakes/api-server.ts';
import { RbacAuthorizer } from '../authz/rbac.ts';
import { RbacIndex } from '../authz/rbac-index.ts';
import type { AdmissionAttributes, AdmissionPlugin, ObjectReader } from '../contracts.ts';
import { Kinds } from '../registry/kinds.ts';
import { alwaysPullImages } from './pods/always-pull-images.ts';
import { antiAffinityTopology } from './pods/anti-affinity-topology.ts';
import { DefaultTolerationSeconds } from './pods/default-toleration-seconds.ts';
import { extendedResourceToleration } from './pods/extended-resource-toleration.ts';
import { denyExternalIps } from './network/external-ips.ts';
import { namespaceAutoProvision, namespaceExists } from './namespaces/namespace-existence.ts';
import { ownerReferences } from './owner-references.ts';
import { choosePlugins, isChosen } from './plugin-choice.ts';
import { podNodeSelector } from './pods/pod-node-selector.ts';

const NEVER = new AbortController().signal;

/** What one plugin makes of a write: the object, or its refusal's text. */
async function outcome(plugin: AdmissionPlugin, object: object, more: Partial<AdmissionAttributes> = {}): Promise<unknown> {
	const attributes = attributesOf(object, more);
	if (!plugin.handles(attributes)) return 'not its business';
	try {
		await plugin.mutate?.(attributes, NEVER);
		await plugin.validate?.(attributes, NEVER);
	} catch (error) {
		if (error instanceof StatusError) return error.message;
		throw error;
	}
	return (attributes.object as { readonly spec?: unknown }).spec;
}

for (const [name, enabled, disabled, refused] of [
	['nobody asks for any', [], [], undefined],
	['one more, one less', ['AlwaysPullImages'], ['NodeRestriction'], undefined],
	['one whose feature is off', ['JobValidation'], [], undefined],
	['one that nobody knows', ['AlwaysPush'], [], 'enable-admission-plugins plugin "AlwaysPush" is unknown'],
	['one less that nobody knows', [], ['AlwaysPush'], 'disable-admission-plugins plugin "AlwaysPush" is unknown'],
	['the same twice', ['Priority'], ['Priority'], '[Priority] in enable-admission-plugins and disable-admission-plugins overlapped'],
] as const)
	test(`choice of plugins: ${name}`, (t) => {
		const choose = (): unknown => choosePlugins(enabled, disabled);
		if (refused === undefined) t.notThrows(choose);
		else t.throws(choose, { message: refused });
	});

test('plugins that are off unless enabled, or on unless disabled', (t) => {
	const choice = choosePlugins(['AlwaysPullImages'], ['NodeRestriction']);
	const chosen = ['AlwaysPullImages', 'NamespaceExists', 'NodeRestriction', 'Priority'].map((n) => isChosen(n, choice));
	t.deepEqual(chosen, [true, false, false, true]);
});

const pulled = {
	containers: [{ name: 'c', image: 'i', imagePullPolicy: 'IfNotPresent' }],
	volumes: [{ name: 'v', image: { reference: 'r' } }],
};
const always = {
	containers: [{ name: 'c', image: 'i', imagePullPolicy: 'Always' }],
	volumes: [{ name: 'v', image: { reference: 'r', pullPolicy: 'Always' } }],
};
const apart = (topologyKey: string): object => ({
	affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey }] } },
});
const devices = (...names: string[]): object => ({
	containers: [{ name: 'c', resources: { requests: Object.fromEntries(names.map((n) => [n, '1'])) } }],
});
const tolerated = { key: 'x.io/gpu', operator: 'Exists', effect: 'NoSchedule' };
const selecting = (text: string): ObjectReader =>
	reader({ 'namespaces n': { metadata: { annotations: { 'scheduler.alpha.kubernetes.io/node-selector': text } } } });
const service = { resource: 'services', kind: 'Service' };
const ips = (...externalIPs: string[]): object => ({ spec: { externalIPs } });
const old = (object: object): Partial<AdmissionAttributes> => ({ operation: 'UPDATE', oldObject: object as KubeObject });

for (const [name, plugin, object, more, want] of [
	['images are always pulled', alwaysPullImages(), { spec: pulled }, {}, always],
	['images as before keep their policy', alwaysPullImages(), { spec: pulled }, old({ spec: pulled }), 'not its business'],
	['hosts apart', antiAffinityTopology(), { spec: apart('kubernetes.io/hostname') }, {}, apart('kubernetes.io/hostname')],
	[
		'zones apart',
		antiAffinityTopology(),
		{ spec: apart('zone') },
		{},
		'pods "a" is forbidden: affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey zone but only key kubernetes.io/hostname is allowed',
	],
	[
		'a device is tolerated, what every node has is not',
		extendedResourceToleration(),
		{ spec: { ...devices('cpu', 'x.io/gpu'), tolerations: [{ ...tolerated, tolerationSeconds: 5 }] } },
		{},
		{ ...devices('cpu', 'x.io/gpu'), tolerations: [tolerated] },
	],
	[
		'what a pod tolerates for how long, unless it says so itself',
		new DefaultTolerationSeconds({ notReady: 7, unreachable: -1 }),
		{ spec: { tolerations: [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists' }] } },
		{},
		{
			tolerations: [
				{ key: 'node.kubernetes.io/not-ready', operator: 'Exists' },
				{ key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: -1 },
			],
		},
	],
	[
		'an external IP',
		denyExternalIps(),
		ips('192.0.2.1'),
		service,
		'services "a" is forbidden: Use of external IPs is denied by admission control',
	],
	[
		'external IPs of before',
		denyExternalIps(),
		ips('192.0.2.1'),
		{ ...service, ...old(ips('192.0.2.1', '192.0.2.2')) },
		{ externalIPs: ['192.0.2.1'] },
	],
	[
		'nodes of the namespace',
		podNodeSelector(selecting('zone=a, disk=ssd')),
		{ spec: { nodeSelector: { os: 'l' } } },
		{},
		{ nodeSelector: { zone: 'a', disk: 'ssd', os: 'l' } },
	],
	[
		'nodes that the namespace may not use',
		podNodeSelector(selecting('zone=a')),
		{ spec: { nodeSelector: { zone: 'b' } } },
		{},
		'pods "a" is forbidden: pod node label selector conflicts with its namespace node label selector',
	],
	['a namespace that is there', namespaceExists(reader({ 'namespaces n': {} })), { spec: {} }, {}, {}],
	['a namespace that is not there', namespaceExists(reader({})), { spec: {} }, { operation: 'DELETE' }, 'namespaces "n" not found'],
] as readonly (readonly [string, AdmissionPlugin, object, Partial<AdmissionAttributes>, unknown])[])
	test(name, async (t) => t.deepEqual(await outcome(plugin, object, more), want));

test('a namespace is made for what is created in it', async (t) => {
	const made: string[] = [];
	const plugin = namespaceAutoProvision(reader({}), (name) => Promise.resolve(made.push(name)));
	await outcome(plugin, {});
	t.is(await outcome(plugin, {}, { dryRun: true }), 'not its business');
	t.is(await outcome(plugin, {}, { namespace: '', resource: 'nodes' }), 'not its business');
	t.deepEqual(made, ['n']);
	const refused = namespaceAutoProvision(reader({}), () => Promise.reject(new Error('no such name')));
	t.is(await outcome(refused, {}), 'pods "a" is forbidden: no such name');
});

test('a server with plugins enabled and disabled', async (t) => {
	const stop = new AbortController();
	const standard = { admissionPlugins: choosePlugins(['NamespaceAutoProvision'], ['LimitRanger', 'NamespaceLifecycle']) };
	const { client, stopped } = await testApiServer({ clock: realClock, log: noLog, standard }, stop.signal);
	await client.create(CONFIG_MAPS, { metadata: { name: 'a', namespace: 'provided' } });
	t.is((await client.get(NAMESPACES, 'provided')).status?.phase, 'Active');
	await t.notThrowsAsync(client.delete(NAMESPACES, 'default'));
	stop.abort();
	await stopped;
});

const kinds = new Kinds();
for (const resource of [DEPLOYMENTS, REPLICA_SETS, NODES]) kinds.add({ resource } as never);
const owned = (blockOwnerDeletion: boolean, apiVersion = 'apps/v1', kind = 'Deployment'): object => ({
	metadata: { name: 'a', ownerReferences: [{ apiVersion, kind, name: 'o', uid: 'u', blockOwnerDeletion }] },
	spec: {},
});
const UNDELETABLE = `pods "a" is forbidden: cannot set an ownerRef on a resource you can't delete: , <nil>`;
const UNBLOCKABLE = `pods "a" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: , <nil>`;
const rule = (verb: string, resource: string, group = ''): object => ({ verbs: [verb], apiGroups: [group], resources: [resource] });
for (const [name, object, more, rules, want] of [
	['an owner of a new object', owned(false), {}, [], {}],
	['a changed owner', owned(false), old({ metadata: {} }), [], UNDELETABLE],
	['a changed owner of what may be deleted', owned(false), old({ metadata: {} }), [rule('delete', 'pods')], {}],
	['the same owner', owned(true), old(owned(true)), [], {}],
	['an owner whose deletion waits', owned(true), {}, [], UNBLOCKABLE],
	['an owner whose finalizers may be set', owned(true), {}, [rule('update', 'deployments/finalizers', 'apps')], {}],
	['anybody whose finalizers may be set', owned(true), {}, [rule('update', '*/finalizers', '*')], {}],
	['a node whose deletion waits', owned(true, 'v1', 'Node'), {}, [rule('update', 'nodes/finalizers')], {}],
	['the status of a pod', owned(true), { subresource: 'status' }, [], 'not its business'],
	[
		'an owner of no kind',
		owned(true, 'x.io/v1', 'Y'),
		{},
		[],
		'pods "a" is forbidden: cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion x.io/v1 Kind Y: no matches for kind "Y" in version "x.io/v1"',
	],
] as readonly (readonly [string, object, Partial<AdmissionAttributes>, readonly object[], unknown])[])
	test(`owner references: ${name}`, async (t) => {
		const objects = reader({
			'clusterroles r': { metadata: { name: 'r' }, rules },
			'clusterrolebindings b': {
				metadata: { name: 'b' },
				roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'r' },
				subjects: [{ kind: 'User', name: 'jane', apiGroup: 'rbac.authorization.k8s.io' }],
			},
		});
		const plugin = ownerReferences(new RbacAuthorizer(new RbacIndex(objects)), kinds);
		t.deepEqual(await outcome(plugin, object, more), want);
	});
