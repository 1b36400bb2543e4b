import test from 'ava';
import type { PriorityLevelConfiguration } from '../../../api/gen/types.ts';
import { createMetrics } from '../../../base/metrics.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { FLOW_SCHEMA_DATA } from '../bootstrap/flow-control.ts';
import type { UserInfo } from '../contracts.ts';
import { requestInfo } from '../request/request-info.ts';
import { Fairness, type Pass, type Refused } from './fairness.ts';
import { Occupancy } from './occupancy.ts';
import { ShareTimes } from './share-times.ts';

const level = (name: string, limited: object): PriorityLevelConfiguration => ({
	apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
	kind: 'PriorityLevelConfiguration',
	metadata: { name },
	spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' }, ...limited } },
});
const QUEUE = { limitResponse: { type: 'Queue', queuing: { queues: 2, handSize: 1, queueLengthLimit: 50 } } };
const user = (name: string): UserInfo => ({ name, uid: '', groups: ['system:authenticated'], extra: {} });

function flooded(maxRequests: number) {
	const clock = new VirtualClock();
	const metrics = createMetrics();
	const size = { objects: 100, averageBytes: 4000 };
	const fairness = new Fairness({ maxRequests, maxMutatingRequests: 0 }, { clock, metrics, sizeOf: () => size });
	const levels = [level('global-default', { nominalConcurrencyShares: 100, borrowingLimitPercent: 0, ...QUEUE }), level('catch-all', {})];
	fairness.configure(levels, FLOW_SCHEMA_DATA);
	const ask = (path: string) =>
		Promise.resolve(
			fairness.enter(
				{
					...{ info: requestInfo('GET', path, new URLSearchParams()), user: user('u'), query: new URLSearchParams(), path, waitMs: 15_000 },
					signal: () => new AbortController().signal,
				},
				clock.monotonic(),
			),
		);
	const told = async (name: string): Promise<string[]> =>
		(await metrics.metrics())
			.split('\n')
			.filter((line) => line.startsWith(`apiserver_flowcontrol_${name}`) && line.includes('global-default'));
	return { clock, fairness, ask, told };
}

test('a share of a whole that changes: what was counted stays where it was', (t) => {
	const occupancy = new Occupancy(0);
	const times = new ShareTimes(occupancy, [0, 0.5, 1], 4);
	occupancy.add(4, 10);
	times.resize(8, 30);
	t.deepEqual(times.read(40), { slots: [10e6, 10e6, 20e6, 0], sum: 20e6 + 5e6 });
	t.deepEqual(times.read(40), { slots: [10e6, 10e6, 20e6, 0], sum: 25e6 }, 'a look changes nothing');
	t.deepEqual(occupancy.take(40), { average: 3, deviation: Math.sqrt(3), max: 4, ms: 40 }, 'nor what is lent');
});

test('each dispatch tells where in virtual time it is', async (t) => {
	const { clock, ask, told } = flooded(20);
	t.deepEqual(await told('dispatch_r'), [], 'nothing was dispatched yet');
	const first = (await ask('/api/v1/pods/x')) as Pass;
	t.deepEqual(await told('next_s_bounds'), [
		'apiserver_flowcontrol_next_s_bounds{priority_level="global-default",bound="min"} 0',
		'apiserver_flowcontrol_next_s_bounds{priority_level="global-default",bound="max"} 0',
	]);
	await clock.advance(1000);
	t.is(((await ask('/api/v1/pods/x')) as Pass).type, 'pass');
	t.deepEqual(await told('dispatch_r'), ['apiserver_flowcontrol_dispatch_r{priority_level="global-default"} 1']);
	// The estimated time of a request was taken off for the first one, and it had one seat.
	t.deepEqual(await told('latest_s'), ['apiserver_flowcontrol_latest_s{priority_level="global-default"} 0.003']);
	t.deepEqual(await told('next_discounted_s_bounds'), [
		'apiserver_flowcontrol_next_discounted_s_bounds{priority_level="global-default",bound="min"} 0',
		'apiserver_flowcontrol_next_discounted_s_bounds{priority_level="global-default",bound="max"} 0',
	]);
	first.leave();
});

test('seats that are free, but too few for the next request, are counted', async (t) => {
	const { ask, told, fairness } = flooded(20);
	const seats = fairness.levels.get('global-default')?.current ?? 0;
	const passes = (await Promise.all(Array.from({ length: seats - 1 }, () => ask('/api/v1/pods/x')))) as Pass[];
	const wide: Promise<Pass | Refused> = ask('/api/v1/pods');
	t.deepEqual(await told('request_dispatch_no_accommodation_total'), [
		'apiserver_flowcontrol_request_dispatch_no_accommodation_total{priority_level="global-default",flow_schema="global-default"} 1',
	]);
	for (const pass of passes) pass.leave();
	t.is((await wide).type, 'pass');
});

test('a level without seats has a tenth of the server for its whole', async (t) => {
	const { fairness } = flooded(600);
	const exempt = fairness.levels.get('exempt');
	t.deepEqual([exempt?.current, exempt?.denominator], [0, 60]);
	t.is(fairness.levels.get('global-default')?.denominator, fairness.levels.get('global-default')?.current);
});
