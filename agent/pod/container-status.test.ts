/** What is reported of one container: state, last state, restarts, readiness, and of init containers. */
import test from 'ava';
import type { PodSpec, PodStatus } from '../../api/gen/types.ts';
import { container, end, facts, pod, seen, status } from '../../test/fakes/pods.ts';
import { statusOf } from './status.ts';

const running = { containerStatuses: [{ ...status('c', { running: {} }), containerID: 'docker://old', restartCount: 2 }] };
for (const [name, spec, runtime, before, more, want] of [
	['nothing yet', {}, undefined, {}, {}, { state: { waiting: { reason: 'ContainerCreating' } }, restartCount: 0, started: false }],
	['behind init containers', { initContainers: [{ name: 'a' }] }, undefined, {}, {}, { state: { waiting: { reason: 'PodInitializing' } } }],
	[
		'why it waits',
		{},
		undefined,
		{},
		{ waiting: new Map([['c', { reason: 'ErrImagePull', message: 'm' }]]) },
		{ state: { waiting: { reason: 'ErrImagePull', message: 'm' } } },
	],
	[
		'created',
		{},
		seen(container('c', 'created')),
		{},
		{},
		{ state: { waiting: { reason: 'ContainerCreating' } }, containerID: 'docker://c-id' },
	],
	[
		'created when the pod ends',
		{},
		seen(container('c', 'created')),
		{},
		{ ended: true },
		{ state: { terminated: { exitCode: 137, reason: 'ContainerStatusUnknown' } } },
	],
	[
		'exited with 0',
		{ restartPolicy: 'Never' },
		seen(container('c', 'exited')),
		{},
		{},
		{ ready: false, state: { terminated: { exitCode: 0, reason: 'Completed' } } },
	],
	[
		'killed for memory',
		{},
		seen(container('c', 'exited', { exitCode: 137, reason: 'OOMKilled' })),
		{},
		{},
		{ state: { terminated: { exitCode: 137, reason: 'OOMKilled' } } },
	],
	[
		'the run before',
		{},
		seen(container('c', 'running', { attempt: 1, id: 'new' }), container('c', 'exited', { exitCode: 5 })),
		{},
		{},
		{ restartCount: 1, containerID: 'docker://new', lastState: { terminated: { exitCode: 5, containerID: 'docker://c-id' } } },
	],
	[
		'the run before, when the runtime has forgotten it',
		{},
		seen(container('c', 'running', { attempt: 1 })),
		{ containerStatuses: [{ ...status('c', { running: {} }, end(7)), restartCount: 1 }] },
		{},
		{ lastState: { terminated: { exitCode: 7 } } },
	],
	[
		'lost while it ran',
		{},
		seen(),
		running,
		{},
		{
			restartCount: 3,
			state: { waiting: { reason: 'ContainerCreating' } },
			lastState: {
				terminated: {
					...{ exitCode: 137, reason: 'ContainerStatusUnknown' },
					message: 'The container could not be located when the pod was deleted.  The container used to be Running',
				},
			},
		},
	],
	[
		'lost when the pod ended',
		{},
		seen(),
		running,
		{ ended: true },
		{
			state: {
				terminated: {
					...{ exitCode: 137, reason: 'ContainerStatusUnknown' },
					message: 'The container could not be located when the pod was terminated',
				},
			},
		},
	],
	[
		'its last words',
		{ restartPolicy: 'Never' },
		seen(container('c', 'exited', { exitCode: 1 })),
		{},
		{ terminationMessage: () => 'bye' },
		{ state: { terminated: { message: 'bye' } } },
	],
	[
		'what the runtime says before what it said itself',
		{ restartPolicy: 'Never' },
		seen(container('c', 'exited', { exitCode: 1, message: 'no room' })),
		{},
		{ terminationMessage: () => 'bye' },
		{ state: { terminated: { message: 'no room: bye' } } },
	],
	[
		'what it was given',
		{ containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '1' }, limits: { cpu: '2' } } }] },
		seen(container('c', 'running')),
		{},
		{},
		{ allocatedResources: { cpu: '1' }, resources: { requests: { cpu: '1' }, limits: { cpu: '2' } } },
	],
	[
		'a mount that is read-only all the way down where it can be',
		{ containers: [{ name: 'c', volumeMounts: [{ name: 'v', mountPath: '/v', readOnly: true, recursiveReadOnly: 'IfPossible' }] }] },
		seen(container('c', 'running')),
		{},
		{ recursiveReadOnly: true },
		{ volumeMounts: [{ recursiveReadOnly: 'Enabled' }] },
	],
	[
		'and where it cannot',
		{ containers: [{ name: 'c', volumeMounts: [{ name: 'v', mountPath: '/v', readOnly: true, recursiveReadOnly: 'IfPossible' }] }] },
		seen(),
		{},
		{},
		{ volumeMounts: [{ recursiveReadOnly: 'Disabled' }] },
	],
	['not ready by its probe', {}, seen(container('c', 'running')), {}, { ready: () => false }, { ready: false, started: true }],
	['not started by its probe', {}, seen(container('c', 'running')), {}, { started: () => false }, { ready: false, started: false }],
] as const)
	test(`a container's status: ${name}`, (t) => {
		const [found] = statusOf(pod(spec as Partial<PodSpec>), runtime, before as PodStatus, { ...facts, ...more }).containerStatuses ?? [];
		t.like(found, want as never);
	});

