/** The life of pods on virtual time: what starts when, what is reported, what is left. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import type { Container, Pod, PodSpec } from '../../api/gen/types.ts';
import { SimulatedNode } from '../../test/fakes/simulated-node.ts';
import type { Script, SimulatedExec } from '../runtime/simulated.ts';

const c = (more: Partial<Container> = {}): Container => ({ name: 'c', image: 'i', ...more });
const statusOf = (pod: Pod | undefined, name = 'c') =>
	[...(pod?.status?.initContainerStatuses ?? []), ...(pod?.status?.containerStatuses ?? [])].find((s) => s.name === name);
const condition = (pod: Pod | undefined, type: string) => pod?.status?.conditions?.find((x) => x.type === type);

interface Play {
	readonly script?: (container: string, attempt: number) => Script;
	readonly exec?: (container: string, command: string) => SimulatedExec;
}

/** A node that notes when containers are made, as "seconds name attempt". */
async function playing({ script, exec }: Play = {}): Promise<{ readonly node: SimulatedNode; readonly starts: string[] }> {
	const starts: string[] = [];
	const from = Date.UTC(2026, 0, 1);
	const node: SimulatedNode = await SimulatedNode.start({
		images: ['i:latest'],
		script: (_pod, name, attempt) => {
			starts.push(`${((node?.clock.now() ?? from) - from) / 1000} ${name} ${attempt}`);
			return script?.(name, attempt) ?? {};
		},
		...(exec === undefined ? {} : { exec: (container, command) => exec(container.name, command.join(' ')) }),
	});
	return { node, starts };
}

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

/** How long a deletion takes until the object is gone, and how the container ended. */
for (const [name, spec, play, graceSeconds, want] of [
	['that ends on TERM goes at once', {}, {}, 30, { seconds: 0, killed: [] }],
	['has its grace', {}, { script: () => ({ stopMs: 20_000 }) }, 30, { seconds: 20, killed: [] }],
	['that does not end is killed after it', {}, { script: () => ({ stopMs: 60_000 }) }, 30, { seconds: 30, killed: ['c'] }],
	['has two seconds even with grace 0', {}, { script: () => ({ stopMs: 60_000 }) }, 0, { seconds: 2, killed: ['c'] }],
	[
		'runs its preStop hook first, within the same grace',
		{ containers: [c({ lifecycle: { preStop: { sleep: { seconds: 20 } } } })] },
		{ script: () => ({ stopMs: 60_000 }) },
		30,
		{ seconds: 30, killed: ['c'] },
	],
	[
		'cuts a preStop hook that is too long, and leaves two seconds to end',
		{ containers: [c({ lifecycle: { preStop: { exec: { command: ['hook'] } } } })] },
		{ script: () => ({ stopMs: 60_000 }), exec: () => ({ runMs: 100_000 }) },
		10,
		{ seconds: 12, killed: ['c'], events: 'FailedPreStopHook: PreStopHook failed' },
	],
	[
		'goes on when the hook fails',
		{ containers: [c({ lifecycle: { preStop: { exec: { command: ['hook'] } } } })] },
		{ exec: () => ({ exitCode: 1 }) },
		10,
		{ seconds: 0, killed: [], events: 'FailedPreStopHook: PreStopHook failed' },
	],
	[
		'ends its sidecars last, in reverse order, all in the one grace',
		{ initContainers: ['x', 'y'].map((n) => c({ name: n, restartPolicy: 'Always' })) },
		{ script: (n: string) => ({ stopMs: n === 'c' ? 5000 : 1000 }) },
		30,
		{ seconds: 7, killed: [], ended: ['c', 'y', 'x'] },
	],
	[
		'does not wait for them beyond the grace',
		{ initContainers: ['x', 'y'].map((n) => c({ name: n, restartPolicy: 'Always' })) },
		{ script: (n: string) => ({ stopMs: n === 'x' ? 0 : 60_000 }) },
		10,
		{ seconds: 12, killed: ['c', 'y'], ended: ['c', 'x', 'y'] },
	],
] as const)
	test(`a deleted pod ${name}`, async (t) => {
		const { node } = await playing(play as Play);
		await using _ = node;
		await node.create('p', spec as unknown as Partial<PodSpec>);
		await node.advance(5000);
		t.is(node.pod('p')?.status?.phase, 'Running');
		const ended: string[] = [];
		const killed: string[] = [];
		const stop = new AbortController();
		const listening = (async () => {
			for await (const event of node.runtime.events(stop.signal)) {
				if (event.type !== 'stopped') continue;
				const container = (await node.runtime.pod(event.podUid))?.containers.find((x) => x.id === event.containerId);
				ended.push(container?.name ?? '');
				if (container?.exitCode === 137) killed.push(container.name);
			}
		})();
		await node.delete('p', graceSeconds);
		let seconds = 0;
		for (; seconds < 100 && node.pod('p') !== undefined; seconds++) await node.advance(1000);
		t.deepEqual({ seconds, killed: killed.toSorted() }, { seconds: want.seconds, killed: want.killed as unknown as string[] });
		if ('ended' in want) t.deepEqual(ended, want.ended as unknown as string[]);
		if ('events' in want) t.true(node.events('p').includes(want.events), node.events('p').join('\n'));
		t.deepEqual(await node.runtime.pods(), []);
		t.deepEqual(await readdir(join(node.rootDir, 'pods')), []);
		t.deepEqual(await readdir(join(node.rootDir, 'logs')), []);
		stop.abort();
		await listening;
	});

