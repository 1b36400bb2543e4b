/** Requests to an API server, counted and measured under client-go's names. */
import { Readable } from 'node:stream';
import test from 'ava';
import { createMetrics } from '../base/metrics.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { limited } from './rate-limit.ts';
import { createClient } from './rest.ts';
import { TransportMetrics } from './transport-metrics.ts';

test('requests are counted by answer, method and host', async (t) => {
	const registry = createMetrics();
	const statuses = [200, 404];
	const transport = {
		request: () => {
			const status = statuses.shift();
			if (status === undefined) return Promise.reject(new Error('nobody answers'));
			return Promise.resolve({ status, headers: {}, warnings: [], body: (async function* () {})() });
		},
		upgrade: () => Promise.reject(new Error('not here')),
		close: () => Promise.resolve(),
	};
	const measured = new TransportMetrics(registry, new VirtualClock()).measured(transport, 'h:6443');
	const { signal } = new AbortController();
	await measured.request({ method: 'GET', path: '/' }, signal);
	await measured.request({ method: 'GET', path: '/' }, signal);
	await t.throwsAsync(measured.request({ method: 'POST', path: '/' }, signal));
	const lines = (await registry.metrics()).split('\n');
	t.deepEqual(
		lines.filter((line) => line.startsWith('rest_client_requests_total{')),
		[
			'rest_client_requests_total{code="200",host="h:6443",method="GET"} 1',
			'rest_client_requests_total{code="404",host="h:6443",method="GET"} 1',
			'rest_client_requests_total{code="<error>",host="h:6443",method="POST"} 1',
		],
	);
	t.true(lines.includes('rest_client_request_duration_seconds_count{host="h:6443",verb="GET"} 2'));
});

test('sizes are measured of what has an end, and waits for a turn, under their names', async (t) => {
	const registry = createMetrics();
	const transport = {
		request: () => {
			const pieces = [new Uint8Array(60), new Uint8Array(40)];
			return Promise.resolve({ status: 200, headers: {}, warnings: [], body: Readable.from(pieces) });
		},
		upgrade: () => Promise.reject(new Error('not here')),
		close: () => Promise.resolve(),
	};
	const clock = new VirtualClock();
	const measured = new TransportMetrics(registry, clock).measured(transport, 'h:6443');
	const slow = limited(createClient(measured), { perSecond: 1, burst: 1 }, clock, 'x').transport;
	const { signal } = new AbortController();
	const ask = async (path: string, body?: string): Promise<void> => {
		const request = { method: body === undefined ? ('GET' as const) : ('POST' as const), path };
		const answer = await slow.request({ ...request, ...(body === undefined ? {} : { body }) }, signal);
		for await (const _ of answer.body);
	};
	const asked = Promise.all([ask('/'), ask('/?watch=true'), ask('/', 'é'.repeat(50))]);
	await clock.advance(3000);
	await asked;
	const lines = (await registry.metrics()).split('\n');
	for (const [name, get, post] of [
		['request_size_bytes', '0 1', '100 1'],
		['response_size_bytes', '100 1', '100 1'],
		['rate_limiter_duration_seconds', '1 2', '2 1'],
	] as const) {
		const said = (verb: string): readonly (string | undefined)[] =>
			['sum', 'count'].map((what) =>
				lines.find((line) => line.startsWith(`rest_client_${name}_${what}{host="h:6443",verb="${verb}"}`))?.replace(/.* /, ''),
			);
		t.deepEqual([said('GET'), said('POST')], [get.split(' '), post.split(' ')], name);
		t.true(lines.some((line) => line.startsWith(`# HELP rest_client_${name} [ALPHA] `)));
	}
	t.true(lines.includes('rest_client_response_size_bytes_bucket{le="64",host="h:6443",verb="GET"} 0'));
	t.true(lines.includes('rest_client_response_size_bytes_bucket{le="256",host="h:6443",verb="GET"} 1'));
});
