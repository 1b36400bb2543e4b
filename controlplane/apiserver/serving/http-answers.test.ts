import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import { connect, createServer as createHttp2Server, type IncomingHttpHeaders } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import test from 'ava';
import { realClock } from '../../../base/clock.ts';
import { sendHttp1, sendHttp2 } from './http-answers.ts';
import type { Answer } from '../request/exchange.ts';

const COOKIES = ['a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT', 'b=2'];

const answer = (): Answer => ({
	response: { type: 'stream', status: 200, headers: {}, cookies: COOKIES, body: Readable.from([]) },
	auditId: 'id',
	flow: undefined,
	finished: () => {},
});

test('each cookie has a line of its own, over HTTP/1.1 and HTTP/2', async (t) => {
	const http1 = createServer((_, response) => void sendHttp1(response, answer(), { warnings: [], isWaiting: false }, realClock)).listen(0);
	const http2 = createHttp2Server().listen(0);
	http2.on('stream', (stream) => void sendHttp2(stream, answer(), [], false));
	await Promise.all([once(http1, 'listening'), once(http2, 'listening')]);
	const [response] = (await once(get({ port: (http1.address() as AddressInfo).port, agent: false }), 'response')) as [IncomingMessage];
	t.deepEqual(response.resume().headers['set-cookie'], COOKIES);
	const session = connect(`http://localhost:${(http2.address() as AddressInfo).port}`);
	const [headers] = (await once(session.request().resume(), 'response')) as [IncomingHttpHeaders];
	t.deepEqual(headers['set-cookie'], COOKIES);
	session.close();
	http1.close();
	http2.close();
});
