/** The life of pods on virtual time: what starts when, and what an agent finds that starts again. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import test from 'ava';
import { settingsOf } from '../config/settings.ts';
import type { PodSpec } from '../../api/gen/types.ts';
import { c, condition, playing, statusOf } from '../../test/fakes/playing.ts';
import { terminationFile } from './folders.ts';
import { PlegHealth } from './pleg-health.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import type { Script } from '../runtime/simulated.ts';

for (const [name, spec, script, seconds, want] of [
	['runs for ever', {}, {}, 60, { starts: ['0 c 0'], phase: 'Running', ready: true, restarts: 0 }],
	[
		'crashes: at once, then after 10 s doubled up to 300 s',
		{},
		{ runMs: 0, exitCode: 1 },
		1300,
		{ starts: [0, 0, 10, 30, 70, 150, 310, 610, 910, 1210].map((s, i) => `${s} c ${i}`), phase: 'Running', ready: false, restarts: 9 },
	],
	[
		'a run of more than ten minutes is forgiven',
		{},
		{ runMs: 601_000, exitCode: 1 },
		1300,
		{ starts: ['0 c 0', '601 c 1', '1202 c 2'], phase: 'Running', ready: true, restarts: 2 },
	],
	[
		'a shorter one is not',
		{},
		{ runMs: 100_000, exitCode: 1 },
		340,
		{ starts: ['0 c 0', '100 c 1', '210 c 2', '330 c 3'], phase: 'Running', ready: true, restarts: 3 },
	],
	['OnFailure ends with success', { restartPolicy: 'OnFailure' }, { runMs: 5000 }, 6, { starts: ['0 c 0'], phase: 'Succeeded' }],
	[
		'OnFailure tries again',
		{ restartPolicy: 'OnFailure' },
		{ runMs: 0, exitCode: 3 },
		11,
		{ starts: ['0 c 0', '0 c 1', '10 c 2'], phase: 'Running' },
	],
	['Never ends with failure', { restartPolicy: 'Never' }, { runMs: 5000, exitCode: 3 }, 6, { starts: ['0 c 0'], phase: 'Failed' }],
	[
		'a deadline ends it',
		{ activeDeadlineSeconds: 30 },
		{ stopMs: 1000, exitCode: 0 },
		32,
		{ starts: ['0 c 0'], phase: 'Failed', reason: 'DeadlineExceeded', state: 'terminated' },
	],
	[
		'init containers one after the other, then the others',
		{ initContainers: [c({ name: 'a' }), c({ name: 'b' })] },
		{ a: { runMs: 3000 }, b: { runMs: 4000 } },
		10,
		{ starts: ['0 a 0', '3 b 0', '7 c 0'], phase: 'Running', ready: true },
	],
	[
		'a failing init container is tried again with back-off',
		{ initContainers: [c({ name: 'a' })] },
		{ a: { runMs: 1000, exitCode: 1 } },
		40,
		{ starts: ['0 a 0', '1 a 1', '12 a 2', '33 a 3'], phase: 'Pending', waiting: 'PodInitializing' },
	],
	[
		'a failing init container ends a pod that never restarts',
		{ initContainers: [c({ name: 'a' })], restartPolicy: 'Never' },
		{ a: { runMs: 1000, exitCode: 1 } },
		5,
		{ starts: ['0 a 0'], phase: 'Failed' },
	],
	[
		'a sidecar comes before and stays',
		{ initContainers: [c({ name: 'a', restartPolicy: 'Always' }), c({ name: 'b' })] },
		{ b: { runMs: 1000 } },
		5,
		{ starts: ['0 a 0', '0 b 0', '1 c 0'], phase: 'Running', ready: true },
	],
	[
		'a sidecar does not keep the pod',
		{ initContainers: [c({ name: 'a', restartPolicy: 'Always' })], restartPolicy: 'Never' },
		{ c: { runMs: 1000 } },
		5,
		{ starts: ['0 a 0', '0 c 0'], phase: 'Succeeded' },
	],
	[
		'a sidecar that crashes is started again though the pod never restarts',
		{ initContainers: [c({ name: 'a', restartPolicy: 'Always' })], restartPolicy: 'Never' },
		{ a: { runMs: 2000, exitCode: 1 } },
		5,
		{ starts: ['0 a 0', '0 c 0', '2 a 1'], phase: 'Running' },
	],
	[
		'the rule of a container decides',
		{
			restartPolicy: 'Never',
			containers: [c({ restartPolicy: 'Never', restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [42] } }] })],
		},
		{ runMs: 1000, exitCode: 42 },
		5,
		{ starts: ['0 c 0', '1 c 1'], phase: 'Running' },
	],
	[
		'an image that is not there is tried with back-off',
		{ containers: [c({ image: 'missing', imagePullPolicy: 'IfNotPresent' })] },
		{},
		25,
		{ starts: [], phase: 'Pending', waiting: 'ImagePullBackOff' },
	],
	[
		'what cannot start says so',
		{ containers: [c()] },
		{ failStart: 'no such file' },
		1,
		{ starts: ['0 c 0'], phase: 'Pending', waiting: 'RunContainerError' },
	],
	[
		'a missing configMap holds the container back',
		{ containers: [c({ envFrom: [{ configMapRef: { name: 'm' } }] })] },
		{},
		1,
		{ starts: [], phase: 'Pending', waiting: 'CreateContainerConfigError' },
	],
] as const)
	test(`a pod ${name}`, async (t) => {
		const scripts = script as Script & Record<string, Script>;
		const { node, starts } = await playing({
			script: (n) => scripts[n] ?? (Object.keys(scripts).some((k) => k.length === 1) ? {} : scripts),
		});
		await using _ = node;
		await node.create('p', spec as unknown as Partial<PodSpec>);
		await node.advance(seconds * 1000);
		const pod = node.pod('p');
		const status = statusOf(pod);
		const got = {
			starts,
			phase: pod?.status?.phase,
			ready: condition(pod, 'Ready')?.status === 'True',
			restarts: status?.restartCount,
			reason: pod?.status?.reason,
			waiting: status?.state?.waiting?.reason,
			state: Object.keys(status?.state ?? {})[0],
		};
		t.like(got, want as never);
	});

test('a rule restarts all containers in the sandbox that stays, again only after its back-off', async (t) => {
	const rule = { action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [42] } };
	const { node, starts } = await playing({
		script: (n, attempt) => (n === 'a' ? { runMs: 1000 } : n === 'c' && attempt < 2 ? { runMs: 5000, exitCode: 42 } : { stopMs: 60_000 }),
	});
	await using _ = node;
	const told: string[] = [];
	await node.create('p', {
		initContainers: [c({ name: 'a' })],
		containers: [c({ restartPolicy: 'Never', restartPolicyRules: [rule] }), c({ name: 'd' })],
	});
	await node.advance(6000);
	told.push(`${condition(node.pod('p'), 'AllContainersRestarting')?.status} ${condition(node.pod('p'), 'Initialized')?.status}`);
	t.like(statusOf(node.pod('p'), 'd'), {
		restartCount: 1,
		state: { waiting: { reason: 'RestartingAllContainers' } },
		lastState: { terminated: { exitCode: 137, reason: 'RestartingAllContainers' } },
	});
	t.is(node.pod('p')?.status?.phase, 'Pending', 'its init container runs');
	await node.advance(30_000);
	// Two that start in the same second start at once.
	const inOrder = starts.toSorted((x, y) => Number.parseInt(x) - Number.parseInt(y) || x.localeCompare(y));
	t.deepEqual(inOrder, ['0 a 0', '1 c 0', '1 d 0', '6 a 1', '7 c 1', '7 d 1', '12 a 2', '13 d 2', '22 c 2']);
	t.deepEqual(told, ['False True']);
	t.true(node.events('p').includes('Killing: killing'));
	t.is(condition(node.pod('p'), 'Ready')?.status, 'True');
	t.is((await node.runtime.pods())[0]?.sandboxes.length, 1);
});

test('looks at the runtime that stay away are told of in time', async (t) => {
	const clock = new VirtualClock(0);
	const health = new PlegHealth(clock);
	await clock.advance(600_000);
	t.is(health.fault(), '');
	await clock.advance(60_000);
	t.is(health.fault(), 'PLEG is not healthy: pleg was last seen active 11m0s ago; threshold is 10m0s');
	health.looked();
	t.is(health.fault(), '');
	health.withoutEvents();
	await clock.advance(181_000);
	t.is(health.fault(), 'PLEG is not healthy: pleg was last seen active 3m1s ago; threshold is 3m0s');
});

test('ephemeral containers start beside the others, once, and need their target', async (t) => {
	const { node, starts } = await playing({ script: (n) => (n === 'e' ? { runMs: 1000, exitCode: 1 } : {}) });
	await using _ = node;
	await node.create('p');
	await node.update('p', ({ spec, metadata }) => {
		metadata.generation = 2;
		const image = { image: 'i', imagePullPolicy: 'IfNotPresent' };
		if (spec !== undefined)
			spec.ephemeralContainers = [
				{ name: 'e', ...image, targetContainerName: 'c' },
				{ name: 'x', ...image, targetContainerName: 'gone' },
			];
	});
	await node.advance(120_000);
	t.deepEqual(starts, ['0 c 0', '0 e 0']);
	const [e, x] = node.pod('p')?.status?.ephemeralContainerStatuses ?? [];
	t.like(e, { name: 'e', ready: false, restartCount: 0, state: { terminated: { exitCode: 1 } } });
	t.like(x, { name: 'x', state: { waiting: { reason: 'CreateContainerConfigError', message: 'unable to find target container gone' } } });
	t.is(condition(node.pod('p'), 'Ready')?.status, 'True');
	t.is(node.pod('p')?.status?.observedGeneration, 2);
});

test('an agent started again finds its pods as they are', async (t) => {
	const { node, starts } = await playing();
	await using _ = node;
	await node.create('p', { containers: [c({ readinessProbe: { exec: { command: ['x'] } } })] });
	await node.advance(15_000);
	t.is(condition(node.pod('p'), 'Ready')?.status, 'True');
	const before = node.pod('p');
	await node.stopAgent();
	await node.startAgent();
	await node.advance(30_000);
	t.deepEqual(starts, ['0 c 0']);
	t.deepEqual(node.pod('p')?.status, before?.status);
	t.is(node.pod('p')?.metadata.resourceVersion, before?.metadata.resourceVersion, 'Ready does not flap');
});

test('what ended while the agent was away is started again', async (t) => {
	const { node, starts } = await playing({ script: (_n, attempt) => (attempt === 0 ? { runMs: 20_000, exitCode: 1 } : {}) });
	await using _ = node;
	await node.create('p');
	await node.stopAgent();
	await node.advance(30_000);
	await node.startAgent();
	await node.advance(1000);
	t.deepEqual(starts, ['0 c 0', '30 c 1']);
	t.like(statusOf(node.pod('p')), { restartCount: 1, lastState: { terminated: { exitCode: 1 } } });
});

test('a pod deleted while the agent was away is ended', async (t) => {
	const { node } = await playing();
	await using _ = node;
	await node.create('p');
	await node.stopAgent();
	node.transport.api.delete('/api/v1/pods', 'n/p');
	await node.startAgent();
	await node.advance(5000);
	t.deepEqual(await node.runtime.pods(), []);
});

test('a pod names its runtime by a RuntimeClass, and waits for one that is not there', async (t) => {
	const { node } = await playing();
	await using _ = node;
	const handlers: string[] = [];
	const run = node.runtime.runSandbox.bind(node.runtime);
	node.runtime.runSandbox = (pod, options, signal) => {
		handlers.push(options.runtimeHandler);
		return run(pod, options, signal);
	};
	await node.create('plain');
	await node.create('p', { runtimeClassName: 'fast' });
	t.is(node.pod('p')?.status?.phase, 'Pending');
	t.true(node.events('p').includes('FailedCreatePodSandBox: Failed to create pod sandbox: RuntimeClass "fast" not found'));
	const fast = { metadata: { name: 'fast' }, handler: 'runsc' };
	node.transport.api.create('/apis/node.k8s.io/v1/runtimeclasses', fast, undefined);
	await node.advance(10_000);
	t.is(node.pod('p')?.status?.phase, 'Running');
	t.deepEqual(handlers, ['', 'runsc']);
});

test("containers that name no seccomp profile have the runtime's where the node is configured so", async (t) => {
	const { node } = await playing();
	await using _ = node;
	const profiles: unknown[] = [];
	const create = node.runtime.createContainer.bind(node.runtime);
	node.runtime.createContainer = (sandbox, pod, ...rest) => {
		profiles.push(pod.spec?.securityContext?.seccompProfile?.type);
		return create(sandbox, pod, ...rest);
	};
	await node.create('before');
	await node.advance(1000);
	Object.assign(node.context.options, { kubelet: settingsOf({ seccompDefault: true }) });
	await node.create('after');
	await node.create('own', { securityContext: { seccompProfile: { type: 'Unconfined' } } });
	await node.advance(1000);
	t.deepEqual(profiles, [undefined, 'RuntimeDefault', 'Unconfined']);
});

for (const [name, policy, file, log, want] of [
	['what it wrote last', 'File', `${'a'.repeat(100)}${'b'.repeat(4096)}`, 'logged', 'b'.repeat(4096)],
	['its log where it wrote nothing', 'FallbackToLogsOnError', '', 'logged', 'logged\n'],
	['what it wrote rather than its log', 'FallbackToLogsOnError', 'bye', 'logged', 'bye'],
	['the end of its log', 'FallbackToLogsOnError', '', 'x'.repeat(3000), `${'x'.repeat(2047)}\n`],
	['that its log cannot be read', 'FallbackToLogsOnError', '', undefined, /^Error on reading termination message from logs: .*ENOENT/],
] as const)
	test(`the last words of a container: ${name}`, async (t) => {
		const { node } = await playing({ script: () => ({ runMs: 5000, exitCode: 1 }) });
		await using _ = node;
		const logPath = join(node.rootDir, 'logs', 'n_p_1', 'c', '0.log');
		const look = node.runtime.pod.bind(node.runtime);
		node.runtime.pod = async (...asked) => {
			const found = await look(...asked);
			return found === undefined ? undefined : { ...found, containers: found.containers.map((one) => ({ ...one, logPath })) };
		};
		await node.create('p', { restartPolicy: 'Never', containers: [c({ terminationMessagePolicy: policy })] });
		await node.advance(1000);
		const uid = node.pod('p')?.metadata.uid ?? '';
		await writeFile(terminationFile(node.rootDir, uid, 'c', 0), file);
		await mkdir(dirname(logPath), { recursive: true });
		await (log === undefined ? rm(logPath, { force: true }) : writeFile(logPath, `2026-01-01T00:00:00.000000000Z stdout F ${log}\n`));
		await node.advance(6000);
		const said = statusOf(node.pod('p'))?.state?.terminated?.message ?? '';
		if (typeof want === 'string') t.is(said, want);
		else t.regex(said, want);
	});

test('a pod whose whole name is too long for a host says so; the hosts file has the short name of one that is not', async (t) => {
	const { node } = await playing();
	await using _ = node;
	const subdomain = 's'.repeat(60);
	await node.create('p', { subdomain, setHostnameAsFQDN: true });
	await node.create('q', { subdomain: 's', setHostnameAsFQDN: true });
	await node.advance(1000);
	t.regex(node.events('p').join('\n'), /FailedCreatePodSandBox.*Failed to construct FQDN from pod hostname and cluster domain/);
	const hosts = await readFile(join(node.rootDir, 'pods', node.pod('q')?.metadata.uid ?? '', 'etc-hosts'), 'utf8');
	t.regex(hosts, /\tq\.s\.\w*\.svc\.c\tq\n/);
});

test('ends of containers are counted once, by kind, code and reason; so are the containers of pods', async (t) => {
	const { node } = await playing({ script: (name, attempt) => ({ runMs: 1000, exitCode: name === 'init' || attempt === 0 ? 0 : 3 }) });
	await using _ = node;
	await node.create('p', { restartPolicy: 'Never', initContainers: [c({ name: 'init' })], containers: [c(), c({ name: 'd' })] });
	await node.advance(10_000);
	await node.stopAgent();
	await node.startAgent();
	await node.advance(10_000);
	const text = await node.context.figures.registry.metrics();
	for (const line of [
		'kubelet_terminated_containers_total{container_type="init_container",exit_code="0",reason="Completed"} 1',
		'kubelet_terminated_containers_total{container_type="container",exit_code="0",reason="Completed"} 2',
		'kubelet_containers_per_pod_count_bucket{le="2"} 2', // by each agent
	])
		t.true(text.includes(`\n${line}\n`), `${line}\n${text.match(/.*(terminated_cont|per_pod_count).*/g)?.join('\n') ?? ''}`);
});

test('a subPathExpr of a variable without a value mounts nothing', async (t) => {
	const { node } = await playing();
	await using _ = node;
	const volumeMounts = [{ name: 'v', mountPath: '/v', subPathExpr: '$(B)/$(A)/$(EMPTY)/$(C)' }];
	const env = [
		{ name: 'C', value: 'c' },
		{ name: 'EMPTY', value: '' },
	];
	await node.create('p', { volumes: [{ name: 'v', emptyDir: {} }], containers: [c({ volumeMounts, env })] });
	await node.advance(1000);
	t.like(statusOf(node.pod('p'))?.state?.waiting, { reason: 'CreateContainerConfigError', message: 'missing value for A, B, EMPTY' });
});

test('mounts are recursively read-only by what the runtime says, though nobody knows the Node', async (t) => {
	const { node } = await playing();
	await using _ = node;
	const handlers = [{ name: '', recursiveReadOnlyMounts: true, userNamespaces: false }];
	Object.assign(node.context, { node: () => undefined, runtimeHandlers: () => handlers });
	const recursive: unknown[] = [];
	const create = node.runtime.createContainer.bind(node.runtime);
	node.runtime.createContainer = (sandbox, pod, name, options, signal) => {
		recursive.push(options.mounts.find((m) => m.containerPath === '/v')?.recursiveReadOnly);
		return create(sandbox, pod, name, options, signal);
	};
	for (const recursiveReadOnly of ['Enabled', 'IfPossible']) {
		const name = recursiveReadOnly.toLowerCase();
		const volumeMounts = [{ name: 'v', mountPath: '/v', readOnly: true, recursiveReadOnly }];
		await node.create(name, { volumes: [{ name: 'v', emptyDir: {} }], containers: [c({ volumeMounts })] });
		await node.advance(1000);
		t.is(node.pod(name)?.status?.phase, 'Running', name);
		t.is(statusOf(node.pod(name))?.volumeMounts?.[0]?.recursiveReadOnly, 'Enabled', name);
	}
	t.deepEqual(recursive, [true, true]);
});
