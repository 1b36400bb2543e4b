/** Bodies made to take time or memory, over a real socket: each is refused at once, in words, and the server serves on. */
import { connect } from 'node:http2';
import { once } from 'node:events';
import test from 'ava';
import type { Status } from '../../api/gen/types.ts';
import { realClock } from '../../base/clock.ts';
import { readText } from '../../base/lines.ts';
import { noLog } from '../../base/log.ts';
import { shortened } from './serving/warnings.ts';
import { createTransport } from '../../client/http2.ts';
import { testApiServer } from '../../test/fakes/api-server.ts';

const stop = new AbortController();
const { url, ca, token, stopped } = await testApiServer({ clock: realClock, log: noLog, port: 0 }, stop.signal);
const session = connect(url, { ca, maxHeaderListPairs: 1024 });
test.after.always(async () => {
	session.close();
	stop.abort();
	await stopped;
});

interface Answer {
	readonly code: number;
	readonly warnings: string;
	readonly status: Status;
}

async function send(method: string, path: string, type: string, body: string): Promise<Answer> {
	const stream = session.request({ ':method': method, ':path': path, authorization: `Bearer ${token}`, 'content-type': type });
	stream.on('error', () => {}); // the server may end what it does not read
	stream.end(body);
	const [headers] = (await once(stream, 'response')) as [{ ':status'?: number; warning?: string }];
	return { code: Number(headers[':status']), warnings: headers.warning ?? '', status: JSON.parse(await readText(stream)) as Status };
}

const MAPS = '/api/v1/namespaces/default/configmaps';
const TARGET = `${MAPS}/target`;
const JSON_TYPE = 'application/json';
const YAML = 'application/yaml';
const APPLY = 'application/apply-patch+yaml';
const MERGE = 'application/merge-patch+json';
const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const rows = (count: number, row: (i: number) => string): string => Array.from({ length: count }, (_, i) => row(i)).join('\n');
const bomb = rows(20, (i) =>
	i === 0
		? 'a0: &a0 [x]'
		: `a${i}: &a${i} [${Array(9)
				.fill(`*a${i - 1}`)
				.join()}]`,
);
const map = '"apiVersion":"v1","kind":"ConfigMap"';
const copies = JSON.stringify(Array.from({ length: 60 }, (_, i) => ({ op: 'copy', from: '/data', path: `/data/k${i}` })));
const descent = JSON.stringify([
	{ op: 'add', path: '/data/x', value: JSON.parse(nested(400)) },
	...Array.from({ length: 8 }, (_, i) => ({ op: 'copy', from: '/data/x', path: `/data/x${'/0'.repeat(399 * (i + 1))}` })),
]);

const CASES: readonly (readonly [what: string, method: string, path: string, type: string, body: string, code: number, say: RegExp])[] = [
	['JSON lists in lists', 'POST', MAPS, JSON_TYPE, '['.repeat(3_000_000), 400, /exceeded max depth/],
	['JSON objects in objects', 'POST', MAPS, JSON_TYPE, '{"a":'.repeat(600_000), 400, /exceeded max depth/],
	['a field deep below', 'POST', MAPS, JSON_TYPE, `{${map},"data":${nested(100_000)}}`, 400, /exceeded max depth/],
	['a YAML bomb', 'POST', MAPS, YAML, bomb, 400, /excessive aliasing/],
	['a YAML bomb applied', 'PATCH', `${TARGET}?fieldManager=a`, APPLY, bomb, 400, /excessive aliasing/],
	['YAML lists in lists', 'POST', MAPS, YAML, '['.repeat(200_000), 400, /exceeded max depth/],
	['YAML lists in one line', 'POST', MAPS, YAML, '- '.repeat(100_000), 400, /exceeded max depth/],
	['a YAML anchor in itself', 'POST', MAPS, YAML, 'a: &a [*a]', 400, /exceeded max depth/],
	['more YAML than is read', 'POST', MAPS, YAML, 'a: 1\n'.repeat(500_000), 413, /takes too (long|much memory) to read/],
	[
		'more YAML than is applied',
		'PATCH',
		`${TARGET}?fieldManager=a`,
		APPLY,
		'a: 1\n'.repeat(500_000),
		413,
		/takes too (long|much memory) to read/,
	],
	['a deep merge patch', 'PATCH', TARGET, MERGE, '{"a":'.repeat(5000), 400, /exceeded max depth/],
	['a deep strategic patch', 'PATCH', TARGET, 'application/strategic-merge-patch+json', '{"a":'.repeat(5000), 400, /exceeded max depth/],
	['a JSON patch that doubles', 'PATCH', TARGET, 'application/json-patch+json', copies, 422, /the server rejected our request/],
	['a JSON patch that goes down', 'PATCH', TARGET, 'application/json-patch+json', descent, 422, /the server rejected our request/],
	[
		'half of a character many times',
		'POST',
		MAPS,
		JSON_TYPE,
		`{${map},"x":"${'\\ud800'.repeat(400_000)}`,
		400,
		/unexpected end of JSON input/,
	],
];

