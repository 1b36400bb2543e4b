/** Resources that change in place: what the node agrees to, how the runtime is told, what the status says; whole changes on virtual time. */
import test from 'ava';
import type { Container, Node, Pod, PodSpec, ResourceRequirements } from '../../api/gen/types.ts';
import { condition, playing, statusOf } from '../../test/fakes/playing.ts';
import { container as running, named, seen } from '../../test/fakes/pods.ts';
import { noLog } from '../../base/log.ts';
import { Registry } from '../../base/metrics.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import type { Script } from '../runtime/simulated.ts';
import { changesOf, reported, restartsFor, shrinkFault } from './actions.ts';
import { allocationOf, inTurn, resizeRefusal, resizeSummary, withAllocation } from './allocation.ts';
import { operationOf, ResizeFigures } from './figures.ts';
import { Records } from './records.ts';
import { Resizes } from './resizes.ts';

const res = (cpu: string, memory: string, limits?: readonly [string, string]): ResourceRequirements => ({
	requests: { cpu, memory },
	...(limits === undefined ? {} : { limits: { cpu: limits[0], memory: limits[1] } }),
});
const one = (resources: ResourceRequirements, more: Partial<Container> = {}): Container => ({ name: 'c', image: 'i', resources, ...more });
const pod = (resources: ResourceRequirements, more: Partial<Container> = {}, spec: Partial<PodSpec> = {}): Pod =>
	named('p', { containers: [one(resources, more)], ...spec });
const node: Node = { metadata: { name: 'node' }, status: { allocatable: { cpu: '2', memory: '1Gi', pods: '10' } } };

test('withAllocation(): what was agreed to stands over the spec, and nothing is copied where they are the same', (t) => {
	const given = allocationOf(pod(res('100m', '64Mi')));
	const wants = pod(res('200m', '64Mi'));
	t.is(withAllocation(wants, undefined), wants);
	t.deepEqual(withAllocation(wants, given).spec?.containers[0]?.resources, res('100m', '64Mi'));
	const same = pod(res('0.1', '65536Ki'));
	t.is(withAllocation(same, given), same, 'by value');
	const withInit = pod(
		res('1', '1Mi'),
		{},
		{
			initContainers: [
				{ name: 'i', resources: res('1', '1Mi') },
				{ name: 's', restartPolicy: 'Always', resources: res('1', '1Mi') },
			],
		},
	);
	t.deepEqual(Object.keys(allocationOf(withInit).containers).toSorted(), ['c', 'i', 's']);
	const more = { containers: { ...allocationOf(withInit).containers, i: res('2', '1Mi') } };
	t.deepEqual(withAllocation(withInit, more).spec?.initContainers?.[0]?.resources, res('2', '1Mi'));
});

const other = named('other', { containers: [one(res('1500m', '256Mi'))] });
for (const [name, wants, want] of [
	['fits', res('500m', '256Mi'), undefined],
	[
		'not beside the others',
		res('1', '256Mi'),
		"Deferred Node didn't have enough resource: cpu, requested: 1000, used: 1500, capacity: 2000",
	],
	['not even alone', res('1', '2Gi'), "Infeasible Node didn't have enough capacity: memory, requested: 2147483648, capacity: 1073741824"],
] as const)
	test(`resizeRefusal(): ${name}`, (t) => {
		const refused = resizeRefusal(pod(wants), node, [other]);
		t.is(refused === undefined ? undefined : `${refused.reason} ${refused.message}`, want);
	});

test('inTurn(): who asks for no more, by priority, by class, by age', (t) => {
	const small = res('1m', '1Mi');
	const waiting = (name: string, spec: Partial<PodSpec>, resources: ResourceRequirements, since: number) => {
		const make = (r: ResourceRequirements): Pod => named(name, { containers: [one(r)], ...spec });
		return { pod: make(resources), allocated: make(small), since };
	};
	const more = res('2m', '1Mi');
	const order = inTurn([
		waiting('young', {}, more, 9),
		waiting('old', {}, more, 1),
		waiting('guaranteed', {}, res('2m', '1Mi', ['2m', '1Mi']), 9),
		waiting('important', { priority: 5 }, more, 9),
		waiting('less', {}, res('1m', '1Ki'), 9),
	]);
	t.deepEqual(
		order.map((w) => w.pod.metadata.name),
		['less', 'important', 'guaranteed', 'old', 'young'],
	);
});

