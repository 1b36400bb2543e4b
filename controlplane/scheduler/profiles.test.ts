import test from 'ava';
import type { Pod, Service } from '../../api/gen/types.ts';
import { runningScheduler } from '../../test/fakes/running-scheduler.ts';
import { cpu, node, pod } from '../../test/fakes/scheduling.ts';
import { parseSchedulerConfiguration } from './configuration/configuration.ts';

const settings = (body: object): ReturnType<typeof parseSchedulerConfiguration> =>
	parseSchedulerConfiguration(
		JSON.stringify({ apiVersion: 'kubescheduler.config.k8s.io/v1', kind: 'KubeSchedulerConfiguration', ...body }),
		'file',
	);
const mostAllocated = {
	schedulerName: 'packer',
	plugins: { score: { disabled: [{ name: '*' }], enabled: [{ name: 'NodeResourcesFit' }] } },
	pluginConfig: [{ name: 'NodeResourcesFit', args: { scoringStrategy: { type: 'MostAllocated' } } }],
};

test('each profile places the pods of its name, in its way; its events are its own; pods of other names are left alone', async (t) => {
	await runningScheduler(
		async ({ clock, transport, metrics }) => {
			for (const name of ['n1', 'n2']) transport.api.create('/api/v1/nodes', node(name), undefined);
			transport.api.create('/api/v1/pods', pod('there', { ...cpu('2'), nodeName: 'n1' }), 'default');
			await clock.advance(10);
			transport.api.create('/api/v1/pods', pod('packed', { ...cpu('1'), schedulerName: 'packer' }), 'default');
			transport.api.create('/api/v1/pods', pod('spread', { ...cpu('1'), schedulerName: 'default-scheduler' }), 'default');
			transport.api.create('/api/v1/pods', pod('other', { schedulerName: 'x' }), 'default');
			await clock.advance(1000);
			const nodeOf = (name: string): unknown => (transport.api.get('/api/v1/pods', `default/${name}`) as Pod).spec?.nodeName;
			t.deepEqual(['packed', 'spread', 'other'].map(nodeOf), ['n1', 'n2', undefined]);
			const reporters = transport.api
				.list('/api/v1/events', () => true)
				.map((e) => (e as { reportingComponent?: string }).reportingComponent);
			t.deepEqual(reporters.toSorted(), ['default-scheduler', 'packer']);
			t.regex(await metrics.metrics(), /scheduler_schedule_attempts_total\{result="scheduled",profile="packer"\} 1/);
		},
		{ settings: settings({ profiles: [{ schedulerName: 'default-scheduler' }, mostAllocated] }) },
	);
});

test('without preemption nobody goes, and nothing is said of it; the waits are as long as told', async (t) => {
	await runningScheduler(
		async ({ clock, transport, events }) => {
			transport.api.create('/api/v1/nodes', node('n1', { cpu: '1' }), undefined);
			transport.api.create('/api/v1/pods', pod('low', { ...cpu('1'), nodeName: 'n1' }), 'default');
			await clock.advance(10);
			transport.api.create('/api/v1/pods', pod('high', { ...cpu('1'), priority: 10 }), 'default');
			await clock.advance(100);
			t.deepEqual(events(), ['FailedScheduling: 0/1 nodes are available: 1 Insufficient cpu.']);
			transport.api.delete('/api/v1/pods', 'default/low');
			const bound = (): boolean => (transport.api.get('/api/v1/pods', 'default/high') as Pod).spec?.nodeName === 'n1';
			await clock.advance(4_000);
			t.false(bound(), 'five seconds after the first try, not one');
			await clock.advance(1_500);
			t.true(bound());
		},
		{ settings: settings({ podInitialBackoffSeconds: 5, profiles: [{ plugins: { postFilter: { disabled: [{ name: '*' }] } } }] }) },
	);
});

test('constraints for all pods: pods of one service are kept apart though they do not say so', async (t) => {
	const constraint = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' };
	const args = { defaultingType: 'List', defaultConstraints: [constraint] };
	await runningScheduler(
		async ({ clock, transport, events }) => {
			transport.api.create('/api/v1/nodes', node('n1'), undefined);
			const service: Service = { metadata: { name: 's', namespace: 'default' }, spec: { selector: { app: 'web' } } };
			transport.api.create('/api/v1/services', service, 'default');
			await clock.advance(100);
			transport.api.create('/api/v1/pods', pod('a', {}, { app: 'web' }), 'default');
			await clock.advance(100);
			t.is(events().length, 1);
			t.regex(String(events()[0]), /1 node\(s\) didn't match pod topology spread constraints \(missing required label\)/);
		},
		{ settings: settings({ profiles: [{ pluginConfig: [{ name: 'PodTopologySpread', args }] }] }) },
	);
});
