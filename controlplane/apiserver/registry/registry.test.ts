import { buffer } from 'node:stream/consumers';
import test from 'ava';
import {
	AUTOSCALING_V1_HORIZONTAL_POD_AUTOSCALERS,
	CONFIG_MAPS,
	DEPLOYMENTS,
	IP_ADDRESSES,
	NAMESPACES,
	PODS,
	SERVICE_ACCOUNTS,
	SERVICES,
} from '../../../api/resources.ts';
import { StatusError } from '../../../api/status.ts';
import { realClock } from '../../../base/clock.ts';
import { noLog } from '../../../base/log.ts';
import { testApiServer } from '../../../test/fakes/api-server.ts';

const stop = new AbortController();
const { client, stopped } = await testApiServer({ clock: realClock, log: noLog }, stop.signal);
test.after.always(async () => {
	stop.abort();
	await stopped;
});

const configMap = (name: string, data: Record<string, string> = {}, labels: Record<string, string> = {}) => ({
	metadata: { name, namespace: 'default', labels },
	data,
});
const refused = (error: unknown): [number, string] => (error instanceof StatusError ? [error.httpCode, error.reason] : [0, String(error)]);

test('a second create, a stale update and a get of nothing are refused', async (t) => {
	const made = await client.create(CONFIG_MAPS, configMap('a', { k: '1' }));
	t.deepEqual(refused(await t.throwsAsync(client.create(CONFIG_MAPS, configMap('a')))), [409, 'AlreadyExists']);
	const next = await client.update(CONFIG_MAPS, { ...made, data: { k: '2' } });
	t.not(next.metadata.resourceVersion, made.metadata.resourceVersion);
	t.deepEqual(refused(await t.throwsAsync(client.update(CONFIG_MAPS, { ...made, data: { k: '3' } }))), [409, 'Conflict']);
	t.deepEqual(refused(await t.throwsAsync(client.get(CONFIG_MAPS, 'default/none'))), [404, 'NotFound']);
});

test('an update that changes nothing keeps its version', async (t) => {
	const made = await client.create(CONFIG_MAPS, configMap('same', { k: '1' }));
	t.is((await client.update(CONFIG_MAPS, made)).metadata.resourceVersion, made.metadata.resourceVersion);
});

test('pages are exact although the collection changes between them', async (t) => {
	for (const n of ['p1', 'p2', 'p3']) await client.create(CONFIG_MAPS, configMap(n, {}, { page: 'y' }));
	const options = { namespace: 'default', labelSelector: 'page=y', limit: 2 };
	const first = await client.list(CONFIG_MAPS, options);
	await client.delete(CONFIG_MAPS, 'default/p3');
	const rest = await client.list(CONFIG_MAPS, { ...options, continue: first.metadata.continue ?? '' });
	t.deepEqual(
		[...first.items, ...rest.items].map((o) => o.metadata.name),
		['p1', 'p2', 'p3'],
	);
	t.is(rest.metadata.resourceVersion, first.metadata.resourceVersion);
});

test('a watch sees objects enter and leave its selection', async (t) => {
	const stopWatch = new AbortController();
	const seen: string[] = [];
	const made = await client.create(CONFIG_MAPS, configMap('w', {}, { w: '1' }));
	const out = await client.update(CONFIG_MAPS, { ...made, metadata: { ...made.metadata, labels: { w: '2' } } });
	await client.update(CONFIG_MAPS, { ...out, metadata: { ...out.metadata, labels: { w: '1' } } });
	await client.delete(CONFIG_MAPS, 'default/w');
	const watch = client.watch(CONFIG_MAPS, {
		namespace: 'default',
		labelSelector: 'w=1',
		resourceVersion: made.metadata.resourceVersion ?? '',
		signal: stopWatch.signal,
	});
	for await (const event of watch) {
		seen.push(event.type);
		if (seen.length === 3) break;
	}
	t.deepEqual(seen, ['DELETED', 'ADDED', 'DELETED']);
	stopWatch.abort();
});

