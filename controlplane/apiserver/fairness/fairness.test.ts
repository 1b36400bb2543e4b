import test from 'ava';
import type { FlowSchema, PriorityLevelConfiguration } from '../../../api/gen/types.ts';
import { createMetrics } from '../../../base/metrics.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { revise } from '../bootstrap/ensure-flow-control.ts';
import { FLOW_SCHEMA_DATA, PRIORITY_LEVELS } from '../bootstrap/flow-control.ts';
import type { UserInfo } from '../contracts.ts';
import { requestInfo } from '../request/request-info.ts';
import { Fairness, type Pass, type Refused } from './fairness.ts';
import { FairQueues } from './fair-queues.ts';
import { matches } from './flow-match.ts';
import { dangling } from './keeper.ts';
import { Levels } from './levels.ts';
import { Occupancy } from './occupancy.ts';
import { RetryAfter } from './retry-after.ts';
import { deal, flowHash } from './shuffle.ts';
import { Turn, type Asker } from './turn.ts';

const NO_QUERY = new URLSearchParams();
const user = (name: string, ...groups: string[]): UserInfo => ({ name, uid: '', groups: [...groups, 'system:authenticated'], extra: {} });
const info = (method: string, path: string, query = NO_QUERY) => requestInfo(method, path, query);

test('a level and a schema: who gets where, by the default objects', (t) => {
	const levels = new Levels(new VirtualClock(), 600);
	levels.configure(PRIORITY_LEVELS, FLOW_SCHEMA_DATA);
	for (const [who, method, path, schema] of [
		[user('admin', 'system:masters'), 'GET', '/api/v1/pods', 'exempt'],
		[user('u'), 'GET', '/livez/etcd', 'probes'],
		[user('u'), 'POST', '/livez', 'global-default'],
		[user('system:kube-scheduler'), 'PUT', '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/l', 'system-leader-election'],
		[user('system:serviceaccount:kube-system:x'), 'GET', '/apis/coordination.k8s.io/v1/namespaces/n/leases/l', 'system-leader-election'],
		[user('system:serviceaccount:kube-systemx:x', 'system:serviceaccounts'), 'GET', '/api/v1/pods', 'service-accounts'],
		[user('system:node:n', 'system:nodes'), 'PATCH', '/api/v1/nodes/n/status', 'system-node-high'],
		[user('system:node:n', 'system:nodes'), 'PUT', '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n', 'system-node-high'],
		[user('system:node:n', 'system:nodes'), 'GET', '/api/v1/pods', 'system-nodes'],
		[user('system:kube-controller-manager'), 'GET', '/api/v1/pods', 'kube-controller-manager'],
		[user('system:serviceaccount:kube-system:x', 'system:serviceaccounts'), 'GET', '/api/v1/pods', 'kube-system-service-accounts'],
		[user('u'), 'GET', '/api/v1/pods', 'global-default'],
		[{ ...user('nobody'), groups: [] }, 'GET', '/api/v1/pods', undefined],
	] as const) {
		const found = levels.schemas.find((s) => matches(s, who, info(method, path)));
		t.is(found?.metadata.name, schema, `${who.name} ${method} ${path}`);
	}
});

test('a hand is dealt from the hash alone: different cards, and the same ones each time', (t) => {
	for (const who of ['a', 'b', 'c']) {
		const hand = deal(flowHash('global-default', who), 128, 6);
		t.is(new Set(hand).size, 6);
		t.true(hand.every((card) => card >= 0 && card < 128));
		t.deepEqual(deal(flowHash('global-default', who), 128, 6), hand);
	}
	t.notDeepEqual(deal(flowHash('s', 'a'), 64, 6), deal(flowHash('s', 'b'), 64, 6));
	// All cards of a small deck, each once.
	t.deepEqual([...deal(123456789n, 4, 4)].sort(), [0, 1, 2, 3]);
});

