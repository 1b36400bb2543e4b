/** What those who watch see of a server that stops: watches end as one that has run out of time does, and no new one begins. */
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect as connectTls } from 'node:tls';
import test from 'ava';
import { realClock } from '../../base/clock.ts';
import { createLog } from '../../base/log.ts';
import { testApiServer, type TestApiServer } from '../../test/fakes/api-server.ts';
import { eventually } from '../../test/tools/eventually.ts';

const log = createLog({ level: 'error' });
const WATCH =
	'/api/v1/namespaces/default/configmaps?watch=true&resourceVersion=0&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan';

/** What came over one connection of HTTP/1.1, as it came. */
async function watchHttp1({ url, ca, token }: TestApiServer): Promise<{ readonly closed: Promise<string> }> {
	const { hostname, port } = new URL(url);
	const socket = connectTls({ host: hostname, port: Number(port), ca, ALPNProtocols: ['http/1.1'] });
	let text = '';
	socket.setEncoding('utf8').on('data', (piece: string) => (text += piece));
	const closed = once(socket, 'close').then(() => text);
	await once(socket, 'secureConnect');
	socket.write(`GET ${WATCH} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\n\r\n`);
	await eventually('the watch has begun', async () => text.includes('BOOKMARK'));
	return { closed };
}

test('watches end with their last chunk and with END_STREAM once the server stops', async (t) => {
	const stop = new AbortController();
	t.teardown(() => stop.abort());
	const server = await testApiServer({ port: 0, clock: realClock, log }, stop.signal);
	const http1 = await watchHttp1(server);
	const session = connectHttp2(server.url, { ca: server.ca });
	const seen: string[] = [];
	session.on('goaway', (code) => seen.push(`goaway ${code}`)).on('error', (error) => seen.push(`session: ${error.message}`));
	const sessionClosed = once(session, 'close');
	const stream = session.request({ ':path': WATCH, authorization: `Bearer ${server.token}` });
	let events = '';
	stream.setEncoding('utf8').on('data', (piece: string) => (events += piece));
	for (const event of ['end', 'aborted'] as const) stream.on(event, () => seen.push(event));
	stream.on('error', (error: Error) => seen.push(`stream: ${error.message}`));
	await eventually('the stream has begun', async () => events.includes('BOOKMARK'));
	stop.abort();
	t.regex(await http1.closed, /\r\n0\r\n\r\n$/);
	await sessionClosed;
	t.deepEqual([...new Set(seen)], ['goaway 0', 'end']);
	t.is(stream.rstCode, 0);
	await server.stopped;
});

test('with --shutdown-send-retry-after connections are taken until the last request is served, and others sent away', async (t) => {
	const stop = new AbortController();
	t.teardown(() => stop.abort());
	const server = await testApiServer({ port: 0, clock: realClock, log, standard: { shutdownSendsRetryAfter: true } }, stop.signal);
	const ask = async (path: string): Promise<string> => {
		const { hostname, port } = new URL(server.url);
		const socket = connectTls({ host: hostname, port: Number(port), ca: server.ca, ALPNProtocols: ['http/1.1'] });
		let text = '';
		socket.setEncoding('utf8').on('data', (piece: string) => (text += piece));
		socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${server.token}\r\n\r\n`);
		await eventually('an answer', async () => text.includes('\r\n\r\n') && !text.endsWith('\r\n\r\n'));
		socket.destroy();
		return text;
	};
	const session = connectHttp2(server.url, { ca: server.ca });
	session.on('error', () => {});
	const headers = { ':method': 'POST', ':path': '/api/v1/namespaces', authorization: `Bearer ${server.token}` };
	const slow = session.request({ ...headers, 'content-type': 'application/json' });
	let answered = 0;
	slow.on('response', ({ ':status': status }) => (answered = status ?? 0));
	slow.on('error', () => {}).resume();
	slow.write('{"apiVersion":"v1","kind":"Namespace",');
	const late = connectHttp2(server.url, { ca: server.ca });
	const away = once(late, 'goaway');
	await once(late, 'connect');
	await eventually('the request has come', async () => (await ask('/version')).startsWith('HTTP/1.1 200'));
	stop.abort();
	await eventually('it stops', async () => !(await ask('/version')).startsWith('HTTP/1.1 200'));
	const refused = await ask('/version');
	t.regex(refused, /^HTTP\/1\.1 429 /);
	t.regex(refused, /^retry-after: 5\r$/im);
	t.regex(refused, /^connection: close\r$/im);
	t.true(refused.endsWith('\r\n\r\nThe apiserver is shutting down, please try again later.\n'));
	t.regex(await ask('/readyz'), /^HTTP\/1\.1 500 [^]*\[-\]shutdown failed/);
	const stream = late.request({ ':path': '/version' });
	const [answer] = (await once(stream, 'response')) as [{ ':status': number }];
	t.is(answer[':status'], 429);
	await away;
	stream.resume();
	late.close();
	slow.end('"metadata":{"name":"slow"}}');
	await eventually('the request is served', async () => answered > 0);
	t.is(answered, 201);
	session.close();
	await server.stopped;
});
