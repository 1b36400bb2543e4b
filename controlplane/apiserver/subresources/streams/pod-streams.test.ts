/** Streams of pods, to kubelets that speak SPDY alone, to those that know WebSockets, and to those that do not answer. */
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough, type Duplex, type Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import { NODES, PODS, SERVICE_ACCOUNTS } from '../../../../api/resources.ts';
import { realClock } from '../../../../base/clock.ts';
import { noLog } from '../../../../base/log.ts';
import { testApiServer } from '../../../../test/fakes/api-server.ts';
import { ownPort } from '../../../../test/tools/ports.ts';
import { acceptCommand, acceptPortForward } from '../../../../wire/remotecommand/accept.ts';
import { connectCommand } from '../../../../wire/remotecommand/connect.ts';
import { connectPortForward } from '../../../../wire/remotecommand/port-forward-client.ts';
import { servePortForward } from '../../../../wire/remotecommand/port-forward.ts';
import type { CommandWants } from '../../../../wire/remotecommand/session.ts';
import { createAuthority, issue } from '../../../../wire/tls/authority.ts';
import { dialWebSocket } from '../../../../wire/websocket/dial.ts';

const ALL: CommandWants = { stdin: true, stdout: true, stderr: true, tty: false };
const STREAMS = 'stdin=true&stdout=true&stderr=true';
const POD = '/api/v1/namespaces/default/pods/p';
const never = new AbortController().signal;

const authority = await createAuthority({ commonName: 'ca', days: 10 }, realClock);
const serving = await issue(authority, { commonName: 'node', ipAddresses: ['127.0.0.1'], usages: ['server'], days: 5 }, realClock);

interface Kubelet {
	readonly port: number;
	/** What it was asked: the upgrade, the path, and the client's name for the API server. */
	readonly asked: string[];
	readonly open: () => number;
}