test('occupancy: average, deviation and highest count, weighted by time', (t) => {
	const o = new Occupancy(0);
	o.add(2, 10);
	o.add(2, 20);
	o.add(-4, 30);
	t.deepEqual(o.take(40), { average: 1.5, deviation: Math.sqrt(5 - 2.25), max: 4, ms: 40 });
	t.deepEqual(o.take(50), { average: 0, deviation: 0, max: 0, ms: 10 });
	t.deepEqual(
		[...o.drain(50)],
		[
			[0, 30],
			[2, 10],
			[4, 10],
		],
	);
	t.deepEqual([...o.drain(60)], [[0, 10]]);
});

test('clients that are refused often are asked to wait longer, and less again later', (t) => {
	const retry = new RetryAfter();
	const seconds: number[] = [];
	for (let second = 1; second <= 12; second++) for (let i = 0; i < 40; i++) seconds.push(retry.refuse(second * 1000));
	t.is(seconds[0], 1);
	t.is(seconds[40], 2);
	t.is(Math.max(...seconds), 8);
	let last = 0;
	for (let second = 100; second < 130; second += 2) last = retry.refuse(second * 1000);
	t.is(last, 1);
});

for (const [name, annotation, generation, spec, want] of [
	['right', 'true', 1, 'wanted', undefined],
	['another spec, ours', 'true', 4, 'other', ['true', 'wanted']],
	['another spec, taken over', 'false', 4, 'other', undefined],
	['not marked, not touched', undefined, 1, 'other', ['true', 'wanted']],
	['not marked, changed', undefined, 2, 'other', ['false', 'other']],
] as const)
	test(`revise(): ${name}`, (t) => {
		const metadata = {
			name: 'system',
			generation,
			...(annotation === undefined ? {} : { annotations: { 'apf.kubernetes.io/autoupdate-spec': annotation } }),
		};
		const stored = { apiVersion: 'v1', kind: 'X', metadata, spec };
		const got = revise<typeof stored | { spec: string; metadata: object; apiVersion: string; kind: string }>(stored, {
			...stored,
			spec: 'wanted',
		}) as typeof stored | undefined;
		t.deepEqual(
			got && [
				(got.metadata as { annotations?: Record<string, string> }).annotations?.['apf.kubernetes.io/autoupdate-spec'],
				got.spec as string,
			],
			want === undefined ? undefined : [...want],
		);
	});

test('a schema whose level is not there is dangling', (t) => {
	const schema = FLOW_SCHEMA_DATA[0] as FlowSchema;
	const found = dangling(schema, true, 0);
	t.like(found, { type: 'Dangling', status: 'False', reason: 'Found' });
	t.is(dangling({ ...schema, status: { conditions: [found ?? {}] } }, true, 0), undefined);
	t.is(
		dangling(schema, false, 0)?.message,
		'This FlowSchema references the PriorityLevelConfiguration object named "exempt" but there is no such object',
	);
});

function served(seats = { maxRequests: 400, maxMutatingRequests: 200 }) {
	const clock = new VirtualClock();
	const metrics = createMetrics();
	const fairness = new Fairness(seats, { clock, metrics, sizeOf: () => ({ objects: 5000, averageBytes: 2000 }) });
	fairness.configure(PRIORITY_LEVELS, FLOW_SCHEMA_DATA);
	const enter = (who: UserInfo, method: string, path: string, signal = new AbortController().signal, waitMs = 15_000) =>
		fairness.enter({ info: info(method, path), user: who, query: NO_QUERY, path, waitMs, signal: () => signal }, clock.monotonic());
	return { clock, metrics, fairness, enter };
}

test('an idle server lets everything pass in the same turn', (t) => {
	const { enter, fairness } = served();
	for (const who of [user('admin', 'system:masters'), user('u'), user('system:node:n', 'system:nodes')]) {
		const place = enter(who, 'GET', '/api/v1/namespaces/n/pods/p');
		t.false(place instanceof Promise);
		(place as Pass).leave();
		(place as Pass).leave();
	}
	t.true([...fairness.levels.all()].every((l) => l.queues.isIdle));
});

