/** Slices in a cluster: what is written, and what is told where it cannot be. */
import test from 'ava';
import type { EndpointSlice } from '../../../api/gen/types.ts';
import { ENDPOINT_SLICES, EVENTS, NODES, PODS, SERVICE_ACCOUNTS, SERVICES } from '../../../api/resources.ts';
import { forbidden, StatusError } from '../../../api/status.ts';
import { AppError, codeOf, type ErrorCode } from '../../../base/errors.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import type { Client } from '../../../client/client.ts';
import { controlledCluster } from '../../../test/fakes/controlled-cluster.ts';
import { SliceTracker } from './tracker.ts';
import { perform } from './writes.ts';

const denied = forbidden(ENDPOINT_SLICES, 's-', 'no');
const going = new StatusError({ ...denied.status, details: { causes: [{ reason: 'NamespaceTerminating', field: 'metadata.namespace' }] } });
const slice: EndpointSlice = { metadata: { generateName: 's-', namespace: 'n' }, addressType: 'IPv4', endpoints: [] };

for (const [name, error, retried] of [
	['a namespace that is going takes nothing more: the service is let be', going, false],
	['what is forbidden otherwise is tried again', denied, true],
] as const)
	test(`perform(): ${name}`, async (t) => {
		const client = { create: () => Promise.reject(error) } as unknown as Client;
		const tracker = new SliceTracker(new VirtualClock());
		const plan = { create: [slice], update: [], delete: [] };
		const written = perform(client, tracker, ['Service', 'n/s'], plan, new AbortController().signal);
		if (retried) await t.throwsAsync(written, { message: `failed to create EndpointSlice for Service n/s: ${error.message}` });
		else await t.notThrowsAsync(written);
		t.false(tracker.isStale('n/s', []));
	});

test('perform(): a slice that is gone by now is looked at again as one that another wrote', async (t) => {
	const client = { update: () => Promise.reject(new AppError('NotFound', 'gone')) } as unknown as Client;
	const plan = { create: [], update: [slice], delete: [] };
	const written = perform(client, new SliceTracker(new VirtualClock()), ['Service', 'n/s'], plan, new AbortController().signal);
	const error = await t.throwsAsync(written);
	t.is(codeOf(error), 'Aborted');
});

/** Deletes a slice just before its first update. */
function losing(client: Client, lost: Set<string>): Client {
	return new Proxy(client, {
		get(target, property) {
			if (property === 'as') return (agent: string) => losing(target.as(agent), lost);
			const own: unknown = Reflect.get(target, property);
			if (property !== 'update') return typeof own === 'function' ? (own.bind(target) as unknown) : own;
			return async (...asked: Parameters<Client['update']>) => {
				const [resource, { metadata }] = asked;
				if (resource.plural === 'endpointslices' && lost.size === 0) {
					lost.add(metadata.name ?? '');
					await target.delete(resource, `${metadata.namespace}/${metadata.name}`);
				}
				return await target.update(...asked);
			};
		},
	});
}

test('a slice that went before its update is replaced at once, and nothing is told', async (t) => {
	const lost = new Set<string>();
	await controlledCluster(
		async ({ client, pass, report, events }) => {
			await client.create(SERVICE_ACCOUNTS, { metadata: { namespace: 'default', name: 'default' } });
			await client.create(NODES, { metadata: { name: 'n1' } });
			const labels = { app: 'x' };
			const selecting = { selector: labels, ports: [{ port: 80 }] };
			await client.create(SERVICES, { metadata: { namespace: 'default', name: 's' }, spec: selecting });
			await pass();
			const spec = { nodeName: 'n1', containers: [{ name: 'c', image: 'i' }] };
			await client.create(PODS, { metadata: { namespace: 'default', name: 'p', labels }, spec });
			const ip = '10.0.0.1';
			await report('default/p', { phase: 'Running', podIPs: [{ ip }], podIP: ip, conditions: [{ type: 'Ready', status: 'True' }] });
			await pass(100);
			const { items } = await client.list(ENDPOINT_SLICES, { namespace: 'default', labelSelector: 'kubernetes.io/service-name=s' });
			t.deepEqual(
				items.map(({ endpoints = [] }) => endpoints.map((e) => e.addresses[0])),
				[[ip]],
			);
			t.is(lost.size, 1);
			t.false(lost.has(items[0]?.metadata.name ?? ''));
			t.deepEqual(await events('s'), []);
		},
		{ only: ['endpointslice-controller'], through: (client) => losing(client, lost) },
	);
});

