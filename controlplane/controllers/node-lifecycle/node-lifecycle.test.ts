import test from 'ava';
import type { Node } from '../../../api/gen/types.ts';
import { NODES, PODS } from '../../../api/resources.ts';
import { controlledCluster, type ControlledCluster } from '../../../test/fakes/controlled-cluster.ts';
import { evictionIntervalMs, Evictions } from './evictions.ts';

const node = (ready: boolean, zone = 'a', name = 'n'): Node => ({
	metadata: { name, labels: { 'topology.kubernetes.io/zone': zone } },
	status: { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
});
const zone = (ready: number, lost: number): readonly Node[] => [
	...Array.from({ length: ready }, () => node(true)),
	...Array.from({ length: lost }, () => node(false)),
];

for (const [rule, nodes, want] of [
	['one of many', zone(5, 1), 10_000],
	['a zone as a whole', zone(0, 3), 10_000],
	['most of a few nodes: two are no failure of the network', zone(1, 2), 10_000],
	['most of a small zone', zone(2, 3), undefined],
	['most of a large zone', zone(20, 40), 100_000],
] as const)
	test(`evictionIntervalMs(): ${rule}`, (t) => t.is(evictionIntervalMs(nodes), want));

test('Evictions: each zone has its turns', (t) => {
	const nodes = [node(false, 'a', 'a1'), node(true, 'a', 'a2'), node(true, 'a', 'a3'), node(false, 'b', 'b1'), node(true, 'b', 'b2')];
	const [first, second, , other] = nodes as [Node, Node, Node, Node];
	const evictions = new Evictions();
	t.deepEqual(
		[first, second, other].map((one) => evictions.take(one, nodes, 1000)),
		[0, 10_000, 0],
	);
	t.is(evictions.take(second, nodes, 8000), 3000);
	t.is(evictions.take(second, nodes, 11_000), 0);
});

test('Evictions: nodes that are excluded from disruption are no part of their zone', (t) => {
	const apart = (one: Node): Node => ({
		...one,
		metadata: { ...one.metadata, labels: { ...one.metadata.labels, 'node.kubernetes.io/exclude-disruption': 'true' } },
	});
	const lost = [node(false, 'a', 'a1'), node(false, 'a', 'a2'), node(false, 'a', 'a3')];
	t.is(new Evictions().take(lost[0] as Node, [...lost, node(true), node(true)], 1000), 5000, 'most of a small zone');
	t.is(new Evictions().take(lost[0] as Node, [...lost, apart(node(true)), apart(node(true))], 1000), 0, 'a zone as a whole');
	t.is(new Evictions().take(lost[0] as Node, [...lost.map(apart), node(true)], 1000), 0, 'none that counts');
});

async function lost({ client, pass }: ControlledCluster, ...names: readonly string[]): Promise<void> {
	for (const name of names) {
		const made = await client.get(NODES, name);
		const conditions = [{ type: 'Ready', status: 'False' }];
		await client.update(NODES, { ...made, status: { ...made.status, conditions } }, { subresource: 'status' });
	}
	await pass();
}

test('nodes: the last one that falls silent keeps its pods', async (t) => {
	await controlledCluster(
		async ({ client, pass }) => {
			const made = await client.create(NODES, { metadata: { name: 'n1' } });
			await client.update(NODES, { ...made, status: { conditions: [{ type: 'Ready', status: 'True' }] } }, { subresource: 'status' });
			const effects = new Set<string>();
			for (let i = 0; i < 60; i++) {
				await pass(1000);
				for (const { effect } of (await client.get(NODES, 'n1')).spec?.taints ?? []) effects.add(effect);
			}
			t.deepEqual([...effects], ['NoSchedule']);
		},
		{ only: ['node-controller'] },
	);
});

test('nodes: where all fall silent at once none is evicted', async (t) => {
	await controlledCluster(
		async ({ client, pass }) => {
			const names = ['n1', 'n2', 'n3'];
			for (const name of names) {
				const made = await client.create(NODES, { metadata: { name } });
				await client.update(NODES, { ...made, status: { conditions: [{ type: 'Ready', status: 'True' }] } }, { subresource: 'status' });
			}
			const effects = new Set<string>();
			for (let i = 0; i < 60; i++) {
				await pass(1000);
				for (const { spec } of (await client.list(NODES)).items) for (const { effect } of spec?.taints ?? []) effects.add(effect);
			}
			t.deepEqual([...effects], ['NoSchedule']);
		},
		{ only: ['node-controller'] },
	);
});

test('nodes: one that is being evicted is let be as soon as no other is left', async (t) => {
	await controlledCluster(
		async ({ client, pass }) => {
			const tell = async (name: string, lastHeartbeatTime: string): Promise<void> => {
				const conditions = [{ type: 'Ready', status: 'True', lastHeartbeatTime }];
				await client.update(NODES, { ...(await client.get(NODES, name)), status: { conditions } }, { subresource: 'status' });
			};
			for (const name of ['n1', 'n2']) {
				await client.create(NODES, { metadata: { name } });
				await tell(name, '2000-01-01T00:00:00Z');
			}
			await pass(20_000);
			await tell('n2', '2000-01-01T00:00:20Z');
			await pass(35_000);
			const effects = async (): Promise<unknown> => (await client.get(NODES, 'n1')).spec?.taints?.map(({ effect }) => effect);
			t.deepEqual(await effects(), ['NoSchedule', 'NoExecute']);
			await pass(25_000);
			t.deepEqual(await effects(), ['NoSchedule']);
		},
		{ only: ['node-controller'] },
	);
});

test('nodes: coming and going is told of, lost ones are evicted one after the other, and their pods hear of it', async (t) => {
	await controlledCluster(
		async (cluster) => {
			const { client, pass, report, events } = cluster;
			for (const name of ['n1', 'n2', 'n3', 'n4']) {
				const made = await client.create(NODES, { metadata: { name } });
				const conditions = [{ type: 'Ready', status: 'True' }];
				await client.update(NODES, { ...made, status: { conditions } }, { subresource: 'status' });
			}
			await client.create(PODS, {
				metadata: { namespace: 'default', name: 'p' },
				spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'i' }] },
			});
			await report('default/p', { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] });
			await pass();
			await lost(cluster, 'n1', 'n2');
			const evicted = async (): Promise<number> => {
				const { items } = await client.list(NODES);
				return items.filter((one) => one.spec?.taints?.some(({ effect }) => effect === 'NoExecute') === true).length;
			};
			t.is(await evicted(), 1);
			await pass(10_000);
			t.is(await evicted(), 2);
			t.deepEqual(await events('p'), ['NodeNotReady: Node is not ready']);
			await client.delete(NODES, 'n4');
			await pass();
			t.deepEqual(await events('n4'), [
				'RegisteredNode: Node n4 event: Registered Node n4 in Controller',
				'RemovingNode: Node n4 event: Removing Node n4 from Controller',
			]);
		},
		{ only: ['node-controller', 'serviceaccount-controller'] },
	);
});
