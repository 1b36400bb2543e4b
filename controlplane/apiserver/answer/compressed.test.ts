import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import test from 'ava';
import { CONFIG_MAPS } from '../../../api/resources.ts';
import { realClock } from '../../../base/clock.ts';
import { createLog } from '../../../base/log.ts';
import { testApiServer } from '../../../test/fakes/api-server.ts';
import type { ApiResponse } from '../contracts.ts';
import { compressed, documentCompressed } from './compressed.ts';
import { GzipBody } from './gzip-body.ts';
import { PushedBody } from './pushed-body.ts';

const LARGE = Buffer.alloc(200_000, 'kubernetes ');
const SMALL = Buffer.alloc(128 * 1024, 'a');
const answer = (body: Uint8Array): Exclude<ApiResponse, { type: 'upgraded' }> => ({ type: 'bytes', status: 200, headers: {}, body });
const asking = (accepted?: string, method = 'GET'): { readonly method: string; readonly headers: Record<string, string> } => ({
	method,
	headers: accepted === undefined ? {} : { 'accept-encoding': accepted },
});

for (const [accepted, body, want] of [
	['gzip', LARGE, 'gzip'],
	['deflate, gzip', LARGE, 'gzip'],
	['gzip', SMALL, undefined],
	['gzip;q=1', LARGE, undefined],
	['*', LARGE, undefined],
	['GZIP', LARGE, undefined],
	[undefined, LARGE, undefined],
] as const)
	test(`an object of ${body.length} bytes, accepted as ${accepted}: ${want}`, (t) => {
		const { headers } = compressed(asking(accepted), answer(body));
		t.is(headers['content-encoding'], want);
		t.is(headers['vary'], want === undefined ? undefined : 'Accept-Encoding');
	});

for (const [accepted, want] of [
	['gzip', 'gzip'],
	['gzip;q=0.5', 'gzip'],
	['gzip;q=0.5, identity', undefined],
	['gzip;q=0', undefined],
	['*', undefined],
	['br', undefined],
	['', undefined],
	[undefined, undefined],
] as const)
	test(`a short document, accepted as ${accepted}: ${want}`, (t) =>
		t.is(documentCompressed(asking(accepted), answer(Buffer.from('a'))).headers['content-encoding'], want));

test('a HEAD has no body to be packed', (t) => t.is(documentCompressed(asking('gzip', 'HEAD'), answer(SMALL)).type, 'bytes'));

test('what is unpacked is what was packed, and what was sent is counted', async (t) => {
	const body = new GzipBody(LARGE);
	const pieces: Uint8Array[] = [];
	for await (const piece of body) pieces.push(piece);
	const sent = Buffer.concat(pieces);
	t.deepEqual(gunzipSync(sent), LARGE);
	t.is(body.sentBytes, sent.length);
});

test('a long list, which is sent in pieces, is the same in either form', async (t) => {
	const stop = new AbortController();
	const { client, stopped } = await testApiServer({ clock: realClock, log: createLog({ level: 'error' }) }, stop.signal);
	t.teardown(async () => {
		stop.abort();
		await stopped;
	});
	for (let i = 0; i < 60; i++)
		await client.create(CONFIG_MAPS, { metadata: { name: `m${i}`, namespace: 'default' }, data: { text: `${i} `.repeat(5000 + 100 * i) } });
	const list = async (headers: Record<string, string>): Promise<{ readonly encoding: string | undefined; readonly bytes: Buffer }> => {
		const path = '/api/v1/namespaces/default/configmaps?resourceVersion=0';
		const answer = await client.transport.request({ method: 'GET', path, headers }, stop.signal);
		return { encoding: answer.headers['content-encoding'], bytes: await buffer(answer.body) };
	};
	const [plain, packed] = [await list({}), await list({ 'accept-encoding': 'gzip' })];
	t.deepEqual([plain.encoding, packed.encoding], [undefined, 'gzip']);
	t.true(plain.bytes.length > 1_000_000 && packed.bytes.length < plain.bytes.length / 4);
	t.true(gunzipSync(packed.bytes).equals(plain.bytes));
});

test('a client that goes away closes what was to be packed', async (t) => {
	for (const begun of [false, true]) {
		const source = new Source();
		const body = new GzipBody(source);
		if (begun) body.start({ write: () => false, end: () => t.fail() });
		if (begun) await new Promise((resolve) => setImmediate(resolve));
		body.close();
		await new Promise((resolve) => setImmediate(resolve));
		t.true(source.closed);
	}
});

class Source extends PushedBody {
	closed = false;
	start(): void {}
	resume(): void {}
	close(): void {
		this.closed = true;
	}
}
