/** Connections of HTTP/2 are for those who are known: others have one answer of each. */
import { once } from 'node:events';
import { Agent, get } from 'node:https';
import { connect, type ClientHttp2Session, type IncomingHttpHeaders } from 'node:http2';
import { text } from 'node:stream/consumers';
import test from 'ava';
import { realClock } from '../../../base/clock.ts';
import { noLog } from '../../../base/log.ts';
import { testApiServer } from '../../../test/fakes/api-server.ts';

const stop = new AbortController();
const { url, ca, token, stopped } = await testApiServer({ clock: realClock, log: noLog, port: 0 }, stop.signal);
test.after.always(async () => {
	stop.abort();
	await stopped;
});

const KNOWN = { authorization: `Bearer ${token}` };
const WATCH = '/api/v1/namespaces/default/configmaps?watch=1';

async function ask(session: ClientHttp2Session, path: string, headers: object): Promise<number> {
	const stream = session.request({ ':path': path, ...headers });
	const [answer] = (await once(stream, 'response')) as [IncomingHttpHeaders];
	await text(stream);
	return Number(answer[':status']);
}

for (const [who, path, headers, code] of [
	['nobody', '/livez', {}, 200],
	['nobody, who may not', '/api/v1/nodes', {}, 403],
	['a wrong token', '/livez', { authorization: 'Bearer zork' }, 401],
] as const)
	test(`HTTP/2: the connection of ${who} ends with the answer`, async (t) => {
		const session = connect(url, { ca });
		const [left, closed] = [once(session, 'goaway'), once(session, 'close')];
		t.is(await ask(session, path, headers), code);
		t.is((await left)[0], 0);
		await closed;
	});

test('HTTP/2: who is known keeps it, whomever he impersonates', async (t) => {
	const session = connect(url, { ca });
	try {
		session.once('goaway', () => t.fail());
		t.is(await ask(session, '/livez', KNOWN), 200);
		const impersonating = { 'impersonate-user': 'system:anonymous', 'impersonate-group': 'system:unauthenticated' };
		t.is(await ask(session, '/api/v1/nodes', { ...KNOWN, ...impersonating }), 403);
		t.is(await ask(session, '/livez?timeout=zork', {}), 400);
		t.is(await ask(session, '/livez', KNOWN), 200);
	} finally {
		session.destroy();
	}
});

test('HTTP/2: what is open beside it is served to its end', async (t) => {
	const session = connect(url, { ca });
	const watch = session.request({ ':path': WATCH, ...KNOWN });
	await once(watch, 'response');
	const left = once(session, 'goaway');
	t.is(await ask(session, '/livez', {}), 200);
	await left;
	const seen = once(watch, 'data');
	const other = connect(url, { ca });
	try {
		const made = other.request({
			':method': 'POST',
			':path': WATCH.slice(0, WATCH.indexOf('?')),
			'content-type': 'application/json',
			...KNOWN,
		});
		made.end('{"metadata":{"name":"seen"}}');
		t.regex(await text(made), /"seen"/);
		t.regex(String(await seen), /"seen"/);
	} finally {
		other.destroy();
	}
	const closed = once(session, 'close');
	watch.close(8);
	await closed;
});

test('HTTP/1.1: it goes on', async (t) => {
	const agent = new Agent({ ca, keepAlive: true });
	try {
		for (const path of ['/livez', '/api/v1/nodes', '/livez']) {
			const [answer] = (await once(get(`${url}${path}`, { agent }), 'response')) as [import('node:http').IncomingMessage];
			await text(answer);
			t.not(answer.headers.connection, 'close');
		}
		t.is(Object.values(agent.freeSockets).flat().length, 1);
	} finally {
		agent.destroy();
	}
});

test('HTTP/2: a connection takes a thousand streams at once, or as many as it is told', async (t) => {
	for (const [standard, want] of [
		[{}, 1000],
		[{ maxStreams: 0 }, 1000],
		[{ maxStreams: 7 }, 7],
	] as const) {
		const ends = new AbortController();
		const server = await testApiServer({ clock: realClock, log: noLog, port: 0, standard }, ends.signal);
		const session = connect(server.url, { ca: server.ca });
		const [settings] = (await once(session, 'remoteSettings')) as [{ readonly maxConcurrentStreams: number }];
		t.is(settings.maxConcurrentStreams, want);
		session.destroy();
		ends.abort();
		await server.stopped;
	}
});
