/** What the server makes of objects on their way to the store, kind by kind, as upstream's strategies do. */
import test from 'ava';
import type { KubeObject, Resource } from '../../../api/resource.ts';
import * as resources from '../../../api/resources.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { noLog } from '../../../base/log.ts';
import { testApiServer, type TestApiServer } from '../../../test/fakes/api-server.ts';

type Any = KubeObject & { spec?: Record<string, unknown>; status?: Record<string, unknown> };
const of = (resource: Resource<never>): Resource<Any> => resource as unknown as Resource<Any>;

let api: TestApiServer;
const stop = new AbortController();
test.before(async () => {
	api = await testApiServer({ clock: new VirtualClock(), log: noLog }, stop.signal);
	await api.client.create(of(resources.SERVICE_ACCOUNTS as never), { metadata: { name: 'default', namespace: 'default' } });
});
test.after.always(async () => {
	stop.abort();
	await api.stopped;
});

const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const GENERATION = 'deprecated.daemonset.template.generation';

for (const [given, want] of [
	[undefined, '1'],
	['0', '1'],
	['7', '7'],
] as const)
	test(`a DaemonSet's template generation ${given} is kept from one on`, async (t) => {
		const name = `d${given ?? ''}`;
		const made = await api.client.create(of(resources.DAEMON_SETS as never), {
			metadata: { name, namespace: 'default', ...(given === undefined ? {} : { annotations: { [GENERATION]: given } }) },
			spec: { selector: { matchLabels: { a: 'b' } }, template },
		});
		t.is(made.metadata.annotations?.[GENERATION], want);
	});

for (const [given, why] of [
	['', 'invalid syntax'],
	['1_0', 'invalid syntax'],
	['9223372036854775808', 'value out of range'],
] as const)
	test(`a DaemonSet's template generation ${JSON.stringify(given)} is none`, async (t) => {
		const metadata = { name: 'wrong', namespace: 'default', annotations: { [GENERATION]: given } };
		const made = api.client.create(of(resources.DAEMON_SETS as never), {
			metadata,
			spec: { selector: { matchLabels: { a: 'b' } }, template },
		});
		const parsing = `strconv.ParseInt: parsing ${JSON.stringify(given)}: ${why}`;
		await t.throwsAsync(made, { message: `DaemonSet in version "v1" cannot be handled as a DaemonSet: ${parsing}` });
	});

test("a PriorityClass's generation counts nothing", async (t) => {
	const classes = of(resources.PRIORITY_CLASSES as never);
	await api.client.create(classes, { metadata: { name: 'p' }, value: 3 } as unknown as Any);
	const after = await api.client.patch(classes, 'p', { type: 'merge', body: { description: 'x' } });
	t.is(after.metadata.generation, 1);
});

test('a node comes without the configuration that was', async (t) => {
	const made = await api.client.create(of(resources.NODES as never), {
		metadata: { name: 'n' },
		status: { config: { error: 'x' }, phase: 'Running' },
	});
	t.is(made.status?.['config'], undefined);
	t.is(made.status?.['phase'], 'Running');
});

test('a Service that is no balancer any more has no balancer in its status', async (t) => {
	const services = of(resources.SERVICES as never);
	await api.client.create(services, {
		metadata: { name: 's', namespace: 'default' },
		spec: { type: 'LoadBalancer', ports: [{ port: 1 }] },
	});
	const ingress = { status: { loadBalancer: { ingress: [{ ip: '1.2.3.4', ipMode: 'VIP' }] } } };
	const balanced = await api.client.patch(services, 'default/s', { type: 'merge', body: ingress }, { subresource: 'status' });
	t.deepEqual(balanced.status, ingress.status);
	const kept = await api.client.patch(services, 'default/s', { type: 'merge', body: { metadata: { labels: { a: 'b' } } } });
	t.deepEqual(kept.status, ingress.status);
	const plain = await api.client.patch(services, 'default/s', { type: 'merge', body: { spec: { type: 'ClusterIP' } } });
	t.deepEqual(plain.status, { loadBalancer: {} });
});

