/**
 * State files in the form of upstream's kubelet: the files here were written by its own packages (v1.36.2), and are read and written the same. Its
 * checksums are over values as spew prints them.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { noLog } from '../../base/log.ts';
import { readCpuState, writeCpuState } from '../cpu/state.ts';
import { readDevices, writeDevices } from '../device/checkpoint.ts';
import { readClaims, writeClaims } from '../dra/state.ts';
import { isSameMachine, machineState, storedBlocks } from '../memory/machine-state.ts';
import { readMemoryState, writeMemoryState } from '../memory/state.ts';
import { Records } from '../resize/records.ts';
import { Assignments } from '../topology/assignments.ts';
import { fnv32a, GoStruct, printed, type GoValue } from './go-value.ts';

async function folder(t: ExecutionContext): Promise<string> {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-checkpoint-'));
	t.teardown(() => rm(dir, { recursive: true, force: true }));
	return dir;
}

for (const [name, type, value, want] of [
	['a text', 'string', 'a <"b">', '(string)a <"b">'],
	[
		'nil and empty',
		'T',
		new GoStruct([
			['A', '[]int', null],
			['B', '[]int', []],
			['C', 'map[string]int', new Map()],
		]),
		'(T){A:([]int)<nil> B:([]int)[] C:(map[string]int)map[]}',
	],
	[
		'keys in order, numbers by value',
		'M',
		new Map([
			[10, null],
			[-1, ['x']],
			[2, []],
		]),
		'(M)map[-1:[x] 2:[] 10:<nil>]',
	],
	['pointers', 'M', new Map([['a', new GoStruct([['N', 'int', 1]], true)]]), '(M)map[a:<*>{N:(int)1}]'],
] as const satisfies readonly (readonly [string, string, GoValue, string])[])
	test(`a value as Go prints it: ${name}`, (t) => t.is(printed(type, value), want));

test('fnv32a(): of the offset basis, and of bytes beyond ASCII', (t) => {
	t.deepEqual(['', 'a', 'foobar'].map(fnv32a), [0x811c9dc5, 0xe40c292c, 0xbf9cf968]);
});

/** As upstream wrote them. */
const FILES = {
	cpu_manager_state: String.raw`{"policyName":"static","defaultCpuSet":"0,3","entries":{"b":{"a b":"2","c":"1"}},"checksum":1574316252}`,
	memory_manager_state: String.raw`{"policyName":"Static","machineState":{"0":{"numberOfAssignments":2,"memoryMap":{"hugepages-2Mi":{"total":0,"systemReserved":0,"allocatable":0,"reserved":0,"free":0},"memory":{"total":500,"systemReserved":100,"allocatable":400,"reserved":300,"free":100}},"cells":[0,1]},"1":{"numberOfAssignments":2,"memoryMap":{"hugepages-2Mi":{"total":0,"systemReserved":0,"allocatable":0,"reserved":0,"free":0},"memory":{"total":400,"systemReserved":0,"allocatable":400,"reserved":0,"free":400}},"cells":[0,1]}},"entries":{"p":{"c":[{"numaAffinity":[0,1],"type":"memory","size":200}],"d":[{"numaAffinity":[0,1],"type":"memory","size":100}],"none":[]}},"checksum":3235876204}`,
	kubelet_internal_checkpoint: String.raw`{"Data":{"PodDeviceEntries":[{"PodUID":"u","ContainerName":"c","ResourceName":"x.test/r","DeviceIDs":{"-1":["x"],"0":["a","b"],"10":["t"]},"AllocResp":"CgYKAUESAUI="}],"RegisteredDevices":{"x.test/n":null,"x.test/r":["a","b"]}},"Checksum":1213047425}`,
	dra_manager_state: String.raw`{"Data":"{\"kind\":\"DRACheckpoint\",\"apiVersion\":\"checkpoint.dra.kubelet.k8s.io/v1\",\"ClaimInfoStateList\":[{\"ClaimUID\":\"cu\",\"ClaimName\":\"claim\",\"Namespace\":\"n\",\"PodUIDs\":{\"u\":{}},\"DriverState\":{\"d.test\":{\"Devices\":[{\"PoolName\":\"p\",\"DeviceName\":\"dev\\u003c1\\u003e\",\"ShareID\":\"s\",\"RequestNames\":[\"r\"],\"CDIDeviceIDs\":[\"v/c=x\"]},{\"PoolName\":\"p\",\"DeviceName\":\"e\",\"ShareID\":null,\"RequestNames\":null,\"CDIDeviceIDs\":null}]},\"none.test\":{\"Devices\":null}}}]}","Checksum":3229537099}`,
	allocated_pods_state: String.raw`{"data":"{\"entries\":{\"u\":{\"ContainerResources\":{\"c\":{\"limits\":{\"cpu\":\"1500m\"},\"requests\":{\"memory\":\"1Gi\"}}},\"PodLevelResources\":{\"limits\":{\"cpu\":\"2\"}}},\"v\":{\"ContainerResources\":{},\"PodLevelResources\":null}}}","checksum":2486436125}`,
} as const;

