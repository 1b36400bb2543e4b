import test from 'ava';
import type { EndpointSlice, Pod, Service } from '../../../api/gen/types.ts';
import type { Resource } from '../../../api/resource.ts';
import { ENDPOINT_SLICES, ENDPOINTS, PODS, SERVICE_ACCOUNTS, SERVICES } from '../../../api/resources.ts';
import { AppError } from '../../../base/errors.ts';
import { noLog } from '../../../base/log.ts';
import { runServices } from '../../../base/service.ts';
import type { Client } from '../../../client/client.ts';
import { createController } from '../../../client/controller.ts';
import type { EventRecorder } from '../../../client/events.ts';
import { Informers } from '../../../client/informers.ts';
import { controlledCluster } from '../../../test/fakes/controlled-cluster.ts';
import { endpointsController } from './controller.ts';
import { repack, truncated } from './subsets.ts';
import { TriggerTimes } from './trigger-times.ts';
import { wantedSubsets } from './wanted.ts';

const [http, dns] = [
	{ name: 'http', port: 80 },
	{ name: 'dns', port: 53, protocol: 'UDP' },
];
const at = (ip: string, uid = ip) => ({ ip, targetRef: { uid } });

for (const [name, subsets, want] of [
	[
		'ports with the same addresses stand together',
		[
			{ addresses: [at('10.0.0.2')], ports: [http] },
			{ addresses: [at('10.0.0.1')], ports: [http] },
			{ addresses: [at('10.0.0.1'), at('10.0.0.2')], ports: [dns] },
		],
		[{ addresses: [at('10.0.0.1'), at('10.0.0.2')], ports: [dns, http] }],
	],
	[
		'other ports, other subset',
		[
			{ addresses: [at('10.0.0.1')], ports: [http, dns] },
			{ addresses: [at('10.0.0.2')], ports: [http] },
		],
		[
			{ addresses: [at('10.0.0.1')], ports: [dns] },
			{ addresses: [at('10.0.0.1'), at('10.0.0.2')], ports: [http] },
		],
	],
	[
		'not ready trumps ready',
		[
			{ addresses: [at('10.0.0.1')], ports: [http] },
			{ notReadyAddresses: [at('10.0.0.1')], ports: [http] },
		],
		[{ notReadyAddresses: [at('10.0.0.1')], ports: [http] }],
	],
	['no ports is a set of its own', [{ addresses: [at('10.0.0.1')] }], [{ addresses: [at('10.0.0.1')] }]],
] as const)
	test(`repack(): ${name}`, (t) => t.deepEqual(repack(subsets as never), want as never));

test('truncated(): ready addresses first, each subset in its proportion', (t) => {
	const many = (n: number, from = 0) => Array.from({ length: n }, (_, i) => at(`10.${from}.${i >> 8}.${i & 255}`));
	t.false(truncated([{ addresses: many(1000) }]).isTruncated);
	const cut = truncated([{ addresses: many(900), notReadyAddresses: many(300, 1) }, { notReadyAddresses: many(100, 2) }]);
	t.true(cut.isTruncated);
	t.deepEqual(
		cut.subsets.map((s) => [s.addresses?.length ?? 0, s.notReadyAddresses?.length ?? 0]),
		[
			[900, 75],
			[0, 25],
		],
	);
	t.is(truncated([{ addresses: many(1500), notReadyAddresses: many(9, 1) }]).subsets[0]?.addresses?.length, 1000);
});

const pod = (name: string, ready: boolean, more: Partial<Pod['status']> = {}, metadata: object = {}): Pod => ({
	metadata: { namespace: 'n', name, uid: name, ...metadata },
	spec: { nodeName: 'n1', containers: [{ name: 'c', ports: [{ name: 'web', containerPort: 8080 }] }] },
	status: {
		phase: 'Running',
		podIPs: [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }],
		conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
		...more,
	},
});
const service = (spec: Service['spec']): Service => ({ metadata: { namespace: 'n', name: 's' }, spec });

