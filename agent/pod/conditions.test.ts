/** The conditions of a pod, and when they changed. */
import test from 'ava';
import type { ContainerStatus, PodSpec } from '../../api/gen/types.ts';
import { end, pod, status } from '../../test/fakes/pods.ts';
import { conditionsOf, withTimes, type ConditionInput } from './conditions.ts';

const now = '2026-01-01T00:00:00Z';
const up = (name: string, more: Partial<ContainerStatus> = {}): ContainerStatus => ({
	...status(name, { running: { startedAt: now } }),
	ready: true,
	started: true,
	...more,
});
for (const [name, spec, statuses, phase, want, more] of [
	[
		'all is well',
		{},
		[up('c')],
		'Running',
		{ PodReadyToStartContainers: 'True', Initialized: 'True', Ready: 'True', ContainersReady: 'True', PodScheduled: 'True' },
	],
	[
		'an unready container',
		{ containers: [{ name: 'c' }, { name: 'd' }] },
		[up('c'), up('d', { ready: false })],
		'Running',
		{
			Ready: 'False ContainersNotReady containers with unready status: [d]',
			ContainersReady: 'False ContainersNotReady containers with unready status: [d]',
		},
	],
	[
		'init containers to go',
		{ initContainers: [{ name: 'a' }, { name: 'b' }] },
		[status('a', { running: {} }), status('b', { waiting: {} }), status('c', { waiting: {} })],
		'Pending',
		{ Initialized: 'False ContainersNotInitialized containers with incomplete status: [a b]' },
	],
	[
		'initialized once, it stays so',
		{ initContainers: [{ name: 'a' }] },
		[status('a', { waiting: {} }), status('c', { waiting: {} })],
		'Running',
		{ Initialized: 'True', ContainersReady: 'False ContainersNotReady containers with unready status: [c]' },
		{ before: [{ type: 'Initialized', status: 'True' }] },
	],
	[
		'all containers restarting',
		{},
		[up('c')],
		'Running',
		{ AllContainersRestarting: 'True RestartAllContainersStarted container exited with restart policy rule' },
		{ restarting: true },
	],
	['none of it', {}, [up('c')], 'Running', { AllContainersRestarting: 'False' }, { restarting: false }],
	['not after the end', {}, [status('c', end(1))], 'Failed', { AllContainersRestarting: 'False PodFailed' }, { restarting: true }],
	[
		'an app container that started',
		{ initContainers: [{ name: 'a' }] },
		[status('a', end(0)), up('c')],
		'Running',
		{ Initialized: 'True' },
	],
	[
		'an unready sidecar',
		{ initContainers: [{ name: 's', restartPolicy: 'Always' }] },
		[up('s', { ready: false }), up('c')],
		'Running',
		{ Initialized: 'True', Ready: 'False ContainersNotReady containers with unready status: [s]' },
	],
	[
		'success',
		{},
		[status('c', end(0))],
		'Succeeded',
		{ Initialized: 'True PodCompleted', Ready: 'False PodCompleted', ContainersReady: 'False PodCompleted' },
	],
	['failure', {}, [status('c', end(1))], 'Failed', { Ready: 'False PodFailed', ContainersReady: 'False PodFailed' }],
	[
		'a readiness gate that nobody has set',
		{ readinessGates: [{ conditionType: 'x' }] },
		[up('c')],
		'Running',
		{ Ready: 'False ReadinessGatesNotReady corresponding condition of pod readiness gate "x" does not exist.', ContainersReady: 'True' },
	],
	[
		'a readiness gate that is not open yet',
		{ readinessGates: [{ conditionType: 'x' }] },
		[up('c')],
		'Running',
		{ Ready: 'False ReadinessGatesNotReady the status of pod readiness gate "x" is not "True", but Unknown' },
		{ pod: { ...pod({ readinessGates: [{ conditionType: 'x' }] }), status: { conditions: [{ type: 'x', status: 'Unknown' }] } } },
	],
	[
		'containers of which nothing is known',
		{ initContainers: [{ name: 'i' }] },
		[],
		'Pending',
		{
			Initialized: 'False ContainersNotInitialized containers with unknown status: [i]',
			ContainersReady: 'False ContainersNotReady containers with unknown status: [c]',
		},
	],
] as const)
	test(`conditionsOf(): ${name}`, (t) => {
		const input = {
			pod: pod(spec as Partial<PodSpec>),
			statuses: new Map(statuses.map((s) => [s.name, s])),
			phase,
			sandboxReady: true,
			before: [],
			...(more as Partial<ConditionInput> | undefined),
		};
		const got = conditionsOf(input).map((x) => [x.type, [x.status, x.reason, x.message].filter(Boolean).join(' ')]);
		t.like(Object.fromEntries(got), want as Record<string, string>);
	});

test('withTimes(): a transition time changes with the status only', (t) => {
	const before = [{ type: 'Ready', status: 'True', lastTransitionTime: 'then' }];
	t.is(withTimes([{ type: 'Ready', status: 'True', reason: 'x' }], before, 'now')[0]?.lastTransitionTime, 'then');
	t.is(withTimes([{ type: 'Ready', status: 'False' }], before, 'now')[0]?.lastTransitionTime, 'now');
});