test("resizeSummary(): in upstream's order and words", (t) => {
	t.is(
		resizeSummary(pod(res('100m', '100', ['100m', '100'])), 1),
		'{"containers":[{"name":"c","resources":{"limits":{"cpu":"100m","memory":"100"},"requests":{"cpu":"100m","memory":"100"}}}],"generation":1}',
	);
	t.is(
		resizeSummary(named('p', { containers: [{ name: 'c' }] }), 2, 'why'),
		'{"containers":[{"name":"c","resources":{}}],"generation":2,"error":"why"}',
	);
});

const restart = (resourceName: string) => ({ resizePolicy: [{ resourceName, restartPolicy: 'RestartContainer' }] });
for (const [name, policy, from, want] of [
	['nothing changes', restart('cpu'), res('1', '1Mi'), false],
	['cpu, for which it may run on', {}, res('2', '1Mi'), false],
	['cpu, for which it starts anew', restart('cpu'), res('2', '1Mi'), true],
	['memory, and it starts anew for cpu only', restart('cpu'), res('1', '2Mi'), false],
	['a limit', restart('memory'), res('1', '1Mi', ['1', '1Mi']), true],
] as const)
	test(`restartsFor(): ${name}`, (t) => t.is(restartsFor({ kind: 'app', spec: one(res('1', '1Mi'), policy), target: '' }, from), want));

test('changesOf(): containers that run and have something else; those that shrink first', (t) => {
	const containers = ['grows', 'shrinks', 'same', 'ended'].map((name): Container => ({ name, resources: res('2', '1Mi') }));
	const had: Readonly<Record<string, ResourceRequirements>> = {
		grows: res('1', '1Mi'),
		shrinks: res('3', '1Mi'),
		same: res('2', '1Mi'),
		ended: res('1', '1Mi'),
	};
	const states = seen(...['grows', 'shrinks', 'same'].map((name) => running(name, 'running')), running('ended', 'exited'));
	t.deepEqual(
		changesOf(named('p', { containers }), states, (name) => had[name]).map((c) => c.spec.spec.name),
		['shrinks', 'grows'],
	);
	t.deepEqual(
		changesOf(named('p', { containers: [], initContainers: containers }), states, (name) => had[name]).map((c) => c.spec.spec.name),
		['shrinks', 'grows'],
		'init containers, too',
	);
	t.deepEqual(
		changesOf(named('p', { containers }), states, () => undefined),
		[],
		'of what nothing is known, it has what it was given',
	);
});

test('shrinkFault(): memory limits stay above what is used', (t) => {
	const [change] = changesOf(pod(res('1', '1Mi', ['1', '10'])), seen(running('c', 'running')), () => res('1', '1Mi', ['1', '20']));
	const changes = change === undefined ? [] : [change];
	const used = (n: number | undefined) => ({ pod: n, of: () => n });
	t.is(shrinkFault(changes, { from: 20, to: 10 }, used(9)), '');
	t.is(
		shrinkFault(changes, { from: 20, to: 10 }, used(10)),
		'cannot decrease memory limits: [attempting to set pod memory limit (10) below current usage (10), attempting to set container "c" memory limit (10) below current usage (10)]',
	);
	t.is(shrinkFault(changes, { from: -1, to: -1 }, used(undefined)), 'cannot decrease memory limits: missing container "c" memory usage');
	t.is(
		shrinkFault([], { from: -1, to: 10 }, used(11)),
		'cannot decrease memory limits: attempting to set pod memory limit (10) below current usage (11)',
	);
});

