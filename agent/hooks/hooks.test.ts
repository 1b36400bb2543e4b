/** Lifecycle hooks: what each kind does, and when it has failed. */
import { createServer } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import test from 'ava';
import type { LifecycleHandler, Pod } from '../../api/gen/types.ts';
import { messageOf } from '../../base/errors.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import type { AgentContext } from '../context.ts';
import { AgentMetrics } from '../metrics.ts';
import type { PodContainer } from '../pod/containers.ts';
import { runHook } from './run-hook.ts';

const POD: Pod = { metadata: { name: 'p', namespace: 'n', uid: 'u' }, spec: { containers: [] } };
const CONTAINER: PodContainer = { kind: 'app', spec: { name: 'c' }, target: '' };

async function run(handler: LifecycleHandler, exec: (command: string) => number = () => 0) {
	const clock = new VirtualClock(0);
	const events: string[] = [];
	const figures = new AgentMetrics('node');
	const context = {
		clock,
		figures,
		options: { version: 'v1.36.0' },
		recorder: { event: (_about: unknown, _type: string, reason: string, message: string) => void events.push(`${reason}: ${message}`) },
		runtime: {
			exec: async (_id: string, command: readonly string[]) => ({
				exitCode: exec(command.join(' ')),
				stdout: Buffer.from('out'),
				stderr: Buffer.from('err'),
			}),
		},
	} as unknown as AgentContext;
	const stop = new AbortController();
	const done = runHook(POD, CONTAINER, handler, 'id', '127.0.0.1', context, stop.signal);
	done.catch(() => {});
	return { done, stop, clock, events, figures };
}

for (const [name, handler, exec, want] of [
	['a command that succeeds', { exec: { command: ['a', 'b'] } }, (c: string) => (c === 'a b' ? 0 : 1), undefined],
	[
		'a command that fails',
		{ exec: { command: ['a', 'b'] } },
		() => 3,
		'Exec lifecycle hook ([a b]) for Container "c" in Pod "p_n(u)" failed - error: command \'a b\' exited with 3: err, message: "outerr"',
	],
	[
		'an address that does not answer',
		{ httpGet: { port: 1, path: 'x' } },
		undefined,
		'HTTP lifecycle hook (x) for Container "c" in Pod "p_n(u)" failed - error: Get "http://127.0.0.1:1/x": dial tcp 127.0.0.1:1: connect: connection refused',
	],
	['tcpSocket, which the API takes', { tcpSocket: { port: 1 } }, undefined, 'Cannot run handler: invalid handler: tcpSocket'],
	['no handler', {}, undefined, 'Cannot run handler: invalid handler: none'],
] as const)
	test(`a hook of ${name}`, async (t) => {
		const { done } = await run(handler as LifecycleHandler, exec);
		if (want === undefined) await t.notThrowsAsync(done);
		else await t.throwsAsync(done, { message: want });
	});

for (const [seconds, early, late] of [
	[5, false, true],
	[0, true, true],
] as const)
	test(`a sleep of ${seconds} s`, async (t) => {
		const { done, clock } = await run({ sleep: { seconds } });
		let ended = false;
		const end = done.then(() => (ended = true));
		await clock.advance(0);
		t.is(ended, early);
		await clock.advance(5000);
		await end;
		t.is(ended, late);
	});

const TOLD = 'request to HTTPS lifecycle hook HOST got HTTP response, retry with HTTP succeeded';
test('a sleep that is cut short is counted', async (t) => {
	const { done, stop, figures } = await run({ sleep: { seconds: 5 } });
	const count = async (): Promise<number | undefined> => (await figures.sleepsCutShort.get()).values[0]?.value;
	t.is(await count(), 0);
	stop.abort();
	await t.throwsAsync(done);
	t.is(await count(), 1);
});

test('an HTTP hook: any answer will do; one that asks for HTTPS of an HTTP server falls back and says so, keeping what authorizes to itself', async (t) => {
	const heard: string[] = [];
	const server = createServer((request, response) => {
		heard.push(
			`${request.method} ${request.url} ${request.headers['user-agent']} ${String(request.headers['x-a'])} ${String(request.headers['authorization'])}`,
		);
		response.writeHead(404).end();
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	t.teardown(() => server.close());
	const { port } = server.address() as AddressInfo;
	const httpHeaders = [
		{ name: 'X-A', value: '1' },
		{ name: 'authorization', value: 'secret' },
	];
	for (const [scheme, fallbacks] of [
		['HTTP', 0],
		['HTTPS', 1],
	] as const) {
		const { done, events, figures } = await run({ httpGet: { port, path: '/x', scheme, httpHeaders } });
		await done;
		t.deepEqual(events, fallbacks === 0 ? [] : [`LifecycleHTTPFallback: ${TOLD.replace('HOST', `127.0.0.1:${port}`)}`]);
		t.regex(await figures.registry.metrics(), new RegExp(`kubelet_lifecycle_handler_http_fallbacks_total ${fallbacks}`));
	}
	t.deepEqual(heard, ['GET /x kube-lifecycle/1.36 1 secret', 'GET /x kube-lifecycle/1.36 1 undefined']);
});

test('a hook that also fails over HTTP fails with what it first failed of', async (t) => {
	let connections = 0;
	const server = createTcpServer((socket) => {
		socket.on('error', () => {});
		if (++connections === 1) socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n'));
		else socket.destroy();
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	t.teardown(() => server.close());
	const { port } = server.address() as AddressInfo;
	const { done, events, figures } = await run({ httpGet: { port, path: '/x', scheme: 'HTTPS' } });
	const error = await t.throwsAsync(done);
	t.regex(messageOf(error), /wrong version number|packet length too long/i);
	t.is(connections, 2);
	t.deepEqual(events, []);
	t.regex(await figures.registry.metrics(), /kubelet_lifecycle_handler_http_fallbacks_total 0/);
});
