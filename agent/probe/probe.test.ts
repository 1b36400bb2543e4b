/** One try of each kind of probe against servers that answer, refuse, redirect or hang. */
import { createServer, type Server } from 'node:http';
import { createServer as createHttp2 } from 'node:http2';
import { createServer as createTcp, type AddressInfo } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import test from 'ava';
import type { Probe } from '../../api/gen/types.ts';
import { realClock } from '../../base/clock.ts';
import type { AgentContext } from '../context.ts';
import { runProbe } from './run-probe.ts';

const context = { clock: realClock, options: { version: 'v1.36.0' } } as unknown as AgentContext;
const portOf = (server: { address(): AddressInfo | string | null }): number => (server.address() as AddressInfo).port;
const heard: Record<string, string | undefined>[] = [];
let http: Server;
let grpc: ReturnType<typeof createHttp2>;
const tcp = createTcp((socket) => socket.end());

/** Of a HealthCheckRequest. */
function serviceIn(message: Buffer): string {
	const [tag, low = 0, high = 0] = message;
	if (tag !== 0x0a) return '';
	const [from, length] = low < 0x80 ? [2, low] : [3, (low & 0x7f) + high * 0x80];
	return message.toString('utf8', from, from + length);
}

/** What is answered where it is not OK. */
const STATUSES: Readonly<Record<string, string>> = { none: '12', late: '4' };

test.before(async () => {
	http = createServer((request, response) => {
		heard.push({ agent: request.headers['user-agent'], host: request.headers.host, accept: request.headers.accept });
		const { pathname } = new URL(request.url ?? '/', 'http://x');
		if (pathname === '/hang') return;
		if (pathname === '/away') return void response.writeHead(302, { location: 'http://192.0.2.9/' }).end('away');
		if (pathname === '/near') return void response.writeHead(302, { location: '/ok' }).end();
		if (pathname === '/loop') return void response.writeHead(302, { location: '/loop' }).end();
		response.writeHead(pathname === '/bad' ? 500 : 200).end('x'.repeat(pathname === '/long' ? 20_000 : 3));
	});
	grpc = createHttp2();
	grpc.on('stream', (stream) => {
		const chunks: Buffer[] = [];
		stream.on('data', (chunk: Buffer) => chunks.push(chunk));
		stream.on('end', () => {
			const service = serviceIn(Buffer.concat(chunks).subarray(5));
			const known = service === '' || service === 'down';
			stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
			stream.on('wantTrailers', () =>
				stream.sendTrailers({ 'grpc-status': known ? '0' : (STATUSES[service] ?? '5'), 'grpc-message': known ? '' : `no ${service}` }),
			);
			if (known) stream.end(Buffer.from([0, 0, 0, 0, 2, 8, service === 'down' ? 2 : 1]));
			else stream.end();
		});
	});
	for (const server of [http, grpc, tcp]) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
});
test.after.always(() => {
	http.closeAllConnections();
	for (const server of [http, grpc, tcp]) server.close();
});

