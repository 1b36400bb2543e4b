import test from 'ava';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Container, Pod } from '../../api/gen/types.ts';
import { formatCpuList, parseCpuList } from '../../host/cpu-list.ts';
import { readTopology, type LogicalCpu } from '../../host/topology.ts';
import { Registry } from '../../base/metrics.ts';
import { PlacementFigures } from '../topology/figures.ts';
import { Assignments } from '../topology/assignments.ts';
import { ANYWHERE, type Hint } from '../topology/hint.ts';
import { masksOf } from '../topology/mask.ts';
import { takeDistributed } from './distribute.ts';
import { exclusiveCpus } from './exclusive.ts';
import { idsOf, layoutOf, only, type Layout } from './layout.ts';
import { cpuPolicyOptionFaults, cpuPolicyOptionsOf } from './policy-options.ts';
import { readCpuState, stateFault, writeCpuState } from './state.ts';
import { StaticCpus } from './static-cpus.ts';
import { takePacked } from './take.ts';

/** Threads of a core are `cores` apart; sockets take cores in turn, as the firmware of many servers numbers them. */
function machine(sockets: number, cores: number, threads: number, nodesPerSocket = 1): Layout {
	const cpus = Array.from({ length: cores * threads }, (_, id): LogicalCpu => {
		const core = id % cores;
		const socket = core % sockets;
		const numa = socket * nodesPerSocket + (Math.floor(core / sockets) % nodesPerSocket);
		return { id, core, socket, numa, cache: numa };
	});
	return layoutOf({ cpus });
}

const ONE_SOCKET = machine(1, 4, 2);
const TWO_SOCKETS = machine(2, 6, 2);
const FOUR_NODES = machine(2, 8, 2, 2);
const PACKED = { spread: false, alignByCache: false };

for (const [name, layout, free, count, want] of [
	['one of a whole core', ONE_SOCKET, '0-7', 1, '0'],
	['the thread whose sibling is taken goes first', ONE_SOCKET, '1,3,5-7', 1, '6'],
	['two are one core', ONE_SOCKET, '0-7', 2, '0,4'],
	['two are the only core that is free', ONE_SOCKET, '0-3,6', 2, '2,6'],
	['three are a core and a thread of one that is broken already', ONE_SOCKET, '0,1,2,4,6', 3, '0-1,4'],
	['all', ONE_SOCKET, '0-7', 8, '0-7'],
	['one of the socket with less left', TWO_SOCKETS, '1-5,7-11', 1, '2'],
	['six are a socket', TWO_SOCKETS, '0-11', 6, '0,2,4,6,8,10'],
	['eight are a socket and a core', TWO_SOCKETS, '0-11', 8, '0-2,4,6-8,10'],
	['four are a node of a socket', FOUR_NODES, '0-15', 4, '0,4,8,12'],
	['a socket goes before its nodes', FOUR_NODES, '1-15', 8, '1,3,5,7,9,11,13,15'],
] as const)
	test(`takePacked(): ${name}`, (t) => {
		const taken = takePacked(layout, only(layout.cpus, parseCpuList(free)), count, PACKED);
		t.is(formatCpuList(idsOf(taken)), want);
	});

test('takePacked(): spread takes one thread of each core, by number', (t) => {
	t.deepEqual(idsOf(takePacked(ONE_SOCKET, ONE_SOCKET.cpus, 4, { ...PACKED, spread: true })), [0, 1, 2, 3]);
});

test('takePacked(): spread goes by number inside a socket, whatever its nodes', (t) => {
	const free = only(FOUR_NODES.cpus, parseCpuList('0,2,4,6,10'));
	t.deepEqual(idsOf(takePacked(FOUR_NODES, free, 3, { ...PACKED, spread: true })), [0, 2, 4]);
});

test('takePacked(): too few are an error with the counts', (t) => {
	const error = t.throws(() => takePacked(ONE_SOCKET, ONE_SOCKET.cpus.slice(0, 2), 3, PACKED));
	t.is(error.message, 'not enough cpus available to satisfy request: requested=3, available=2');
});

test('takePacked(): whole caches, then part of one cache rather than of two', (t) => {
	const cpus = Array.from({ length: 12 }, (_, id): LogicalCpu => ({ id, core: id, socket: 0, numa: 0, cache: Math.floor(id / 4) }));
	const layout = layoutOf({ cpus });
	const take = (free: string, count: number): string =>
		formatCpuList(idsOf(takePacked(layout, only(cpus, parseCpuList(free)), count, { spread: false, alignByCache: true })));
	t.is(take('1-11', 4), '4-7');
	t.is(take('2-11', 3), '4-6');
	t.is(take('0-11', 6), '0-5');
});

