/** The end of pods on virtual time: grace, hooks, order, last words, and nothing left. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { aborted } from '../../base/abort.ts';
import { AppError } from '../../base/errors.ts';
import type { Pod, PodSpec } from '../../api/gen/types.ts';
import type { Script } from '../runtime/simulated.ts';
import { c, condition, playing, statusOf, type Play } from '../../test/fakes/playing.ts';

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

/** Until nothing of a pod runs it is not said that it has ended: others would take what it still has. */
for (const [name, spec, script, early, late] of [
	[
		'past its deadline',
		{ activeDeadlineSeconds: 30 },
		{ c: { stopMs: 20_000 } },
		{ phase: 'Running', reason: undefined, ready: 'False PodFailed' },
		{ phase: 'Failed', reason: 'DeadlineExceeded', ready: 'False PodFailed' },
	],
	[
		'whose init container failed for good beside a sidecar',
		{ initContainers: [c({ name: 's', restartPolicy: 'Always' }), c({ name: 'a' })], restartPolicy: 'Never' },
		{ s: { stopMs: 20_000 }, a: { runMs: 30_000, exitCode: 1 } },
		{ phase: 'Pending', reason: undefined, ready: 'False PodFailed' },
		{ phase: 'Failed', reason: undefined, ready: 'False PodFailed' },
	],
	[
		'that is done, beside a sidecar',
		{ initContainers: [c({ name: 's', restartPolicy: 'Always' })], restartPolicy: 'Never' },
		{ s: { stopMs: 20_000 }, c: { runMs: 30_000 } },
		{ phase: 'Running', reason: undefined, ready: 'False ContainersNotReady' },
		{ phase: 'Succeeded', reason: undefined, ready: 'False PodCompleted' },
	],
] as const)
	test(`a pod ${name} keeps its phase until nothing of it runs`, async (t) => {
		const { node } = await playing({ script: (n) => (script as Readonly<Record<string, Script>>)[n] ?? {} });
		await using _ = node;
		const saying = () => {
			const pod = node.pod('p');
			const ready = condition(pod, 'Ready');
			return { phase: pod?.status?.phase, reason: pod?.status?.reason, ready: `${ready?.status} ${ready?.reason}` };
		};
		await node.create('p', spec as unknown as Partial<PodSpec>);
		await node.advance(40_000);
		t.deepEqual(saying(), early);
		await node.advance(15_000);
		t.deepEqual(saying(), late);
		const told = node.events('p').filter((e) => e.startsWith('DeadlineExceeded'));
		const words = 'DeadlineExceeded: Pod was active on the node longer than the specified deadline';
		t.deepEqual(told, late.reason === undefined ? [] : [words]);
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

test('many pods come and go, and nothing of them stays: no timer, no watch, no file', async (t) => {
	const { node } = await playing({ script: (_n, attempt) => (attempt < 2 ? { runMs: 500, exitCode: 1 } : {}) });
	await using _ = node;
	node.transport.api.create('/api/v1/configmaps', { metadata: { name: 'm' }, data: { k: 'v' } } as never, 'n');
	await node.advance(1000);
	const probe = { exec: { command: ['x'] }, periodSeconds: 1 };
	const container = c({ readinessProbe: probe, livenessProbe: probe, lifecycle: { preStop: { sleep: { seconds: 1 } } } });
	const before = { timers: node.clock.pending, watches: node.transport.watches };
	for (let round = 0; round < 5; round++) {
		const names = Array.from({ length: 10 }, (_v, i) => `p${round}-${i}`);
		for (const name of names) await node.create(name, { containers: [container], volumes: [{ name: 'v', configMap: { name: 'm' } }] });
		await node.advance(5000);
		for (const name of names) await node.delete(name, 5);
		await node.advance(10_000);
		for (const name of names) t.is(node.pod(name), undefined);
	}
	await node.advance(700_000);
	t.deepEqual({ timers: node.clock.pending, watches: node.transport.watches }, before);
	t.deepEqual(await node.runtime.pods(), []);
	t.deepEqual([await readdir(join(node.rootDir, 'pods')), await readdir(join(node.rootDir, 'logs'))], [[], []]);
	t.is((await node.context.figures.probeTotal.get()).values.length, 0);
});

test('a runtime that cannot end a pod: which step failed is told, and it ends once the runtime can', async (t) => {
	const { node } = await playing();
	await using _ = node;
	await node.create('p');
	await node.advance(1000);
	const { runtime } = node;
	const stop = runtime.stopContainer.bind(runtime);
	runtime.stopContainer = () => Promise.reject(new AppError('Unavailable', 'shim is away'));
	await node.delete('p', 30);
	await node.advance(2000);
	t.true(
		node
			.events('p')
			.includes('FailedKillPod: error killing pod: failed to "KillContainer" for "c" with KillContainerError: "shim is away"'),
	);
	runtime.stopContainer = stop;
	await node.advance(20_000);
	t.is(node.pod('p'), undefined);
});

test('an evicted pod that the runtime does not end in time is told of', async (t) => {
	const { node } = await playing();
	await using _ = node;
	await node.create('p');
	await node.advance(1000);
	node.runtime.stopContainer = (_id, _graceMs, signal) => aborted(signal);
	t.true(node.workers.disrupt(node.pod('p')?.metadata.uid ?? '', { reason: 'Evicted', message: 'm' }, 8000));
	const late = 'ExceededGracePeriod: Container runtime did not kill the pod within specified grace period.';
	await node.advance(11_000);
	t.false(node.events('p').includes(late));
	await node.advance(2000);
	t.true(node.events('p').includes(late));
});

test('a runtime that cannot say what runs is told of once', async (t) => {
	const { node } = await playing();
	await using _ = node;
	await node.create('p');
	await node.advance(1000);
	const { runtime } = node;
	runtime.pod = () => Promise.reject(new AppError('Unavailable', 'no answer'));
	await node.advance(120_000);
	t.deepEqual(
		node.events('p').filter((event) => event.startsWith('FailedSync')),
		['FailedSync: error determining status: no answer'],
	);
});
