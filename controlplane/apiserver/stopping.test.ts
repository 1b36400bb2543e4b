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
