/** What the kubelet API serves of the node itself: its logs, checkpoints, profiles, pages for people, health; within which bounds, and to whom. */
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { Agent } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { realClock } from '../../base/clock.ts';
import { ask, askPlain, authority, other, serve, stranger } from '../../test/fakes/served-node.ts';
import { Registry } from '../../base/metrics.ts';
import { eventually } from '../../test/tools/eventually.ts';
import { ownPort } from '../../test/tools/ports.ts';
import { Bounded } from './bounded.ts';
import { cipherName } from '../config/server-settings.ts';
import { HttpMetrics, labelsOf, webSocketStream } from './http-metrics.ts';
import { journalArguments, nodeLogQuery } from './log-query.ts';
import { answerQuery, serveLogFile } from './node-logs.ts';
import { attributesOf } from './permission.ts';

for (const [method, path, configuration, status, body, right] of [
	['GET', '/statusz', {}, 200, /^\nkubelet statusz\n[^]*Binary version: 1\.36\.0\n[^]*Paths: \/configz/, 'get statusz'],
	['GET', '/flagz', {}, 200, /^\nkubelet flagz\n[^]*maxPods=110/, 'get configz'],
	['GET', '/metrics/slis', {}, 200, /kubernetes_healthcheck{name="syncloop",type="healthz"} 1/, 'get metrics'],
	['GET', '/metrics', {}, 200, /kubelet_http_requests_total{method="GET",path="metrics",server_type="readwrite"/, 'get metrics'],
	['GET', '/debug/pprof/profile?seconds=0.01', {}, 200, /"nodes":/, 'get proxy'],
	['GET', '/debug/pprof/heap?seconds=0.01', {}, 200, /"head":/, 'get proxy'],
	['GET', '/debug/pprof/profile?seconds=1000', {}, 400, /seconds must be/, 'get proxy'],
	['GET', '/debug/pprof/profile', { enableProfilingHandler: false }, 405, /^profiling endpoint is disabled\.\n$/, 'get proxy'],
	['GET', '/debug/flags/v', {}, 406, /^unsupported http method\n$/, 'get proxy'],
	['PUT', '/debug/flags/v', {}, 400, /^strconv\.ParseUint: parsing "": invalid syntax\n$/, 'update proxy'],
	['PUT', '/debug/flags/v', { enableDebugFlagsHandler: false }, 405, /^flags endpoint is disabled\.\n$/, 'update proxy'],
	['GET', '/debug/other', {}, 404, /404 page not found/, 'get proxy'],
	['GET', '/containerLogs/n/p/c', { enableDebuggingHandlers: false }, 405, /^Debug endpoints are disabled\.\n$/, 'get proxy'],
	['GET', '/logs/', { enableSystemLogHandler: false }, 405, /^logs endpoint is disabled\.\n$/, 'get log'],
	['GET', '/logs/no-such-file', {}, 404, /404 page not found/, 'get log'],
	['GET', '/logs/?query=%20', { enableSystemLogQuery: true }, 400, /^query: Invalid value: \[" "\]: query cannot be empty\n$/, 'get log'],
	['POST', '/run/n/p/c?cmd=echo%20hi', {}, 200, /^ran echo hi$/, 'create proxy'],
	['GET', '/run/n/p/c?cmd=echo', {}, 405, /^405: Method Not Allowed$/m, 'get proxy'],
	['POST', '/pods', {}, 405, /^405: Method Not Allowed$/m, 'create pods'],
	['POST', '/stats/summary', {}, 200, /"nodeName"/, 'create stats'],
	['POST', '/run/n/p/none?cmd=echo', {}, 500, /^container not found \("none"\)$/m, 'create proxy'],
	['POST', '/run/n/p/c?cmd=fail', {}, 500, /^command 'fail' exited with 3: $/m, 'create proxy'],
	['POST', '/checkpoint/n/p/c', {}, 200, /^{"items":\["[^"]*\/checkpoints\/checkpoint-p_n-c-[^"]+\.tar"\]}$/, 'create checkpoint'],
	['GET', '/checkpoint/n/p/c', {}, 405, /./, 'get checkpoint'],
	['POST', '/checkpoint/n/p/none', {}, 404, /container none does not exist/, 'create checkpoint'],
	['POST', '/checkpoint/n/p/c?timeout=x', {}, 400, /cannot parse value of timeout parameter/, 'create checkpoint'],
] as const)
	test(`${method} ${path} ${JSON.stringify(configuration)}: ${status}`, async (t) => {
		const { server, asked } = await serve(t, configuration);
		const answer = await ask(server.port, path, { method });
		t.is(answer.status, status, answer.body);
		t.regex(answer.body, body);
		t.is(asked[0], right);
	});

for (const [body, status, want] of [
	['4', 200, 'successfully set klog.logging.verbosity to 4\n'],
	['-1', 400, 'strconv.ParseUint: parsing "-1": invalid syntax\n'],
	['4294967296', 400, 'strconv.ParseUint: parsing "4294967296": value out of range\n'],
	['4'.repeat(100), 400, 'error reading request body: too long\n'],
] as const)
	test(`how much is logged is set: ${body.slice(0, 10)}`, async (t) => {
		const { server } = await serve(t);
		t.like(await ask(server.port, '/debug/flags/v', { method: 'PUT', body }), { status, body: want });
	});

test('/healthz says that pods are no longer looked after', async (t) => {
	const { server } = await serve(t, {}, { fault: () => 'PLEG is not healthy' });
	t.like(await ask(server.port, '/healthz'), {
		status: 500,
		body: '[+]ping ok\n[+]log ok\n[-]syncloop failed: reason withheld\nhealthz check failed\n',
	});
	t.is((await ask(server.port, '/healthz/ping')).status, 200);
	t.is((await ask(server.port, '/healthz?exclude=syncloop')).body, 'ok');
	t.regex((await ask(server.port, '/metrics/slis')).body, /kubernetes_healthchecks_total{name="syncloop",type="healthz",status="error"} 1/);
});

test('documents of /statusz for those who ask for one', async (t) => {
	const { server } = await serve(t);
	const accept = 'application/json;g=config.k8s.io;v=v1beta1;as=Statusz';
	t.like(JSON.parse((await ask(server.port, '/statusz', { headers: { accept } })).body), {
		kind: 'Statusz',
		metadata: { name: 'kubelet' },
	});
	t.is((await ask(server.port, '/statusz', { headers: { accept: 'application/json' } })).status, 406);
});

test('the read-only port asks nobody, and shows only what is open; health has a port of its own', async (t) => {
	const [readOnlyPort, healthzPort] = await Promise.all([ownPort('127.0.0.1'), ownPort('127.0.0.1')]);
	const { asked } = await serve(t, { readOnlyPort, healthzPort });
	await eventually('both ports', async () => (await askPlain(readOnlyPort, '/healthz').catch(() => undefined))?.body === 'ok');
	await eventually('health', async () => (await askPlain(healthzPort, '/healthz').catch(() => undefined))?.body === 'ok');
	t.regex((await askPlain(readOnlyPort, '/pods')).body, /"PodList"/);
	for (const path of [
		'/configz',
		'/runningpods/',
		'/containerLogs/n/p/c',
		'/checkpoint/n/p/c',
		'/logs/',
		'/debug/pprof/profile',
		'/run/n/p/c',
	])
		t.is((await askPlain(readOnlyPort, path)).status, 404, path);
	t.is((await askPlain(healthzPort, '/pods')).status, 404);
	t.deepEqual(asked, []);
});

for (const target of ['//', '//a:b/pods', 'http://[', '*'])
	test(`a request line that asks for ${target} is answered, and so is the next`, async (t) => {
		const [readOnlyPort, healthzPort] = await Promise.all([ownPort('127.0.0.1'), ownPort('127.0.0.1')]);
		const { server } = await serve(t, { readOnlyPort, healthzPort });
		for (const port of [readOnlyPort, healthzPort]) {
			await eventually('a port', async () => (await askPlain(port, '/healthz').catch(() => undefined))?.body === 'ok');
			t.is((await askPlain(port, target)).status, target.startsWith('/') ? 404 : 400);
			t.is((await askPlain(port, '/healthz')).body, 'ok');
		}
		for (const headers of [{}, { connection: 'Upgrade', upgrade: 'websocket' }]) {
			t.is((await ask(server.port, target, { headers, identity: 'nobody' })).status, target.startsWith('/') ? 401 : 400);
			t.is((await ask(server.port, '/healthz')).status, 200);
		}
	});

test('client CAs are taken up while a connection stands: one that is taken out counts no longer', async (t) => {
	const { server, trust } = await serve(t);
	const agent = new Agent({ keepAlive: true, maxSockets: 1 });
	t.teardown(() => agent.destroy());
	t.is((await ask(server.port, '/configz', { agent })).status, 200);
	trust(other.certPem);
	t.is((await ask(server.port, '/configz', { agent })).status, 401);
	t.is((await ask(server.port, '/configz')).status, 401);
	t.is((await ask(server.port, '/configz', { identity: stranger })).status, 200);
	trust(`${other.certPem}${authority.certPem}`);
	t.is((await ask(server.port, '/configz', { agent })).status, 200);
});

for (const [name, method, path, upgrades, want] of [
	['a WebSocket exec needs both', 'GET', '/exec/n/p/c', true, ['get proxy', 'create proxy']],
	['a POST is what it is', 'POST', '/exec/n/p/c', true, ['create proxy']],
	['port-forward by GET', 'GET', '/portForward/n/p', true, ['get proxy', 'create proxy']],
	['logs are read', 'GET', '/containerLogs/n/p/c', false, ['get proxy']],
	['pods have their own', 'GET', '/pods', false, ['get pods,proxy']],
	['running pods count as pods', 'GET', '/runningpods/', false, ['get pods,proxy']],
	['flags count as configuration', 'GET', '/flagz', false, ['get configz,proxy']],
	['health', 'GET', '/healthz/ping', false, ['get healthz,proxy']],
	['a query of logs', 'GET', '/logs/', false, ['get log']],
	['a checkpoint', 'POST', '/checkpoint/n/p/c', false, ['create checkpoint']],
] as const)
	test(`attributesOf(): ${name}`, (t) =>
		t.deepEqual(
			attributesOf(method, path, upgrades).map((a) => `${a.verb} ${a.subresources.join()}`),
			[...want],
		));

test('exec by GET needs create, whatever the protocol is called', async (t) => {
	const { server, asked } = await serve(t);
	const answer = await ask(server.port, '/exec/n/p/c?command=x&output=1', {
		headers: { connection: 'Upgrade', upgrade: 'websocket, x' },
	});
	t.is(answer.status, 501); // a simulated container has no streams
	t.deepEqual(asked, ['get proxy', 'create proxy']);
});

for (const path of ['/exec/n/p/none?command=x&output=1', '/attach/n/p/none?output=1'])
	test(`${path}: nothing of that name runs`, async (t) => {
		const { server } = await serve(t);
		const answer = await ask(server.port, path, { method: 'POST', headers: { connection: 'Upgrade', upgrade: 'SPDY/3.1' } });
		t.like(answer, { status: 500, body: 'container not found ("none")\n' });
	});

for (const [query, want] of [
	['', 'none'],
	['query=kubelet', { services: ['kubelet'], file: undefined, options: {} }],
	['query=/a.log', { services: [], file: '/a.log', options: {} }],
	['query=a&query=b&tailLines=5&boot=-1', { services: ['a', 'b'], file: undefined, options: { tailLines: 5, boot: -1 } }],
	['query=a&pattern=x', { services: ['a'], file: undefined, options: { pattern: 'x' } }],
	['query=', ['query: Invalid value: [""]: query cannot be empty']],
	['query=a;b', ['query: Invalid value: "a;b": input contains unsupported characters']],
	['query=--file', { services: ['--file'], file: undefined, options: {} }],
	['query=a&query=/b', ['query: Invalid value: "[/b], [a]": cannot specify a file and service']],
	['query=/a&query=/b', ['query: Invalid value: ["/a","/b"]: cannot specify more than one file']],
	['query=/a&boot=0', ['query: Invalid value: ["/a"]: cannot specify file with options']],
	['tailLines=5', ['query: Required value: cannot be empty with options']],
	['query=a&boot=1', ['boot: Invalid value: 1: must be less than 1']],
	['query=a&tailLines=100001', ['tailLines: Invalid value: 100001: must be between 0 and 100000, inclusive']],
	['query=a&sinceTime=yesterday', ['sinceTime: Invalid value: "yesterday": invalid time format']],
	[
		'query=a&sinceTime=2026-01-02T00:00:00Z&untilTime=2026-01-01T00:00:00Z',
		['untilTime: Invalid value: "2026-01-01T00:00:00Z": must be after `sinceTime`'],
	],
	['query=a&query=b&query=c&query=d&query=e', ['query: Too many: 5: must have at most 4 items']],
	['query=a&pattern=(', ['pattern: Invalid value: "(": is no regular expression']],
] as const)
	test(`nodeLogQuery(): ${query}`, (t) => {
		const verdict = nodeLogQuery(new URLSearchParams(query));
		if (verdict.type === 'none') t.is(want, 'none');
		else if (verdict.type === 'query') t.deepEqual(verdict.query, want as never);
		else
			t.deepEqual(
				verdict.faults.map((f) => `${f.field}: ${f.message}`),
				[...(want as readonly string[])],
			);
	});

test('journalArguments(): nothing of the query stands alone as an argument', (t) => {
	const options = { sinceTime: '2026-01-01T01:00:00+01:00', tailLines: 3, pattern: '--x', boot: -1 };
	t.deepEqual(journalArguments(['--a'], options), [
		...['--utc', '--no-pager', '--output=short-precise', '--since=2026-01-01 00:00:00 UTC', '--lines=3', '--unit=--a', '--grep=--x'],
		...['--case-sensitive=false', '--boot', '-1'],
	]);
});

/** A folder of logs with a file, links that lead out of it, a pipe; and a journalctl that knows "known". */
async function logFolder(t: ExecutionContext) {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-logs-'));
	t.teardown(() => rm(dir, { recursive: true, force: true }));
	const root = join(dir, 'log');
	await mkdir(join(root, 'sub'), { recursive: true });
	await Promise.all([
		writeFile(join(dir, 'secret'), 'secret'),
		writeFile(join(root, 'a.log'), 'of a\n'),
		writeFile(join(root, 'empty'), ''),
		writeFile(join(root, 'sub', 'sub.log'), 'of sub\n'),
		symlink('../secret', join(root, 'out')),
		symlink('/', join(root, 'top')),
		symlink('sub/sub.log', join(root, 'in')),
		writeFile(join(dir, 'journalctl'), '#!/bin/sh\ncase "$*" in *known*) echo "journal of $*";; *) echo "-- No entries --";; esac\n'),
	]);
	await chmod(join(dir, 'journalctl'), 0o755);
	execFileSync('mkfifo', [join(root, 'pipe')]);
	const server = createServer((incoming, response) => {
		const url = new URL(incoming.url ?? '', 'http://x');
		const verdict = nodeLogQuery(url.searchParams);
		const never = new AbortController().signal;
		const deps = { root, clock: realClock, journal: join(dir, 'journalctl') };
		const work =
			verdict.type === 'query'
				? answerQuery(verdict.query, response, deps, never)
				: serveLogFile(root, decodeURIComponent(url.pathname.slice(1)), response, never);
		work.catch(() => response.writeHead(404).end());
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	t.teardown(() => server.close());
	return (server.address() as AddressInfo).port;
}

test("the node's log files: what lies outside of their folder is not served, by whatever path", async (t) => {
	const port = await logFolder(t);
	for (const [path, status, body] of [
		['/a.log', 200, /^of a\n$/],
		['/empty', 200, /^$/],
		['/in', 200, /^of sub\n$/],
		['/', 200, /<a href="\.\/a\.log">a\.log<\/a>\n[^]*<a href="\.\/sub\/">sub\/<\/a>/],
		['/sub', 301, /^$/],
		['/sub/', 200, /sub\.log/],
		['/out', 404, /^$/],
		['/top/etc/passwd', 404, /^$/],
		['/..%2fsecret', 404, /^$/],
		['/pipe', 404, /^$/],
		['/none', 404, /^$/],
		['/?query=known', 200, /^journal of .*--unit=known --boot 0\n$/],
		['/?query=known&tailLines=1', 200, /--lines=1/],
		['/?query=a', 200, /^of a\n$/],
		['/?query=sub', 200, /^of sub\n$/],
		['/?query=other', 200, /^\nlog not found for other\n$/],
		['/?query=out', 200, /^\nlog not found for out\n$/],
		['/?query=a&boot=0', 200, /^\noptions present and query resolved to log files for \[a\]\ntry without specifying options\n$/],
		['/?query=/a.log', 200, /^of a\n$/],
		['/?query=/../secret', 404, /^$/],
	] as const) {
		const answer = await askPlain(port, path);
		t.is(answer.status, status, path);
		t.regex(answer.body, body, path);
	}
});

test('floods: only so much at a time, one of a kind, and room again afterwards', async (t) => {
	const bounded = new Bounded('checkpoints', 2);
	const gate = Promise.withResolvers<string>();
	const running = [bounded.run('a', () => gate.promise), bounded.run('b', () => gate.promise)];
	await t.throwsAsync(
		bounded.run('c', () => gate.promise),
		{ message: /^Too many requests: 2 checkpoints/ },
	);
	await t.throwsAsync(
		bounded.run('a', () => gate.promise),
		{ code: 'ResourceExhausted' },
	);
	gate.resolve('done');
	t.deepEqual(await Promise.all(running), ['done', 'done']);
	t.is(await bounded.run('a', () => Promise.resolve('again')), 'again');
});

test('a second checkpoint of a container is refused while one is made, and all are while the node is short of disk', async (t) => {
	const { server, node } = await serve(t);
	const gate = Promise.withResolvers<void>();
	node.runtime.checkpoint = () => gate.promise;
	const first = ask(server.port, '/checkpoint/n/p/c', { method: 'POST' });
	const second = await eventually('a refusal', async () => {
		const answer = await Promise.race([ask(server.port, '/checkpoint/n/p/c', { method: 'POST' }), first]);
		return answer.status === 429 && answer;
	});
	t.is(second.headers['retry-after'], '10');
	gate.resolve();
	t.is((await first).status, 200);
	const condition = { type: 'DiskPressure', status: 'True' };
	node.node = { metadata: { name: 'node' }, status: { conditions: [condition] } };
	t.regex((await ask(server.port, '/checkpoint/n/p/c', { method: 'POST' })).body, /short of disk/);
});

for (const [path, method, want] of [
	['/metrics/cadvisor', 'GET', { path: 'metrics/cadvisor', long_running: 'false' }],
	['/exec/n/p/c', 'POST', { path: 'exec', long_running: 'true', method: 'POST' }],
	['/whatever/x', 'BREW', { path: 'other', method: 'other' }],
	['/metrics/xyz', 'GET', { path: 'other' }],
] as const)
	test(`labelsOf(): ${method} ${path}`, (t) => t.like(labelsOf(method, path, 'readwrite'), want));

for (const [path, upgrade, protocol, want] of [
	['/exec/n/p/c', 'websocket', 'v4.channel.k8s.io, v5.channel.k8s.io', 'exec'],
	['/attach/n/p/c', 'WebSocket', 'v5.channel.k8s.io', 'attach'],
	['/exec/n/p/c', 'websocket', 'v4.channel.k8s.io', undefined],
	['/exec/n/p/c', 'SPDY/3.1', undefined, undefined],
	['/portForward/n/p', 'websocket', 'SPDY/3.1+portforward.k8s.io', 'portforward'],
	['/portForward/n/p', 'websocket', 'v5.channel.k8s.io', undefined],
] as const)
	test(`webSocketStream(): ${path} by ${upgrade}, ${protocol}`, async (t) => {
		const headers = { upgrade, ...(protocol === undefined ? {} : { 'sec-websocket-protocol': protocol }) };
		t.is(webSocketStream(path, headers), want);
		const registry = new Registry();
		new HttpMetrics(registry).streaming(path, headers);
		const counted = (await registry.metrics()).includes(`kubelet_websocket_streaming_requests_total{subresource="${want}"} 1`);
		t.is(counted, want !== undefined);
	});

for (const [go, openssl] of [
	['TLS_AES_128_GCM_SHA256', 'TLS_AES_128_GCM_SHA256'],
	['TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384', 'ECDHE-RSA-AES256-GCM-SHA384'],
	['TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256', 'ECDHE-ECDSA-CHACHA20-POLY1305'],
	['TLS_RSA_WITH_AES_128_CBC_SHA', 'AES128-SHA'],
] as const)
	test(`cipherName(): ${go}`, (t) => t.is(cipherName(go), openssl));
