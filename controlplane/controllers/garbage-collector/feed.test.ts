/** Which kinds are followed where discovery is behind, or a server cannot be asked. */
import test from 'ava';
import type { OwnerReference } from '../../../api/gen/types.ts';
import type { KubeObject, Resource } from '../../../api/resource.ts';
import { CONFIG_MAPS, CUSTOM_RESOURCE_DEFINITIONS, NAMESPACES } from '../../../api/resources.ts';
import { codeOf } from '../../../base/errors.ts';
import { readText } from '../../../base/lines.ts';
import { noLog } from '../../../base/log.ts';
import { runServices } from '../../../base/service.ts';
import type { Client } from '../../../client/client.ts';
import type { EventRecorder } from '../../../client/events.ts';
import { Informers } from '../../../client/informers.ts';
import { createClient } from '../../../client/rest.ts';
import type { Transport } from '../../../client/transport.ts';
import { controlledCluster, type ControlledCluster } from '../../../test/fakes/controlled-cluster.ts';
import { garbageCollector } from './service.ts';

interface ShownGroup {
	readonly metadata: { readonly name: string };
	readonly versions: readonly object[];
}
/** What discovery makes of a group. */
type Show = (group: ShownGroup) => readonly ShownGroup[];

const asItIs: Show = (group) => [group];
const absent: Show = () => [];
const stale: Show = (group) => [
	{ ...group, versions: group.versions.map((version) => ({ ...version, resources: [], freshness: 'Stale' })) },
];

const resource = (plural: string, kind: string): Resource => ({
	...{ group: 'x.io', version: 'v1', kind, plural, namespaced: true, subresources: [] },
});
const FOOS = resource('foos', 'Foo');
const EVENTS = resource('events', 'Event');

async function define(client: Client, { group, plural, kind, version }: Resource): Promise<void> {
	await client.create(CUSTOM_RESOURCE_DEFINITIONS, {
		...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
		metadata: { name: `${plural}.${group}` },
		spec: {
			...{ group, scope: 'Namespaced', names: { plural, kind } },
			versions: [{ name: version, served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
		},
	} as KubeObject);
}

/** An object whose owner has never been there. */
async function stray(client: Client, of: Resource, name: string): Promise<void> {
	const owner: OwnerReference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'gone', uid: 'gone' };
	const apiVersion = of.group === '' ? of.version : `${of.group}/${of.version}`;
	await client.create(of, { apiVersion, kind: of.kind, metadata: { namespace: 'a', name, ownerReferences: [owner] } });
}

const exists = async (client: Client, of: Resource, name: string): Promise<boolean> =>
	client.get(of, `a/${name}`).then(
		() => true,
		(error: unknown) => {
			if (codeOf(error) === 'NotFound') return false;
			throw error;
		},
	);

interface Collected extends ControlledCluster {
	/** How the group x.io is shown from now on. */
	show(as: Show): void;
	/** Reads of discovery so far. */
	reads(): number;
}

async function collected(body: (cluster: Collected) => Promise<void>): Promise<void> {
	await controlledCluster(
		async (cluster) => {
			const { client, clock, until } = cluster;
			await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a' } });
			const stop = new AbortController();
			let shown = asItIs;
			let reads = 0;
			let isReady = false;
			const seen = withDiscovery(
				client,
				(group) => shown(group),
				() => reads++,
			);
			const informers = new Informers({ client, clock, log: noLog });
			const recorder = { event: () => {} } as unknown as EventRecorder;
			const collector = garbageCollector({ client: seen, informers, clock, log: noLog, recorder, after: [informers.name] });
			const running = runServices([informers, collector], stop.signal, () => (isReady = true));
			try {
				await until(async () => isReady);
				await body({ ...cluster, show: (as) => (shown = as), reads: () => reads });
			} finally {
				stop.abort();
				await running;
			}
		},
		{ only: [] },
	);
}

function withDiscovery(client: Client, show: Show, read: () => void): Client {
	const transport: Transport = {
		...client.transport,
		request: async (request, signal) => {
			const answer = await client.transport.request(request, signal);
			if (request.path !== '/apis') return answer;
			read();
			const list = JSON.parse(await readText(answer.body)) as { readonly items: readonly ShownGroup[] };
			const items = list.items.flatMap((group) => (group.metadata.name === 'x.io' ? show(group) : [group]));
			return { ...answer, body: bytes(JSON.stringify({ ...list, items })) };
		},
	};
	return createClient(transport);
}

async function* bytes(text: string): AsyncGenerator<Uint8Array, void> {
	yield Buffer.from(text);
}

for (const [name, before] of [
	['is not in discovery yet', absent],
	['is stale in discovery', stale],
] as const)
	test(`a kind that ${name} is followed once it is, and nothing is asked from then on`, async (t) =>
		collected(async ({ client, pass, show, reads }) => {
			show(before);
			await define(client, FOOS);
			await pass(20_000);
			await stray(client, FOOS, 'stray');
			await pass(5000);
			t.true(await exists(client, FOOS, 'stray'));
			show(asItIs);
			for (let i = 0; i < 4; i++) await pass(10_000);
			t.false(await exists(client, FOOS, 'stray'));
			const were = reads();
			await pass(120_000);
			t.is(reads(), were);
		}));

for (const [name, before] of [
	['has left discovery for a moment', absent],
	['becomes stale', stale],
] as const)
	test(`a kind that ${name} is followed on`, async (t) =>
		collected(async ({ client, pass, show, reads }) => {
			await define(client, FOOS);
			await pass(5000);
			show(before);
			const were = reads();
			await define(client, EVENTS);
			await pass(5000);
			t.true(reads() > were);
			await stray(client, FOOS, 'stray');
			await pass();
			t.false(await exists(client, FOOS, 'stray'));
		}));

test('events of other groups than those of Kubernetes are followed', async (t) =>
	collected(async ({ client, pass }) => {
		await define(client, EVENTS);
		await pass(5000);
		await stray(client, EVENTS, 'stray');
		await stray(client, CONFIG_MAPS, 'stray');
		await pass();
		t.false(await exists(client, CONFIG_MAPS, 'stray'));
		t.false(await exists(client, EVENTS, 'stray'));
	}));
