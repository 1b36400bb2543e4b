/** Which methods paths outside of resources take, as upstream's do: what its web framework serves has GET alone, all else takes any as a GET. */
import { text } from 'node:stream/consumers';
import test from 'ava';
import { realClock } from '../../base/clock.ts';
import { noLog } from '../../base/log.ts';
import type { TransportRequest } from '../../client/transport.ts';
import { testApiServer } from '../../test/fakes/api-server.ts';
import { eventually } from '../../test/tools/eventually.ts';

const stop = new AbortController();
const { server, stopped } = await testApiServer({ clock: realClock, log: noLog }, stop.signal);
const admin = server.transport({ name: 'admin', uid: '', groups: ['system:masters'], extra: {} });
test.before(() => eventually('the server is ready', async () => (await ask('GET', '/readyz')).status === 200));
test.after.always(async () => {
	stop.abort();
	await stopped;
});

async function ask(method: TransportRequest['method'], path: string): Promise<{ readonly status: number; readonly body: string }> {
	const { status, body } = await admin.request({ method, path }, stop.signal);
	return { status, body: await text(body) };
}

for (const [path, status] of [
	['/', 200],
	['/apis', 200],
	['/apis/apps', 200],
	['/openapi/v2', 200],
	['/openapi/v3', 200],
	['/readyz', 200],
	['/statusz', 200],
	['/metrics', 200],
	['/debug/api_priority_and_fairness/dump_requests', 200],
	['/version', 405],
	['/api', 405],
	['/api/v1', 405],
	['/apis/apps/v1', 405],
	['/openid/v1/jwks', 405],
	['/.well-known/openid-configuration', 405],
	['/zork', 404],
	['/openapi/v2/', 404],
	['/openapi/v3/', 404],
	['/readyz/', 404],
] as const)
	test(`${path}: ${status} for methods that are not GET`, async (t) => {
		const methods = ['POST', 'PUT', 'PATCH', ...(path === '/metrics' ? [] : (['DELETE'] as const))] as const;
		for (const method of methods) t.is((await ask(method, path)).status, status, method);
		if (status === 405) t.is((await ask('GET', path)).status, 200);
	});

test.serial('a DELETE of the metrics sets them back, and they count on', async (t) => {
	const counted = async (): Promise<string | undefined> => {
		const { body } = await ask('GET', '/metrics');
		return /^apiserver_request_duration_seconds_count\{verb="LIST",.*resource="podtemplates",.*\} (\d+)$/m.exec(body)?.[1];
	};
	for (let i = 0; i < 3; i++) await ask('GET', '/api/v1/namespaces/default/podtemplates');
	t.is(await counted(), '3');
	t.deepEqual(await ask('DELETE', '/metrics'), { status: 200, body: 'metrics reset\n' });
	t.is(await counted(), undefined);
	await ask('GET', '/api/v1/namespaces/default/podtemplates');
	t.is(await counted(), '1');
});

test('how much is logged is set while the server runs', async (t) => {
	t.regex((await ask('GET', '/debug/flags')).body, /<tr>v<br>/);
	t.deepEqual(await ask('GET', '/debug/flags/zork'), await ask('GET', '/debug/flags'));
	t.deepEqual(await ask('GET', '/debug/flags/v'), { status: 406, body: 'unsupported http method\n' });
	const put = async (value: string): Promise<readonly [number, string]> => {
		const { status, body } = await admin.request({ method: 'PUT', path: '/debug/flags/v', body: Buffer.from(value) }, stop.signal);
		return [status, await text(body)];
	};
	t.deepEqual(await put('x'), [400, 'strconv.ParseUint: parsing "x": invalid syntax\n']);
	t.deepEqual(await put('5'), [200, 'successfully set klog.logging.verbosity to 5\n']);
});

test('whoever scrapes is told since when the process runs', async (t) => {
	for (const path of ['/metrics', '/metrics/slis'] as const) {
		const { headers, body } = await admin.request({ method: 'GET', path }, stop.signal);
		await text(body);
		t.regex(headers['process-start-time-unix'] ?? '', /^\d{10}$/, path);
	}
});

test('what is only posted to has no paths of single objects', async (t) => {
	for (const path of ['/apis/authentication.k8s.io/v1/tokenreviews', '/api/v1/namespaces/default/bindings'])
		for (const method of ['GET', 'PUT', 'DELETE'] as const) {
			t.is((await ask(method, path)).status, 405, `${method} ${path}`);
			t.is((await ask(method, `${path}/x`)).status, 404, `${method} ${path}/x`);
		}
});

test('a word that stands for a verb, with nothing to it, is no request', async (t) => {
	for (const [path, shown] of [
		['/api/v1/watch', '/api/v1/watch'],
		['/apis/apps/v1/proxy/?a=1&b=2', '/apis/apps/v1/proxy/?a=1&amp;b=2'],
	] as const) {
		const why = `failed to create RequestInfo: unable to determine kind and namespace from url, ${shown}`;
		t.deepEqual(await ask('GET', path), { status: 500, body: `Internal Server Error: "${shown}": ${why}\n` });
	}
});