for (const [name, probe, result, output] of [
	['2xx is success', { httpGet: { port: 'web', path: '/ok' } }, 'success', /^xxx$/],
	['a path without a slash gets one', { httpGet: { port: 'web', path: 'ok?a=b' } }, 'success', /^xxx$/],
	['5xx is failure', { httpGet: { port: 'web', path: '/bad' } }, 'failure', /^HTTP probe failed with statuscode: 500$/],
	['a redirect on the same host is followed', { httpGet: { port: 'web', path: '/near' } }, 'success', /^xxx$/],
	[
		'one to another host is a warning',
		{ httpGet: { port: 'web', path: '/away' } },
		'warning',
		/^Probe terminated redirects, Response body: away$/,
	],
	['ten redirects are enough', { httpGet: { port: 'web', path: '/loop' } }, 'failure', /stopped after 10 redirects/],
	['a body is cut', { httpGet: { port: 'web', path: '/long' } }, 'success', /^x{10240}$/],
	['no answer in time', { timeoutSeconds: 0.05, httpGet: { port: 'web', path: '/hang' } }, 'failure', /context deadline exceeded/],
	[
		'nobody listens',
		{ httpGet: { port: 1, path: '/' } },
		'failure',
		/^Get "http:\/\/127\.0\.0\.1:1\/": dial tcp 127\.0\.0\.1:1: connect: connection refused$/,
	],
	['a port that connects', { tcpSocket: { port: 'tcp' } }, 'success', /^$/],
	['a port that does not', { tcpSocket: { port: 1 } }, 'failure', /^dial tcp 127\.0\.0\.1:1: connect: connection refused$/],
	['a port without that name', { tcpSocket: { port: 'nobody' } }, 'error', /^strconv.Atoi: parsing "nobody": invalid syntax$/],
	['a number that is no port', { httpGet: { port: '70000' } }, 'error', /^invalid port number: 70000$/],
	['SERVING', { grpc: { port: 'grpc' } }, 'success', /^$/],
	['NOT_SERVING', { grpc: { port: 'grpc', service: 'down' } }, 'failure', /service unhealthy \(responded with "NOT_SERVING"\)/],
	[
		'a service that gRPC does not know',
		{ grpc: { port: 'grpc', service: 'other' } },
		'failure',
		/^error: health rpc probe failed: rpc error: code = NotFound desc = no other$/,
	],
	['a name as long as it may be', { grpc: { port: 'grpc', service: 's'.repeat(300) } }, 'failure', /code = NotFound desc = no s{300}$/],
	[
		'a server that has no health',
		{ grpc: { port: 'grpc', service: 'none' } },
		'failure',
		/^error: this server does not implement the grpc health protocol \(grpc.health.v1.Health\): no none$/,
	],
	[
		'a call that ran out of time',
		{ grpc: { port: 'grpc', service: 'late' } },
		'failure',
		/^timeout: health rpc did not complete within 1m0s$/,
	],
	[
		'nobody who speaks gRPC',
		{ timeoutSeconds: 0.2, grpc: { port: 1 } },
		'failure',
		/^timeout: failed to connect service "127\.0\.0\.1:1" within 200ms: context deadline exceeded$/,
	],
	['no handler', {}, 'error', /missing probe handler/],
] as const)
	test(`runProbe(): ${name}`, async (t) => {
		const ports = [http, tcp, grpc].map((server, i) => ({ name: ['web', 'tcp', 'grpc'][i] ?? '', containerPort: portOf(server) }));
		// Time enough for a busy machine, where the rule is not about time.
		const given: Probe = { timeoutSeconds: 60, ...(structuredClone(probe) as Probe) };
		if (given.grpc !== undefined && given.grpc.port !== 1) given.grpc.port = portOf(grpc);
		const outcome = await runProbe(given, { name: 'c', ports }, 'id', '127.0.0.1', context, new AbortController().signal);
		t.is(outcome.result, result);
		t.regex(outcome.output, output);
	});

test('the command of a probe has the values that the spec gives to its variables', async (t) => {
	const ran: string[] = [];
	const exec = async (_id: string, command: readonly string[]) => {
		ran.push(command.join(' '));
		return { exitCode: 0, stdout: Buffer.of(), stderr: Buffer.of() };
	};
	const env = [
		{ name: 'A', value: 'a' },
		{ name: 'S', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
	];
	const given = { exec: { command: ['x', '$(A)', '[$(S)]', '$(NONE)', '$$(A)'] } };
	const running = { ...context, runtime: { exec } } as unknown as AgentContext;
	await runProbe(given, { name: 'c', env }, 'id', '127.0.0.1', running, new AbortController().signal);
	t.deepEqual(ran, ['x a [] $(NONE) $(A)']);
});

test('an HTTP probe says who it is, and a Host header of its own wins', async (t) => {
	const httpGet = { port: portOf(http), path: '/ok', httpHeaders: [{ name: 'Host', value: 'example.org' }] };
	await runProbe({ httpGet, timeoutSeconds: 60 }, { name: 'c' }, 'id', '127.0.0.1', context, new AbortController().signal);
	t.true(heard.some((h) => isDeepStrictEqual(h, { agent: 'kube-probe/1.36', host: 'example.org', accept: '*/*' })));
});
