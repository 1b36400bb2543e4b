/** What is reported of a pod: phase, conditions, containers, and the patch that says it. */
import test from 'ava';
import type { ContainerStatus, PodSpec, PodStatus } from '../../api/gen/types.ts';
import { container, end, pod, seen, status } from '../../test/fakes/pods.ts';
import { conditionsOf, withTimes, type ConditionInput } from './conditions.ts';
import { withinLimit } from './message-limit.ts';
import { phaseOf } from './phase.ts';
import { highestLog } from './starts-in-logs.ts';
import { statusOf } from './status.ts';
import { statusPatch } from './status-patch.ts';

for (const [name, spec, statuses, ended, want] of [
	['waiting', {}, [status('c', { waiting: {} })], false, 'Pending'],
	['running', {}, [status('c', { running: {} })], false, 'Running'],
	['between two runs', {}, [status('c', { waiting: {} }, end(1))], false, 'Running'],
	['done', { restartPolicy: 'Never' }, [status('c', end(0))], false, 'Succeeded'],
	['failed', { restartPolicy: 'Never' }, [status('c', end(1))], false, 'Failed'],
	['OnFailure after a failure', { restartPolicy: 'OnFailure' }, [status('c', end(1))], false, 'Running'],
	['initializing', { initContainers: [{ name: 'a' }] }, [status('a', { running: {} }), status('c', { waiting: {} })], false, 'Pending'],
	[
		'a failed init container with Never',
		{ initContainers: [{ name: 'a' }], restartPolicy: 'Never' },
		[status('a', end(1)), status('c', { waiting: {} })],
		false,
		'Failed',
	],
	[
		'done, but a sidecar runs',
		{ initContainers: [{ name: 's', restartPolicy: 'Always' }], restartPolicy: 'Never' },
		[{ ...status('s', { running: {} }), started: true }, status('c', end(0))],
		false,
		'Running',
	],
	[
		'done, and the sidecar with it',
		{ initContainers: [{ name: 's', restartPolicy: 'Always' }], restartPolicy: 'Never' },
		[status('s', end(143)), status('c', end(0))],
		false,
		'Succeeded',
	],
	[
		'a sidecar that has not started yet',
		{ initContainers: [{ name: 's', restartPolicy: 'Always' }] },
		[{ ...status('s', { running: {} }), started: false }, status('c', { waiting: {} })],
		false,
		'Pending',
	],
	[
		'an init container between two tries',
		{ initContainers: [{ name: 'a' }] },
		[status('a', { waiting: {} }, end(1)), status('c', { waiting: {} })],
		false,
		'Pending',
	],
	[
		'one container done, the other runs',
		{ containers: [{ name: 'c' }, { name: 'd' }], restartPolicy: 'Never' },
		[status('c', end(1)), status('d', { running: {} })],
		false,
		'Running',
	],
	[
		'one container waits to start for the first time',
		{ containers: [{ name: 'c' }, { name: 'd' }] },
		[status('c', { running: {} }), status('d', { waiting: {} })],
		false,
		'Pending',
	],
	['ended before it began', {}, [status('c', { waiting: {} })], true, 'Failed'],
	['stopped by deletion with code 0', {}, [status('c', end(0))], true, 'Succeeded'],
	['stopped by deletion with another', {}, [status('c', end(137))], true, 'Failed'],
] as const)
	test(`phaseOf(): ${name}`, (t) => t.is(phaseOf(pod(spec as Partial<PodSpec>), new Map(statuses.map((s) => [s.name, s])), ended), want));

const facts = {
	now: 5000,
	runtimeName: 'docker',
	nodeIps: ['192.0.2.1'],
	waiting: new Map(),
	ended: false,
	started: () => true,
	ready: () => true,
	terminationMessage: () => '',
};

test('statusOf(): a running pod has its addresses, readiness and times', (t) => {
	const s = statusOf(pod(), seen(container('c', 'running')), {}, facts);
	t.like(s, { phase: 'Running', podIP: '10.0.0.1', hostIP: '192.0.2.1', startTime: '1970-01-01T00:00:05Z' });
	t.like(s.containerStatuses?.[0], {
		containerID: 'docker://c-id',
		ready: true,
		started: true,
		state: { running: { startedAt: '1970-01-01T00:00:00Z' } },
	});
	t.deepEqual(
		s.conditions?.map((c) => c.status),
		['True', 'True', 'True', 'True', 'True'],
	);
});

test('statusOf(): a crashed container waits, and its end moves to lastState', (t) => {
	const waiting = new Map([['c', { reason: 'CrashLoopBackOff', message: 'back-off' }]]);
	const [c] = statusOf(pod(), seen(container('c', 'exited', { exitCode: 2 })), {}, { ...facts, waiting }).containerStatuses ?? [];
	t.like(c, { state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: { terminated: { exitCode: 2, reason: 'Error' } } });
});

test('statusOf(): a terminal phase stays', (t) => {
	t.is(statusOf(pod(), seen(container('c', 'running')), { phase: 'Failed', reason: 'Evicted' }, facts).reason, 'Evicted');
});

test('statusPatch(): says only what differs, and takes back what is no longer so', (t) => {
	const now = { phase: 'Running', message: 'old', podIPs: [{ ip: '1' }], conditions: [{ type: 'Ready', status: 'False', reason: 'x' }] };
	const patch = statusPatch(pod(), now, { phase: 'Running', podIPs: [{ ip: '2' }], conditions: [{ type: 'Ready', status: 'True' }] });
	t.deepEqual(patch, {
		metadata: { uid: 'u' },
		status: {
			message: null,
			podIPs: [{ $patch: 'replace' }, { ip: '2' }],
			conditions: [{ type: 'Ready', status: 'True', reason: null, message: null }],
		},
	});
	t.is(statusPatch(pod(), now, now), undefined);
});

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
			lastState: { terminated: { exitCode: 137, reason: 'ContainerStatusUnknown' } },
		},
	],
	[
		'lost when the pod ended',
		{},
		seen(),
		running,
		{ ended: true },
		{ state: { terminated: { exitCode: 137, reason: 'ContainerStatusUnknown' } } },
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

for (const [name, containers, bytes, want] of [
	['a short message stays', 1, 4096, 4096],
	['twelve KiB are shared by all containers', 4, 4096, 3072],
	['and cut between characters', 5, 4096, 2457],
] as const)
	test(`withinLimit(): ${name}`, (t) => {
		const many = pod({ containers: Array.from({ length: containers }, (_, i) => ({ name: `c${i}` })) });
		const message = 'x'.repeat(bytes - 2) + 'é';
		const [cut] = withinLimit(many, [status('c0', { terminated: { exitCode: 1, message } }, { terminated: { exitCode: 1, message } })]);
		t.is(Buffer.byteLength(cut?.state?.terminated?.message ?? ''), want);
		t.is(Buffer.byteLength(cut?.lastState?.terminated?.message ?? ''), want);
	});

for (const [names, want] of [
	[[], undefined],
	[['0.log', '10.log', '2.log.20260102-150405.gz', 'x.log', '11.txt'], 10],
	[['3.log.20260102-150405'], 3],
] as const)
	test(`highestLog(): ${names.join(' ')}`, (t) => t.is(highestLog(names), want));