async function given(t: ExecutionContext, name: keyof typeof FILES, change: (text: string) => string = (text) => text): Promise<string> {
	const dir = await folder(t);
	await writeFile(join(dir, name), change(FILES[name]));
	return dir;
}

const written = async (dir: string, name: keyof typeof FILES): Promise<unknown> => JSON.parse(await readFile(join(dir, name), 'utf8'));

test('cpu_manager_state: read and written as by upstream; a broken one is told of', async (t) => {
	const dir = await given(t, 'cpu_manager_state');
	const state = await readCpuState(dir, 'static');
	t.deepEqual(state?.assigned.toJSON(), { b: { 'a b': [2], c: [1] } });
	t.deepEqual(state?.shared, [0, 3]);
	await rm(join(dir, 'cpu_manager_state'));
	if (state !== undefined) await writeCpuState(dir, state);
	t.deepEqual(await written(dir, 'cpu_manager_state'), JSON.parse(FILES.cpu_manager_state));
	const broken = await given(t, 'cpu_manager_state', (text) => text.replace('"0,3"', '"0-3"'));
	await t.throwsAsync(readCpuState(broken, 'static'), {
		message:
			/^could not restore state from checkpoint: checkpoint is corrupted.* please drain this node and delete the CPU manager checkpoint file/,
	});
	const none = String.raw`{"policyName":"none","defaultCpuSet":"","checksum":1353318690}`;
	await t.throwsAsync(readCpuState(await given(t, 'cpu_manager_state', () => none), 'static'), {
		message: /configured policy "static" differs from state checkpoint policy "none"/,
	});
	const old = await given(
		t,
		'cpu_manager_state',
		() => '{"version":1,"policyName":"static","defaultCpuSet":"0","entries":{"p":{"c":"1-2"}}}',
	);
	t.deepEqual((await readCpuState(old, 'static'))?.assigned.get('p', 'c'), [1, 2]);
});

const NODES = [500, 400].map((memoryBytes, id) => ({ id, memoryBytes, hugePages: { 2048: 0 }, distances: [] }));
const RESERVED = new Map([[0, { memory: 100 }]]);

