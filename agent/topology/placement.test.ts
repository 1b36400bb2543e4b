/** Pods on a node whose processors and memory are given out, on virtual time. */
import test from 'ava';
import type { Container, Pod } from '../../api/gen/types.ts';
import { c, playing, type Play } from '../../test/fakes/playing.ts';
import type { SimulatedNode } from '../../test/fakes/simulated-node.ts';
import { settingsOf } from '../config/settings.ts';
import { NO_DEVICES } from '../device/given.ts';
import type { ContainerOptions } from '../runtime/runtime.ts';
import { resizeFault } from './resize-fault.ts';

const STATIC = { cpuManagerPolicy: 'static', systemReserved: { cpu: '1' } };

const guaranteed = (name: string, cpu: string, memory = '64Mi'): Container =>
	c({ name, resources: { requests: { cpu, memory }, limits: { cpu, memory } } });

async function configured(given: Readonly<Record<string, unknown>>, play: Play = {}): Promise<SimulatedNode> {
	const { node } = await playing(play);
	node.node = {
		metadata: { name: 'node' },
		status: { allocatable: { cpu: '8', memory: '8Gi', pods: '10' }, capacity: { cpu: '8', memory: '8Gi' } },
	};
	await startAnew(node, given);
	return node;
}

async function startAnew(node: SimulatedNode, given: Readonly<Record<string, unknown>>): Promise<void> {
	node.configure(settingsOf(given));
	await node.stopAgent();
	await node.startAgent();
}

/** What each container of a pod was kept to. */
async function cpusOf(node: SimulatedNode, pod: string): Promise<Record<string, string | undefined>> {
	const found = (await node.runtime.pods()).find(({ name }) => name === pod)?.containers ?? [];
	return Object.fromEntries(found.map(({ id, name }) => [name, node.runtime.cpusOf.get(id)]));
}

test('a container that has processors alone takes them from those that run already, and gives them back', async (t) => {
	await using node = await configured(STATIC);
	await node.create('shares');
	t.deepEqual(await cpusOf(node, 'shares'), { c: '0-3' });
	await node.create('alone', { containers: [guaranteed('a', '2'), guaranteed('b', '500m')] });
	t.deepEqual(await cpusOf(node, 'alone'), { a: '1-2', b: '0,3' });
	t.deepEqual(await cpusOf(node, 'shares'), { c: '0,3' });
	await node.delete('alone', 1);
	await node.advance(5000);
	t.deepEqual(await cpusOf(node, 'shares'), { c: '0-3' });
});

test('what was given is the same after the agent starts anew', async (t) => {
	await using node = await configured(STATIC);
	await node.create('alone', { containers: [guaranteed('a', '2')] });
	await node.stopAgent();
	await node.startAgent();
	await node.create('next', { containers: [guaranteed('a', '1')] });
	t.deepEqual([await cpusOf(node, 'alone'), await cpusOf(node, 'next')], [{ a: '1-2' }, { a: '3' }]);
});

test('what was given is counted: admissions, how long they took, processors of each node', async (t) => {
	await using node = await configured(STATIC);
	await node.create('alone', { containers: [guaranteed('a', '2'), guaranteed('b', '1')] });
	const text = await node.context.figures.registry.metrics();
	for (const line of [
		'kubelet_topology_manager_admission_requests_total 1',
		'kubelet_topology_manager_admission_duration_ms_count 1',
		'kubelet_cpu_manager_exclusive_cpu_allocation_count 3',
		'kubelet_cpu_manager_allocation_per_numa{numa_node="0"} 3',
	])
		t.true(text.includes(`\n${line}\n`), line);
});

test('every admission is counted, with what was aligned to a node and what was not', async (t) => {
	await using node = await configured({ ...STATIC, topologyManagerPolicy: 'single-numa-node' });
	await node.create('shares');
	await node.create('alone', { containers: [guaranteed('a', '1'), guaranteed('b', '1')] });
	await node.create('much', { containers: [guaranteed('a', '4')] });
	const text = await node.context.figures.registry.metrics();
	for (const line of [
		'kubelet_topology_manager_admission_requests_total 3',
		'kubelet_topology_manager_admission_errors_total 1',
		'kubelet_container_aligned_compute_resources_count{scope="container",boundary="numa_node"} 3',
		'kubelet_container_aligned_compute_resources_failure_count{scope="container",boundary="numa_node"} 1',
		'kubelet_cpu_manager_shared_pool_size_millicores 1000',
	])
		t.true(text.includes(`\n${line}\n`), line);
});

