/** Several API servers as one: what is asked again elsewhere, and what is not. */
import test from 'ava';
import { AppError } from '../base/errors.ts';
import { failover } from './failover.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

const NEVER = new AbortController().signal;
const refused = new AppError('Unavailable', 'Cannot connect', { cause: Object.assign(new Error('no'), { code: 'ECONNREFUSED' }) });
const broke = new AppError('Unavailable', 'The connection broke');
const denied = new AppError('PermissionDenied', 'no');

interface Server extends Transport {
	fault: Error | undefined;
	asked: number;
}

function server(status: number): Server {
	const one: Server = {
		fault: undefined,
		asked: 0,
		async request(): Promise<TransportResponse> {
			one.asked++;
			if (one.fault !== undefined) throw one.fault;
			return { status, headers: {}, warnings: [], body: (async function* () {})() };
		},
		upgrade: () => Promise.reject(new Error('none')),
		close: () => Promise.resolve(),
	};
	return one;
}

for (const [name, method, fault, want] of [
	['what is read is asked of the next', 'GET', broke, 201],
	['what was never sent is sent to the next', 'POST', refused, 201],
	['what may have been done is not done again', 'POST', broke, 'The connection broke'],
	['an answer is an answer', 'GET', denied, 'no'],
] as const)
	test(`failover(): ${name}`, async (t) => {
		const servers = [server(200), server(201)] as const;
		const one = failover(servers);
		const ask = (verb: TransportRequest['method']): Promise<number> =>
			one.request({ method: verb, path: '/' }, NEVER).then((answer) => answer.status);
		t.is(await ask('GET'), 200);
		servers[0].fault = fault;
		if (typeof want === 'string') await t.throwsAsync(ask(method), { message: want });
		else t.is(await ask(method), want);
		servers[0].fault = undefined;
		// It stays with a server that works.
		t.is(await ask('GET'), fault === denied ? 200 : 201);
	});

test('failover(): each server is asked once, and the first again later', async (t) => {
	const servers = [server(200), server(201), server(202)] as const;
	const switched: number[] = [];
	const one = failover(servers, (to) => switched.push(to));
	for (const each of servers) each.fault = refused;
	await t.throwsAsync(one.request({ method: 'GET', path: '/' }, NEVER), { message: 'Cannot connect' });
	t.deepEqual(
		servers.map((s) => s.asked),
		[1, 1, 1],
	);
	servers[0].fault = undefined;
	t.is((await one.request({ method: 'GET', path: '/' }, NEVER)).status, 200);
	t.deepEqual(switched, [1, 2, 0]);
});