test('slices of a service that is going follow its pods; a pod of a node that nobody knows is told of, and comes with its node', async (t) =>
	controlledCluster(
		async ({ client, pass, report, events }) => {
			await client.create(SERVICE_ACCOUNTS, { metadata: { namespace: 'default', name: 'default' } });
			await client.create(NODES, { metadata: { name: 'n1' } });
			const labels = { app: 'x' };
			const run = async (name: string, nodeName: string, ip: string): Promise<void> => {
				const spec = { nodeName, containers: [{ name: 'c', image: 'i' }] };
				await client.create(PODS, { metadata: { namespace: 'default', name, labels }, spec });
				await report(`default/${name}`, { phase: 'Running', podIPs: [{ ip }], podIP: ip, conditions: [{ type: 'Ready', status: 'True' }] });
				await pass();
			};
			const shown = async (): Promise<readonly unknown[]> => {
				const { items } = await client.list(ENDPOINT_SLICES, { namespace: 'default', labelSelector: 'kubernetes.io/service-name=s' });
				return items.map(({ metadata, endpoints = [] }) => [metadata.name, ...endpoints.map((e) => e.addresses[0])]);
			};
			const metadata = { namespace: 'default', name: 's', finalizers: ['x.io/stay'] };
			await client.create(SERVICES, { metadata, spec: { selector: labels, ports: [{ port: 80 }] } });
			await run('p1', 'n1', '10.0.0.1');
			const [[name]] = (await shown()) as [[string]];
			t.deepEqual(await shown(), [[name, '10.0.0.1']]);
			await run('p2', 'n2', '10.0.0.2');
			const [told] = await events('s');
			t.is(
				told,
				'FailedToUpdateEndpointSlices: Error updating Endpoint Slices for Service default/s: skipping Pod p2 for Service default/s: Node n2 Not Found',
			);
			t.is((await client.list(EVENTS)).items[0]?.source?.component, 'endpoint-slice-controller');
			await client.create(NODES, { metadata: { name: 'n2' } });
			await pass();
			t.deepEqual(await shown(), [[name, '10.0.0.1', '10.0.0.2']]);
			await client.delete(SERVICES, 'default/s');
			await client.delete(PODS, 'default/p1', { gracePeriodSeconds: 0 });
			await pass();
			t.deepEqual(await shown(), [[name, '10.0.0.2']]);
			await client.delete(ENDPOINT_SLICES, `default/${name}`);
			await pass(5000);
			t.deepEqual(await shown(), []);
		},
		{ only: ['endpointslice-controller'] },
	));

/** Its first writes of slices of a family fail. */
function refusing(client: Client, refused: { family: string; code: ErrorCode; left: number }): Client {
	return new Proxy(client, {
		get(target, property) {
			if (property === 'as') return (agent: string) => refusing(target.as(agent), refused);
			const own: unknown = Reflect.get(target, property);
			if (property !== 'create') return typeof own === 'function' ? (own.bind(target) as unknown) : own;
			return async (...asked: Parameters<Client['create']>) => {
				const { addressType } = asked[1] as EndpointSlice;
				if (addressType === refused.family && refused.left-- > 0) throw new AppError(refused.code, `no ${addressType}`);
				return await target.create(...asked);
			};
		},
	});
}

for (const family of ['IPv4', 'IPv6'])
	test(`a failure of one family keeps the other's slices from nothing: ${family} fails`, async (t) => {
		const refused = { family, code: 'Internal', left: 3 } as const;
		await controlledCluster(
			async ({ client, pass, events }) => {
				const spec = { selector: { app: 'x' }, ports: [{ port: 80 }], clusterIP: 'None', ipFamilyPolicy: 'RequireDualStack' };
				await client.create(SERVICES, { metadata: { namespace: 'default', name: 's' }, spec });
				const shown = async (): Promise<readonly string[]> => {
					const { items } = await client.list(ENDPOINT_SLICES, { namespace: 'default', labelSelector: 'kubernetes.io/service-name=s' });
					return items.map(({ addressType }) => addressType).toSorted();
				};
				await pass(100);
				t.deepEqual(await shown(), [family === 'IPv4' ? 'IPv6' : 'IPv4']);
				await pass(30_000);
				t.deepEqual(await shown(), ['IPv4', 'IPv6']);
				t.is(
					(await events('s'))[0],
					`FailedToUpdateEndpointSlices: Error updating Endpoint Slices for Service default/s: failed to create EndpointSlice for Service default/s: no ${family}`,
				);
			},
			{
				...{ only: ['endpointslice-controller'], standard: { serviceCidr: '10.0.0.0/24,fd00::/112' } },
				through: (client) => refusing(client, { ...refused }),
			},
		);
	});

test('a slice that was given to another service is made anew, and goes from the other', async (t) =>
	controlledCluster(
		async ({ client, pass }) => {
			for (const name of ['s', 'other']) {
				const metadata = { namespace: 'default', name };
				await client.create(SERVICES, { metadata, spec: { selector: { app: name }, ports: [{ port: 80 }] } });
			}
			await pass(3000);
			const shown = async (service: string): Promise<readonly (string | undefined)[]> => {
				const labelSelector = `kubernetes.io/service-name=${service}`;
				return (await client.list(ENDPOINT_SLICES, { namespace: 'default', labelSelector })).items.map(({ metadata }) => metadata.name);
			};
			const [[own], others] = [await shown('s'), await shown('other')];
			const body = { metadata: { labels: { 'kubernetes.io/service-name': 'other' } } };
			await client.patch(ENDPOINT_SLICES, `default/${own}`, { type: 'merge', body });
			await pass(3000);
			t.deepEqual(await shown('other'), others);
			t.is((await shown('s')).length, 1);
			t.not((await shown('s'))[0], own);
		},
		{ only: ['endpointslice-controller'] },
	));
