import test from 'ava';
import type { Pod } from '../../api/gen/types.ts';
import { NODES, PODS } from '../../api/resources.ts';
import { runningScheduler, type RunningScheduler } from '../../test/fakes/running-scheduler.ts';
import { cpu, node, pod } from '../../test/fakes/scheduling.ts';

const running = (body: (parts: RunningScheduler & { readonly get: (name: string) => Pod }) => Promise<void>): Promise<void> =>
	runningScheduler((parts) => body({ ...parts, get: (name) => parts.transport.api.get('/api/v1/pods', `default/${name}`) as Pod }));

test('a pod is bound as soon as there is a node, with condition and events on the way', async (t) => {
	await running(async ({ clock, transport, get, events }) => {
		transport.api.create(`/api/v1/${PODS.plural}`, pod('a'), 'default');
		await clock.advance(10);
		const [condition] = get('a').status?.conditions ?? [];
		t.is(condition?.status, 'False');
		t.is(condition?.reason, 'Unschedulable');
		t.deepEqual(events(), ['FailedScheduling: no nodes available to schedule pods']);
		transport.api.create(`/api/v1/${NODES.plural}`, node('n1'), undefined);
		await clock.advance(1000);
		t.is(get('a').spec?.nodeName, 'n1');
		t.deepEqual(events(), ['FailedScheduling: no nodes available to schedule pods', 'Scheduled: Successfully assigned default/a to n1']);
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

test('a pod that a plugin fails at keeps no other waiting', async (t) => {
	await running(async ({ clock, transport, get, events }) => {
		transport.api.create('/api/v1/nodes', node('n1', { spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] } }), undefined);
		transport.api.create('/api/v1/pods', pod('bad', { tolerations: {} as never }), 'default');
		await clock.advance(10);
		transport.api.create('/api/v1/pods', pod('good', { tolerations: [{ operator: 'Exists' }] }), 'default');
		await clock.advance(10);
		t.is(get('good').spec?.nodeName, 'n1');
		t.is(get('bad').status?.conditions?.[0]?.reason, 'SchedulerError');
		t.regex(events()[0] ?? '', /^FailedScheduling: .*is not a function/);
	});
});

test('a pod that preemption fails at is tried again', async (t) => {
	await running(async ({ clock, transport, get }) => {
		const budget = { metadata: { name: 'b', namespace: 'default' }, spec: { selector: { matchExpressions: 7 } } };
		transport.api.create('/apis/policy/v1/poddisruptionbudgets', budget as never, 'default');
		transport.api.create('/api/v1/nodes', node('n1', { cpu: '1' }), undefined);
		transport.api.create('/api/v1/pods', pod('low', cpu('800m')), 'default');
		await clock.advance(10);
		transport.api.create('/api/v1/pods', pod('high', { ...cpu('800m'), priority: 1000 }), 'default');
		await clock.advance(2000);
		t.is(get('high').status?.conditions?.[0]?.reason, 'SchedulerError');
		transport.api.delete('/api/v1/pods', 'default/low');
		await clock.advance(10_000);
		t.is(get('high').spec?.nodeName, 'n1');
	});
});

test('a more important pod preempts', async (t) => {
	await running(async ({ clock, transport, get, events }) => {
		transport.api.create('/api/v1/nodes', node('n1', { cpu: '1' }), undefined);
		transport.api.create('/api/v1/pods', pod('low', cpu('800m')), 'default');
		await clock.advance(10);
		transport.api.create('/api/v1/pods', pod('high', { ...cpu('800m'), priority: 1000 }), 'default');
		await clock.advance(2000);
		t.throws(() => get('low'));
		t.is(get('high').spec?.nodeName, 'n1');
		t.true(events().some((e) => e.startsWith('Preempted: Preempted by pod')));
	});
});
