/** When a node is short of something, who goes for it, and what is said: as tables. */
import test from 'ava';
import type { Pod, PodSpec } from '../../api/gen/types.ts';
import { named } from '../../test/fakes/pods.ts';
import type { Consumption } from './consumption.ts';
import { excessOf } from './local-limits.ts';
import { evictionWords } from './message.ts';
import { met, mostUrgent, ThresholdHistory, type Observation, type Observations } from './observation.ts';
import { isCritical, ranked } from './ranking.ts';
import { evictionOf } from '../config/resource-settings.ts';
import { evictionFaults, thresholdsOf, UPSTREAM_HARD, type Signal, type Threshold } from './threshold.ts';

const HARD = { ...UPSTREAM_HARD, 'pid.available': '100' };
const MI = 2 ** 20;
const GI = 2 ** 30;
const none = { hard: {}, soft: {}, softGrace: {}, minReclaim: {} };
const seeing = (seen: Partial<Record<Signal, readonly [available: number, capacity: number]>>): Observations =>
	new Map(
		Object.entries(seen).map(([signal, [available, capacity]]): [Signal, Observation] => [signal as Signal, { available, capacity }]),
	);

for (const [name, hard, seen, want] of [
	['nothing', HARD, { 'memory.available': [GI, 8 * GI], 'nodefs.available': [50, 100] }, []],
	['memory', HARD, { 'memory.available': [99 * MI, 8 * GI] }, ['memory.available']],
	['exactly the limit is enough', HARD, { 'memory.available': [100 * MI, 8 * GI] }, []],
	['a share of the disk', { 'nodefs.available': '10%' }, { 'nodefs.available': [9, 100] }, ['nodefs.available']],
	['inodes', { 'imagefs.inodesFree': '5%' }, { 'imagefs.inodesFree': [4, 100] }, ['imagefs.inodesFree']],
	['process ids', HARD, { 'pid.available': [50, 1000] }, ['pid.available']],
	['a signal that is turned off', { 'nodefs.available': '0%' }, { 'nodefs.available': [0, 100] }, []],
	['what cannot be seen', { 'nodefs.inodesFree': '5%' }, {}, []],
] as const)
	test(`met(): ${name}`, (t) =>
		t.deepEqual(
			met(thresholdsOf({ ...none, hard: hard as Record<string, string> }), seeing(seen)).map((x) => x.signal),
			want as unknown as Signal[],
		));

for (const [name, config, want] of [
	['all is well', { hard: { 'pid.available': '10%' } }, []],
	['no such signal', { hard: { 'memory.free': '1Mi' } }, ['evictionHard: unknown eviction signal "memory.free"']],
	['no quantity', { hard: { 'memory.available': 'lots' } }, [/^evictionHard\.memory\.available: /]],
	['too much', { hard: { 'nodefs.available': '110%' } }, ['evictionHard.nodefs.available: "110%" must be at most 100%']],
	[
		'less than nothing',
		{ minReclaim: { 'memory.available': '-1Mi' } },
		['evictionMinimumReclaim.memory.available: "-1Mi" must be positive'],
	],
	[
		'soft without grace',
		{ soft: { 'memory.available': '1Gi' } },
		['grace period must be specified for the soft eviction threshold memory.available'],
	],
] as const)
	test(`evictionFaults(): ${name}`, (t) => {
		const got = evictionFaults({ ...none, ...config });
		t.is(got.length, want.length);
		for (const [i, expected] of want.entries())
			t.true(typeof expected === 'string' ? got[i] === expected : expected.test(got[i] ?? ''), got[i]);
	});

test('a soft threshold is acted on after its grace, a met one until its minimum is free again, a pressure is over after the transition', (t) => {
	const thresholds = thresholdsOf({
		hard: { 'nodefs.available': '10' },
		soft: { 'memory.available': '100' },
		softGrace: { 'memory.available': '30s' },
		minReclaim: { 'nodefs.available': '5', 'memory.available': '20' },
	});
	const history = new ThresholdHistory(300_000);
	const at = (seconds: number, memory: number, disk: number): string => {
		const { due, pressure } = history.observe(
			thresholds,
			seeing({ 'memory.available': [memory, 1000], 'nodefs.available': [disk, 100] }),
			seconds * 1000,
		);
		return `${due.map((d) => d.signal.split('.')[0]).join()} ${pressure.memory ? 'M' : ''}${pressure.disk ? 'D' : ''}`;
	};
	t.is(at(0, 90, 50), ' M');
	t.is(at(20, 90, 50), ' M');
	t.is(at(30, 90, 50), 'memory M');
	t.is(at(40, 110, 50), 'memory M', 'above the limit, but its minimum is not free');
	t.is(at(50, 120, 50), ' M');
	t.is(at(60, 120, 9), 'nodefs MD');
	t.is(at(70, 120, 14), 'nodefs MD');
	t.is(at(80, 120, 15), ' MD');
	t.is(at(339, 120, 15), ' MD');
	t.is(at(340, 120, 15), ' D', 'five minutes after it was seen last');
	t.is(at(371, 120, 15), ' ');
	t.is(at(380, 90, 15), ' M', 'the grace begins anew');
});

