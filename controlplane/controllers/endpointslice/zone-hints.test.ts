/** Endpoints that zones share (topology-mode Auto). The numbers of the tables are those of upstream's rules: at most 20 % more than an endpoint's share. */
import test from 'ava';
import type { Endpoint, EndpointSlice, Node, Pod, Service } from '../../../api/gen/types.ts';
import { ENDPOINT_SLICES, NODES, PODS, SERVICE_ACCOUNTS, SERVICES } from '../../../api/resources.ts';
import { controlledCluster } from '../../../test/fakes/controlled-cluster.ts';
import { withZoneHints } from './zone-hints.ts';
import { ZoneSharing } from './zone-sharing.ts';
import { allocationsOf, isOverloaded, zoneShares } from './zone-shares.ts';

const ZONE = 'topology.kubernetes.io/zone';
const node = (
	name: string,
	zone: string | undefined,
	cpu: string,
	more: { readonly ready?: boolean; readonly label?: string } = {},
): Node => ({
	metadata: {
		name,
		labels: { ...(zone === undefined ? {} : { [ZONE]: zone }), ...(more.label === undefined ? {} : { [more.label]: '' }) },
	},
	status: { allocatable: { cpu }, conditions: [{ type: 'Ready', status: more.ready === false ? 'False' : 'True' }] },
});
const shares = (record: Record<string, number>): ReadonlyMap<string, number> => new Map(Object.entries(record));

for (const [rule, nodes, want] of [
	['by CPUs', [node('1', 'a', '1'), node('2', 'b', '2'), node('3', 'b', '1')], { a: 0.25, b: 0.75 }],
	['one zone alone', [node('1', 'a', '1'), node('2', 'a', '2')], undefined],
	['a node of no zone', [node('1', 'a', '1'), node('2', 'b', '2'), node('3', undefined, '1')], undefined],
	['a node without CPUs', [node('1', 'a', '1'), node('2', 'b', '0')], undefined],
	['one that is not ready', [node('1', 'a', '1'), node('2', 'b', '1'), node('3', undefined, '1', { ready: false })], { a: 0.5, b: 0.5 }],
	[
		'one of the control plane',
		[node('1', 'a', '1'), node('2', 'b', '1'), node('3', 'c', '8', { label: 'node-role.kubernetes.io/control-plane' })],
		{ a: 0.5, b: 0.5 },
	],
] as const)
	test(`zoneShares(): ${rule}`, (t) => t.deepEqual(zoneShares(nodes), want === undefined ? undefined : shares(want)));

for (const [endpoints, record, want] of [
	[4, { a: 0.5, b: 0.5 }, { a: [2, 2, 2], b: [2, 2, 2] }],
	[6, { a: 0.25, b: 0.75 }, { a: [2, 2, 2], b: [4, 4, 4.5] }],
	[20, { a: 0.5, b: 0.5 }, { a: [9, 11, 10], b: [9, 11, 10] }],
	[1, { a: 0.5, b: 0.5 }, 'Insufficient number of endpoints (1 endpoints, 2 zones)'],
	[4, { a: 0.5, b: 0.25, c: 0.25 }, { a: [2, 2, 2], b: [1, 1, 1], c: [1, 1, 1] }],
] as const)
	test(`allocationsOf(): ${endpoints} endpoints among ${JSON.stringify(record)}`, (t) => {
		const found = allocationsOf(shares(record), endpoints);
		if (typeof found === 'string') return t.is(found, want as string);
		t.deepEqual(
			Object.fromEntries([...found].map(([zone, a]) => [zone, [a.minimum, a.maximum, a.desired]])),
			want as unknown as Record<string, number[]>,
		);
	});