test('under a flood by one user, nodes, the system and another user are served, each within a few turns', async (t) => {
	const { clock, metrics, fairness, enter } = served();
	const longest = { node: 0, system: 0, other: 0, flood: 0 };
	const refused = { node: 0, system: 0, other: 0, flood: 0 };
	/** Each request takes 50 ms of virtual time. */
	const ask = async (who: keyof typeof longest, as: UserInfo, method: string, path: string): Promise<void> => {
		const asked = clock.monotonic();
		const place: Pass | Refused = await enter(as, method, path);
		if (place.type === 'refused') return void refused[who]++;
		longest[who] = Math.max(longest[who], clock.monotonic() - asked);
		await clock.sleep(50);
		place.leave();
	};
	const all: Promise<void>[] = [];
	for (let ms = 0; ms < 6_000; ms += 10) {
		for (let i = 0; i < 20; i++) all.push(ask('flood', user('mallory'), 'POST', '/api/v1/namespaces/n/configmaps'));
		if (ms % 100 === 0) {
			all.push(
				ask('node', user('system:node:n', 'system:nodes'), 'PUT', '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n'),
			);
			all.push(ask('node', user('system:node:n', 'system:nodes'), 'PATCH', '/api/v1/namespaces/n/pods/p/status'));
			all.push(ask('system', user('system:kube-scheduler'), 'POST', '/api/v1/namespaces/n/pods/p/binding'));
			all.push(ask('other', user('alice'), 'GET', '/api/v1/namespaces/n/pods/p'));
		}
		if (ms % 3_000 === 0) fairness.levels.shareOut();
		await clock.advance(10);
	}
	await clock.advance(60_000);
	await Promise.all(all);
	t.deepEqual({ ...refused, flood: 0 }, { node: 0, system: 0, other: 0, flood: 0 });
	t.true(refused.flood > 1000);
	t.is(longest.node, 0);
	t.is(longest.system, 0);
	t.true(longest.other <= 100, `${longest.other} ms`);
	t.true([...fairness.levels.all()].every((l) => l.queues.isIdle));
	const text = await metrics.metrics();
	t.regex(
		text,
		/apiserver_flowcontrol_rejected_requests_total\{priority_level="global-default",flow_schema="global-default",reason="queue-full"\} \d{4}/,
	);
	t.regex(text, /apiserver_flowcontrol_dispatched_requests_total\{priority_level="node-high",flow_schema="system-node-high"\} 60/);
	t.regex(text, /apiserver_flowcontrol_request_wait_duration_seconds_count\{.*execute="true"\} \d+/);
	t.is(clock.pending, 0);
});

test('who has waited as long as it may, or has gone away, leaves the queue', async (t) => {
	const { clock, enter, fairness } = served({ maxRequests: 10, maxMutatingRequests: 2 });
	const running: Pass[] = [];
	let last = enter(user('u'), 'POST', '/api/v1/namespaces/n/configmaps');
	while (!(last instanceof Promise)) {
		running.push(last as Pass);
		last = enter(user('u'), 'POST', '/api/v1/namespaces/n/configmaps');
	}
	const gone = new AbortController();
	const second = enter(user('u'), 'POST', '/api/v1/namespaces/n/configmaps', gone.signal);
	gone.abort();
	t.like(await second, { type: 'refused' });
	const hasty = enter(user('u'), 'POST', '/api/v1/namespaces/n/configmaps', undefined, 500);
	await clock.advance(500);
	t.like(await hasty, { type: 'refused' });
	await clock.advance(14_500);
	const answer = await last;
	t.like(answer, { type: 'refused', retryAfterSeconds: 1 });
	for (const pass of running) pass.leave();
	t.true(fairness.levels.get('global-default')?.queues.isIdle);
	t.deepEqual(fairness.levels.get('global-default')?.counts, { dispatched: running.length, rejected: 3, timedOut: 2, cancelled: 1 });
	t.is(clock.pending, 0);
});

