import test from 'ava';
import { createMetrics } from '../../../base/metrics.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { FLOW_SCHEMA_DATA, PRIORITY_LEVELS } from '../bootstrap/flow-control.ts';
import type { ApiRequest, UserInfo } from '../contracts.ts';
import { requestInfo } from '../request/request-info.ts';
import { aligned } from './columns.ts';
import { fairnessDumps } from './dumps.ts';
import { Fairness } from './fairness.ts';

const NO_QUERY = new URLSearchParams();

test('a table as text/tabwriter sets it', (t) => {
	const rows = [
		['PriorityLevelName', 'Is', 'End'],
		['a', 'true', 'x'],
	];
	t.is(aligned(rows), 'PriorityLevelName, Is,     End\na,                 true,   x\n');
});

test('what runs and what waits is told by request, by queue and by level', async (t) => {
	const clock = new VirtualClock();
	const fairness = new Fairness(
		{ maxRequests: 100, maxMutatingRequests: 20 },
		{ clock, metrics: createMetrics(), sizeOf: () => undefined },
	);
	fairness.configure(PRIORITY_LEVELS, FLOW_SCHEMA_DATA);
	const dumps = fairnessDumps(fairness, clock);
	const dump = async (page: string, query = ''): Promise<readonly (readonly string[])[]> => {
		const asked = { query: new URLSearchParams(query) } as unknown as ApiRequest;
		const answer = await dumps.get(`/debug/api_priority_and_fairness/${page}`)?.(asked);
		if (answer?.type !== 'bytes') return [];
		return Buffer.from(answer.body)
			.toString()
			.trimEnd()
			.split('\n')
			.map((line) => line.split(/, */));
	};
	const enter = (name: string, method: string, path: string, ...groups: string[]) => {
		const user: UserInfo = { name, uid: '', groups: [...groups, 'system:authenticated'], extra: {} };
		const asking = {
			info: requestInfo(method, path, NO_QUERY),
			user,
			query: NO_QUERY,
			path,
			waitMs: 15_000,
			signal: () => new AbortController().signal,
		};
		return fairness.enter(asking, clock.monotonic());
	};
	const [head, ...none] = await dump('dump_requests');
	t.deepEqual([head?.length, none.length], [10, 0]);
	const exempt = enter('admin', 'GET', '/version', 'system:masters');
	await clock.advance(1500);
	const path = '/apis/apps/v1/namespaces/n/deployments/d/scale';
	const entered = [enter('u', 'PUT', path)];
	while (!(entered.at(-1) instanceof Promise)) entered.push(enter('u', 'PUT', path));
	const [, ...rows] = await dump('dump_requests', 'includeRequestDetails=1');
	t.deepEqual(rows[0], [
		...['exempt', 'exempt', '-1', '-1', '', '2026-01-01T00:00:00Z', '1', '0', '0s', '2026-01-01T00:00:00Z'],
		...['admin', 'get', '/version', '', '', '', '', ''],
	]);
	const waiting = rows.find((row) => row[3] === '0') ?? [];
	t.deepEqual(
		[...waiting.slice(0, 2), ...waiting.slice(3)],
		[
			...['global-default', 'global-default', '0', 'u', '2026-01-01T00:00:01.5Z', '1', '0', '0s', '0001-01-01T00:00:00Z'],
			...['u', 'update', path, 'n', 'd', 'apps/v1', 'deployments', 'scale'],
		],
	);
	t.is(rows.filter((row) => row[3] === '-1').length, entered.length, 'all others run');
	const [, ...queues] = await dump('dump_queues');
	const queue = queues.find(([level, index]) => level === 'global-default' && index === waiting[2]) ?? [];
	t.deepEqual([queue[2], ...queue.slice(6)], ['1', '1', '1', '0.00300000ss']);
	const levels = await dump('dump_priority_levels');
	t.is(levels.find(([name]) => name === 'global-default')?.[1], '1');
	for (const place of [exempt, ...entered]) if (!(place instanceof Promise) && place.type === 'pass') place.leave();
	await clock.advance(0);
	const last = await entered.at(-1);
	if (last?.type === 'pass') last.leave();
	t.is((await dump('dump_requests')).length, 1, 'nothing is kept of what is over');
});