for (const [name, layout, free, count, groupSize, want] of [
	['what one node holds stays on it', TWO_SOCKETS, '0-11', 4, 1, '0,2,6,8'],
	['eight come from both nodes alike', TWO_SOCKETS, '0-11', 8, 1, '0-3,6-9'],
	['of cores, the last goes to one of them', TWO_SOCKETS, '0-11', 10, 2, '0-4,6-10'],
	['odd counts of cores are packed', TWO_SOCKETS, '0-11', 7, 2, '0-2,4,6,8,10'],
	['nodes that have too little are left out', FOUR_NODES, '0-2,4-6,8-10,12-14', 6, 2, '0-1,5,8-9,13'],
] as const)
	test(`takeDistributed(): ${name}`, (t) => {
		const taken = takeDistributed(layout, only(layout.cpus, parseCpuList(free)), count, groupSize, PACKED);
		t.is(formatCpuList(idsOf(taken)), want);
	});

function container(name: string, cpu: string, restartPolicy?: 'Always'): Container {
	const amounts = { cpu, memory: '1Gi' };
	return { name, resources: { requests: amounts, limits: amounts }, ...(restartPolicy === undefined ? {} : { restartPolicy }) };
}

function pod(uid: string, containers: readonly Container[], initContainers: readonly Container[] = []): Pod {
	return { metadata: { uid, name: uid }, spec: { containers: [...containers], initContainers: [...initContainers] } };
}

for (const [name, of, want] of [
	['whole ones of a guaranteed pod', pod('p', [container('c', '2')]), 2],
	['parts share', pod('p', [container('c', '1500m')]), 0],
	['thousandths that make whole ones', pod('p', [container('c', '3000m')]), 3],
	['a burstable pod shares', pod('p', [{ name: 'c', resources: { requests: { cpu: '2' } } }]), 0],
	[
		'a pod with resources of its own shares',
		{ metadata: {}, spec: { containers: [container('c', '2')], resources: { limits: { cpu: '2', memory: '1Gi' } } } },
		0,
	],
] satisfies readonly (readonly [string, Pod, number])[])
	test(`exclusiveCpus(): ${name}`, (t) => t.is(exclusiveCpus(of, of.spec?.containers?.[0] ?? { name: '' }), want));

interface Setup {
	readonly layout?: Layout;
	readonly options?: Readonly<Record<string, string>>;
	readonly reserved?: readonly number[];
	readonly registry?: Registry;
}

function cpusOf({ layout = ONE_SOCKET, options = {}, reserved = [0], registry = new Registry() }: Setup = {}): StaticCpus {
	const parsed = cpuPolicyOptionsOf(options);
	const ids = idsOf(layout.cpus).filter((id) => !parsed.strictReservation || !reserved.includes(id));
	const nodes = Array.from({ length: layout.numaNodes }, (_, id) => ({ id, memoryBytes: 0, hugePages: {}, distances: [] }));
	return new StaticCpus({
		layout,
		masks: [...masksOf(nodes)],
		options: parsed,
		reserved,
		state: { assigned: new Assignments(), shared: ids },
		changed: () => {},
		saved: () => Promise.resolve(),
		figures: new PlacementFigures(registry),
	});
}

async function give(cpus: StaticCpus, to: Pod, hint: Hint = ANYWHERE): Promise<Record<string, string>> {
	const all = [...(to.spec?.initContainers ?? []), ...(to.spec?.containers ?? [])];
	for (const c of all) await cpus.give(to, c, hint);
	return Object.fromEntries(all.map(({ name }) => [name, formatCpuList(cpus.of(to.metadata.uid ?? '', name))]));
}

test('StaticCpus: what one gets alone, the others share no more, until it ends', async (t) => {
	const cpus = cpusOf();
	t.deepEqual(await give(cpus, pod('p', [container('a', '2'), container('b', '500m')])), { a: '1,5', b: '0,2-4,6-7' });
	t.deepEqual(cpus.exclusive('p', 'b'), []);
	cpus.takeBack('p');
	t.is(formatCpuList(cpus.of('other', 'c')), '0-7');
});

test('StaticCpus: the reserved one is shared, and with strict reservation not even that', async (t) => {
	t.deepEqual(await give(cpusOf(), pod('p', [container('a', '7'), container('b', '500m')])), { a: '1-7', b: '0' });
	const strict = cpusOf({ options: { 'strict-cpu-reservation': 'true' } });
	t.is(formatCpuList(strict.of('p', 'c')), '1-7');
	t.deepEqual(strict.allocatable, [1, 2, 3, 4, 5, 6, 7]);
});