test('a family that a service has dropped is of no zone any more', (t) => {
	const sharing = new ZoneSharing({ event: () => {} });
	const auto: Service = { metadata: { namespace: 'n', name: 's', annotations: { 'service.kubernetes.io/topology-mode': 'Auto' } } };
	const endpoint = (ip: string, zone: string): Endpoint => ({ addresses: [ip], zone, conditions: { ready: true } });
	const groups = [{ ports: [], endpoints: ['a', 'b'].flatMap((zone) => [1, 2, 3].map((i) => endpoint(`fd00::${zone}${i}`, zone))) }];
	sharing.plan('n/s', auto, 'IPv6', groups, [], () => shares({ a: 0.5, b: 0.5 }));
	t.deepEqual(
		sharing.overloaded(() => undefined),
		['n/s'],
	);
	sharing.forgetFamily('n/s', 'IPv6');
	t.deepEqual(
		sharing.overloaded(() => undefined),
		[],
	);
});

test('isOverloaded(): where a zone has fewer than its least', (t) => {
	t.true(isOverloaded(shares({ a: 1, b: 3 }), shares({ a: 0.5, b: 0.5 })));
	t.false(isOverloaded(shares({ a: 2, b: 2 }), shares({ a: 0.5, b: 0.5 })));
	t.true(isOverloaded(shares({ a: 4 }), shares({ a: 0.5, b: 0.5 })), 'a zone that has none');
	t.true(isOverloaded(shares({ a: 2, b: 2 }), undefined), 'nodes of which nothing is known');
	t.false(isOverloaded(shares({}), undefined));
});

const endpoint = (zone: string, hint?: string, ready = true): Endpoint => ({
	addresses: [zone],
	zone,
	conditions: { ready },
	...(hint === undefined ? {} : { hints: { forZones: [{ name: hint }] } }),
});
const slice = (name: string, ...endpoints: Endpoint[]): EndpointSlice => ({ metadata: { name }, addressType: 'IPv4', endpoints });
const none = { create: [], update: [], delete: [] };
const hintsOf = (slices: readonly EndpointSlice[]): readonly string[] =>
	slices.map((s) => (s.endpoints ?? []).map((e) => `${e.zone}>${(e.hints?.forZones ?? []).map((z) => z.name).join() || '-'}`).join(' '));
const HALVES = shares({ a: 0.5, b: 0.5 });

for (const [rule, create, kept, created, updated] of [
	['each zone has its own', [slice('n', endpoint('a'), endpoint('b'))], [], ['a>a b>b'], []],
	['what is not ready has none', [slice('n', endpoint('a'), endpoint('b'), endpoint('a', 'b', false))], [], ['a>a b>b a>-'], []],
	['one too many is for the other', [slice('n', endpoint('a'), endpoint('a'), endpoint('a'), endpoint('b'))], [], ['a>b a>a a>a b>b'], []],
	['what has its hints is left alone', [], [slice('k', endpoint('a', 'a'), endpoint('b', 'b'))], [], []],
	['a hint for a zone that is gone', [], [slice('k', endpoint('a', 'a'), endpoint('b', 'c'))], [], ['a>a b>b']],
	['an endpoint without a hint', [], [slice('k', endpoint('a', 'a'), endpoint('b'))], [], ['a>a b>b']],
	[
		'a slice that takes more than may be',
		[],
		[slice('k', endpoint('a', 'a'), endpoint('a', 'a')), slice('l', endpoint('a', 'a'), endpoint('b', 'b'))],
		[],
		['a>b b>b'],
	],
] as const)
	test(`withZoneHints(): ${rule}`, (t) => {
		const { plan, zones } = withZoneHints({ ...none, create }, kept, HALVES);
		t.not(typeof zones, 'string');
		t.deepEqual([hintsOf(plan.create), hintsOf(plan.update)], [created, updated] as unknown as (readonly string[])[]);
	});

for (const [rule, create, kept, found, why] of [
	['too few', [slice('n', endpoint('a', 'a'))], [], HALVES, /^Insufficient number of endpoints \(1 endpoints, 2 zones\)$/],
	['nothing known of nodes', [], [slice('k', endpoint('a', 'a'), endpoint('b', 'b'))], undefined, /^Insufficient Node information/],
	[
		'no zone',
		[slice('n', endpoint('a'), endpoint('a'), endpoint(''))],
		[slice('k', endpoint('b', 'b'))],
		HALVES,
		/^One or more endpoints do not have a zone/,
	],
] as const)
	test(`withZoneHints(): without hints, ${rule}`, (t) => {
		const { plan, zones } = withZoneHints({ ...none, create }, kept, found);
		t.regex(typeof zones === 'string' ? zones : '', why);
		for (const text of hintsOf([...plan.create, ...plan.update])) t.notRegex(text, />[a-z]/);
		t.is(plan.update.length, kept.length);
	});