test.before(async (t) => {
	const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'target' }, data: { a: '1' } });
	t.is((await send('POST', MAPS, JSON_TYPE, body)).code, 201);
});

test('warnings: all of them, or the beginnings of the first', (t) => {
	t.deepEqual(shortened(['a', 'b', 'a', '']), ['a', 'b']);
	t.deepEqual(shortened(['a\nb', 'c\u0007', 'é "d"']), ['é "d"']);
	t.deepEqual(shortened(['x'.repeat(4096)]), ['x'.repeat(4096)]);
	t.deepEqual(shortened(['x'.repeat(4096), 'y']), ['x'.repeat(256), 'y']);
	t.is(shortened(Array.from({ length: 1000 }, (_, i) => `${i}`.padEnd(300))).length, 16);
	t.deepEqual(shortened(['\u{1f600}'.repeat(4096)]), ['\u{1f600}'.repeat(256)]);
});

/** Alone on a machine each takes a tenth of it; the time of the event loop's thread is counted, since others may have the processor. */
const LIMIT_MS = 1000;
const LIMIT_MIB = 256;

for (const [what, method, path, type, body, code, say] of CASES)
	test.serial(`refused within bounds: ${what}`, async (t) => {
		const before = { rss: process.memoryUsage().rss, cpu: process.threadCpuUsage() };
		const answer = await send(method, path, type, body);
		const ms = process.threadCpuUsage(before.cpu).user / 1000;
		t.is(answer.code, code, answer.status.message);
		t.regex(answer.status.message ?? '', say);
		t.true((answer.status.message ?? '').length < 2000, 'and in few words');
		t.true(ms < LIMIT_MS, `${ms} ms`);
		t.true((process.memoryUsage().rss - before.rss) / 2 ** 20 < LIMIT_MIB);
	});

test.serial('warnings about a body full of mistakes stay within what headers hold', async (t) => {
	const wrong = Array.from({ length: 50_000 }, (_, i) => `"field-${i}":1,"field-${i}":2`).join();
	const answer = await send('POST', MAPS, JSON_TYPE, `{${map},"metadata":{"name":"wrong"},${wrong}}`);
	t.is(answer.code, 201, answer.status.message);
	t.true(answer.warnings.length > 0 && answer.warnings.length < 16 * 1024, String(answer.warnings.length));
});

test.serial('our own client takes as many warnings as are sent', async (t) => {
	const transport = createTransport({ server: url, clock: realClock, tls: { ca }, token: () => token });
	const wrong = Array.from({ length: 5000 }, (_, i) => `"f${i}":1`).join();
	const headers = { 'content-type': 'application/strategic-merge-patch+json' }; // of other bodies a hundred are told at most
	const answer = await transport.request({ method: 'PATCH', path: TARGET, headers, body: `{${wrong}}` }, stop.signal);
	t.is(answer.status, 200);
	t.true(answer.warnings.length > 128);
	await transport.close();
});

test.serial('the server serves on', async (t) => {
	t.is((await send('PATCH', TARGET, MERGE, '{"data":{"b":"2"}}')).code, 200);
});
