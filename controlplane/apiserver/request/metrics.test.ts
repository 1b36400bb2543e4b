import { connect, type ClientHttp2Session } from 'node:http2';
import { createServer, type AddressInfo } from 'node:net';
import test from 'ava';
import { CONFIG_MAPS, VALIDATING_WEBHOOK_CONFIGURATIONS } from '../../../api/resources.ts';
import { realClock } from '../../../base/clock.ts';
import { readText } from '../../../base/lines.ts';
import { noLog } from '../../../base/log.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { testApiServer } from '../../../test/fakes/api-server.ts';
import { eventually } from '../../../test/tools/eventually.ts';

test('a write whose client goes away is counted as given up', async (t) => {
	const stop = new AbortController();
	const { client, url, token, ca, stopped } = await testApiServer({ clock: realClock, log: noLog, port: 0 }, stop.signal);
	const asked = Promise.withResolvers<void>();
	const silent = createServer(() => asked.resolve());
	await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
	const webhook = {
		...{ name: 'silent.example.com', sideEffects: 'None', admissionReviewVersions: ['v1'] },
		rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
		clientConfig: { url: `https://127.0.0.1:${(silent.address() as AddressInfo).port}/` },
	};
	await client.create(VALIDATING_WEBHOOK_CONFIGURATIONS, { metadata: { name: 'silent' }, webhooks: [webhook] });
	const session = connect(url, { ca });
	const request = session.request({
		...{ ':method': 'POST', ':path': '/api/v1/namespaces/default/configmaps' },
		...{ authorization: `Bearer ${token}`, 'content-type': 'application/json' },
	});
	request.on('error', () => {});
	request.end(JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }));
	await asked.promise;
	request.destroy();
	const counted = async (): Promise<readonly string[]> => {
		const { body } = await client.transport.request({ method: 'GET', path: '/metrics' }, stop.signal);
		return (await readText(body)).split('\n').filter((line) => /^apiserver_request_(aborts|terminations|post_timeout)_total/.test(line));
	};
	await eventually('it is counted', async () => (await counted()).length > 0);
	const labels = 'verb="POST",group="",version="v1",resource="configmaps",subresource="",scope="resource",component="apiserver"';
	t.deepEqual(await counted(), [
		'apiserver_request_post_timeout_total{source="timeout-handler",status="ok"} 1',
		'apiserver_request_post_timeout_total{source="rest-handler",status="error"} 1',
		`apiserver_request_terminations_total{${labels},code="504"} 1`,
	]);
	session.destroy();
	silent.close();
	stop.abort();
	await stopped;
});

test('what strangers make up is counted as one, or not at all', async (t) => {
	const stop = new AbortController();
	const { client, url, ca, stopped } = await testApiServer({ clock: realClock, log: noLog, port: 0 }, stop.signal);
	for (const [method, path] of [
		['ZZZ0', '/healthz'],
		['ZZZ1', '/healthz'],
		['OPTIONS', '/livez'],
		['GET', '/constructor'],
		['GET', '/apis/x0.io/v1/foos'],
		['GET', '/api/v1/x0s'],
		['GET', '/api/v1/namespaces/x0/pods/p/x0'],
		['ZZZ0', '/api/v1/pods'],
		['GET', '/api/v1/nodes'],
	] as const)
		t.is(await codeOf(connect(url, { ca }), method, path), 401, `${method} ${path}`);
	const { body } = await client.transport.request({ method: 'GET', path: '/metrics' }, stop.signal);
	const refused = /^apiserver_request_total\{verb="(.*?)",.*resource="(.*?)",subresource="(.*?)",.*code="401"\} (\d+)$/gm;
	const counted = [...(await readText(body)).matchAll(refused)].map(([, ...found]) => found.join(' '));
	t.deepEqual(counted.sort(), ['LIST nodes  1', 'other  /healthz 2', 'other  /livez 1', 'other pods  1']);
	stop.abort();
	await stopped;
});