const MI = 2 ** 20;
const actual = { cpuShares: 102, cpuQuotaUs: 20_000, cpuPeriodUs: 100_000, memoryLimitBytes: 64 * MI };
for (const [name, spec, told, has, want] of [
	['as it was told', res('100m', '1Mi', ['200m', '64Mi']), undefined, actual, res('100m', '1Mi', ['200m', '64Mi'])],
	[
		'what it still has while it changes',
		res('500m', '2Mi', ['1', '128Mi']),
		res('100m', '1Mi', ['200m', '64Mi']),
		actual,
		res('100m', '1Mi', ['200m', '64Mi']),
	],
	[
		'what somebody else gave it',
		res('100m', '1Mi', ['200m', '64Mi']),
		undefined,
		{ ...actual, cpuShares: 512, cpuQuotaUs: 50_000, memoryLimitBytes: 32 * MI },
		res('500m', '1Mi', ['500m', '32Mi']),
	],
	[
		'too little for the kernel to tell apart',
		res('1m', '1Mi', ['5m', '64Mi']),
		undefined,
		{ ...actual, cpuShares: 2, cpuQuotaUs: 1000 },
		res('1m', '1Mi', ['5m', '64Mi']),
	],
] as const)
	test(`reported(): ${name}`, (t) => {
		const c = running('c', 'running', { resources: has });
		t.deepEqual(reported({ kind: 'app', spec: one(spec), target: '' }, c, told), { allocatedResources: spec.requests, resources: want });
	});
test('reported(): of one that does not run, what it was given', (t) => {
	const spec = res('100m', '1Mi');
	t.deepEqual(reported({ kind: 'app', spec: one(spec), target: '' }, running('c', 'exited', { resources: actual }), undefined), {
		allocatedResources: spec.requests,
		resources: spec,
	});
});

async function start(script: (container: string) => Script = () => ({})) {
	const { node: simulated } = await playing({ script });
	simulated.node = node;
	const resize = (name: string, resources: ResourceRequirements): Promise<void> =>
		simulated.update(name, (p) => {
			p.metadata.generation = (p.metadata.generation ?? 1) + 1;
			const [c] = p.spec?.containers ?? [];
			if (c !== undefined) c.resources = resources;
		});
	const said = (name: string): readonly string[] =>
		simulated
			.events(name)
			.filter((e) => e.startsWith('Resize'))
			.map((e) => e.slice(0, e.indexOf('{') - 2));
	return { node: simulated, resize, said, [Symbol.asyncDispose]: () => simulated[Symbol.asyncDispose]() };
}

test('a container gets more without a new start, and the status and events say so', async (t) => {
	await using it = await start();
	await it.node.create('p', { containers: [one(res('100m', '64Mi', ['200m', '64Mi']))] });
	await it.node.advance(1000);
	const id = statusOf(it.node.pod('p'))?.containerID;
	await it.resize('p', res('500m', '128Mi', ['1', '128Mi']));
	await it.node.advance(1000);
	const status = statusOf(it.node.pod('p'));
	t.like(status, { containerID: id, restartCount: 0, allocatedResources: { cpu: '500m', memory: '128Mi' } });
	t.deepEqual(status?.resources, res('500m', '128Mi', ['1', '128Mi']));
	t.is((await it.node.runtime.pods())[0]?.containers[0]?.resources?.memoryLimitBytes, 128 * MI);
	t.deepEqual(it.said('p'), ['ResizeStarted: Pod resize started', 'ResizeCompleted: Pod resize completed']);
	t.is(condition(it.node.pod('p'), 'PodResizeInProgress'), undefined);
	t.is(it.node.pod('p')?.status?.observedGeneration, 2);
});

test('a container whose policy wants it starts anew with its new resources', async (t) => {
	await using it = await start();
	await it.node.create('p', { containers: [one(res('100m', '64Mi'), restart('cpu'))] });
	await it.node.advance(1000);
	await it.resize('p', res('200m', '64Mi'));
	await it.node.advance(1000);
	t.like(statusOf(it.node.pod('p')), { restartCount: 1, allocatedResources: { cpu: '200m', memory: '64Mi' } });
	t.true(it.node.events('p').includes('Killing: Container c resize requires restart'));
	t.deepEqual(it.said('p'), ['ResizeStarted: Pod resize started', 'ResizeCompleted: Pod resize completed']);
});

