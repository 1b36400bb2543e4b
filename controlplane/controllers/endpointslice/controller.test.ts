/** Slices in a cluster: what is written, and what is told where it cannot be. */
import test from 'ava';
import type { EndpointSlice } from '../../../api/gen/types.ts';
import { ENDPOINT_SLICES, EVENTS, NODES, PODS, SERVICE_ACCOUNTS, SERVICES } from '../../../api/resources.ts';
import { forbidden, StatusError } from '../../../api/status.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import type { Client } from '../../../client/client.ts';
import { controlledCluster } from '../../../test/fakes/controlled-cluster.ts';
import { Expectations } from '../expectations.ts';
import { perform } from './controller.ts';

const denied = forbidden(ENDPOINT_SLICES, 's-', 'no');
const going = new StatusError({ ...denied.status, details: { causes: [{ reason: 'NamespaceTerminating', field: 'metadata.namespace' }] } });
const slice: EndpointSlice = { metadata: { generateName: 's-', namespace: 'n' }, addressType: 'IPv4', endpoints: [] };

for (const [name, error, retried] of [
	['a namespace that is going takes nothing more: the service is let be', going, false],
	['what is forbidden otherwise is tried again', denied, true],
] as const)
	test(`perform(): ${name}`, async (t) => {
		const client = { create: () => Promise.reject(error) } as unknown as Client;
		const expectations = new Expectations(new VirtualClock());
		const plan = { create: [slice], update: [], delete: [] };
		const written = perform(client, expectations, ['Service', 'n/s'], plan, new AbortController().signal);
		if (retried) await t.throwsAsync(written, { message: `failed to create EndpointSlice for Service n/s: ${error.message}` });
		else await t.notThrowsAsync(written);
		t.true(expectations.satisfied('n/s'));
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
