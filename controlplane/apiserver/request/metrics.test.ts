import { connect, type ClientHttp2Session } from 'node:http2';
import { createServer, type AddressInfo } from 'node:net';
import test from 'ava';
import { VALIDATING_WEBHOOK_CONFIGURATIONS } from '../../../api/resources.ts';
import { realClock } from '../../../base/clock.ts';
import { readText } from '../../../base/lines.ts';
import { noLog } from '../../../base/log.ts';
import { testApiServer } from '../../../test/fakes/api-server.ts';
import { eventually } from '../../../test/tools/eventually.ts';

test('a write whose client goes away is counted as aborted', async (t) => {
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
	const aborts = async (): Promise<readonly string[]> => {
		const { body } = await client.transport.request({ method: 'GET', path: '/metrics' }, stop.signal);
		return (await readText(body)).split('\n').filter((line) => line.startsWith('apiserver_request_aborts_total{'));
	};
	await eventually('the abort is counted', async () => (await aborts()).length > 0);
	t.deepEqual(await aborts(), [
		'apiserver_request_aborts_total{verb="POST",group="",version="v1",resource="configmaps",subresource="",scope="resource"} 1',
	]);
	session.destroy();
	silent.close();
	stop.abort();
	await stopped;
});

test('what strangers make up is counted as one, or not at all', async (t) => {
	const stop = new AbortController();
	const { client, url, ca, stopped } = await testApiServer({ clock: realClock, log: noLog, port: 0 }, stop.signal);
	const session = connect(url, { ca });
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
		t.is(await codeOf(session, method, path), 401, `${method} ${path}`);
	const { body } = await client.transport.request({ method: 'GET', path: '/metrics' }, stop.signal);
	const refused = /^apiserver_request_total\{verb="(.*?)",.*resource="(.*?)",subresource="(.*?)",.*code="401"\} (\d+)$/gm;
	const counted = [...(await readText(body)).matchAll(refused)].map(([, ...found]) => found.join(' '));
	t.deepEqual(counted.sort(), ['LIST nodes  1', 'other  /healthz 2', 'other  /livez 1', 'other pods  1']);
	session.destroy();
	stop.abort();
	await stopped;
});

function codeOf(session: ClientHttp2Session, method: string, path: string): Promise<number> {
	const request = session.request({ ':method': method, ':path': path, authorization: 'Bearer none' });
	return new Promise((resolve, reject) => {
		request.once('response', (headers) => resolve(Number(headers[':status']))).once('error', reject);
		request.resume();
		request.end();
	});
}