test('finalizers hold a deleted object until they are gone', async (t) => {
	const made = await client.create(CONFIG_MAPS, { metadata: { name: 'f', namespace: 'default', finalizers: ['x.io/hold'] } });
	await client.delete(CONFIG_MAPS, 'default/f');
	const dying = await client.get(CONFIG_MAPS, 'default/f');
	t.regex(dying.metadata.deletionTimestamp ?? '', /^\d{4}-/);
	t.is(dying.metadata.uid, made.metadata.uid);
	await client.patch(CONFIG_MAPS, 'default/f', { type: 'merge', body: { metadata: { finalizers: null } } });
	t.deepEqual(refused(await t.throwsAsync(client.get(CONFIG_MAPS, 'default/f'))), [404, 'NotFound']);
});

test('a deleted namespace stays until it is finalized', async (t) => {
	await client.create(NAMESPACES, { metadata: { name: 'held' } });
	await client.delete(NAMESPACES, 'held');
	const dying = await client.get(NAMESPACES, 'held');
	t.regex(dying.metadata.deletionTimestamp ?? '', /^\d{4}-/);
	t.is(dying.status?.phase, 'Terminating');
	await client.update(NAMESPACES, { ...dying, metadata: { ...dying.metadata, labels: { a: 'b' } } });
	const held = await client.get(NAMESPACES, 'held');
	t.is(held.metadata.deletionTimestamp, dying.metadata.deletionTimestamp);
	await client.update(NAMESPACES, { ...held, spec: { finalizers: [] } }, { subresource: 'finalize' });
	t.deepEqual(refused(await t.throwsAsync(client.get(NAMESPACES, 'held'))), [404, 'NotFound']);
});

test('a namespace that was finalized before it was deleted is marked by the first removal, and gone by the second', async (t) => {
	const made = await client.create(NAMESPACES, { metadata: { name: 'unheld' } });
	await client.update(NAMESPACES, { ...made, spec: { finalizers: [] } }, { subresource: 'finalize' });
	await client.delete(NAMESPACES, 'unheld');
	t.is((await client.get(NAMESPACES, 'unheld')).status?.phase, 'Terminating');
	await client.delete(NAMESPACES, 'unheld');
	t.deepEqual(refused(await t.throwsAsync(client.get(NAMESPACES, 'unheld'))), [404, 'NotFound']);
});

test('generation counts changes of the spec, not of the status; scale changes the spec', async (t) => {
	const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
	const made = await client.create(DEPLOYMENTS, {
		metadata: { name: 'd', namespace: 'default' },
		spec: { selector: { matchLabels: { a: 'b' } }, template },
	});
	t.deepEqual([made.metadata.generation, made.spec?.replicas], [1, 1]);
	const status = { ...made, status: { ...made.status, observedGeneration: 1 } };
	t.is((await client.update(DEPLOYMENTS, status, { subresource: 'status' })).metadata.generation, 1);
	await client.patch(DEPLOYMENTS, 'default/d', { type: 'merge', body: { spec: { replicas: 3 } } }, { subresource: 'scale' });
	const scaled = await client.get(DEPLOYMENTS, 'default/d');
	t.deepEqual([scaled.metadata.generation, scaled.spec?.replicas, scaled.status?.observedGeneration], [2, 3, 1]);

	const seen = async (view: string): Promise<Record<string, unknown>> => {
		const path = '/apis/apps/v1/namespaces/default/deployments/d/scale';
		const headers = { accept: `application/json;as=${view};v=v1;g=meta.k8s.io,application/json` };
		const { body } = await client.transport.request({ method: 'GET', path, headers }, stop.signal);
		return JSON.parse((await buffer(body)).toString()) as Record<string, unknown>;
	};
	const table = (await seen('Table')) as { columnDefinitions: { name: string }[]; rows: { cells: unknown[] }[] };
	t.deepEqual(
		table.columnDefinitions.map(({ name }) => name),
		['Name', 'Desired', 'Available', 'Age'],
	);
	t.deepEqual(table.rows[0]?.cells.slice(0, 3), ['d', 3, 0]);
	t.like(await seen('PartialObjectMetadata'), { kind: 'PartialObjectMetadata', metadata: { name: 'd' }, spec: undefined });
	t.like(await seen('PartialObjectMetadataList'), { reason: 'NotAcceptable' });
});