test('what does not fit is deferred, over a new start of the agent too, and done once there is room', async (t) => {
	await using it = await start();
	await it.node.create('big', { containers: [one(res('1500m', '64Mi'))] });
	await it.node.create('p', { containers: [one(res('100m', '64Mi'))] });
	await it.node.advance(1000);
	await it.resize('p', res('1', '64Mi'));
	await it.node.advance(1000);
	const message = "Node didn't have enough resource: cpu, requested: 1000, used: 1500, capacity: 2000";
	t.like(condition(it.node.pod('p'), 'PodResizePending'), { status: 'True', reason: 'Deferred', message, observedGeneration: 2 });
	t.deepEqual(statusOf(it.node.pod('p'))?.allocatedResources, { cpu: '100m', memory: '64Mi' });
	await it.node.stopAgent();
	await it.node.startAgent();
	await it.node.advance(1000);
	t.like(condition(it.node.pod('p'), 'PodResizePending'), { reason: 'Deferred', observedGeneration: 2 });
	t.deepEqual(it.said('p'), ['ResizeDeferred: Pod resize Deferred'], 'it is said once');
	await it.node.delete('big', 1);
	await it.node.advance(2000);
	t.is(condition(it.node.pod('p'), 'PodResizePending'), undefined);
	t.deepEqual(statusOf(it.node.pod('p'))?.resources, res('1', '64Mi'));
	const counted = await it.node.context.figures.registry.metrics();
	t.regex(counted, /kubelet_pod_deferred_accepted_resizes_total\{retry_trigger="pod_terminated"\} 1/);
	t.regex(counted, /kubelet_pod_in_progress_resizes 0/);
});

test('what can never fit is infeasible, and taking it back ends it', async (t) => {
	await using it = await start();
	await it.node.create('p', { containers: [one(res('100m', '64Mi'))] });
	await it.node.advance(1000);
	await it.resize('p', res('100m', '2Gi'));
	await it.node.advance(1000);
	t.is(condition(it.node.pod('p'), 'PodResizePending')?.reason, 'Infeasible');
	await it.resize('p', res('100m', '64Mi'));
	await it.node.advance(1000);
	t.is(condition(it.node.pod('p'), 'PodResizePending'), undefined);
	t.deepEqual(it.said('p'), ['ResizeInfeasible: Pod resize Infeasible']);
	const { registry } = it.node.context.figures;
	const counted = await registry.metrics();
	t.regex(counted, /kubelet_container_requested_resizes_total\{resource="memory",requirement="requests",operation="increase"\} 1/);
	t.regex(counted, /kubelet_pod_infeasible_resizes_total\{reason_detail="insufficient_node_allocatable"\} 1/);
});

test('memory that is in use is not taken away; what the runtime refuses is tried again', async (t) => {
	let script: Script = { memoryBytes: 50 * MI };
	await using it = await start(() => script);
	await it.node.create('p', { containers: [one(res('100m', '64Mi', ['100m', '64Mi']))] });
	await it.node.advance(1000);
	await it.resize('p', res('100m', '32Mi', ['100m', '32Mi']));
	await it.node.advance(1000);
	const message = `cannot decrease memory limits: attempting to set container "c" memory limit (${32 * MI}) below current usage (${50 * MI})`;
	const got = condition(it.node.pod('p'), 'PodResizeInProgress');
	t.like(got, { status: 'True', reason: 'Error', observedGeneration: 2 });
	t.true(got?.message?.includes(message.slice('cannot decrease memory limits: '.length)), got?.message);
	t.is(statusOf(it.node.pod('p'))?.resources?.limits?.['memory'], '64Mi', 'it still has what it had');
	await it.resize('p', res('100m', '60Mi', ['100m', '60Mi']));
	await it.node.advance(1000);
	t.is(condition(it.node.pod('p'), 'PodResizeInProgress'), undefined);
	script = { failUpdate: 'no' };
	await it.node.create('q', { containers: [one(res('100m', '64Mi'))] });
	await it.node.advance(1000);
	await it.resize('q', res('200m', '64Mi'));
	await it.node.advance(30_000);
	t.like(condition(it.node.pod('q'), 'PodResizeInProgress'), { reason: 'Error', message: 'no' });
	t.regex(await it.node.context.figures.registry.metrics(), /kubelet_pod_in_progress_resizes 1/);
	t.deepEqual(it.said('q'), ['ResizeStarted: Pod resize started', 'ResizeError: Pod resize error'], 'however often it is tried');
});