test('memory is the most urgent', (t) => {
	const both = thresholdsOf({ ...none, hard: { 'nodefs.available': '1', 'memory.available': '1' } });
	t.is(mostUrgent(both)?.signal, 'memory.available');
	t.is(mostUrgent([]), undefined);
});

const asking = (name: string, requests: Record<string, string>, more: Partial<PodSpec> = {}): Pod =>
	named(name, { containers: [{ name: 'c', image: 'i', resources: { requests } }], ...more });
const using = (more: Partial<Consumption> = {}): Consumption => ({ memoryBytes: 0, processes: 1, containers: [], volumes: [], ...more });
const disk = (layer: number, logs = 0, volume = 0): Consumption =>
	using({
		containers: [{ name: 'c', memoryBytes: 0, layer: { bytes: layer, inodes: layer }, logs: { bytes: logs, inodes: logs } }],
		volumes: [{ name: 'v', bytes: volume, inodes: volume, inMemory: false }],
	});
const M = (n: number): Consumption => using({ memoryBytes: n * MI });
for (const [name, signal, pods, imagesApart, want] of [
	[
		'beyond its request before within',
		'memory.available',
		[
			[asking('within', { memory: '500Mi' }), M(400)],
			[asking('beyond', { memory: '10Mi' }), M(20)],
		],
		false,
		'beyond within',
	],
	[
		'then the lower priority',
		'memory.available',
		[
			[asking('low', {}, { priority: 1 }), M(10)],
			[asking('lower', {}), M(5)],
		],
		false,
		'lower low',
	],
	[
		'beyond before priority',
		'memory.available',
		[
			[asking('low', { memory: '1Gi' }), M(10)],
			[asking('high', {}, { priority: 1000 }), M(5)],
		],
		false,
		'high low',
	],
	[
		'then who is most beyond',
		'memory.available',
		[
			[asking('a', { memory: '10Mi' }), M(20)],
			[asking('b', { memory: '90Mi' }), M(120)],
		],
		false,
		'b a',
	],
	[
		'what nothing is known of first',
		'memory.available',
		[
			[asking('known', {}), M(500)],
			[asking('unknown', {}), undefined],
		],
		false,
		'unknown known',
	],
	[
		'processes: priority, then how many',
		'pid.available',
		[
			[asking('few', {}), using({ processes: 3 })],
			[asking('many', {}), using({ processes: 300 })],
			[asking('high', {}, { priority: 1 }), using({ processes: 9000 })],
		],
		false,
		'many few high',
	],
	[
		'disk: layers, logs and volumes',
		'nodefs.available',
		[
			[asking('layer', {}), disk(10, 1, 1)],
			[asking('volume', {}), disk(1, 1, 20)],
		],
		false,
		'volume layer',
	],
	[
		'the disk of the images: layers only',
		'imagefs.available',
		[
			[asking('layer', {}), disk(10)],
			[asking('volume', {}), disk(1, 5, 20)],
		],
		true,
		'layer volume',
	],
	[
		'the disk of the node: all but layers',
		'nodefs.available',
		[
			[asking('layer', {}), disk(100)],
			[asking('logs', {}), disk(1, 5)],
		],
		true,
		'logs layer',
	],
	[
		'disk that was asked for',
		'nodefs.available',
		[
			[asking('asked', { 'ephemeral-storage': '1Gi' }), disk(100)],
			[asking('unasked', {}), disk(1)],
		],
		false,
		'unasked asked',
	],
	[
		'inodes',
		'nodefs.inodesFree',
		[
			[asking('few', {}), disk(1)],
			[asking('many', {}), disk(9)],
		],
		false,
		'many few',
	],
] as const)
	test(`ranked(): ${name}`, (t) => {
		const uses = new Map(pods.flatMap(([pod, use]) => (use === undefined ? [] : [[pod.metadata.uid ?? '', use] as const])));
		const all = pods.map(([pod]) => pod);
		for (const order of [all, all.toReversed()])
			t.is(
				ranked(order, signal, uses, { imagesApart })
					.map((p) => p.metadata.name)
					.join(' '),
				want,
			);
	});