test('a collection is deleted by DELETE, and discovery and its documents are counted', async (t) => {
	const stop = new AbortController();
	const { client, stopped } = await testApiServer({ clock: realClock, log: noLog }, stop.signal);
	const ask = (method: 'DELETE' | 'GET', path: string): Promise<string> =>
		client.transport.request({ method, path }, stop.signal).then(({ body }) => readText(body));
	await ask('DELETE', '/api/v1/namespaces/default/configmaps');
	for (const path of ['/api', '/apis', '/openapi/v3', '/openapi/v3/apis/apps/v1', '/openapi/v2']) await ask('GET', path);
	const counted =
		/^apiserver_request_total\{verb="(DELETE|GET)",.*resource="(configmaps|)",subresource="(.*?)",scope="(.*?)",component="(.*?)".*\} (\d+)$/gm;
	const found = [...(await ask('GET', '/metrics')).matchAll(counted)].map(([, ...parts]) => parts.join(' ').replaceAll(/ +/g, ' '));
	t.deepEqual(found.filter((line) => !/^GET configmaps|\/(healthz|livez|readyz)/.test(line)).sort(), [
		'DELETE configmaps namespace apiserver 1',
		'GET api apiserver 1',
		'GET apis apiserver 1',
		'GET openapi/v3 1',
		'GET openapi/v3/ 1',
	]);
	stop.abort();
	await stopped;
});

const COUNTED = [
	['duration', 'POST', ' dry_run=""'],
	['duration', 'POST', ' dry_run="All"'],
	['duration', 'POST', ' dry_run="invalid"'],
	['duration', 'WATCH', ' dry_run=""'],
	['sli_duration', 'POST', ''],
	['sli_duration', 'WATCH', ''],
] as const;

/** 100 ms pass whenever somebody looks. */
class Slow extends VirtualClock {
	#looks = 0;

	override monotonic(): number {
		return super.monotonic() + 100 * this.#looks++;
	}
}

test("durations: of dry runs by themselves, of watches too; what webhooks took is not the objective's", async (t) => {
	const stop = new AbortController();
	const { client, stopped } = await testApiServer({ clock: new Slow(), log: noLog }, stop.signal);
	t.teardown(() => (stop.abort(), stopped));
	const config = (name: string): { metadata: { name: string; namespace: string } } => ({ metadata: { name, namespace: 'default' } });
	const sampled = async (name: string, labels: string): Promise<number> => {
		const { body } = await client.transport.request({ method: 'GET', path: '/metrics' }, stop.signal);
		const lines = (await readText(body)).split('\n').filter((line) => line.startsWith(`${name}{`));
		const line = lines.find((one) => labels.split(' ').every((label) => one.includes(label)));
		return Number(line?.split(' ').at(-1) ?? 0);
	};
	const waited = async (): Promise<number> => {
		const [all, sli] = [
			await sampled('apiserver_request_duration_seconds_sum', 'verb="POST" resource="configmaps" dry_run=""'),
			await sampled('apiserver_request_sli_duration_seconds_sum', 'verb="POST" resource="configmaps"'),
		];
		return Math.round((all - sli) * 10);
	};
	const counts = async (): Promise<readonly number[]> => {
		const found: number[] = [];
		for (const [name, verb, dryRun] of COUNTED)
			found.push(await sampled(`apiserver_request_${name}_seconds_count`, `verb="${verb}" resource="configmaps"${dryRun}`));
		return found;
	};
	const before = await counts();
	await client.create(CONFIG_MAPS, config('a'));
	t.is(await waited(), 0);
	await client.create(CONFIG_MAPS, config('b'), { dryRun: true });
	await client.transport.request({ method: 'POST', path: '/api/v1/namespaces/default/configmaps?dryRun=Some' }, stop.signal);
	const watching = new AbortController();
	const watch = await client.transport.request({ method: 'GET', path: '/api/v1/configmaps?watch=true' }, watching.signal);
	watching.abort();
	await Array.fromAsync(watch.body).catch(() => undefined);
	const after = await counts();
	t.deepEqual(
		after.map((count, i) => count - (before[i] as number)),
		[1, 1, 1, 1, 1, 0],
	);
	const webhook = {
		...{ name: 'absent.example.com', sideEffects: 'None', admissionReviewVersions: ['v1'], failurePolicy: 'Ignore' },
		rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
		clientConfig: { url: 'https://127.0.0.1:1/' },
	};
	await client.create(VALIDATING_WEBHOOK_CONFIGURATIONS, { metadata: { name: 'absent' }, webhooks: [webhook] });
	await client.create(CONFIG_MAPS, config('c'));
	t.true((await waited()) > 0);
});