test('a shorter grace overtakes a longer one', async (t) => {
	const { node } = await playing({ script: () => ({ stopMs: 100_000 }) });
	await using _ = node;
	await node.create('p');
	await node.delete('p', 60);
	await node.advance(5000);
	await node.delete('p', 3);
	await node.advance(2900);
	t.not(node.pod('p'), undefined);
	await node.advance(200);
	t.is(node.pod('p'), undefined);
});

test('a pod that the API forgets leaves nothing', async (t) => {
	const { node } = await playing();
	await using _ = node;
	await node.create('p');
	node.transport.api.delete('/api/v1/pods', 'n/p');
	await node.advance(5000);
	t.deepEqual(await node.runtime.pods(), []);
	t.is(node.clock.pending < 10, true);
});

test('the last status of a deleted pod says how it ended', async (t) => {
	const { node } = await playing({ script: () => ({ exitCode: 3 }) });
	await using _ = node;
	const seen: Pod[] = [];
	using _watch = node.transport.api.watch(({ object, collection }) => {
		if (collection === '/api/v1/pods') seen.push(structuredClone(object) as Pod);
	});
	await node.create('p');
	await node.advance(1000);
	await node.delete('p');
	await node.advance(1000);
	const last = seen.at(-1);
	t.is(last?.status?.phase, 'Failed');
	t.like(statusOf(last), { ready: false, state: { terminated: { exitCode: 3, reason: 'Error' } } });
	t.like(condition(last, 'Ready'), { status: 'False', reason: 'PodFailed' });
});

test('a failed postStart hook kills the container, which waits for its next try', async (t) => {
	const { node, starts } = await playing({ exec: () => ({ exitCode: 1, output: 'oh' }) });
	await using _ = node;
	await node.create('p', { containers: [c({ lifecycle: { postStart: { exec: { command: ['hook'] } } } })] });
	await node.advance(1000);
	t.like(statusOf(node.pod('p')), { ready: false, started: false, state: { waiting: { reason: 'CrashLoopBackOff' } } });
	t.true(node.events('p').includes('FailedPostStartHook: PostStartHook failed'));
	await node.advance(39_000);
	t.deepEqual(starts, ['0 c 0', '0 c 1', '10 c 2', '30 c 3']);
});