const job = (name: string, spec: object, labels: object): Any =>
	({
		metadata: { name, namespace: 'default' },
		spec: { ...spec, template: { metadata: { labels }, spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } },
	}) as unknown as Any;

for (const [name, labels, spec, want] of [
	[
		'named',
		{ 'job-name': 'other' },
		{},
		/spec\.template\.metadata\.labels\[job-name\]: Invalid value: \{"batch.*,"job-name":"other"\}: must be 'named'/,
	],
	[
		'numbered',
		{ 'batch.kubernetes.io/controller-uid': 'u' },
		{},
		/spec\.template\.metadata\.labels\[batch.kubernetes.io\/controller-uid\]: Invalid value: .*: must be '/,
	],
	[
		'selected',
		{},
		{ selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': 'u', a: 'b' } } },
		/spec\.selector: Invalid value: \{"matchLabels":\{"a":"b","batch.kubernetes.io\/controller-uid":"u"\}\}: `selector` not auto-generated/,
	],
] as const)
	test(`a Job's own label or selector is not written over, but refused: ${name}`, async (t) => {
		const refused = await t.throwsAsync(api.client.create(of(resources.JOBS as never), job(name, spec, labels)));
		t.regex(refused?.message ?? '', want);
	});

const GENERATED = ['batch.kubernetes.io/controller-uid', 'batch.kubernetes.io/job-name', 'controller-uid', 'job-name'];
for (const [what, metadata, spec, want] of [
	['no labels has those of its pods, generated ones as well', {}, {}, [...GENERATED, 'a']],
	['labels has those', { labels: { b: '1' } }, {}, ['b']],
	['the same labels has those', { labels: { a: '1' } }, {}, ['a']],
	['no labels and a selector of its own', {}, { manualSelector: true, selector: { matchLabels: { a: '1' } } }, ['a']],
] as const)
	test(`a Job with ${what}`, async (t) => {
		const given = job('', spec, { a: '1' });
		const made = await api.client.create(of(resources.JOBS as never), {
			...given,
			metadata: { ...metadata, generateName: 'of-', namespace: 'default' },
		});
		t.deepEqual(Object.keys(made.metadata.labels ?? {}).sort(), [...want].sort());
	});

test('a Job may select by its generated labels as well', async (t) => {
	const made = await api.client.create(
		of(resources.JOBS as never),
		job('more', { selector: { matchLabels: { 'job-name': 'more' } } }, { 'job-name': 'more' }),
	);
	const { selector } = made.spec as { selector: { matchLabels: object } };
	t.deepEqual(Object.keys(selector.matchLabels).sort(), ['batch.kubernetes.io/controller-uid', 'job-name']);
});

const claims = of(resources.PERSISTENT_VOLUME_CLAIMS as never);
const claim = (name: string, sources: object): Any => ({
	metadata: { name, namespace: 'default' },
	spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...sources },
});
const SOURCE = { apiGroup: null, kind: 'PersistentVolumeClaim', name: 'x' };

for (const [name, sources, want] of [
	['another-namespace', { dataSourceRef: { ...SOURCE, namespace: 'n' } }, {}],
	['both', { dataSource: SOURCE, dataSourceRef: { ...SOURCE, namespace: 'n' } }, { dataSource: SOURCE, dataSourceRef: SOURCE }],
	['reference', { dataSourceRef: SOURCE }, { dataSource: SOURCE, dataSourceRef: SOURCE }],
	['odd', { dataSource: { apiGroup: 'a.b', kind: 'C', name: 'x' } }, {}],
] as const)
	test(`a claim's data source: ${name}`, async (t) => {
		const made = await api.client.create(claims, claim(name, sources));
		const { dataSource, dataSourceRef } = made.spec as { dataSource?: object; dataSourceRef?: object };
		t.deepEqual({ dataSource, dataSourceRef }, { dataSource: undefined, dataSourceRef: undefined, ...want });
	});

test('a client that knows no dataSourceRef may write its claim', async (t) => {
	const { metadata, spec } = await api.client.create(claims, claim('old', { dataSource: SOURCE }));
	const { dataSourceRef: _, ...known } = spec as Record<string, unknown>;
	const after = await api.client.update(claims, { metadata: { ...metadata, labels: { a: 'b' } }, spec: known });
	t.deepEqual(after.spec?.['dataSourceRef'], SOURCE);
});

test("a pod's addresses are selected by the first of them; the field of all selects none", async (t) => {
	const pods = of(resources.PODS as never);
	await api.client.create(pods, { metadata: { name: 'p', namespace: 'default' }, spec: template.spec });
	const body = { status: { podIP: '10.0.0.9', podIPs: [{ ip: '10.0.0.9' }] } };
	await api.client.patch(pods, 'default/p', { type: 'merge', body }, { subresource: 'status' });
	const found = async (fieldSelector: string): Promise<number> =>
		(await api.client.list(pods, { namespace: 'default', fieldSelector })).items.length;
	t.is(await found('status.podIP=10.0.0.9'), 1);
	t.is(await found('status.podIPs=10.0.0.9'), 0);
});

test('a namespace that is named by the server has its label', async (t) => {
	const { metadata } = await api.client.create(of(resources.NAMESPACES as never), { metadata: { generateName: 'x-' } });
	t.is(metadata.labels?.['kubernetes.io/metadata.name'], metadata.name);
});

test("a definition's conversion has no webhook of nothing", async (t) => {
	const names = { plural: 'as', singular: 'a', kind: 'A', listKind: 'AList' };
	const made = await api.client.create(of(resources.CUSTOM_RESOURCE_DEFINITIONS as never), {
		metadata: { name: 'as.c.io' },
		spec: {
			...{ group: 'c.io', scope: 'Cluster', names, conversion: { strategy: 'None', webhook: { conversionReviewVersions: [] } } },
			versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
		},
	});
	t.deepEqual(made.spec?.['conversion'], { strategy: 'None' });
});

for (const [kind, resource] of [
	['Deployment', resources.DEPLOYMENTS],
	['DaemonSet', resources.DAEMON_SETS],
] as const)
	test(`an amount in another form is no new generation of a ${kind}`, async (t) => {
		const name = `amounts-${kind.toLowerCase()}`;
		const asking = (memory: string): object => ({
			...template,
			spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { memory } } }] },
		});
		const spec = { selector: { matchLabels: { a: 'b' } }, template: asking('1Gi') };
		await api.client.create(of(resource as never), { metadata: { name, namespace: 'default' }, spec });
		const patched = (memory: string): Promise<Any> =>
			api.client.patch(of(resource as never), `default/${name}`, { type: 'merge', body: { spec: { template: asking(memory) } } });
		const same = await patched('1073741824');
		t.deepEqual([same.metadata.generation, same.metadata.annotations?.[GENERATION]], [1, kind === 'DaemonSet' ? '1' : undefined]);
		t.is((await patched('2Gi')).metadata.generation, 2);
	});
