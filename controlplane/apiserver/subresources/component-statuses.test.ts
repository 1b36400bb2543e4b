import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import test from 'ava';
import { readText } from '../../../base/lines.ts';
import { noLog } from '../../../base/log.ts';
import { realClock } from '../../../base/clock.ts';
import { testApiServer } from '../../../test/fakes/api-server.ts';

const stop = new AbortController();
const components = [
	{ name: 'scheduler', check: () => Promise.reject(new Error('exit code 1')) },
	{ name: 'etcd-0', check: () => Promise.resolve('ok') },
];
const server = await testApiServer({ clock: realClock, log: noLog, port: 0, standard: { components: () => components } }, stop.signal);
test.after.always(async () => {
	stop.abort();
	await server.stopped;
});

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const METADATA = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';

async function answered(path: string, accept: string): Promise<IncomingMessage> {
	const headers = { accept, authorization: `Bearer ${server.token}` };
	const sent = request(`${server.url}/api/v1/componentstatuses${path}`, { ca: server.ca, headers }).end();
	const [response] = (await once(sent, 'response')) as [IncomingMessage];
	return response;
}

async function get(path: string, accept: string): Promise<Record<string, unknown>> {
	return JSON.parse(await readText(await answered(path, accept))) as Record<string, unknown>;
}

const condition = (status: string, message: string): object => ({ type: 'Healthy', status, message });

test('those that are selected', async (t) => {
	const names = async (query: string): Promise<unknown> =>
		((await get(`?${query}`, 'application/json')) as { items: readonly { metadata: { name: string } }[] }).items.map(
			(i) => i.metadata.name,
		);
	t.deepEqual(await names('labelSelector=a'), []);
	t.deepEqual(await names('labelSelector=!a'), ['scheduler', 'etcd-0']);
	t.deepEqual(await names('fieldSelector=metadata.name%3Detcd-0'), ['etcd-0']);
	t.deepEqual(await names('fieldSelector=metadata.namespace%3D,metadata.name!%3Detcd-0'), ['scheduler']);
	t.deepEqual(await names('fieldSelector=metadata.namespace%3Dx'), []);
	t.like(await get('?fieldSelector=a%3Db', 'application/json'), {
		message: '"a" is not a known field selector: only "metadata.name", "metadata.namespace"',
	});
	t.like(await get('?resourceVersionMatch=Exact', 'application/json'), { code: 422 });
	t.like(await get('?watch=1&labelSelector=((', 'application/json'), { code: 400 });
});

test('as objects', async (t) => {
	const scheduler = { metadata: { name: 'scheduler' }, conditions: [condition('False', 'exit code 1')] };
	const stored = { metadata: { name: 'etcd-0' }, conditions: [condition('True', 'ok')] };
	const head = { kind: 'ComponentStatusList', apiVersion: 'v1', metadata: {} };
	t.deepEqual(await get('', 'application/json'), { ...head, items: [scheduler, stored] });
	t.deepEqual(await get('/etcd-0', 'application/json'), { kind: 'ComponentStatus', apiVersion: 'v1', ...stored });
	t.like(await get('/cri', 'application/json'), { code: 404, message: 'componentstatus "cri" not found' });
});

test('as a table', async (t) => {
	const cells = async (path: string): Promise<unknown> =>
		((await get(path, TABLE)) as { rows: readonly { cells: unknown }[] }).rows.map((row) => row.cells);
	t.deepEqual(await cells(''), [
		['scheduler', 'Unhealthy', 'exit code 1', ''],
		['etcd-0', 'Healthy', 'ok', ''],
	]);
	t.deepEqual(await cells('/etcd-0'), [['etcd-0', 'Healthy', 'ok', '']]);
	t.like(await get('', TABLE), { kind: 'Table', apiVersion: 'meta.k8s.io/v1', metadata: {} });
});

test('as metadata', async (t) => {
	const metadata = { name: 'etcd-0' };
	t.deepEqual(await get('/etcd-0', METADATA), { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata });
	t.like(await get('', METADATA), { code: 406 });
});

test('that the kind is deprecated is told with a view that is refused, not where nothing is accepted', async (t) => {
	for (const [accept, want] of [
		['application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io', '299 - "v1 ComponentStatus is deprecated in v1.19+"'],
		['text/html', undefined],
	] as const) {
		const response = await answered('', accept);
		response.resume();
		t.deepEqual([response.statusCode, response.headers['warning']], [406, want]);
	}
});