test('seats that are kept after an answer make no queue busy', async (t) => {
	const clock = new VirtualClock();
	const queues = new FairQueues(clock, { queues: 2, lengthLimit: 5 }, 4);
	const turn = (finalMs: number) => new Turn({} as Asker, { initialSeats: 1, finalSeats: finalMs > 0 ? 1 : 0, finalMs }, () => undefined);
	const [lingering, running] = [turn(1000), turn(0)];
	t.is(queues.start(lingering, [0], clock.monotonic()), 'running');
	t.is(queues.start(running, [1], clock.monotonic()), 'running');
	queues.finish(lingering, clock.monotonic());
	await clock.advance(100);
	queues.finish(running, clock.monotonic());
	// Two seats in use, one busy queue.
	t.is(Math.round(queues.virtualSeconds * 1000), 200);
	await clock.advance(900);
	t.true(queues.isIdle);
	t.is(clock.pending, 0);
});

test('a write with more watchers than there are seats keeps those that there are, for longer', async (t) => {
	const clock = new VirtualClock();
	const queues = new FairQueues(clock, { queues: 1, lengthLimit: 5 }, 2);
	const wide = new Turn({} as Asker, { initialSeats: 1, finalSeats: 8, finalMs: 10 }, () => undefined);
	t.is(queues.start(wide, [0], clock.monotonic()), 'running');
	t.deepEqual([wide.seats, queues.seats.count], [2, 2]);
	queues.finish(wide, clock.monotonic());
	await clock.advance(39);
	t.is(queues.seats.count, 2);
	await clock.advance(1);
	t.true(queues.isIdle);
});

test('seats that a level does not use are lent to one that wants them', async (t) => {
	const { clock, enter, fairness } = served();
	const level = fairness.levels.get('global-default');
	const before = level?.current ?? 0;
	const passes: (Pass | Promise<Pass | Refused>)[] = [];
	for (let i = 0; i < 300; i++) passes.push(enter(user(`u${i}`), 'POST', '/api/v1/namespaces/n/configmaps') as Pass);
	await clock.advance(10_000);
	fairness.levels.shareOut();
	t.true((level?.current ?? 0) > 2 * before, `${level?.current}`);
	t.true((fairness.levels.get('node-high')?.current ?? 0) >= 73);
	for (const pass of passes) {
		const place = await pass;
		if (place.type === 'pass') place.leave();
	}
});

test('a level whose configuration goes serves who is in it, and then goes too', async (t) => {
	const { enter, fairness } = served();
	const own: PriorityLevelConfiguration = {
		...(PRIORITY_LEVELS.find((l) => l.metadata.name === 'system') as PriorityLevelConfiguration),
		metadata: { name: 'own' },
	};
	const schema = {
		...(FLOW_SCHEMA_DATA.at(-1) as FlowSchema),
		metadata: { name: 'own' },
		spec: { ...FLOW_SCHEMA_DATA.at(-1)?.spec, matchingPrecedence: 3, priorityLevelConfiguration: { name: 'own' } },
	} as FlowSchema;
	fairness.configure([...PRIORITY_LEVELS, own], [...FLOW_SCHEMA_DATA, schema]);
	const place = (await enter(user('u'), 'GET', '/api/v1/pods')) as Pass;
	t.is(place.flow?.level.name, 'own');
	fairness.configure(PRIORITY_LEVELS, FLOW_SCHEMA_DATA);
	t.true(fairness.levels.get('own')?.isQuiescing);
	t.is(((await enter(user('u'), 'GET', '/api/v1/pods')) as Pass).flow?.level.name, 'global-default');
	place.leave();
	t.true(fairness.levels.hasDrained());
	fairness.configure(PRIORITY_LEVELS, FLOW_SCHEMA_DATA);
	t.is(fairness.levels.get('own'), undefined);
});