test("StaticCpus: containers get what the init containers had, but not the sidecars'", async (t) => {
	const of = pod('p', [container('a', '2')], [container('first', '4'), container('side', '1', 'Always')]);
	t.deepEqual(await give(cpusOf(), of), { first: '1-2,5-6', side: '4', a: '1,5' });
});

test('StaticCpus: giving twice changes nothing', async (t) => {
	const cpus = cpusOf();
	const before = await give(cpus, pod('p', [container('a', '2')]));
	t.deepEqual(await give(cpus, pod('p', [container('a', '2')])), before);
});

for (const [name, cpu, reserved, message] of [
	['no whole cores are asked for', '3', [0, 4], 'SMT Alignment Error: requested 3 cpus not multiple cpus per core = 2'],
	[
		'a core of which a part is reserved is none',
		'8',
		[0],
		'SMT Alignment Error: not enough free physical CPUs: available physical CPUs = 6, requested CPUs = 8, CPUs per core = 2',
	],
] as const)
	test(`StaticCpus: full-pcpus-only: ${name}`, async (t) => {
		const cpus = cpusOf({ options: { 'full-pcpus-only': 'true' }, reserved });
		const error = await t.throwsAsync(() => give(cpus, pod('p', [container('a', cpu)])));
		t.like(error, { message, reason: 'SMTAlignmentError' });
	});

test('StaticCpus: what is aligned is counted, and what could not be', async (t) => {
	const registry = new Registry();
	const cpus = cpusOf({ layout: TWO_SOCKETS, options: { 'full-pcpus-only': 'true' }, registry });
	await give(cpus, pod('both', [container('a', '8')]));
	await give(cpus, pod('near', [container('a', '2')]));
	await t.throwsAsync(give(cpus, pod('odd', [container('a', '1')])));
	const text = await registry.metrics();
	const count = (what: string, boundary: string): string | undefined =>
		new RegExp(`^kubelet_container_aligned_compute_resources_${what}{scope="container",boundary="${boundary}"} (.*)$`, 'm').exec(text)?.[1];
	t.deepEqual([count('count', 'physical_cpu'), count('failure_count', 'physical_cpu'), count('count', 'uncore_cache')], ['2', '1', '1']);
});

test('StaticCpus: hints name the nodes that have enough, the fewest are preferred, and what is given comes from there', async (t) => {
	const cpus = cpusOf({ layout: TWO_SOCKETS });
	const [first, second] = [pod('p', [container('a', '4')]), pod('q', [container('a', '2')])];
	t.deepEqual(cpus.hints(first, container('a', '4')), {
		cpu: [
			{ nodes: 1, preferred: true },
			{ nodes: 2, preferred: true },
			{ nodes: 3, preferred: false },
		],
	});
	t.deepEqual(await give(cpus, first, { nodes: 2, preferred: true }), { a: '1,3,7,9' });
	t.deepEqual(await give(cpus, second, { nodes: 2, preferred: true }), { a: '5,11' });
	t.deepEqual(cpus.hints(pod('r', []), container('a', '2')), {});
	t.deepEqual(cpus.hints(pod('r', [container('a', '2')]), container('a', '2')), {
		cpu: [
			{ nodes: 1, preferred: true },
			{ nodes: 3, preferred: false },
		],
	});
	t.deepEqual(cpus.podHints(first), {
		cpu: [
			{ nodes: 2, preferred: true },
			{ nodes: 3, preferred: false },
		],
	});
});

test('StaticCpus: align-by-socket prefers the nodes of one socket', (t) => {
	const cpus = cpusOf({ layout: FOUR_NODES, options: { 'align-by-socket': 'true' } });
	const { cpu } = cpus.hints(pod('p', [container('a', '2')]), container('a', '2'));
	t.deepEqual(
		cpu?.filter(({ preferred }) => preferred).map(({ nodes }) => nodes),
		[1, 2, 3, 4, 8, 12],
	);
});