test("a container's status: an init container has started while it runs, of one for debugging nothing is said", (t) => {
	const spec = { initContainers: [{ name: 'a' }], ephemeralContainers: [{ name: 'e' }] };
	const of = (state: 'running' | 'exited'): PodStatus => statusOf(pod(spec), seen(container('a', state), container('e', state)), {}, facts);
	t.deepEqual(
		[of('running'), of('exited')].map(({ initContainerStatuses }) => initContainerStatuses?.[0]?.started),
		[true, false],
	);
	t.false('started' in (of('running').ephemeralContainerStatuses?.[0] ?? { started: undefined }));
});

test("a container's status: an init container that the runtime has forgotten ended well when those after it run", (t) => {
	const { initContainerStatuses } = statusOf(pod({ initContainers: [{ name: 'a' }] }), seen(container('c', 'running')), {}, facts);
	t.deepEqual(initContainerStatuses?.[0]?.state?.terminated, {
		exitCode: 0,
		reason: 'Completed',
		message: 'Unable to get init container status from container runtime and pod has been initialized, treat it as exited normally',
	});
});

test("a container's status: an init container that waits for another", (t) => {
	const { initContainerStatuses } = statusOf(pod({ initContainers: [{ name: 'a' }, { name: 'b' }] }), undefined, {}, facts);
	t.deepEqual(
		initContainerStatuses?.map(({ state }) => state?.waiting?.reason),
		['PodInitializing', 'PodInitializing'],
	);
});

test("a container's status: a pod that ended with its first init container was never initialized", (t) => {
	const spec = { restartPolicy: 'Never', initContainers: [{ name: 'a' }, { name: 'b' }] };
	const status = statusOf(pod(spec as Partial<PodSpec>), seen(container('a', 'exited', { exitCode: 1 })), {}, { ...facts, ended: true });
	t.is(status.phase, 'Failed');
	t.is(status.initContainerStatuses?.[0]?.state?.terminated?.exitCode, 1);
	t.is(status.initContainerStatuses?.[1]?.state?.waiting?.reason, 'PodInitializing');
	t.is(status.containerStatuses?.[0]?.state?.waiting?.reason, 'PodInitializing');
	const initialized = status.conditions?.find((condition) => condition.type === 'Initialized');
	t.deepEqual([initialized?.status, initialized?.message], ['False', 'containers with incomplete status: [a b]']);
});
