import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { deflateRawSync, gunzipSync, gzipSync, inflateRawSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { realClock } from '../../../../base/clock.ts';
import type { ApiRequest, ObjectReader, SubresourceTarget } from '../../contracts.ts';
import { Backend, type BackendTarget } from './backend.ts';
import { proxies } from './proxy.ts';

const POD = { metadata: { namespace: 'n', name: 'p' }, spec: { containers: [] }, status: { podIP: '10.0.0.1' } };
const PATH = '/api/v1/namespaces/n/pods/p/proxy';

const passing = {
	pass: (_: ApiRequest, { path }: BackendTarget) =>
		Promise.resolve({ type: 'bytes', status: 200, headers: { path }, body: new Uint8Array() }),
} as unknown as Backend;
const objects = { get: () => POD, list: () => [] } as unknown as ObjectReader;
const handler = proxies({ objects, clock: realClock, kubelets: passing, workloads: passing }).find((h) => h.resource === 'pods');

for (const [method, path, query, headers, want] of [
	['GET', PATH, '', {}, { status: 301, headers: { location: `${PATH}/` } }],
	['HEAD', PATH, 'a=1', {}, { status: 301, headers: { location: `${PATH}/?a=1` } }],
	['GET', `${PATH}/`, 'a=1', {}, { status: 200, headers: { path: '/?a=1' } }],
	['POST', PATH, '', {}, { status: 200, headers: { path: '/' } }],
	['GET', `${PATH}/a//b/../c%2Fd(1)`, 'b=%20&x=1;y&%zz', {}, { status: 200, headers: { path: '/a/c/d%281%29?b=%20&x=1;y&%zz' } }],
	['GET', PATH, '', { upgrade: 'websocket' }, { status: 200, headers: { path: '/' } }],
] as const)
	test(`proxy: ${method} ${path}?${query}${'upgrade' in headers ? ' with an upgrade' : ''}`, async (t) => {
		const upgrade = 'upgrade' in headers ? { upgrade: () => undefined } : {};
		const uri = query === '' ? path : `${path}?${query}`;
		const request = { method, path, uri, query: new URLSearchParams(query), headers, ...upgrade } as unknown as ApiRequest;
		const target = {
			namespace: 'n',
			name: 'p',
			options: { path: decodeURIComponent(path.slice(PATH.length)) },
		} as unknown as SubresourceTarget;
		t.like(await handler?.handle(request, target), want);
	});

/** A node whose kubelet is this server, and a request through its proxy. */
async function throughNode(t: ExecutionContext, serve: RequestListener, method = 'GET', headers: Record<string, string> = {}) {
	const server = createServer(serve).listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	const kubelets = new Backend(() => ({}));
	t.teardown(() => {
		kubelets.close();
		server.close();
	});
	// It listens on the loopback address, which proxies do not lead to.
	const here = { pass: (asking, to) => kubelets.pass(asking, { ...to, host: '127.0.0.1' }) } as Backend;
	const node = { metadata: { name: 'a' }, status: { addresses: [{ type: 'InternalIP', address: '192.0.2.1' }] } };
	const reader = { get: () => node, list: () => [] } as unknown as ObjectReader;
	const proxy = proxies({ objects: reader, clock: realClock, kubelets: here, workloads: passing }).find((h) => h.resource === 'nodes');
	const name = `http:a:${port}`;
	const prefix = `/api/v1/nodes/${name}/proxy`;
	const asked = { host: 'cluster.example', 'x-forwarded-for': '10.9.9.9', ...headers };
	const { signal } = new AbortController();
	const query = new URLSearchParams();
	const request = { method, path: `${prefix}/dir/`, query, headers: asked, remoteAddress: '10.1.1.1', signal } as unknown as ApiRequest;
	const answer = await proxy?.handle(request, { namespace: '', name, options: { path: '/dir/' } } as unknown as SubresourceTarget);
	if (answer?.type !== 'stream') throw new Error('no answer');
	return { status: answer.status, headers: answer.headers, cookies: answer.cookies, body: await buffer(answer.body), prefix };
}

const PAGE = '<a href="/one">1</a> <a href="two">2</a> <img src="http://other.example/3">';
const paged = (prefix: string): string => PAGE.replace('/one', `${prefix}/one`);

for (const [encoding, pack, unpack] of [
	['', (text: string) => Buffer.from(text), (bytes: Buffer) => bytes],
	['gzip', gzipSync, gunzipSync],
	['deflate', deflateRawSync, inflateRawSync],
] as const)
	test(`proxy: links of a page lead back through it${encoding === '' ? '' : `, ${encoding}`}`, async (t) => {
		const headers = { 'content-type': 'text/html; charset=utf-8', ...(encoding === '' ? {} : { 'content-encoding': encoding }) };
		const { body, prefix, headers: got } = await throughNode(t, (_, response) => response.writeHead(200, headers).end(pack(PAGE)));
		t.is(unpack(body).toString(), paged(prefix));
		t.like(got, headers);
	});

for (const [what, headers] of [
	['of another type', { 'content-type': 'text/plain' }],
	['of an unknown encoding', { 'content-type': 'text/html', 'content-encoding': 'br' }],
] as const)
	test(`proxy: what is ${what} stays as it is`, async (t) => {
		const { body } = await throughNode(t, (_, response) => response.writeHead(200, headers).end(PAGE));
		t.is(body.toString(), PAGE);
	});

test('proxy: a redirect leads back through it, in HTML too; a bad one is an error', async (t) => {
	const to = (location: string): RequestListener => {
		return (_, response) => response.writeHead(302, { location, 'content-type': 'text/html' }).end(PAGE);
	};
	const { status, headers, prefix, body } = await throughNode(t, to('/login'));
	t.deepEqual([status, headers['location'], body.toString()], [302, `${prefix}/login`, PAGE]);
	t.is((await throughNode(t, to('https://other.example/'))).headers['location'], 'https://other.example/');
	await t.throwsAsync(throughNode(t, to('/%zz')), { message: /error trying to parse Location header/ });
});

test('proxy: of a bad redirect nothing is kept', async (t) => {
	const gone = Promise.withResolvers<void>();
	await t.throwsAsync(
		throughNode(t, (_, response) => {
			response.once('close', gone.resolve).writeHead(302, { location: '/%zz' }).write('more to come');
		}),
	);
	await t.notThrowsAsync(gone.promise);
});

test('proxy: each cookie comes by itself', async (t) => {
	const set = ['a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT', 'b=2'];
	const { cookies, headers } = await throughNode(t, (_, response) => response.writeHead(200, { 'set-cookie': set }).end());
	t.deepEqual([cookies, headers['set-cookie']], [set, undefined]);
});

test('proxy: a page that is cut off is an error, not a shorter page', async (t) => {
	const cut: RequestListener = (_, response) => {
		response.writeHead(200, { 'content-type': 'text/html', 'content-length': '1000' });
		response.write(PAGE, () => response.destroy());
	};
	await t.throwsAsync(throughNode(t, cut));
});

test('proxy: the server behind is told who asked for what; its CORS headers stay behind', async (t) => {
	let seen: IncomingHttpHeaders = {};
	const { prefix, headers } = await throughNode(t, (request, response) => {
		seen = request.headers;
		response.writeHead(200, { 'access-control-allow-origin': '*', 'x-mine': 'y' }).end();
	});
	t.like(seen, { host: 'cluster.example', 'x-forwarded-uri': `${prefix}/dir/`, 'x-forwarded-for': '10.9.9.9, 10.1.1.1' });
	t.deepEqual([headers['access-control-allow-origin'], headers['x-mine']], [undefined, 'y']);
});