for (const [name, spec, one, want] of [
	['ready', {}, pod('a', true), 'ready 10.0.0.1'],
	['not ready', {}, pod('a', false), 'waits 10.0.0.1'],
	['not ready, of a service that publishes all', { publishNotReadyAddresses: true }, pod('a', false), 'ready 10.0.0.1'],
	['going', {}, pod('a', true, {}, { deletionTimestamp: 'now' }), undefined],
	['over', {}, pod('a', true, { phase: 'Failed' }), undefined],
	['without an address', {}, pod('a', true, { podIPs: [] }), undefined],
	['of two families, in the first of the service', { ipFamilies: ['IPv6'] }, pod('a', true), 'ready fd00::1'],
] as const)
	test(`wantedSubsets(): a pod that is ${name}`, (t) => {
		const [subset] = wantedSubsets(service({ ports: [{ port: 80, targetPort: 'web' }], ...spec } as never), [one]);
		const found = subset?.addresses === undefined ? subset?.notReadyAddresses : subset.addresses;
		t.is(found === undefined ? undefined : `${subset?.addresses === undefined ? 'waits' : 'ready'} ${found[0]?.ip}`, want);
		if (subset !== undefined) t.is(subset.ports?.[0]?.port, 8080);
	});

test('a change has the time of the earliest thing that is new', (t) => {
	const times = new TriggerTimes();
	const created = { ...service({}), metadata: { creationTimestamp: '2026-01-01T00:00:10Z' } };
	const ready = (name: string, lastTransitionTime: string): Pod => ({
		metadata: { name },
		status: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime }] },
	});
	t.is(times.next('n/s', created, []), '2026-01-01T00:00:10Z');
	times.undo('n/s');
	t.is(times.next('n/s', created, []), '2026-01-01T00:00:10Z', 'what could not be written is new again');
	t.is(times.next('n/s', created, []), undefined);
	t.is(times.next('n/s', created, [ready('a', '2026-01-01T00:00:30Z'), ready('b', '2026-01-01T00:00:20Z')]), '2026-01-01T00:00:20Z');
	t.is(times.next('n/s', created, [ready('a', '2026-01-01T00:00:40Z'), ready('b', '2026-01-01T00:00:20Z')]), '2026-01-01T00:00:40Z');
	t.is(times.next('n/other', created, [ready('a', '2026-01-01T00:00:05Z')]), '2026-01-01T00:00:10Z', 'a service that is new');
});

