import test from 'ava';
import { Turns } from '../../base/turns.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { Closing, type Stage } from './closing.ts';
import type { ApiRequest } from './contracts.ts';
import { OpenWatches } from './registry/open-watches.ts';

const request = (path: string, agent = 'kubectl/v1.36.0', query = ''): ApiRequest =>
	({ method: 'GET', path, query: new URLSearchParams(query), headers: { 'user-agent': agent } }) as unknown as ApiRequest;

const PODS = '/api/v1/namespaces/default/pods';
const CASES: readonly (readonly [what: string, stage: Stage, request: ApiRequest, status: number | undefined, after?: string])[] = [
	['any request while it is open', 'open', request(PODS), undefined],
	['a read', 'retiring', request(PODS), 503, '1'],
	['a path', 'retiring', request('/version'), 503, '1'],
	['a watch, which is refused where it begins', 'retiring', request(PODS, undefined, 'watch=1'), undefined],
	['logs that are followed', 'retiring', request(`${PODS}/p/log`), undefined],
	['health checks', 'retiring', request('/readyz'), undefined],
	['metrics', 'retiring', request('/metrics'), undefined],
	['another API server', 'retiring', request(PODS, 'kube-apiserver/v1.36.0'), undefined],
	['a read', 'turning away', request(PODS), 429, '5'],
	['a watch', 'turning away', request(PODS, undefined, 'watch=1'), 429, '5'],
	['a single health check', 'turning away', request('/livez/ping'), undefined],
	['another API server', 'turning away', request(PODS, 'kube-apiserver/v1.36.0'), undefined],
];
for (const [what, stage, asked, status, after] of CASES)
	test(`${what}, when ${stage}: ${status ?? 'served'}`, (t) => {
		const closing = new Closing();
		closing.begin(stage);
		const answer = closing.refusal(asked);
		if (status === undefined) return t.is(answer, undefined);
		if (answer?.type !== 'bytes') return t.fail('no answer');
		t.deepEqual([answer.status, answer.headers['retry-after']], [status, after]);
		const text = Buffer.from(answer.body).toString();
		if (status === 429) t.is(text, 'The apiserver is shutting down, please try again later.\n');
		else t.is((JSON.parse(text) as { message: string }).message, 'apiserver is shutting down');
	});

for (const [count, graceMs, halfway] of [
	[100, 10_000, 60],
	[40_000, 10_000, 20_200],
] as const)
	test(`${count} watches end within ${graceMs} ms, 200 in a second at least`, async (t) => {
		const clock = new VirtualClock();
		const watches = new OpenWatches();
		let ended = 0;
		for (let i = 0; i < count; i++) watches.join(() => void ended++);
		const turns = new Turns(clock);
		const closed = watches.closeWithin(graceMs, turns, clock);
		t.throws(() => watches.admit(), { message: /apiserver is shutting down/ });
		await clock.advance(count === 100 ? 250 : graceMs / 2);
		t.is(ended, halfway);
		await clock.advance(graceMs / 2);
		await closed;
		t.is(ended, count);
	});