test('a patch of a scale is made again where the object was written meanwhile, but not one that names a version', async (t) => {
	const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
	const metadata = { name: 'busy', namespace: 'default' };
	const made = await client.create(DEPLOYMENTS, { metadata, spec: { selector: { matchLabels: { a: 'b' } }, template } });
	const scaled = (replicas: number, version?: string) =>
		client.patch(
			DEPLOYMENTS,
			'default/busy',
			{ type: 'merge', body: { spec: { replicas }, ...(version === undefined ? {} : { metadata: { resourceVersion: version } }) } },
			{ subresource: 'scale' },
		);
	await t.notThrowsAsync(Promise.all([2, 3, 4].map((replicas) => scaled(replicas))));
	t.deepEqual(refused(await t.throwsAsync(scaled(5, made.metadata.resourceVersion))), [409, 'Conflict']);
});

test('who makes an autoscaler of v1 owns the target that it gets', async (t) => {
	const spec = { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' } };
	const made = await client.create(AUTOSCALING_V1_HORIZONTAL_POD_AUTOSCALERS, { metadata: { name: 'h', namespace: 'default' }, spec });
	t.is(made.spec?.targetCPUUtilizationPercentage, 80);
	t.regex(JSON.stringify(made.metadata.managedFields), /f:targetCPUUtilizationPercentage/);
});

test('services get an address of their own, and give it back', async (t) => {
	const service = (name: string, clusterIP?: string) => ({
		metadata: { name, namespace: 'default' },
		spec: { ports: [{ port: 80 }], ...(clusterIP === undefined ? {} : { clusterIP }) },
	});
	t.regex((await client.create(SERVICES, service('any'))).spec?.clusterIP ?? '', /^10\.0\.0\.\d+$/);
	// Of those that nobody is handed who does not ask for one, as other tests here do meanwhile.
	const address = '10.0.0.9';
	t.is((await client.create(SERVICES, service('one', address))).spec?.clusterIP, address);
	t.deepEqual(refused(await t.throwsAsync(client.create(SERVICES, service('two', address)))), [422, 'Invalid']);
	await client.delete(SERVICES, 'default/one');
	t.is((await client.create(SERVICES, service('two', address))).spec?.clusterIP, address);
});

test('dry runs store nothing', async (t) => {
	await client.create(CONFIG_MAPS, configMap('dry'), { dryRun: true });
	t.deepEqual(refused(await t.throwsAsync(client.get(CONFIG_MAPS, 'default/dry'))), [404, 'NotFound']);
});

test('generated names are the prefix and five letters', async (t) => {
	const made = await client.create(CONFIG_MAPS, { metadata: { generateName: 'g-', namespace: 'default' } });
	t.regex(made.metadata.name ?? '', /^g-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
});

test('an unscheduled pod goes at once, a scheduled one waits for its grace period', async (t) => {
	const pod = (name: string, nodeName?: string) => ({
		metadata: { name, namespace: 'kube-system' },
		spec: { containers: [{ name: 'c', image: 'i' }], automountServiceAccountToken: false, ...(nodeName === undefined ? {} : { nodeName }) },
	});
	await client.create(SERVICE_ACCOUNTS, { metadata: { name: 'default', namespace: 'kube-system' } }).catch(() => {});
	await client.create(PODS, pod('free'));
	await client.delete(PODS, 'kube-system/free');
	t.deepEqual(refused(await t.throwsAsync(client.get(PODS, 'kube-system/free'))), [404, 'NotFound']);
	await client.create(PODS, pod('bound', 'n'));
	await client.delete(PODS, 'kube-system/bound');
	t.is((await client.get(PODS, 'kube-system/bound')).metadata.deletionGracePeriodSeconds, 30);
});

test('the end of a pod is seen as upstream shows it: marked with the last grace, then gone with it', async (t) => {
	await client.create(SERVICE_ACCOUNTS, { metadata: { name: 'default', namespace: 'default' } }).catch(() => {});
	const made = await client.create(PODS, {
		metadata: { name: 'ending', namespace: 'default' },
		spec: { containers: [{ name: 'c', image: 'i' }], nodeName: 'n' },
	});
	await client.delete(PODS, 'default/ending');
	const first = (await client.get(PODS, 'default/ending')).metadata.deletionTimestamp ?? '';
	await client.delete(PODS, 'default/ending', { gracePeriodSeconds: 0 });
	const stop = new AbortController();
	const seen: unknown[] = [];
	const asked = {
		...{ namespace: 'default', fieldSelector: 'metadata.name=ending', resourceVersion: made.metadata.resourceVersion ?? '' },
		signal: stop.signal,
	};
	for await (const event of client.watch(PODS, asked)) {
		if (event.type === 'BOOKMARK') continue;
		const { deletionGracePeriodSeconds, deletionTimestamp = '' } = event.object.metadata;
		seen.push([event.type, deletionGracePeriodSeconds, (Date.parse(first) - Date.parse(deletionTimestamp)) / 1000]);
		if (event.type === 'DELETED') break;
	}
	stop.abort();
	t.deepEqual(seen, [
		['MODIFIED', 30, 0],
		['MODIFIED', 0, 30],
		['DELETED', 0, 30],
	]);
});

test('a pod without containers is refused by field, not by accident', async (t) => {
	await client.create(SERVICE_ACCOUNTS, { metadata: { name: 'default', namespace: 'default' } }).catch(() => {}); // a controller's work elsewhere
	for (const spec of [{}, { containers: null }, { containers: [] }]) {
		const error = await t.throwsAsync(client.create(PODS, { metadata: { name: 'bare', namespace: 'default' }, spec }));
		t.is((error as StatusError).httpCode, 422, JSON.stringify(spec));
		t.regex(error?.message ?? '', /spec\.containers: Required value/);
	}
});

test('services: addresses and node ports are handed out once, however many ask at once, and come back', async (t) => {
	const service = (name: string, spec: object = {}) => ({
		metadata: { name, namespace: 'default' },
		spec: { ports: [{ port: 80 }], ...spec },
	});
	const many = await Promise.all(Array.from({ length: 40 }, (_, i) => client.create(SERVICES, service(`many-${i}`, { type: 'NodePort' }))));
	t.is(new Set(many.map((s) => s.spec?.clusterIP)).size, 40);
	t.is(new Set(many.map((s) => s.spec?.ports?.[0]?.nodePort)).size, 40);
	const [first] = many;
	const { clusterIP = '' } = first?.spec ?? {};
	const address = await client.get(IP_ADDRESSES, clusterIP);
	t.deepEqual(address.spec?.parentRef, { resource: 'services', namespace: 'default', name: 'many-0' });
	const taken = await t.throwsAsync(client.create(SERVICES, service('other', { clusterIP })));
	t.regex(taken?.message ?? '', /spec\.clusterIPs: Invalid value: \[".*"\]: failed to allocate IP .*: provided IP is already allocated/);
	// Told before anything else that is wrong.
	const nameless = await t.throwsAsync(client.create(SERVICES, { metadata: { namespace: 'default' }, spec: { ports: [] } }));
	t.regex(
		nameless?.message ?? '',
		/is invalid: spec\.clusterIPs: Invalid value: \[""\]: failed to allocate IP: IPAddress\.networking\.k8s\.io ".*" is invalid: spec\.parentRef\.name: Required value$/,
	);
	await client.delete(SERVICES, 'default/many-0');
	t.deepEqual(refused(await t.throwsAsync(client.get(IP_ADDRESSES, clusterIP))), [404, 'NotFound']);
	const again = await client.create(SERVICES, service('again', { clusterIP }));
	t.is(again.spec?.clusterIP, clusterIP);
	// A name needs no address.
	await client.update(SERVICES, { ...again, spec: { ...again.spec, type: 'ExternalName', externalName: 'a.b' } });
	t.deepEqual(refused(await t.throwsAsync(client.get(IP_ADDRESSES, clusterIP))), [404, 'NotFound']);
});