test('a pod that cannot have its processors is turned away in words of its own', async (t) => {
	await using node = await configured({ ...STATIC, topologyManagerPolicy: 'single-numa-node' });
	await node.create('much', { containers: [guaranteed('a', '4')] });
	const { phase, reason, message } = node.pod('much')?.status ?? {};
	t.deepEqual([phase, reason], ['Failed', 'TopologyAffinityError']);
	t.is(message, 'Pod was rejected: Resources cannot be allocated with Topology locality');
	await using none = await configured(STATIC);
	await none.create('much', { containers: [guaranteed('a', '4')] });
	t.like(none.pod('much')?.status, {
		reason: 'UnexpectedAdmissionError',
		message:
			'Pod was rejected: Allocate failed due to not enough cpus available to satisfy request: requested=4, available=3, which is unexpected',
	});
	await none.create('fits', { containers: [guaranteed('a', '3')] });
	t.is(none.pod('fits')?.status?.phase, 'Running');
});

for (const [name, play, phase] of [
	['runs stays', {}, 'Running'],
	['waits to run again is turned away', { script: () => ({ runMs: 1000, exitCode: 1 }) }, 'Failed'],
] satisfies readonly (readonly [string, Play, string])[])
	test(`a pod that ${name} where a new policy cannot give it what it asks for`, async (t) => {
		await using node = await configured({}, play);
		await node.create('much', { containers: [guaranteed('a', '4')] });
		await node.advance(5000);
		await startAnew(node, STATIC);
		t.is(node.pod('much')?.status?.phase, phase);
	});

test("what a plugin wants for a container gives way to the pod's own", async (t) => {
	await using node = await configured({});
	const made: Pick<ContainerOptions, 'env' | 'mounts'>[] = [];
	const create = node.runtime.createContainer.bind(node.runtime);
	node.runtime.createContainer = (sandbox, pod, name, options, signal) => {
		made.push(options);
		return create(sandbox, pod, name, options, signal);
	};
	const mount = (hostPath: string) => ({ containerPath: '/lib', hostPath, readOnly: true });
	node.context.placed.devices.starting = async () => ({ ...NO_DEVICES, env: [{ name: 'A', value: 'plugin' }], mounts: [mount('/plugin')] });
	await node.create('p', {
		containers: [c({ env: [{ name: 'A', value: 'pod' }], volumeMounts: [{ name: 'v', mountPath: '/lib', readOnly: true }] })],
		volumes: [{ name: 'v', hostPath: { path: '/pod' } }],
	});
	t.is(made[0]?.env.findLast(({ name }) => name === 'A')?.value, 'pod');
	t.is(made[0]?.mounts.findLast(({ containerPath }) => containerPath === '/lib')?.hostPath, '/pod');
});

test('memory is given of nodes, as the manager that is on says, and the node starts with nothing that does not add up', async (t) => {
	const limits = { memory: '1Gi' };
	const reservations = { systemReserved: { memory: '1Gi' }, evictionHard: { 'memory.available': '0' } };
	const given = { memoryManagerPolicy: 'Static', ...reservations, reservedMemory: [{ numaNode: 0, limits }] };
	await using node = await configured(given);
	await node.create('most', { containers: [guaranteed('a', '1', '2Gi')] });
	t.deepEqual(node.context.placed.memory?.nodesOf(node.pod('most')?.metadata.uid ?? '', 'a'), [0]);
	await node.create('more', { containers: [guaranteed('a', '1', '2Gi')] });
	t.like(node.pod('more')?.status, { reason: 'UnexpectedAdmissionError' });
	t.regex(node.pod('more')?.status?.message ?? '', /no NUMA nodes with enough memory is available/);
	await node.stopAgent();
	const more = { ...given, systemReserved: { memory: '2Gi' }, reservedMemory: [{ numaNode: 0, limits: { memory: '2Gi' } }] };
	node.configure(settingsOf(more));
	await t.throwsAsync(node.startAgent(), { message: /the expected machine state is different from the real one/ });
	node.configure(settingsOf({ memoryManagerPolicy: 'Static', ...reservations }));
	await t.throwsAsync(node.startAgent(), { message: /the total amount "0" of type "memory" is not equal to the value "1073741824"/ });
	node.configure(settingsOf({}));
	await t.throwsAsync(node.startAgent(), { message: /configured policy "None" differs from state checkpoint policy "Static"/ });
});

test('guaranteed pods keep what they have of what a manager gives', (t) => {
	const pod = (cpu: string, memory: string): Pod => ({ metadata: {}, spec: { containers: [guaranteed('a', cpu, memory)] } });
	const messageOf = (now: Pod, both: { readonly cpus: unknown; readonly memory: unknown }): string | undefined =>
		resizeFault(now, pod('1', '1Gi'), both)?.message;
	const [cpus, memory] = [
		{ cpus: {}, memory: undefined },
		{ cpus: undefined, memory: {} },
	];
	t.is(messageOf(pod('2', '1Gi'), cpus), 'Resize is infeasible for Guaranteed Pods alongside CPU Manager policy "static"');
	t.is(messageOf(pod('1', '2Gi'), memory), 'Resize is infeasible for Guaranteed Pods alongside Memory Manager policy "Static"');
	t.is(messageOf(pod('1000m', '2Gi'), cpus), undefined);
	t.is(messageOf(pod('2', '1Gi'), memory), undefined);
	t.is(messageOf({ metadata: {}, spec: { containers: [c()] } }, cpus), undefined);
});