test('isCritical()', (t) => {
	t.false(isCritical(named('p')));
	t.true(isCritical(named('p', { priority: 2_000_000_000 })));
});

test('evictionWords(): what was short, how much of it is left, and whose fault it is', (t) => {
	const due: readonly Threshold[] = thresholdsOf({ ...none, hard: { 'memory.available': '100Mi' } });
	const pod = named('p', {
		containers: [
			{ name: 'a', resources: { requests: { memory: '50Mi' } } },
			{ name: 'b', resources: { requests: { memory: '1Gi' } } },
			{ name: 'c' },
		],
	});
	const containers = [
		['a', 60 * MI],
		['b', 60 * MI],
		['c', 1025],
	].map(([name, memoryBytes]) => ({ name: name as string, memoryBytes: memoryBytes as number, layer: undefined, logs: undefined }));
	t.deepEqual(evictionWords(pod, 'memory', using({ containers }), due, seeing({ 'memory.available': [99 * MI, GI] })), {
		message:
			'The node was low on resource: memory. Threshold quantity: 100Mi, available: 99Mi. Container a was using 60Mi, request is 50Mi, has larger consumption of memory. Container c was using 1025, request is 0, has larger consumption of memory. ',
		annotations: { offending_containers: 'a,c', offending_containers_usage: '60Mi,1025', starved_resource: 'memory' },
	});
	t.deepEqual(evictionWords(pod, 'pids', undefined, [], new Map()), {
		message: 'The node was low on resource: pids. ',
		annotations: { offending_containers: '', offending_containers_usage: '', starved_resource: 'pids' },
	});
});

const limited = (limit: string): PodSpec['containers'][number] => ({
	name: 'c',
	image: 'i',
	resources: { limits: { 'ephemeral-storage': limit } },
});
const volume = (sizeLimit: string): Partial<PodSpec> => ({
	containers: [{ name: 'c' }],
	volumes: [{ name: 'v', emptyDir: { sizeLimit } }],
});
for (const [name, spec, use, imagesApart, want] of [
	['within', volume('1Ki'), disk(0, 0, 1024), false, undefined],
	['an emptyDir', volume('1Ki'), disk(0, 0, 1025), false, 'emptydirfs.limit Usage of EmptyDir volume "v" exceeds the limit "1Ki". '],
	['a limit of nothing is none', volume('0'), disk(0, 0, 1025), false, undefined],
	[
		'the pod',
		{ containers: [limited('1Ki'), { ...limited('1Ki'), name: 'd' }] },
		disk(1000, 1000, 100),
		false,
		'ephemeralpodfs.limit Pod ephemeral local storage usage exceeds the total limit of containers 2Ki. ',
	],
	[
		'a container',
		{ containers: [limited('1Ki'), { ...limited('9Ki'), name: 'd' }] },
		disk(1000, 100),
		false,
		'ephemeralcontainerfs.limit Container c exceeded its local ephemeral storage limit "1Ki". ',
	],
	[
		'an init container counts for the pod only',
		{ initContainers: [limited('1Ki')], containers: [{ ...limited('9Ki'), name: 'd' }] },
		disk(1000, 100),
		false,
		undefined,
	],
	[
		'a container whose layer is on the disk of the images',
		{ containers: [limited('1Ki'), { ...limited('9Ki'), name: 'd' }] },
		disk(1000, 100),
		true,
		undefined,
	],
] as const)
	test(`excessOf(): ${name}`, (t) => {
		const excess = excessOf(named('p', spec as unknown as Partial<PodSpec>), use, { imagesApart });
		t.is(excess === undefined ? undefined : `${excess.signal} ${excess.message}`, want);
	});

for (const [name, given, want] of [
	['nothing', {}, UPSTREAM_HARD],
	['one, which is all then', { evictionHard: { 'memory.available': '1Gi' } }, { 'memory.available': '1Gi' }],
	[
		"one beside upstream's",
		{ evictionHard: { 'memory.available': '1Gi' }, mergeDefaultEvictionSettings: true },
		{
			...{ 'memory.available': '1Gi', 'nodefs.available': '10%', 'nodefs.inodesFree': '5%' },
			...{ 'imagefs.available': '15%', 'imagefs.inodesFree': '5%' },
		},
	],
] as const)
	test(`evictionOf(): a configuration that names ${name}`, (t) => t.deepEqual(evictionOf(given).hard, want));