test('memory_manager_state: read and written as by upstream, on the same machine; a broken one is told of', async (t) => {
	const dir = await given(t, 'memory_manager_state');
	const { held, machine } = await readMemoryState(dir, 'Static');
	t.deepEqual(held.get('p', 'c'), { nodes: 3, bytes: { memory: 200 }, endsFirst: false });
	const expected = machineState(NODES, RESERVED, machine?.entries ?? {});
	t.true(isSameMachine(machine?.state ?? {}, expected));
	t.false(isSameMachine(machine?.state ?? {}, machineState(NODES, new Map(), machine?.entries ?? {})));
	await rm(join(dir, 'memory_manager_state'));
	await writeMemoryState(dir, expected, storedBlocks(held));
	t.deepEqual(await written(dir, 'memory_manager_state'), JSON.parse(FILES.memory_manager_state));
	const broken = await given(t, 'memory_manager_state', (text) => text.replace('"free":100', '"free":101'));
	await t.throwsAsync(readMemoryState(broken, 'Static'), { message: /checkpoint is corrupted/ });
	const block = '{"numaAffinity":[1],"bytes":{"memory":7},"endsFirst":true}';
	const old = await given(t, 'memory_manager_state', () => `{"version":1,"policyName":"Static","entries":{"p":{"c":${block}}},"nodes":[]}`);
	t.like(await readMemoryState(old, 'Static'), { nodes: [] });
	t.deepEqual((await readMemoryState(old, 'Static')).held.get('p', 'c'), { nodes: 2, bytes: { memory: 7 }, endsFirst: true });
});

test('memory_manager_state: of who ends first there is what the others do not take over', async (t) => {
	const held = new Assignments<{ nodes: number; bytes: Record<string, number>; endsFirst: boolean }>();
	for (const [name, nodes, memory, endsFirst] of [
		['first', 1, 100, true],
		['second', 1, 50, true],
		['sidecar', 1, 30, false],
		['elsewhere', 2, 10, true],
		['app', 1, 90, false],
	] as const)
		held.set('p', name, { nodes, bytes: { memory }, endsFirst });
	const sizes = Object.entries(storedBlocks(held)['p'] ?? {}).map(([name, blocks]) => [name, blocks?.[0]?.size]);
	t.deepEqual(Object.fromEntries(sizes), { first: 0, second: 0, sidecar: 30, elsewhere: 10, app: 90 });
	const { 0: node, 1: other } = machineState(NODES, RESERVED, storedBlocks(held));
	t.deepEqual([node?.memoryMap?.['memory']?.reserved, other?.memoryMap?.['memory']?.reserved], [120, 10]);
	t.throws(() => machineState(NODES.slice(0, 1), RESERVED, storedBlocks(held)), { instanceOf: RangeError });
});

test('kubelet_internal_checkpoint: read and written as by upstream', async (t) => {
	const dir = await given(t, 'kubelet_internal_checkpoint');
	const warnings: string[] = [];
	const log = { ...noLog, warn: (message: string) => void warnings.push(message) };
	const { held, registered } = await readDevices(dir, log);
	const devices = held.get('u', 'c')?.get('x.test/r');
	t.deepEqual(devices?.ids.toSorted(), ['a', 'b', 't', 'x']);
	t.deepEqual(devices?.response.envs, { A: 'B' });
	t.deepEqual(
		[...registered],
		[
			['x.test/n', []],
			['x.test/r', ['a', 'b']],
		],
	);
	await rm(join(dir, 'kubelet_internal_checkpoint'));
	await writeDevices(dir, { held, registered: new Map([['x.test/r', ['a', 'b']]]) });
	const { Data } = (await written(dir, 'kubelet_internal_checkpoint')) as { readonly Data: { readonly PodDeviceEntries: unknown } };
	t.deepEqual(
		Data.PodDeviceEntries,
		(JSON.parse(FILES.kubelet_internal_checkpoint) as { readonly Data: typeof Data }).Data.PodDeviceEntries,
	);
	t.deepEqual((await readDevices(dir, log)).held.get('u', 'c')?.get('x.test/r'), devices);
	t.deepEqual(warnings, []);
	await readDevices(await given(t, 'kubelet_internal_checkpoint', (text) => text.replace('"t"', '"v"')), log);
	t.is(warnings.length, 1);
});