test('Endpoints follow pods and services; what people write is mirrored into slices', async (t) => {
	await controlledCluster(
		async ({ client, pass, report, events, refusals }) => {
			await client.create(SERVICE_ACCOUNTS, { metadata: { namespace: 'default', name: 'default' } });
			const labels = { app: 'x' };
			await client.create(SERVICES, {
				metadata: { namespace: 'default', name: 's', labels },
				spec: { selector: labels, ports: [{ port: 80 }] },
			});
			await client.create(PODS, {
				metadata: { namespace: 'default', name: 'p', labels },
				spec: { containers: [{ name: 'c', image: 'i' }] },
			});
			// Written for the service first: what is new after that is the pod's.
			await pass();
			await report('default/p', {
				phase: 'Running',
				podIP: '10.1.0.9',
				podIPs: [{ ip: '10.1.0.9' }],
				conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:03Z' }],
			});
			await pass();
			const made = await client.get(ENDPOINTS, 'default/s');
			t.deepEqual(made.metadata.labels, { app: 'x', 'endpoints.kubernetes.io/managed-by': 'endpoint-controller' });
			t.is(made.metadata.annotations?.['endpoints.kubernetes.io/last-change-trigger-time'], '2026-01-01T00:00:03Z');
			t.like(made.subsets?.[0], {
				addresses: [{ ip: '10.1.0.9', targetRef: { kind: 'Pod', name: 'p' } }],
				ports: [{ port: 80, protocol: 'TCP' }],
			});
			await client.delete(ENDPOINTS, 'default/s');
			await pass();
			t.is((await client.get(ENDPOINTS, 'default/s')).subsets?.length, 1);
			const slices = async (name: string): Promise<readonly EndpointSlice[]> =>
				(await client.list(ENDPOINT_SLICES, { namespace: 'default', labelSelector: `kubernetes.io/service-name=${name}` })).items;
			t.deepEqual(await slices('s'), []);
			await client.delete(SERVICES, 'default/s');
			await pass();
			await t.throwsAsync(client.get(ENDPOINTS, 'default/s'), { message: /not found/ });

			await client.create(SERVICES, { metadata: { namespace: 'default', name: 'own' }, spec: { ports: [{ port: 80 }] } });
			const subsets = [
				{ addresses: [{ ip: '192.0.2.1' }, { ip: 'fd00::7' }], notReadyAddresses: [{ ip: '192.0.2.2' }], ports: [{ name: 'a', port: 80 }] },
			];
			await client.create(ENDPOINTS, { metadata: { namespace: 'default', name: 'own', labels: { mine: 'yes' } }, subsets });
			await pass();
			const mirrored = await slices('own');
			t.deepEqual(mirrored.map((s) => s.addressType).toSorted(), ['IPv4', 'IPv6']);
			const [four] = mirrored.filter((s) => s.addressType === 'IPv4');
			t.like(four?.metadata.labels, { mine: 'yes', 'endpointslice.kubernetes.io/managed-by': 'endpointslicemirroring-controller.k8s.io' });
			t.deepEqual(
				four?.endpoints?.map((e) => [e.addresses[0], e.conditions?.ready]),
				[
					['192.0.2.1', true],
					['192.0.2.2', false],
				],
			);
			t.like(four?.metadata.ownerReferences?.[0], { kind: 'Endpoints', name: 'own', controller: true });
			// In another form than slices may have.
			const long = [{ addresses: [{ ip: '2001:DB8:0::7' }], ports: [{ name: 'a', port: 80 }] }];
			await client.patch(ENDPOINTS, 'default/own', { type: 'merge', body: { subsets: long } });
			await pass();
			t.deepEqual(
				(await slices('own')).map((s) => s.endpoints?.[0]?.addresses[0]),
				['2001:db8::7'],
			);
			await client.patch(ENDPOINTS, 'default/own', { type: 'merge', body: { subsets } });
			await pass();
			const before = (await slices('own')).find((s) => s.addressType === 'IPv4')?.metadata.name;
			const moved = [{ addresses: [{ ip: '192.0.2.3' }], ports: [{ name: 'a', port: 81 }] }];
			await client.patch(ENDPOINTS, 'default/own', { type: 'merge', body: { subsets: moved } });
			await pass();
			t.deepEqual(
				(await slices('own')).map((s) => [s.metadata.name, s.ports?.[0]?.port, s.endpoints?.[0]?.addresses[0]]),
				[[before, 81, '192.0.2.3']],
			);
			await client.patch(ENDPOINTS, 'default/own', {
				type: 'merge',
				body: { metadata: { labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } } },
			});
			await pass();
			t.deepEqual(await slices('own'), []);
			t.deepEqual(await events('own'), []);
			t.deepEqual(refusals, []);
		},
		{ only: ['endpoints-controller', 'endpointslice-mirroring-controller'] },
	);
});

test('endpoints of the API server, whose Service is deleted, come back with it and stay', async (t) => {
	await controlledCluster(async ({ client, pass }) => {
		const shown = async (): Promise<unknown> => {
			const { subsets } = await client.get(ENDPOINTS, 'default/kubernetes');
			const { endpoints } = await client.get(ENDPOINT_SLICES, 'default/kubernetes');
			return [
				(await client.get(SERVICES, 'default/kubernetes')).spec?.clusterIP,
				subsets?.[0]?.addresses?.[0]?.ip,
				endpoints?.[0]?.addresses[0],
			];
		};
		await pass(60_000);
		const { uid } = (await client.get(SERVICES, 'default/kubernetes')).metadata;
		t.deepEqual(await shown(), ['10.0.0.1', '192.0.2.1', '192.0.2.1']);
		for (let i = 0; i < 3; i++) {
			await client.delete(SERVICES, 'default/kubernetes');
			await pass(10_500);
			t.deepEqual(await shown(), ['10.0.0.1', '192.0.2.1', '192.0.2.1']);
		}
		t.not((await client.get(SERVICES, 'default/kubernetes')).metadata.uid, uid);
		await pass(60_000);
		t.deepEqual(await shown(), ['10.0.0.1', '192.0.2.1', '192.0.2.1']);
	});
});