const SERVICE = { apiVersion: 'v1', kind: 'Service', spec: { selector: { app: 'x' }, ports: [{ port: 80 }] } };
const pod = (name: string, nodeName: string): Pod => ({
	metadata: { name, namespace: 'default', labels: { app: 'x' } },
	spec: { nodeName, containers: [{ name: 'c', image: 'i' }] },
});

test('a service of mode Auto: hints come with enough endpoints, change with the nodes and go with the annotation', async (t) =>
	controlledCluster(
		async ({ client, events, pass, report }) => {
			const join = async (one: Node): Promise<void> => {
				await client.create(NODES, { ...one, apiVersion: 'v1', kind: 'Node' });
				await client.patch(NODES, one.metadata.name ?? '', { type: 'merge', body: { status: one.status } }, { subresource: 'status' });
			};
			await client.create(SERVICE_ACCOUNTS, {
				apiVersion: 'v1',
				kind: 'ServiceAccount',
				metadata: { name: 'default', namespace: 'default' },
			});
			await join(node('n1', 'a', '2'));
			await join(node('n2', 'b', '2'));
			const metadata = { name: 's', namespace: 'default', annotations: { 'service.kubernetes.io/topology-mode': 'Auto' } };
			await client.create(SERVICES, { ...SERVICE, metadata });
			const run = async (name: string, nodeName: string, ip: string): Promise<void> => {
				await client.create(PODS, { ...pod(name, nodeName), apiVersion: 'v1', kind: 'Pod' });
				await report(`default/${name}`, { phase: 'Running', podIPs: [{ ip }], podIP: ip, conditions: [{ type: 'Ready', status: 'True' }] });
			};
			const hints = async (): Promise<readonly string[]> => {
				await pass(3000);
				const { items } = await client.list(ENDPOINT_SLICES, { namespace: 'default', labelSelector: 'kubernetes.io/service-name=s' });
				return hintsOf(items)
					.flatMap((text) => text.split(' '))
					.toSorted();
			};
			await run('p1', 'n1', '10.0.0.1');
			t.deepEqual(await hints(), ['a>-']);
			await run('p2', 'n2', '10.0.0.2');
			t.deepEqual(await hints(), ['a>a', 'b>b']);
			await run('p3', 'n1', '10.0.0.3');
			await run('p4', 'n1', '10.0.0.4');
			t.deepEqual(await hints(), ['a>a', 'a>a', 'a>b', 'b>b']);
			await join(node('n3', undefined, '2'));
			t.deepEqual(await hints(), ['a>-', 'a>-', 'a>-', 'b>-']);
			await client.delete(NODES, 'n3');
			await client.patch(SERVICES, 'default/s', { type: 'merge', body: { metadata: { labels: { again: '' } } } });
			t.deepEqual(await hints(), ['a>a', 'a>a', 'a>b', 'b>b']);
			await client.patch(SERVICES, 'default/s', { type: 'merge', body: { metadata: { annotations: null } } });
			t.deepEqual(await hints(), ['a>-', 'a>-', 'a>-', 'b>-']);
			const told = await events('s');
			for (const text of [
				'TopologyAwareHintsDisabled: Insufficient number of endpoints (1 endpoints, 2 zones), addressType: IPv4',
				'TopologyAwareHintsEnabled: Topology Aware Hints has been enabled, addressType: IPv4',
				'TopologyAwareHintsDisabled: Insufficient Node information: allocatable CPU or zone not specified on one or more nodes, addressType: IPv4',
				'TopologyAwareHintsDisabled: Topology Aware Hints has been disabled, addressType: IPv4',
			])
				t.true(told.includes(text), `${text}, of ${told.join('; ')}`);
		},
		{ only: ['endpointslice-controller'] },
	));
