/**
 * The API server against its floors: GET, LIST and watch fan-out against a bare Node.js http2 server, durable creates against raw SQLite rows in
 * batches of 64. h2load drives what it can; rounds are interleaved. `npm run bench -- api [get|create|list|watch|memory …]`, all unless told.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { holderOf } from '../../cluster/lock.ts';
import { Kubectl, testCluster, type TestCluster } from '../e2e/cluster.ts';
import { kubectl } from '../tools/kubectl.ts';
import { list } from './api-list.ts';
import { access, floorServer, h2load, type Target } from './api-target.ts';
import { manyObjects } from './api-memory.ts';
import { EXEMPT_WRITES, fanOut, idleWatcher } from './api-watch.ts';
import { eventDelay } from './event-delay.ts';
import { median, printFigures, type Figure } from './figures.ts';
import { LookedAt, type Turns } from './looked-at.ts';
import { sqliteRows } from './sqlite-floor.ts';
import type { BENCHES } from './usage.ts';

const PARTS = { get, create, list: lists, watch, memory } as const satisfies Record<(typeof BENCHES)['api']['parts'][number], unknown>;
const ROUNDS = 3;
/** A round takes a third of a second, and one is up to a third longer than the next. */
const FAN_OUT_ROUNDS = 9;
/** The longest turn of the event loop that a part may cause. */
const LONGEST_TURN_MS = 5;

interface Bench {
	readonly cluster: TestCluster;
	readonly target: Target;
	readonly floor: Target;
	readonly daemon: LookedAt;
	readonly bare: LookedAt;
	readonly dir: string;
	/** Where the worker writes down when its commits were durable, and the bare server when it began to tell. */
	readonly commits: string;
	readonly floorCommits: string;
}

/** Memory: a file on the disk that commits are synced to would be in their way. */
const SHARED_MEMORY = '/dev/shm';

export async function bench(args: readonly string[]): Promise<void> {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-bench-'));
	const shared = await mkdtemp(join(SHARED_MEMORY, 'kubeling-bench-'));
	const [daemon, bare] = [new LookedAt(shared, 'daemon'), new LookedAt(shared, 'bare')];
	const [commits, floorCommits] = [join(shared, 'commits'), join(shared, 'floor-commits')];
	await using cluster = await testCluster('bench');
	Object.assign(cluster.env, daemon.env, { KUBELING_BENCH_COMMITS: commits });
	await cluster.up();
	const floor = await floorServer({ ...bare.env, KUBELING_BENCH_COMMITS: floorCommits });
	try {
		daemon.pid = (await holderOf(cluster.dataDir))?.pid ?? 0;
		bare.pid = floor.pid;
		const parts: Bench = { cluster, target: await access(cluster), floor, daemon, bare, dir, commits, floorCommits };
		const figures: Figure[] = [];
		for (const [name, part] of Object.entries(PARTS)) {
			if (args.length > 0 && !args.includes(name)) continue;
			await daemon.turns();
			await bare.turns();
			figures.push(...(await part(parts)));
			// It has a cluster of its own.
			if (name === 'memory') continue;
			figures.push(...turnFigures(name, await daemon.turns(), name === 'create' ? undefined : await bare.turns()));
		}
		printFigures(figures);
	} finally {
		floor.stop();
		await Promise.all([dir, shared].map((d) => rm(d, { recursive: true, force: true })));
	}
}

function turnFigures(name: string, ours: Turns, bare?: Turns): Figure[] {
	// The delay has in it what the system gave to others of the same processors (the load's own client, the thread that commits).
	const goals = [{ of: 'value', atMost: LONGEST_TURN_MS }] as const;
	const figures: Figure[] = [
		{ name: `synchronous slices under ${name}, p99.9 ms`, value: ours.busy, floor: bare?.busy, goals },
		{ name: `event loop delay under ${name}, p99.9 ms`, value: ours.delay, floor: bare?.delay },
	];
	if (ours.rush.busy > 0)
		figures.push(
			{ name: 'synchronous slices while clients rush in or out, p99.9 ms', value: ours.rush.busy, floor: bare?.rush.busy },
			{ name: 'event loop delay while clients rush in or out, p99.9 ms', value: ours.rush.delay, floor: bare?.rush.delay },
		);
	return figures;
}

async function get({ cluster, target, floor }: Bench): Promise<Figure[]> {
	const k = new Kubectl(await kubectl(), cluster, 'default');
	await k.must(['create', 'configmap', 'four-kb', `--from-literal=data=${'x'.repeat(3600)}`]);
	const load = ['-n', '40000', '-c', '8', '-m', '16'];
	const [ours, bare] = await interleaved(
		ROUNDS,
		() => h2load(target, '/api/v1/namespaces/default/configmaps/four-kb', load),
		() => h2load(floor, '/', load),
	);
	return [{ name: 'GET of 4 KB, 128 in flight, /s', value: ours, floor: bare, goals: [{ of: 'ratio', atLeast: 0.5 }] }];
}

