/** Bodies that no request may have, over real sockets: too large, malformed, half. The answer is upstream's Status, and the server serves on. */
import { once } from 'node:events';
import { connect, type ClientHttp2Session } from 'node:http2';
import { Agent, request } from 'node:https';
import test from 'ava';
import { encodeBody, PROTOBUF } from '../../api/codec/codec.ts';
import type { Status } from '../../api/gen/types.ts';
import { readText } from '../../base/lines.ts';
import { realClock, type Clock } from '../../base/clock.ts';
import { noLog } from '../../base/log.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { testApiServer } from '../../test/fakes/api-server.ts';
import { readYamlAhead } from './request/yaml-ahead.ts';

const stop = new AbortController();
/** The real one, but for bounds of seconds, which a busy machine reaches. */
const clock: Clock = {
	now: () => realClock.now(),
	monotonic: () => realClock.monotonic(),
	sleep: (ms, signal) => realClock.sleep(ms, signal),
	after: (ms, fn) => realClock.after(ms < 1000 ? ms : ms * 60, fn),
	random: () => realClock.random(),
	uuid: () => realClock.uuid(),
};
const { url, ca, token, stopped } = await testApiServer({ clock, log: noLog, port: 0 }, stop.signal);
const session: ClientHttp2Session = connect(url, { ca, maxSessionMemory: 1024 });
const agent = new Agent({ ca, keepAlive: true });
test.after.always(async () => {
	session.close();
	agent.destroy();
	stop.abort();
	await stopped;
});

interface Sent {
	readonly method?: string;
	readonly path?: string;
	readonly type: string;
	readonly body: Uint8Array;
	/** Without, its length is not told before. */
	readonly declared: boolean;
}

interface Answer {
	readonly code: number;
	readonly status: Status;
}

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

async function overHttp2(
	connection: ClientHttp2Session,
	{ method = 'POST', path = CONFIG_MAPS, type, body, declared }: Sent,
): Promise<Answer> {
	const length = declared ? { 'content-length': body.length } : {};
	const stream = connection.request({
		':method': method,
		':path': path,
		authorization: `Bearer ${token}`,
		'content-type': type,
		...length,
	});
	stream.on('error', () => {}); // the server may end what it does not read
	stream.end(body);
	const [headers] = (await once(stream, 'response')) as [{ ':status'?: number }];
	return { code: Number(headers[':status']), status: JSON.parse(await readText(stream)) as Status };
}

const over: Readonly<Record<string, (sent: Sent) => Promise<Answer>>> = {
	'HTTP/2': (sent) => overHttp2(session, sent),
	async 'HTTP/1.1'({ method = 'POST', path = CONFIG_MAPS, type, body, declared }) {
		const length = declared ? { 'content-length': body.length } : { 'transfer-encoding': 'chunked' };
		const headers = { authorization: `Bearer ${token}`, 'content-type': type, ...length };
		const sent = request(`${url}${path}`, { method, agent, headers });
		sent.on('error', () => {});
		sent.end(body);
		const [response] = (await once(sent, 'response')) as [import('node:http').IncomingMessage];
		return { code: Number(response.statusCode), status: JSON.parse(await readText(response)) as Status };
	},
};

/** requestheader.MaxRequestBodyBytes of upstream's apiserver configuration: 3 MiB. */
const LIMIT = 3 * 1024 * 1024;
const JSON_TYPE = 'application/json';
const map = (name: string, bytes: number): Uint8Array =>
	Buffer.from(JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { x: 'x'.repeat(bytes) } }));
const text = (body: string): Uint8Array => Buffer.from(body);
const whole = encodeBody({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'whole' }, data: { a: 'b' } }, PROTOBUF);
const prefixed = (...bytes: readonly number[]): Uint8Array => Buffer.from([0x6b, 0x38, 0x73, 0x00, ...bytes]);

const TOO_LARGE = [413, 'RequestEntityTooLarge', /^Request entity too large: limit is 3145728$/] as const;
const UNRECOGNIZED = /^the object provided is unrecognized \(must be of type ConfigMap\): /;

const CASES: readonly (readonly [name: string, sent: Omit<Sent, 'declared'>, want: readonly [number, string, RegExp]])[] = [
	['a body beyond the limit', { type: JSON_TYPE, body: map('big', LIMIT) }, TOO_LARGE],
	['a far larger one', { type: JSON_TYPE, body: map('huge', 5 * LIMIT) }, TOO_LARGE],
	['a protobuf body beyond the limit', { type: PROTOBUF, body: Buffer.concat([whole, Buffer.alloc(LIMIT)]) }, TOO_LARGE],
	[
		'a patch beyond the limit',
		{ method: 'PATCH', path: `${CONFIG_MAPS}/x`, type: 'application/merge-patch+json', body: map('x', LIMIT) },
		TOO_LARGE,
	],
	['half an object', { type: JSON_TYPE, body: text('{"apiVersion":"v1","kind":"ConfigMap"') }, [400, 'BadRequest', UNRECOGNIZED]],
	['no JSON', { type: JSON_TYPE, body: text('\u0000\u0001\u0002') }, [400, 'BadRequest', UNRECOGNIZED]],
	['broken YAML', { type: 'application/yaml', body: text('a: [') }, [400, 'BadRequest', UNRECOGNIZED]],
	['an unknown media type', { type: 'text/plain', body: text('hello') }, [415, 'UnsupportedMediaType', /unknown format/]],
	['protobuf without its prefix', { type: PROTOBUF, body: text('hello') }, [400, 'BadRequest', /expected prefix \[107 56 115 0\]/]],
	['protobuf of nothing but the prefix', { type: PROTOBUF, body: prefixed() }, [400, 'BadRequest', /empty body/]],
	['protobuf that ends early', { type: PROTOBUF, body: whole.subarray(0, whole.length - 7) }, [400, 'BadRequest', /unexpected EOF/]],
	[
		'protobuf with a length beyond its end',
		{ type: PROTOBUF, body: prefixed(0x0a, 0xff, 0xff, 0xff, 0x7f) },
		[400, 'BadRequest', /unexpected EOF/],
	],
	['protobuf with an endless varint', { type: PROTOBUF, body: prefixed(...Array<number>(20).fill(0xff)) }, [400, 'BadRequest', /./]],
	[
		'protobuf with a field number of zero',
		{ type: PROTOBUF, body: prefixed(0x02, 0x00) },
		[400, 'BadRequest', /proto: Unknown: illegal tag 0 \(wire type 2\)/],
	],
];