test('what was left behind without a service goes at the start, but locks and what the API server keeps', async (t) =>
	controlledCluster(
		async ({ client, clock, pass, until }) => {
			for (const name of ['left', 'kept']) await client.create(ENDPOINTS, { metadata: { namespace: 'default', name } });
			const annotations = { 'control-plane.alpha.kubernetes.io/leader': '{}' };
			await client.create(ENDPOINTS, { metadata: { namespace: 'default', name: 'lock', annotations } });
			await client.create(SERVICES, { metadata: { namespace: 'default', name: 'kept' }, spec: { ports: [{ port: 80 }] } });
			const informers = new Informers({ client, clock, log: noLog });
			const recorder: EventRecorder = { event: () => {} };
			const name = 'endpoints-controller';
			const reconciler = endpointsController({ client: withoutService(client, 'default/kubernetes'), informers, recorder });
			const stop = new AbortController();
			let isReady = false;
			const controller = createController({ name, ...reconciler, clock, log: noLog, after: [informers.name] });
			const running = runServices([informers, controller], stop.signal, () => (isReady = true));
			await until(async () => isReady);
			// Others may come whenever they want.
			await client.create(ENDPOINTS, { metadata: { namespace: 'default', name: 'later' } });
			await pass();
			const { items } = await client.list(ENDPOINTS, { namespace: 'default' });
			t.deepEqual(items.map(({ metadata }) => metadata.name).toSorted(), ['kept', 'kubernetes', 'later', 'lock']);
			stop.abort();
			await running;
		},
		{ only: [] },
	));

test('Endpoints that another wrote meanwhile are written again, and nothing is told', async (t) => {
	let conflicts = 0;
	const through = (client: Client): Client =>
		changed(client, 'update', (resource) => {
			if (resource.plural === 'endpoints' && conflicts++ === 0) throw new AppError('Aborted', 'conflict');
		});
	await controlledCluster(
		async ({ client, pass, events }) => {
			const metadata = { namespace: 'default', name: 's' };
			await client.create(SERVICES, { metadata, spec: { selector: { app: 'x' }, ports: [{ port: 80 }] } });
			await pass();
			await client.patch(SERVICES, 'default/s', { type: 'merge', body: { metadata: { labels: { mine: 'yes' } } } });
			await pass();
			t.is(conflicts, 2);
			t.is((await client.get(ENDPOINTS, 'default/s')).metadata.labels?.['mine'], 'yes');
			t.deepEqual(await events('s'), []);
		},
		{ only: ['endpoints-controller'], through },
	);
});

/** What asks for a service is told that there is none. */
function withoutService(client: Client, hidden: string): Client {
	return changed(client, 'get', (resource, key) => {
		if (resource.plural === 'services' && key === hidden) throw new AppError('NotFound', 'gone');
	});
}

/** `before` is called with what a method is asked. */
function changed(client: Client, method: 'get' | 'update', before: (resource: Resource, of: unknown) => void): Client {
	return new Proxy(client, {
		get(target, property) {
			if (property === 'as') return (agent: string) => changed(target.as(agent), method, before);
			const own: unknown = Reflect.get(target, property);
			if (typeof own !== 'function') return own;
			return async (resource: Resource, of: unknown, ...more: readonly unknown[]): Promise<unknown> => {
				if (property === method) before(resource, of);
				return Reflect.apply(own, target, [resource, of, ...more]) as unknown;
			};
		},
	});
}
