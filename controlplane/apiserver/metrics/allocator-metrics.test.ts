import { text } from 'node:stream/consumers';
import test from 'ava';
import { realClock } from '../../../base/clock.ts';
import { createLog } from '../../../base/log.ts';
import { StatusError } from '../../../api/status.ts';
import type { ServiceSpec } from '../../../api/gen/types.ts';
import { testApiServer } from '../../../test/fakes/api-server.ts';

test('Services take and are refused addresses and ports', async (t) => {
	const stop = new AbortController();
	const { client, stopped } = await testApiServer({ clock: realClock, log: createLog({ level: 'error' }) }, stop.signal);
	t.teardown(async () => {
		stop.abort();
		await stopped;
	});
	const make = async (name: string, spec: Partial<ServiceSpec>): Promise<number> => {
		const body = { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } };
		const path = '/api/v1/namespaces/default/services';
		const headers = { 'content-type': 'application/json' };
		try {
			return (await client.transport.request({ method: 'POST', path, headers, body: Buffer.from(JSON.stringify(body)) }, stop.signal))
				.status;
		} catch (error) {
			return error instanceof StatusError ? (error.status.code ?? 0) : 0;
		}
	};
	t.is(await make('a', {}), 201);
	t.is(await make('b', { clusterIP: '10.0.0.200' }), 201);
	t.is(await make('c', { clusterIP: '10.0.0.200' }), 422);
	t.is(await make('d', { clusterIP: '10.9.0.1' }), 422);
	t.is(await make('e', { type: 'NodePort' }), 201);
	t.is(await make('f', { type: 'NodePort', ports: [{ port: 80, nodePort: 30_001 }] }), 201);
	t.is(await make('g', { type: 'NodePort', ports: [{ port: 80, nodePort: 30_001 }] }), 422);
	const { body } = await client.transport.request({ method: 'GET', path: '/metrics' }, stop.signal);
	const lines = (await text(body)).split('\n');
	// The last one had an address before its port was refused; the Service kubernetes has one, too.
	const told = lines.filter((line) => /^kube_apiserver_(clusterip|nodeport)_allocator_/.test(line) && !line.includes('duration'));
	const cidr = 'cidr="10.0.0.0/24"';
	t.true(lines.includes(`kube_apiserver_clusterip_allocator_allocation_duration_seconds_count{${cidr}} 6`));
	t.deepEqual(told.toSorted(), [
		`kube_apiserver_clusterip_allocator_allocated_ips{${cidr}} 5`,
		`kube_apiserver_clusterip_allocator_allocation_errors_total{${cidr},scope="static"} 1`,
		`kube_apiserver_clusterip_allocator_allocation_total{${cidr},scope="dynamic"} 4`,
		`kube_apiserver_clusterip_allocator_allocation_total{${cidr},scope="static"} 2`,
		`kube_apiserver_clusterip_allocator_available_ips{${cidr}} 249`,
		'kube_apiserver_nodeport_allocator_allocated_ports 2',
		'kube_apiserver_nodeport_allocator_allocation_errors_total{scope="static"} 1',
		'kube_apiserver_nodeport_allocator_allocation_total{scope="dynamic"} 1',
		'kube_apiserver_nodeport_allocator_allocation_total{scope="static"} 1',
		'kube_apiserver_nodeport_allocator_available_ports 2766',
	]);
});
