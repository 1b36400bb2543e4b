import test from 'ava';
import type { KubeObject, Resource } from '../../../api/resource.ts';
import { CUSTOM_RESOURCE_DEFINITIONS, RUNTIME_CLASSES } from '../../../api/resources.ts';
import { noLog } from '../../../base/log.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { testApiServer, type TestApiServer } from '../../../test/fakes/api-server.ts';
import { eventually } from '../../../test/tools/eventually.ts';
import { createMemoryStore } from '../../storage/memory-store.ts';

const NAME = 'runtimeclasses.node.k8s.io';
const V9: Resource<KubeObject> = { ...RUNTIME_CLASSES, version: 'v9' } as never;
const OLD = '/node.k8s.io/runtimeclasses/';
const NEW = '/node.k8s.io/runtimeclasses:custom/';
const approved = { 'api-approved.kubernetes.io': 'https://github.com/kubernetes/kubernetes/pull/1' };
const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };

async function established({ client }: TestApiServer): Promise<void> {
	await eventually('it is established', async () => {
		const { status } = await client.get(CUSTOM_RESOURCE_DEFINITIONS, NAME);
		return status?.conditions?.some(({ type, status: is }) => type === 'Established' && is === 'True') === true;
	});
}

test("custom resources of a built-in name move out of the built-in resource's folder", async (t) => {
	const clock = new VirtualClock();
	const store = createMemoryStore(clock);
	const serve = async (use: (api: TestApiServer) => Promise<void>): Promise<void> => {
		const stop = new AbortController();
		const api = await testApiServer({ clock, log: noLog, store }, stop.signal);
		await use(api);
		stop.abort();
		await api.stopped;
	};
	await serve(async (api) => {
		const { client } = api;
		await client.create(RUNTIME_CLASSES, { metadata: { name: 'built-in' }, handler: 'runc' });
		await client.create(CUSTOM_RESOURCE_DEFINITIONS, {
			metadata: { name: NAME, annotations: approved },
			spec: {
				...{ group: 'node.k8s.io', scope: 'Cluster', names: { plural: 'runtimeclasses', kind: 'RuntimeClass' } },
				versions: [{ name: 'v9', served: true, storage: true, schema }],
			},
		} as never);
		await established(api);
		for (const name of ['moves', 'stays'])
			await client.create(V9, { apiVersion: 'node.k8s.io/v9', kind: 'RuntimeClass', metadata: { name } });
	});
	// As they lay before; of one there is another by now.
	for (const name of ['moves', 'stays']) {
		const entry = store.get(NEW + name);
		if (entry === undefined) return t.fail(`${name} is not there`);
		const { revision, value } = entry;
		await store.commit([
			{ key: OLD + name, expect: 'absent', value },
			...(name === 'moves' ? [{ key: NEW + name, expect: revision }] : []),
		]);
	}
	await serve(async (api) => {
		await established(api);
		t.deepEqual((await api.client.list(V9)).items.map(({ metadata }) => metadata.name).toSorted(), ['moves', 'stays']);
	});
	t.deepEqual(
		store.list(OLD, {}).entries.map(({ key }) => key.slice(OLD.length)),
		['built-in', 'stays'],
	);
});
