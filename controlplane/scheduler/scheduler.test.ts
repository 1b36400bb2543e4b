import test from 'ava';
import type { Pod } from '../../api/gen/types.ts';
import { NODES, PODS } from '../../api/resources.ts';
import { noLog } from '../../base/log.ts';
import { createMetrics } from '../../base/metrics.ts';
import { runServices } from '../../base/service.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { createRecorder } from '../../client/events.ts';
import { Informers } from '../../client/informers.ts';
import { createClient } from '../../client/rest.ts';
import { FakeTransport } from '../../test/fakes/fake-transport.ts';
import { cpu, node, pod } from '../../test/fakes/scheduling.ts';
import { createScheduler } from './scheduler.ts';

async function running(
	body: (parts: { clock: VirtualClock; transport: FakeTransport; get: (name: string) => Pod }) => Promise<void>,
): Promise<void> {
	const clock = new VirtualClock();
	const transport = new FakeTransport(clock);
	const client = createClient(transport);
	const deps = { client, clock, log: noLog };
	const informers = new Informers(deps);
	const recorder = createRecorder({ ...deps, component: 'default-scheduler' });
	const scheduler = createScheduler({ ...deps, informers, recorder, metrics: createMetrics() });
	const stop = new AbortController();
	const done = runServices([informers, recorder, scheduler], stop.signal);
	await clock.advance(10);
	try {
		await body({ clock, transport, get: (name) => transport.api.get('/api/v1/pods', `default/${name}`) as Pod });
	} finally {
		stop.abort();
		await done;
	}
}

const events = (transport: FakeTransport): readonly string[] =>
	transport.api
		.list('/api/v1/events', () => true)
		.map((e) => {
			const { reason, message } = e as { reason?: string; message?: string };
			return `${reason}: ${message}`;
		});

test('a pod is bound as soon as there is a node, with condition and events on the way', async (t) => {
	await running(async ({ clock, transport, get }) => {
		transport.api.create(`/api/v1/${PODS.plural}`, pod('a'), 'default');
		await clock.advance(10);
		const [condition] = get('a').status?.conditions ?? [];
		t.is(condition?.status, 'False');
		t.is(condition?.reason, 'Unschedulable');
		t.deepEqual(events(transport), ['FailedScheduling: no nodes available to schedule pods']);
		transport.api.create(`/api/v1/${NODES.plural}`, node('n1'), undefined);
		await clock.advance(1000);
		t.is(get('a').spec?.nodeName, 'n1');
		t.deepEqual(events(transport), [
			'FailedScheduling: no nodes available to schedule pods',
			'Scheduled: Successfully assigned default/a to n1',
		]);
		transport.api.create('/api/v1/pods', pod('b'), 'default');
		await clock.advance(0);
		t.is(get('b').spec?.nodeName, 'n1', 'without any wait');
	});
});

test('bound pods are counted before the informer shows them; gates and other schedulers are left alone', async (t) => {
	await running(async ({ clock, transport, get }) => {
		transport.api.create('/api/v1/nodes', node('n1', { cpu: '1' }), undefined);
		await clock.advance(1);
		transport.api.create('/api/v1/pods', pod('other', { schedulerName: 'mine' }), 'default');
		transport.api.create('/api/v1/pods', pod('gated', { schedulingGates: [{ name: 'g' }] }), 'default');
		transport.api.create('/api/v1/pods', pod('a', cpu('600m')), 'default');
		transport.api.create('/api/v1/pods', pod('b', cpu('600m')), 'default');
		await clock.advance(10);
		t.is(get('a').spec?.nodeName, 'n1');
		t.is(get('b').spec?.nodeName, undefined);
		t.is(get('other').spec?.nodeName, undefined);
		t.is(get('gated').spec?.nodeName, undefined);
		const gated = structuredClone(get('gated'));
		gated.spec = { ...gated.spec, containers: gated.spec?.containers ?? [], schedulingGates: [] };
		transport.api.update('/api/v1/pods', 'default/gated', gated);
		transport.api.delete('/api/v1/pods', 'default/a');
		await clock.advance(2000);
		t.is(get('gated').spec?.nodeName, 'n1');
		t.is(get('b').spec?.nodeName, 'n1', 'woken by the deleted pod');
	});
});

test('a failing binding is tried again', async (t) => {
	await running(async ({ clock, transport, get }) => {
		let failures = 2;
		transport.intercept = (request) => {
			if (request.subresource === 'binding' && failures-- > 0) throw new Error('connection lost');
		};
		transport.api.create('/api/v1/nodes', node('n1'), undefined);
		transport.api.create('/api/v1/pods', pod('a'), 'default');
		await clock.advance(500);
		t.is(get('a').spec?.nodeName, undefined);
		await clock.advance(5000);
		t.is(get('a').spec?.nodeName, 'n1');
	});
});

test('a more important pod preempts', async (t) => {
	await running(async ({ clock, transport, get }) => {
		transport.api.create('/api/v1/nodes', node('n1', { cpu: '1' }), undefined);
		transport.api.create('/api/v1/pods', pod('low', cpu('800m')), 'default');
		await clock.advance(10);
		transport.api.create('/api/v1/pods', pod('high', { ...cpu('800m'), priority: 1000 }), 'default');
		await clock.advance(2000);
		t.throws(() => get('low'));
		t.is(get('high').spec?.nodeName, 'n1');
		t.true(events(transport).some((e) => e.startsWith('Preempted: Preempted by pod')));
	});
});