test('dra_manager_state: read and written as by upstream; what upstream prepared is prepared again', async (t) => {
	const dir = await given(t, 'dra_manager_state');
	const claims = await readClaims(dir, 'boot');
	t.deepEqual(
		[...claims],
		[['n/claim', { namespace: 'n', name: 'claim', uid: 'cu', drivers: ['d.test', 'none.test'], pods: ['u'], devices: undefined }]],
	);
	const devices = [{ driver: 'd.test', pool: 'p', device: 'dev<1>', shareId: 's', requests: ['r'], cdi: ['v/c=x'] }];
	const prepared = new Map([...claims].map(([key, claim]) => [key, { ...claim, devices }]));
	await writeClaims(dir, 'boot', prepared);
	t.deepEqual(await readClaims(dir, 'boot'), prepared);
	t.deepEqual(await readClaims(dir, 'another'), claims);
	await t.throwsAsync(readClaims(await given(t, 'dra_manager_state', (text) => text.replace('cu', 'cv')), 'boot'), {
		message: /corrupted/,
	});
	const old = await given(t, 'dra_manager_state', () => JSON.stringify({ version: 1, bootId: 'boot', entries: [...prepared.values()] }));
	t.deepEqual(await readClaims(old, 'boot'), prepared);
});

test('allocated_pods_state: read and written as by upstream', async (t) => {
	const dir = await given(t, 'allocated_pods_state');
	const warnings: string[] = [];
	const log = { ...noLog, warn: (message: string) => void warnings.push(message) };
	const records = await Records.open(dir, 'allocated_pods_state', log);
	t.deepEqual(records.get('u'), {
		containers: { c: { limits: { cpu: '1500m' }, requests: { memory: '1Gi' } } },
		pod: { limits: { cpu: '2' } },
	});
	t.deepEqual(records.get('v'), { containers: {} });
	records.set('v', { containers: {} });
	await rm(join(dir, 'allocated_pods_state'));
	await records.saved();
	t.deepEqual(await written(dir, 'allocated_pods_state'), JSON.parse(FILES.allocated_pods_state));
	const old = await given(t, 'allocated_pods_state', () => '{"version":1,"entries":{"u":{"containers":{"c":{}}}}}');
	t.deepEqual((await Records.open(old, 'allocated_pods_state', log)).get('u'), { containers: { c: {} } });
	t.deepEqual(warnings, []);
	const broken = await given(t, 'allocated_pods_state', (text) => text.replace('1500m', '1600m'));
	t.is((await Records.open(broken, 'allocated_pods_state', log)).get('u'), undefined);
	t.is(warnings.length, 1);
});

for (const [what, change] of [
	['empty', () => ''],
	['half written', (text: string) => text.slice(0, text.length / 2)],
	['zeros', (text: string) => '\0'.repeat(text.length)],
] as const)
	test(`a file that is ${what}: who has what is not guessed where it matters, and told of where the node can go on`, async (t) => {
		const at = (name: keyof typeof FILES): Promise<string> => given(t, name, change);
		const drain = (manager: string): RegExp => new RegExp(`please drain this node and delete the ${manager} manager checkpoint file "/`);
		await t.throwsAsync(readCpuState(await at('cpu_manager_state'), 'static'), { message: drain('CPU') });
		await t.throwsAsync(readMemoryState(await at('memory_manager_state'), 'Static'), { message: drain('memory') });
		await t.throwsAsync(readClaims(await at('dra_manager_state'), 'boot'), { message: /dra_manager_state/ });
		const warnings: string[] = [];
		const log = { ...noLog, warn: (message: string) => void warnings.push(message) };
		t.is((await readDevices(await at('kubelet_internal_checkpoint'), log)).registered.size, 0);
		const dir = await at('allocated_pods_state');
		const records = await Records.open(dir, 'allocated_pods_state', log);
		t.is(records.get('u'), undefined);
		t.is(warnings.length, 2);
		records.set('v', { containers: {} });
		await records.saved();
		t.deepEqual((await Records.open(dir, 'allocated_pods_state', log)).get('v'), { containers: {} }, 'it is replaced');
	});