for (const [from, to, want] of [
	[undefined, '1', 'add'],
	['1', undefined, 'remove'],
	['500m', '1', 'increase'],
	['1Gi', '512Mi', 'decrease'],
	['1', '1000m', undefined],
] as const)
	test(`operationOf(): ${from} to ${to}`, (t) => t.is(operationOf(from, to), want));

test('an init container that runs gets more without a new start, and one whose turn has not come begins with it', async (t) => {
	await using it = await start((name) => (name === 'c' ? {} : { runMs: 60_000 }));
	const init = (name: string, cpu: string): Container => ({ name, image: 'i', resources: res(cpu, '64Mi') });
	await it.node.create('p', { initContainers: [init('first', '100m'), init('second', '100m')], containers: [one(res('100m', '64Mi'))] });
	await it.node.advance(1000);
	const id = statusOf(it.node.pod('p'), 'first')?.containerID;
	const resizeInits = (cpu: string): Promise<void> =>
		it.node.update('p', (p) => {
			p.metadata.generation = (p.metadata.generation ?? 1) + 1;
			for (const container of p.spec?.initContainers ?? []) container.resources = res(cpu, '64Mi');
		});
	await resizeInits('500m');
	await it.node.advance(1000);
	const first = statusOf(it.node.pod('p'), 'first');
	t.like(first, { containerID: id, restartCount: 0, allocatedResources: { cpu: '500m', memory: '64Mi' }, resources: res('500m', '64Mi') });
	t.is((await it.node.runtime.pods())[0]?.containers[0]?.resources?.cpuShares, 512);
	t.deepEqual(it.said('p'), ['ResizeStarted: Pod resize started', 'ResizeCompleted: Pod resize completed']);
	await it.node.advance(60_000);
	t.like(statusOf(it.node.pod('p'), 'second'), { allocatedResources: { cpu: '500m', memory: '64Mi' }, resources: res('500m', '64Mi') });
	t.is((await it.node.runtime.pods())[0]?.containers[0]?.resources?.cpuShares, 512);
	await it.node.advance(60_000);
	await resizeInits('600m');
	await it.node.advance(1000);
	t.is(condition(it.node.pod('p'), 'PodResizeInProgress'), undefined, 'those that have ended keep nobody');
	t.is(it.node.pod('p')?.status?.phase, 'Running');
});

test('of init containers of which nothing was kept, as by agents of before, is taken that they have what they ask for', (t) => {
	const allocated = Records.inMemory(noLog);
	const said: string[] = [];
	const event = (_pod: Pod, _type: string, reason: string): void => void said.push(reason);
	const figures = new ResizeFigures(new Registry());
	const resizes = new Resizes({ clock: new VirtualClock(), node: () => node, event, figures }, allocated, Records.inMemory(noLog));
	const withInit = (cpu: string): Pod => pod(res('1', '1Mi'), {}, { initContainers: [{ name: 'i', resources: res(cpu, '1Mi') }] });
	allocated.set('p', { containers: { c: res('1', '1Mi') } });
	resizes.decide(withInit('1'));
	t.deepEqual(said, []);
	t.deepEqual(resizes.decide(withInit('5')).spec?.initContainers?.[0]?.resources, res('1', '1Mi'));
	t.deepEqual(said, ['ResizeInfeasible']);
});
