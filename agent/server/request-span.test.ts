/** Spans of requests of the kubelet API: which name they have, and what they say. */
import test from 'ava';
import { realClock } from '../../base/clock.ts';
import { ask, serve } from '../../test/fakes/served-node.ts';
import { eventually } from '../../test/tools/eventually.ts';
import type { EndedSpan } from '../tracing/span.ts';
import { createTracer } from '../tracing/tracer.ts';
import { routeOf } from './request-span.ts';

for (const [method, path, want] of [
	['GET', '/pods', '/pods/'],
	['POST', '/pods', ''],
	['GET', '/runningpods/', '/runningpods/'],
	['GET', '/stats/summary', '/stats/summary'],
	['GET', '/stats', ''],
	['GET', '/containerLogs/n/p/c', '/containerLogs/{podNamespace}/{podID}/{containerName}'],
	['GET', '/containerLogs/n/p', ''],
	['POST', '/exec/n/p/c', '/exec/{podNamespace}/{podID}/{containerName}'],
	['POST', '/attach/n/p/u/c', '/attach/{podNamespace}/{podID}/{uid}/{containerName}'],
	['GET', '/portForward/n/p', '/portForward/{podNamespace}/{podID}'],
	['GET', '/portForward/n/p/u', '/portForward/{podNamespace}/{podID}/{uid}'],
	['POST', '/checkpoint/n/p/c', '/checkpoint/{podNamespace}/{podID}/{containerName}'],
	['GET', '/logs/', '/logs/'],
	['GET', '/logs/a/b', '/logs/{logpath:*}'],
	['GET', '/debug/pprof/heap', '/debug/pprof/{subpath:*}'],
	['GET', '/metrics/cadvisor', ''],
	['GET', '/constructor', ''],
] as const)
	test(`routeOf(): ${method} ${path}`, (t) => t.is(routeOf(method, path), want));

test('requests that are served have spans, each a trace of its own; those that are refused have none', async (t) => {
	const ended: EndedSpan[] = [];
	const tracer = createTracer(1_000_000, realClock, (span) => ended.push(span));
	const { server } = await serve(t, {}, { tracer, may: (right) => right !== 'get metrics' });
	const traceparent = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;
	const headers = { 'user-agent': 'tester', 'x-forwarded-for': '10.1.2.3, 10.4.5.6', traceparent };
	t.is((await ask(server.port, '/pods', { headers })).status, 200);
	t.is((await ask(server.port, '/metrics')).status, 403);
	t.is((await ask(server.port, '/run/n/p/none?cmd=x', { method: 'POST' })).status, 500);
	t.is((await ask(server.port, '/debug/other')).status, 404);
	const upgrade = { connection: 'Upgrade', upgrade: 'SPDY/3.1' };
	t.is((await ask(server.port, '/exec/n/none/c?command=x&output=1', { method: 'POST', headers: upgrade })).status, 404);
	await eventually('all spans', async () => ended.length === 4);
	const [pods, run, other, exec] = ended;
	t.is(pods?.scope, 'go.opentelemetry.io/contrib/instrumentation/github.com/emicklei/go-restful/otelrestful');
	t.true(ended.every(({ kind, parentSpanId }) => kind === 'server' && parentSpanId === undefined));
	t.not(Buffer.from(pods?.traceId ?? []).toString('hex'), '1'.repeat(32), "as upstream, of nobody else's trace");
	const { 'network.peer.port': port, ...attributes } = pods?.attributes ?? {};
	t.true(Number(port) > 0);
	t.deepEqual(attributes, {
		'server.address': 'kubelet',
		'server.port': server.port,
		'http.request.method': 'GET',
		'url.scheme': 'https',
		'network.peer.address': '127.0.0.1',
		'user_agent.original': 'tester',
		'client.address': '10.1.2.3',
		'url.path': '/pods',
		'network.protocol.version': '1.1',
		'http.route': '/pods/',
		'http.response.status_code': 200,
	});
	t.deepEqual([run?.name, run?.error], ['/run/{podNamespace}/{podID}/{containerName}', { message: '' }]);
	t.deepEqual([other?.name, other?.attributes?.['http.response.status_code'], other?.error], ['', 404, undefined]);
	t.deepEqual(
		[exec?.name, exec?.attributes?.['http.response.status_code'], exec?.error],
		[...['/exec/{podNamespace}/{podID}/{containerName}', 404, undefined]],
	);
});