test('cpuPolicyOptionFaults(): unknown, ill spelt, alpha and contrary options', (t) => {
	const faults = (given: Record<string, string>): readonly string[] => cpuPolicyOptionFaults(given, { alpha: false, beta: true });
	t.deepEqual(faults({ 'full-pcpus-only': 'true', 'strict-cpu-reservation': 'F' }), []);
	t.deepEqual(faults({ turbo: 'true' }), ['unknown CPU Manager Policy option: "turbo"']);
	t.is(faults({ 'full-pcpus-only': 'yes' }).length, 1);
	t.is(faults({ 'align-by-socket': 'true' }).length, 1);
	t.deepEqual(cpuPolicyOptionFaults({ 'distribute-cpus-across-numa': 'true' }, { alpha: false, beta: false }), [
		'CPU Manager Policy Beta-level Options not enabled, but option "distribute-cpus-across-numa" provided',
	]);
	t.deepEqual(faults({ 'distribute-cpus-across-numa': 'true', 'prefer-align-cpus-by-uncorecache': 'true' }), [
		'static policy options prefer-align-cpus-by-uncorecache and distribute-cpus-across-numa can not be used at the same time',
	]);
});

test('the state is the same after a restart, and of another policy it is refused', async (t) => {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-cpu-'));
	t.teardown(() => rm(dir, { recursive: true, force: true }));
	t.is(await readCpuState(dir, 'static'), undefined);
	const cpus = cpusOf();
	await give(cpus, pod('p', [container('a', '2')]));
	await writeCpuState(dir, cpus.state);
	const read = await readCpuState(dir, 'static');
	t.deepEqual(read?.assigned.get('p', 'a'), [1, 5]);
	t.is(formatCpuList(read?.shared ?? []), '0,2-4,6-7');
	await t.throwsAsync(readCpuState(dir, 'none'), { message: /configured policy "none" differs from state checkpoint policy "static"/ });
});

for (const [name, shared, assigned, strict, fault] of [
	['fits', '0,2-3', [1], false, /^$/],
	['a reserved one is gone', '2-3', [1], false, /^not all reserved cpus: "0"/],
	['a reserved one is shared, strictly not', '0,2-3', [1], true, /^some of strictly reserved cpus: "0"/],
	['the same one twice', '0-3', [1], false, /overlap/],
	['a processor went away', '0,2', [1], false, /"0-3" doesn't match with CPUs in state "0-2"/],
] as const)
	test(`stateFault(): ${name}`, (t) => {
		const held = Assignments.from({ p: { c: [...assigned] } }, (ids) => ids);
		t.regex(stateFault({ assigned: held, shared: parseCpuList(shared) }, [0, 1, 2, 3], [0], strict), fault);
	});

test('readTopology(): a recorded tree of two nodes with a core of two threads each', async (t) => {
	const root = await mkdtemp(join(tmpdir(), 'kubeling-topology-'));
	t.teardown(() => rm(root, { recursive: true, force: true }));
	const files: Record<string, string> = { 'cpu/online': '0-3\n', 'node/online': '0-1\n' };
	for (const id of [0, 1, 2, 3]) {
		const node = id % 2;
		files[`cpu/cpu${id}/topology/thread_siblings_list`] = `${node},${node + 2}\n`;
		files[`cpu/cpu${id}/topology/physical_package_id`] = `${node}\n`;
		files[`cpu/cpu${id}/cache/index3/shared_cpu_list`] = `${node},${node + 2}\n`;
	}
	for (const id of [0, 1]) {
		files[`node/node${id}/cpulist`] = `${id},${id + 2}\n`;
		files[`node/node${id}/meminfo`] = `Node ${id} MemTotal:       1024 kB\n`;
		files[`node/node${id}/distance`] = id === 0 ? '10 21\n' : '21 10\n';
		files[`node/node${id}/hugepages/hugepages-2048kB/nr_hugepages`] = '3\n';
	}
	for (const [path, text] of Object.entries(files)) {
		await mkdir(dirname(join(root, path)), { recursive: true });
		await writeFile(join(root, path), text);
	}
	const { cpus, nodes } = readTopology(0, root);
	t.deepEqual(cpus[3], { id: 3, core: 1, socket: 1, numa: 1, cache: 1 });
	t.deepEqual(nodes[1], { id: 1, memoryBytes: 1_048_576, hugePages: { 2048: 6_291_456 }, distances: [21, 10] });
	t.deepEqual(readTopology(7, join(root, 'none')).nodes, [{ id: 0, memoryBytes: 7, hugePages: {}, distances: [] }]);
});

test('cpu lists are read and written as the kernel does', (t) => {
	t.is(formatCpuList(parseCpuList('8,0-2,1,10-11\n')), '0-2,8,10-11');
	t.is(formatCpuList([]), '');
	t.throws(() => parseCpuList('3-1'), { instanceOf: RangeError });
});