test('answers that are sent in pieces are measured, too', async (t) => {
	const stop = new AbortController();
	const { client, stopped } = await testApiServer({ clock: realClock, log: noLog }, stop.signal);
	t.teardown(() => (stop.abort(), stopped));
	const data = { large: 'x'.repeat(100_000) };
	for (const name of ['a', 'b']) await client.create(CONFIG_MAPS, { metadata: { name, namespace: 'default' }, data });
	const read = async (path: string): Promise<string> =>
		readText((await client.transport.request({ method: 'GET', path }, stop.signal)).body);
	const listed = async (): Promise<number> => {
		const sum = /^apiserver_response_sizes_sum\{verb="LIST",.*resource="configmaps",.*scope="namespace".*\} (\d+)$/m;
		return Number(sum.exec(await read('/metrics'))?.[1] ?? 0);
	};
	const before = await listed();
	const { length } = await read('/api/v1/namespaces/default/configmaps');
	t.is((await listed()) - before, length);
});

test('times that cannot be met are told of in no form, and what is sent, who asks and what comes before is counted', async (t) => {
	const stop = new AbortController();
	const { server, client, stopped } = await testApiServer({ clock: realClock, log: noLog }, stop.signal);
	t.teardown(() => (stop.abort(), stopped));
	const send = async (
		method: 'GET' | 'POST' | 'DELETE',
		path: string,
		body?: string,
	): Promise<readonly [number, string, string | undefined]> => {
		const headers = { 'content-type': 'application/json' };
		const request = { method, path, headers, ...(body === undefined ? {} : { body }) };
		const answer = await client.transport.request(request, stop.signal);
		return [answer.status, await readText(answer.body), answer.headers['content-type']];
	};
	const at = '/api/v1/namespaces/default/secrets';
	const late = '{"metadata":{},"status":"Failure","message":"Timeout: request did not complete within the allotted timeout"';
	for (const [method, path] of [
		['GET', `${at}?timeout=1ns`],
		['DELETE', `${at}/a?timeout=1ns`],
		['GET', '/healthz?timeout=1ns'],
	] as const) {
		const text = `${late},"reason":"Timeout","details":{},"code":504}\n`;
		t.deepEqual(await send(method, path), [504, text, 'text/plain; charset=utf-8'], path);
	}
	const sent = JSON.stringify({ metadata: { name: 'a' } });
	t.is((await send('POST', at, sent))[0], 201);
	await send('DELETE', `${at}/a`);
	await send('DELETE', at);
	const own = { name: 'system:apiserver', uid: '', groups: ['system:masters'], extra: {} };
	await readText((await server.transport(own).request({ method: 'GET', path: '/api/v1/nodes' }, stop.signal)).body);
	const [, metrics] = await send('GET', '/metrics');
	for (const line of [
		`apiserver_request_body_size_bytes_sum{group="",resource="secrets",verb="create"} ${sent.length}`,
		'apiserver_request_body_size_bytes_count{group="",resource="secrets",verb="delete"} 1',
		'apiserver_request_body_size_bytes_count{group="",resource="secrets",verb="delete_collection"} 1',
		'apiserver_selfrequest_total{verb="LIST",group="",resource="nodes",subresource=""} 1',
		'apiserver_request_post_timeout_total{source="timeout-handler",status="ok"} 3',
		'apiserver_request_post_timeout_total{source="rest-handler",status="error"} 1',
	])
		t.true(metrics.includes(`\n${line}\n`), line);
	const filters = [...metrics.matchAll(/^apiserver_request_filter_duration_seconds_count\{filter="(.*)"\} \d+$/gm)].map(([, name]) => name);
	t.deepEqual(filters.toSorted(), ['audit', 'authentication', 'authorization', 'constrainedimpersonation', 'priorityandfairness']);
});

function codeOf(session: ClientHttp2Session, method: string, path: string): Promise<number> {
	const request = session.request({ ':method': method, ':path': path, authorization: 'Bearer none' });
	return new Promise((resolve, reject) => {
		request.once('response', (headers) => resolve(Number(headers[':status']))).once('error', reject);
		request.resume();
		request.end();
	});
}