test('a container is not ready while its postStart hook runs', async (t) => {
	const { node } = await playing({ exec: () => ({ runMs: 5000 }) });
	await using _ = node;
	await node.create('p', { containers: [c({ lifecycle: { postStart: { exec: { command: ['hook'] } } } })] });
	await node.advance(1000);
	t.like(statusOf(node.pod('p')), { ready: false, started: false });
	await node.advance(5000);
	t.like(statusOf(node.pod('p')), { ready: true, started: true });
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

const probe = { exec: { command: ['probe'] }, periodSeconds: 1 };
for (const [name, container, answers, seconds, want] of [
	['a readiness probe makes ready', { readinessProbe: probe }, () => true, 2, { starts: ['0 c 0'], ready: true }],
	['and unready after three failures', { readinessProbe: probe }, (s: number) => s < 10, 12, { starts: ['0 c 0'], ready: false }],
	['not before', { readinessProbe: probe }, (s: number) => s < 10, 11, { starts: ['0 c 0'], ready: true }],
	['initialDelaySeconds holds it back', { readinessProbe: { ...probe, initialDelaySeconds: 5 } }, () => true, 4, { ready: false }],
	['and then it is made', { readinessProbe: { ...probe, initialDelaySeconds: 5 } }, () => true, 5, { ready: true }],
	['successThreshold counts', { readinessProbe: { ...probe, successThreshold: 3 } }, () => true, 1, { ready: false }],
	['successThreshold is reached', { readinessProbe: { ...probe, successThreshold: 3 } }, () => true, 2, { ready: true }],
	['liveness failures restart', { livenessProbe: probe }, (s: number) => s < 10, 12, { starts: ['0 c 0', '12 c 1'], restarts: 1 }],
	[
		'a slow probe is a failed one',
		{ livenessProbe: { ...probe, timeoutSeconds: 2, failureThreshold: 1 } },
		() => 5000,
		3,
		{ starts: ['0 c 0', '2 c 1'], restarts: 1, events: /Liveness probe failed: command timed out/ },
	],
	[
		'liveness waits for the startup probe',
		{ livenessProbe: { ...probe, failureThreshold: 1 }, startupProbe: { ...probe, failureThreshold: 30 } },
		(s: number) => s >= 10,
		15,
		{ starts: ['0 c 0'], ready: true },
	],
	[
		'a container that has not started is not ready',
		{ startupProbe: { ...probe, failureThreshold: 30 } },
		(s: number) => s >= 10,
		9,
		{ starts: ['0 c 0'], ready: false, started: false },
	],
	[
		'a startup probe that never passes restarts',
		{ startupProbe: { ...probe, failureThreshold: 5 } },
		() => false,
		5,
		{ starts: ['0 c 0', '4 c 1'], events: /Container c failed startup probe, will be restarted/ },
	],
	[
		'a restart by a probe has its own grace',
		{ livenessProbe: { ...probe, failureThreshold: 1, terminationGracePeriodSeconds: 5 } },
		(s: number) => s < 10,
		16,
		{ starts: ['0 c 0', '15 c 1'] },
	],
	[
		'the pod runs its course when it never restarts',
		{ livenessProbe: probe, restartPolicy: 'Never' },
		() => false,
		40,
		{ phase: 'Succeeded' },
	],
] as const)
	test(`probes: ${name}`, async (t) => {
		const from = Date.UTC(2026, 0, 1);
		const { node, starts } = await playing({
			script: () => ({ stopMs: 'livenessProbe' in container && 'terminationGracePeriodSeconds' in container.livenessProbe ? 60_000 : 0 }),
			exec: () => {
				const found = (answers as (s: number) => boolean | number)((node.clock.now() - from) / 1000);
				return typeof found === 'number' ? { runMs: found } : { exitCode: found ? 0 : 1, output: 'bad' };
			},
		});
		await using _ = node;
		const { restartPolicy, ...rest } = { restartPolicy: 'Always', ...container };
		await node.create('p', { restartPolicy, containers: [c(rest)] });
		await node.advance(seconds * 1000);
		const status = statusOf(node.pod('p'));
		const { events, ...values } = { events: /./, ...want } as { readonly events: RegExp };
		const got = {
			starts,
			ready: condition(node.pod('p'), 'Ready')?.status === 'True',
			restarts: status?.restartCount,
			started: status?.started,
			phase: node.pod('p')?.status?.phase,
		};
		t.like(got, values as never);
		t.regex(node.events('p').join('\n'), events);
	});

test('a pod that a failed liveness probe ended with policy Never stays ended', async (t) => {
	const { node, starts } = await playing({ exec: () => ({ exitCode: 1 }) });
	await using _ = node;
	await node.create('p', { restartPolicy: 'Never', containers: [c({ livenessProbe: probe })] });
	await node.advance(120_000);
	t.deepEqual(starts, ['0 c 0']);
	t.is(statusOf(node.pod('p'))?.state?.terminated?.exitCode, 0);
});
