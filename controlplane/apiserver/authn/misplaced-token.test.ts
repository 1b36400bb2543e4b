import { request } from 'node:https';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import test from 'ava';
import { realClock } from '../../../base/clock.ts';
import { noLog } from '../../../base/log.ts';
import { testApiServer } from '../../../test/fakes/api-server.ts';

test('a space too many before a token is warned of where nobody is anonymous, too', async (t) => {
	const stop = new AbortController();
	const server = await testApiServer({ port: 0, clock: realClock, log: noLog, standard: { anonymous: { enabled: false } } }, stop.signal);
	t.teardown(async () => {
		stop.abort();
		await server.stopped;
	});
	const told = async (authorization: string): Promise<readonly unknown[]> => {
		const asked = request(`${server.url}/api`, { ca: server.ca, headers: { authorization }, agent: false }).end();
		const [answer] = (await once(asked, 'response')) as [IncomingMessage];
		answer.resume();
		return [answer.statusCode, answer.headers['warning']];
	};
	t.deepEqual(await told(`Bearer  ${server.token}`), [
		401,
		'299 - "the provided Authorization header contains extra space before the bearer token, and is ignored"',
	]);
	t.deepEqual(await told('Bearer bad'), [401, undefined]);
	t.deepEqual(await told(`Bearer ${server.token}`), [200, undefined]);
});
