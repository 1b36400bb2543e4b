/** Everything that a node depends on goes away for a while, on virtual time: itself, the API server, the runtime, the machine. */
import test, { type ExecutionContext } from 'ava';
import type { Pod } from '../api/gen/types.ts';
import { AppError } from '../base/errors.ts';
import { c, condition, playing, statusOf } from '../test/fakes/playing.ts';
import type { SimulatedNode } from '../test/fakes/simulated-node.ts';
import { staticPod } from './static/static-pod.ts';

const PODS = 20;
const MINUTE = 60_000;

const probed = [c({ readinessProbe: { exec: { command: ['ready'] }, periodSeconds: 10 } })];

/** A node full of pods that are ready. */
async function full(t: ExecutionContext, script: (name: string, attempt: number) => object = () => ({})): Promise<SimulatedNode> {
	const { node } = await playing({ script });
	t.teardown(() => node[Symbol.asyncDispose]());
	for (let i = 0; i < PODS; i++) await node.create(`p${i}`, { containers: probed });
	await node.advance(20_000);
	t.is(all(node).filter(isReady).length, PODS);
	return node;
}

const all = (node: SimulatedNode): readonly Pod[] => node.transport.api.list('/api/v1/pods', () => true) as readonly Pod[];
const isReady = (pod: Pod): boolean => condition(pod, 'Ready')?.status === 'True';
/** What must not change while the pods are left alone: every write of theirs would. */
const versions = (node: SimulatedNode): readonly string[] =>
	all(node).map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`);

/** From now on nothing is answered, and what was watched breaks off. */
function apiAway(node: SimulatedNode): void {
	const away = new AppError('Unavailable', 'connect ECONNREFUSED');
	node.transport.intercept = () => {
		throw away;
	};
	node.transport.closeWatches(away);
}

test('the agent dies again and again: no container is made, no pod is written', async (t) => {
	const starts: string[] = [];
	const node = await full(t, (name, attempt) => {
		starts.push(`${name} ${attempt}`);
		return {};
	});
	const before = versions(node);
	for (let death = 0; death < 5; death++) {
		await node.stopAgent();
		await node.advance(death * 1000);
		await node.startAgent();
		await node.advance(7000);
		t.deepEqual(versions(node), before, `after death ${death + 1}`);
	}
	t.is(starts.length, PODS);
});

test('the API server is away for ten minutes: pods run on, static ones start, and what happened is told afterwards', async (t) => {
	const node = await full(t, (name, attempt) =>
		name === 'crashes' && attempt === 0 ? { runMs: 3 * MINUTE, exitCode: 7 } : name === 'ends' ? { runMs: 5 * MINUTE } : {},
	);
	await node.create('crashes', { containers: [c({ name: 'crashes' })] });
	await node.create('ends', { restartPolicy: 'Never', containers: [c({ name: 'ends' })] });
	node.node = { metadata: { name: 'node', uid: 'u' }, status: { allocatable: node.context.allocatable } };
	const before = versions(node);
	apiAway(node);
	await node.advance(2 * MINUTE);
	const manifest = {
		metadata: { name: 'static', namespace: 'n' },
		spec: { containers: [{ name: 'c', image: 'i', imagePullPolicy: 'IfNotPresent' }] },
	};
	await node.setStatic([
		staticPod({ apiVersion: 'v1', kind: 'Pod', ...manifest }, { source: 'file', place: '/m', nodeName: 'node', now: node.clock.now() }),
	]);
	await node.advance(8 * MINUTE);
	const running = (await node.runtime.pods()).filter((pod) => pod.containers.some((x) => x.state === 'running'));
	t.is(running.length, PODS + 2, 'all that ran, the one that was started again, and the static one');
	t.true(running.some((pod) => pod.name === 'static-node'));
	t.deepEqual(versions(node), before, 'nobody could be told');
	node.transport.intercept = () => {};
	await node.advance(MINUTE);
	t.like(statusOf(node.pod('crashes'), 'crashes'), { restartCount: 1, lastState: { terminated: { exitCode: 7 } } });
	t.is(node.pod('ends')?.status?.phase, 'Succeeded');
	t.is(node.pod('static-node')?.status?.phase, 'Running');
	const left = new Set(before.filter((line) => line.startsWith('p')));
	t.is(versions(node).filter((line) => left.has(line)).length, PODS, 'who just ran on is not written at all');
	await node.create('late');
	await node.advance(1000);
	t.is(node.pod('late')?.status?.phase, 'Running');
});

test('the runtime is away for five minutes: nothing is lost, no pod flaps, and what ended meanwhile starts again', async (t) => {
	const node = await full(t, (name, attempt) => (name === 'crashes' && attempt === 0 ? { runMs: MINUTE, exitCode: 7 } : {}));
	await node.create('crashes', { containers: [c({ name: 'crashes' })] });
	const before = versions(node).filter((line) => line.startsWith('p'));
	const { runtime } = node;
	const kept = {
		pods: runtime.pods,
		pod: runtime.pod,
		exec: runtime.exec,
		createContainer: runtime.createContainer,
		runSandbox: runtime.runSandbox,
	};
	const away = (): Promise<never> => Promise.reject(new AppError('Unavailable', 'the socket is not there'));
	Object.assign(runtime, Object.fromEntries(Object.keys(kept).map((name) => [name, away])));
	await node.create('new');
	await node.advance(5 * MINUTE);
	t.is(node.pod('new')?.status?.phase, 'Pending');
	Object.assign(runtime, kept);
	await node.advance(10_000);
	t.is(node.pod('new')?.status?.phase, 'Running');
	t.like(statusOf(node.pod('crashes'), 'crashes'), { restartCount: 1, ready: true });
	t.deepEqual(
		versions(node).filter((line) => /^p\d/.test(line)),
		before,
	);
});

test('what ends while the event stream is broken is looked for', async (t) => {
	const { node } = await playing({ script: (_name, attempt) => (attempt === 0 ? { runMs: 30_000, exitCode: 7 } : {}) });
	await using _ = node;
	await node.stopAgent();
	const follow = node.runtime.events.bind(node.runtime);
	const broken = new AbortController();
	node.runtime.events = async function* (signal) {
		if (!broken.signal.aborted) yield* follow(AbortSignal.any([signal, broken.signal]));
		throw new AppError('Unavailable', 'the socket is not there');
	};
	await node.startAgent();
	await node.create('p');
	await node.advance(20_000);
	broken.abort();
	await node.advance(20_000);
	t.like(statusOf(node.pod('p')), { restartCount: 1, lastState: { terminated: { exitCode: 7 } } });
});

test('the machine starts anew and nothing is left: everything comes back, with what it was before told', async (t) => {
	const node = await full(t, (name) => (name === 'ends' ? { runMs: MINUTE } : {}));
	await node.create('ends', { restartPolicy: 'Never', containers: [c({ name: 'ends' })] });
	await node.advance(2 * MINUTE);
	await node.stopAgent();
	node.runtime.reboot();
	await node.advance(MINUTE);
	await node.startAgent();
	await node.advance(20_000);
	const pods = all(node).filter(({ metadata }) => metadata.name !== 'ends');
	t.is(pods.filter(isReady).length, PODS);
	t.true(pods.every((pod) => statusOf(pod)?.restartCount === 1));
	t.is(node.pod('ends')?.status?.phase, 'Succeeded', 'what was over stays over');
	t.is((await node.runtime.pods()).length, PODS);
});