for (const [protocol, send] of Object.entries(over))
	for (const [name, sent, [code, reason, message]] of CASES)
		for (const declared of [true, false])
			test.serial(`${protocol}, ${declared ? 'length told' : 'length not told'}: ${name}`, async (t) => {
				const answer = await send({ ...sent, declared });
				t.is(answer.code, code, answer.status.message);
				t.like(answer.status, { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, code });
				t.regex(answer.status.message ?? '', message);
				const body = map(`after-${protocol === 'HTTP/2' ? 2 : 1}-${CASES.findIndex((c) => c[0] === name)}-${declared}`, 10);
				t.is((await send({ type: JSON_TYPE, body, declared })).code, 201, 'the server serves on');
			});

for (const [protocol, send] of Object.entries(over))
	test.serial(`${protocol}: a body just within the limit is read`, async (t) => {
		const answer = await send({ type: JSON_TYPE, body: map(`fits-${protocol.at(-1)}`, LIMIT - 200), declared: true });
		// A ConfigMap itself may hold 1 MiB.
		t.is(answer.code, 422);
		t.regex(answer.status.message ?? '', /Too long: may not be more than 1048576 bytes/);
	});

const yamlMap = (name: string, lines: number): Uint8Array =>
	text(
		`apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n${Array.from({ length: lines }, (_v, i) => `  key-${i}: "value of ${i}"\n`).join('')}`,
	);

test.serial('YAML as large as JSON may be, read beside the event loop', async (t) => {
	const post = over['HTTP/2'] as (sent: Sent) => Promise<Answer>;
	const type = 'application/yaml';
	t.is((await post({ type, body: yamlMap('yaml', 20_000), declared: true })).code, 201);
	const broken = await post({ type, body: Buffer.concat([yamlMap('yaml', 2000), text('a: [')]), declared: true });
	t.is(broken.code, 400);
	t.regex(broken.status.message ?? '', /yaml: line 2\d{3}: did not find expected/);
	const twice = await post({
		type,
		path: `${CONFIG_MAPS}?fieldValidation=Strict`,
		body: Buffer.concat([yamlMap('b', 2000), text('  key-7: b\n')]),
		declared: true,
	});
	t.regex(twice.status.message ?? '', /strict decoding error: yaml: unmarshal errors:\n {2}line 2006: key "key-7" already set in map$/);
	const path = `${CONFIG_MAPS}/applied?fieldManager=a`;
	t.is(
		(await post({ method: 'PATCH', path, type: 'application/apply-patch+yaml', body: yamlMap('applied', 2000), declared: true })).code,
		201,
	);
});

test('YAML that takes too long to read is refused, one that nobody waits for is not read', async (t) => {
	const virtual = new VirtualClock();
	// The time is over as soon as it begins: the thread that reads has no time to be through.
	const late: Clock = Object.assign(new VirtualClock(), {
		after(ms: number, over: () => void) {
			t.is(ms, 10_000);
			over();
			return { [Symbol.dispose]: () => {} };
		},
	});
	const refusal = await t.throwsAsync(readYamlAhead(text('- a\n'.repeat(LIMIT / 4)), stop.signal, late));
	t.like(refusal, { httpCode: 413 });
	t.regex(refusal.message, /takes too long to read/);
	const gone = AbortSignal.abort(new Error('gone'));
	t.like(await t.throwsAsync(readYamlAhead(text('- a\n'.repeat(10_000)), gone, virtual)), { message: 'gone' });
});

test('HTTP/2: many large bodies at once over one connection, which has just begun', async (t) => {
	const fresh = connect(url, { ca, maxSessionMemory: 1024 });
	t.teardown(() => fresh.destroy());
	const codes: number[] = [];
	const worker = async (w: number): Promise<void> => {
		for (let i = 0; i < 3; i++) {
			const body = map(`large-${w}-${i}`, 1_000_000);
			codes.push((await overHttp2(fresh, { type: JSON_TYPE, body, declared: true })).code);
		}
	};
	await Promise.all(Array.from({ length: 24 }, (_v, w) => worker(w)));
	t.deepEqual(codes, Array(72).fill(201));
});

test('HTTP/2: answers that nobody reads yet do not refuse the next request of their connection', async (t) => {
	const get = (path: string) => session.request({ ':path': path, authorization: `Bearer ${token}` });
	const slow = Array.from({ length: 6 }, () => get(CONFIG_MAPS));
	await Promise.all(slow.map((stream) => once(stream, 'response')));
	const [headers] = (await once(get('/version'), 'response')) as [{ ':status'?: number }];
	t.is(headers[':status'], 200);
	for (const stream of slow) stream.close();
});