test('metadata of a resource that is a default keeps no unknown fields, in a definition that is made and one that is patched', async (t) => {
	const definitions = of(resources.CUSTOM_RESOURCE_DEFINITIONS as never);
	const value = (name: string): object => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name, unknown: 1 }, spec: { a: 1 } });
	const version = (name: string): object => {
		const a = {
			type: 'object',
			'x-kubernetes-embedded-resource': true,
			'x-kubernetes-preserve-unknown-fields': true,
			default: value(name),
		};
		return { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties: { a } } } };
	};
	const names = { plural: 'as', kind: 'A' };
	const spec = { group: 'x.io', scope: 'Cluster', names, versions: [version('one')] };
	type Versions = {
		readonly schema: { readonly openAPIV3Schema: { readonly properties: Record<string, { readonly default: unknown }> } };
	}[];
	const kept = (object: Any): unknown =>
		(object.spec as { versions: Versions } | undefined)?.versions[0]?.schema.openAPIV3Schema.properties['a']?.default;
	const made = await api.client.create(definitions, { metadata: { name: 'as.x.io' }, spec });
	t.deepEqual(kept(made), { ...value('one'), metadata: { name: 'one' } });
	const after = await api.client.patch(definitions, 'as.x.io', { type: 'merge', body: { spec: { versions: [version('two')] } } });
	t.deepEqual(kept(after), { ...value('two'), metadata: { name: 'two' } });
});