/** Commands say back what they hear and exit with 3; port 80 says back what it hears. @param refusal instead of serving */
async function kubelet(t: ExecutionContext, refusal?: string): Promise<Kubelet> {
	const server = createServer({ cert: serving.certPem, key: serving.keyPem });
	const sockets = new Set<Duplex>();
	const asked: string[] = [];
	const serve = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
		if (request.url?.startsWith('/portForward') === true) {
			const accepted = await acceptPortForward(request, socket, head);
			if (accepted.type === 'spdy') await servePortForward(accepted.stream, accepted.head, async () => new PassThrough());
			return;
		}
		const session = await acceptCommand(request, socket, head, ALL, realClock);
		session.stdout?.write(await text(session.stdin as Readable));
		await session.finish({ type: 'exit', code: 3 });
	};
	server.on('upgrade', (request, socket, head) => {
		sockets.add(socket);
		socket.on('error', () => {}).once('close', () => sockets.delete(socket));
		asked.push(`${request.method} ${request.headers.upgrade} ${request.url?.split('?')[0]} ${request.headers['sec-websocket-key'] ?? ''}`);
		if (refusal !== undefined) return void socket.end(refusal);
		serve(request, socket, head).catch(() => socket.destroy());
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	t.teardown(() => {
		for (const socket of sockets) socket.destroy();
		server.close();
	});
	return { port: (server.address() as AddressInfo).port, asked, open: () => sockets.size };
}

async function cluster(t: ExecutionContext, port: number, declaredFeatures: readonly string[] = []) {
	const stop = new AbortController();
	const { client, url, token, ca, stopped } = await testApiServer({ clock: realClock, log: noLog, port: 0 }, stop.signal);
	t.teardown(async () => {
		stop.abort();
		await stopped;
	});
	await client.create(SERVICE_ACCOUNTS, { metadata: { name: 'default', namespace: 'default' } });
	await client.create(NODES, { metadata: { name: 'n' } });
	const status = {
		addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
		daemonEndpoints: { kubeletEndpoint: { Port: port } },
		declaredFeatures: [...declaredFeatures],
	};
	await client.patch(NODES, 'n', { type: 'merge', body: { status } }, { subresource: 'status' });
	const spec = { nodeName: 'n', automountServiceAccountToken: false, containers: [{ name: 'c', image: 'i' }] };
	await client.create(PODS, { metadata: { name: 'p', namespace: 'default' }, spec });
	const target = (path: string) => ({
		url: new URL(`${url}${POD}/${path}`),
		headers: { authorization: `Bearer ${token}` },
		tls: { caPem: ca },
	});
	const figures = async (name: string): Promise<readonly string[]> => {
		const { body } = await client.transport.request({ method: 'GET', path: '/metrics' }, never);
		const lines = (await text(body as Readable)).split('\n').filter((line) => line.startsWith(name));
		return lines.map((line) => line.slice(name.length));
	};
	return { target, figures };
}

async function until(condition: () => boolean): Promise<void> {
	while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

for (const [verb, features, upgrade, key] of [
	['exec', [], 'POST SPDY/3.1', false],
	['attach', [], 'POST SPDY/3.1', false],
	['exec', ['ExtendWebSocketsToKubelet'], 'GET websocket', true],
] as const)
	test(`${verb} over a WebSocket reaches a kubelet that declares [${features.join()}] as ${upgrade}`, async (t) => {
		const { port, asked, open } = await kubelet(t);
		const { target, figures } = await cluster(t, port, features);
		const remote = await connectCommand(target(`${verb}?${STREAMS}&command=cat`), ALL, 'websocket', never);
		remote.stdin?.end('hello');
		t.is(await text(remote.stdout as Readable), 'hello');
		t.deepEqual(await remote.ended, { type: 'exit', code: 3 });
		t.is(asked[0]?.startsWith(`${upgrade} /${verb}/default/p/c `), true, asked[0]);
		t.is(asked[0]?.endsWith(' '), !key);
		await until(() => open() === 0);
		const how = key ? 'proxied_to_kubelet' : 'translated_at_apiserver';
		t.deepEqual(await figures('apiserver_websocket_streaming_requests_total{'), [`subresource="${verb}",proxy_type="${how}"} 1`]);
		t.deepEqual(await figures('apiserver_stream_translator_requests_total{'), key ? [] : ['code="200"} 1']);
	});

for (const [features, upgrade] of [
	[[], 'POST SPDY/3.1'],
	[['ExtendWebSocketsToKubelet'], 'GET websocket'],
] as const)
	test(`port-forward over a WebSocket reaches a kubelet that declares [${features.join()}] as ${upgrade}`, async (t) => {
		const { port, asked, open } = await kubelet(t);
		const { target, figures } = await cluster(t, port, features);
		const forward = await connectPortForward(target('portforward'), 'websocket', never);
		const connection = await forward.open(80);
		connection.end('hello');
		t.is(await text(connection), 'hello');
		forward.close();
		t.is(asked[0]?.startsWith(`${upgrade} /portForward/default/p `), true, asked[0]);
		await until(() => open() === 0);
		t.deepEqual(await figures('apiserver_stream_tunnel_requests_total{'), features.length > 0 ? [] : ['code="101"} 1']);
	});

for (const [answer, command, tunnel] of [
	[
		'HTTP/1.1 403 Forbidden\r\nContent-Length: 4\r\nConnection: close\r\n\r\nno!\n',
		'unable to upgrade connection: no!',
		/403 Forbidden: no!/,
	],
	['HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n', 'unable to upgrade connection: empty server response', /404 Not Found/],
	['HTTP/1.1 500 X\r\nContent-Length: 17\r\n\r\n{"message":"why"}', 'unable to upgrade connection: why', /500 .*why/],
	[
		'HTTP/1.1 307 X\r\nLocation: /else\r\nContent-Length: 0\r\n\r\n',
		'error sending request: Post "/else": redirect not allowed',
		/500 .*invalid upgrade response: status code 307/,
	],
	[
		'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n',
		'unable to upgrade connection: empty server response',
		/500 .*unable to upgrade: missing upgrade headers in response/,
	],
] as const)
	test(`a kubelet that answers ${answer.split('\r\n', 1)[0]}, ${command}`, async (t) => {
		const { port, open } = await kubelet(t, answer);
		const { target } = await cluster(t, port);
		const remote = await connectCommand(target(`exec?${STREAMS}&command=cat`), ALL, 'websocket', never);
		t.deepEqual(await remote.ended, { type: 'error', message: `Internal error occurred: ${command}` });
		await t.throwsAsync(connectPortForward(target('portforward'), 'websocket', never), { message: tunnel });
		await until(() => open() === 0);
	});

test('that no kubelet answers is told inside of the stream; an older WebSocket is not begun', async (t) => {
	const port = await ownPort('127.0.0.1');
	const { target } = await cluster(t, port);
	const path = 'exec?command=ls&stdout=true';
	const { socket } = await dialWebSocket(target(path), ['v5.channel.k8s.io'], never);
	const told: Buffer[] = [];
	socket.on('message', (data: Buffer) => told.push(data)).resume();
	const [code] = (await once(socket, 'close')) as [number];
	const refused = `dial tcp 127.0.0.1:${port}: connect: connection refused`;
	const message = `error sending request: Post "https://127.0.0.1:${port}/exec/default/p/c?command=ls&output=1": ${refused}`;
	t.deepEqual([told.map(([channel]) => channel), code], [[1, 3], 1000]);
	t.deepEqual(JSON.parse(told[1]?.subarray(1).toString() ?? ''), {
		...{ metadata: {}, status: 'Failure', message: `Internal error occurred: ${message}`, reason: 'InternalError' },
		...{ details: { causes: [{ message }] }, code: 500 },
	});
	await t.throwsAsync(dialWebSocket(target(path), ['v4.channel.k8s.io'], never), { message: /500 .*error dialing backend: dial tcp/ });
});