async function create({ target, dir }: Bench): Promise<Figure[]> {
	const body = join(dir, 'create.json');
	const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'bench-' }, data: { data: 'x'.repeat(600) } };
	await writeFile(body, JSON.stringify(object));
	const path = '/api/v1/namespaces/default/configmaps?fieldManager=bench';
	const load = (n: number, clients: number): Promise<number> =>
		h2load(target, path, ['-n', `${n}`, '-c', `${clients}`, '-m', '1', '-d', body, '-H', 'content-type: application/json']);
	let round = 0;
	const [one, many, tree, heap] = await interleaved(
		ROUNDS,
		() => load(500, 1),
		() => load(12_800, 64),
		() => Promise.resolve(sqliteRows(dir, `tree-${round}`, 'WITHOUT ROWID')),
		() => Promise.resolve(sqliteRows(dir, `heap-${round++}`, '')),
	);
	const goals = [
		{ of: 'ratio', atLeast: 0.2 },
		{ of: 'value', atLeast: 4000 },
	] as const;
	return [
		{ name: 'durable create of 1 KB, 1 client, /s', value: one },
		{ name: 'durable create of 1 KB, 64 clients, /s', value: many, floor: tree, goals },
		{ name: 'the same beside a table as the store has it', value: many, floor: heap },
	];
}

async function lists({ target, floor, daemon, bare }: Bench): Promise<Figure[]> {
	const lists = await list(target, floor, () => Promise.all([daemon.turns(), bare.turns()]));
	const megabytes = (lists.bytes / 1e6).toFixed(1);
	return [
		{ name: `LIST of 10,000 (${megabytes} MB), ms`, value: lists.whole, floor: lists.floor, goals: [{ of: 'ratio', atMost: 1.3 }] },
		{ name: 'LIST of 10 of them by label, ms', value: lists.selected, goals: [{ of: 'value', atMost: 5 }] },
	];
}

async function watch({ cluster, target, floor, daemon, bare, commits, floorCommits }: Bench): Promise<Figure[]> {
	await new Kubectl(await kubectl(), cluster, 'default').apply(EXEMPT_WRITES);
	const { bytesPerEvent } = await fanOut(target, daemon, 1000, 50, 20);
	const [ours, least] = await interleaved(
		FAN_OUT_ROUNDS,
		async () => (await fanOut(target, daemon, 1000, 50, 100)).usPerEventAndWatcher,
		async () => (await fanOut(floor, bare, 1000, 50, 100, bytesPerEvent)).usPerEventAndWatcher,
	);
	// After the above, so that neither the cluster's start nor the first use of anything is in it.
	const late = await eventDelay(target, 1000, commits);
	const bareLate = await eventDelay(floor, 1000, floorCommits, bytesPerEvent);
	const idle = await idleWatcher(target, daemon, 10_000, 50);
	return [
		{ name: 'durable -> event seen by one watcher, p99 ms', value: late.p99, floor: bareLate.p99, goals: [{ of: 'value', atMost: 2 }] },
		{ name: 'the same, p50 ms', value: late.p50, floor: bareLate.p50 },
		{ name: 'create sent -> event seen, p50 ms', value: late.whole },
		{
			name: '1,000 watchers on 50 connections, µs an event and watcher',
			value: ours,
			floor: least,
			goals: [{ of: 'ratio', atMost: 1.3 }],
		},
		{ name: 'memory of an idle watcher, KiB', value: idle.used / 1024, goals: [{ of: 'value', atMost: 8 }] },
		{ name: 'the same by PSS, KiB', value: idle.pss / 1024, goals: [{ of: 'value', atMost: 8 }] },
	];
}

/** In a cluster of its own: what other parts left behind would count. */
async function memory({ dir }: Bench): Promise<Figure[]> {
	const daemon = new LookedAt(dir, 'memory');
	await using cluster = await testCluster('bench-memory');
	Object.assign(cluster.env, daemon.env);
	await cluster.up();
	daemon.pid = (await holderOf(cluster.dataDir))?.pid ?? 0;
	const target = await access(cluster);
	await daemon.turns();
	const { peak, perSecond } = await manyObjects(target, daemon.pid, 100_000, join(dir, 'memory.json'));
	return [
		{ name: 'memory with 100,000 objects of 1.7 KB, peak PSS MiB', value: peak / 2 ** 20, goals: [{ of: 'value', atMost: 320 }] },
		{ name: 'the same: written a second, of 3,000 offered', value: perSecond },
		...turnFigures('memory', await daemon.turns()),
	];
}

/** Medians of each; a first round warms all of them up. */
async function interleaved<T extends readonly (() => Promise<number>)[]>(
	rounds: number,
	...all: T
): Promise<{ readonly [K in keyof T]: number }> {
	const got = all.map(() => [] as number[]);
	for (let i = -1; i < rounds; i++)
		for (const [j, one] of all.entries()) {
			const value = await one();
			if (i >= 0) got[j]?.push(value);
		}
	return got.map(median) as { readonly [K in keyof T]: number };
}
