/**
 * The API server against its floors: GET, LIST and watch fan-out against a bare Node.js http2 server, durable creates against raw SQLite rows in
 * batches of 64. h2load drives what it can; rounds are interleaved. `npm run bench -- api [get|create|list|watch|memory …]`, all unless told.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { holderOf } from '../../cluster/lock.ts';
import { Kubectl, testCluster, type TestCluster } from '../e2e/cluster.ts';
import { kubectl } from '../tools/kubectl.ts';
import { list } from './api-list.ts';
import { access, floorServer, h2load, type Target } from './api-target.ts';
import { manyObjects } from './api-memory.ts';
import { bytesPerIdleWatcher, fanOut } from './api-watch.ts';
import { eventDelay } from './event-delay.ts';
import { median, printFigures, type Figure } from './figures.ts';
import { sqliteRows } from './sqlite-floor.ts';

const PARTS = { get, create, list: lists, watch, memory } as const;
const ROUNDS = 3;
/** The longest turn of the event loop that a part may cause. */
const LONGEST_TURN_MS = 5;

interface Bench {
	readonly cluster: TestCluster;
	readonly target: Target;
	readonly floor: Awaited<ReturnType<typeof floorServer>>;
	readonly pid: number;
	readonly dir: string;
	/** Where the worker writes down when its commits were durable. */
	readonly commits: string;
}

export async function bench(args: readonly string[]): Promise<void> {
	const unknown = args.find((a) => !Object.hasOwn(PARTS, a));
	if (unknown !== undefined) throw new Error(`"${unknown}" is none of ${Object.keys(PARTS).join(', ')}`);
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-bench-'));
	const [delays, floorDelays, commits] = [join(dir, 'delays'), join(dir, 'floor-delays'), join(dir, 'commits')];
	await using cluster = await testCluster('bench');
	Object.assign(cluster.env, watched(delays), { KUBELING_BENCH_COMMITS: commits });
	await cluster.up();
	const floor = await floorServer(watched(floorDelays));
	try {
		const pid = (await holderOf(cluster.dataDir))?.pid ?? 0;
		const parts: Bench = { cluster, target: await access(cluster), floor, pid, dir, commits };
		const figures: Figure[] = [];
		for (const [name, part] of Object.entries(PARTS)) {
			if (args.length > 0 && !args.includes(name)) continue;
			await longestTurn(pid, delays);
			await longestTurn(floor.pid, floorDelays);
			figures.push(...(await part(parts)));
			if (name === 'memory') continue;
			const value = await longestTurn(pid, delays);
			const bare = name === 'create' ? undefined : await longestTurn(floor.pid, floorDelays);
			const goals = [{ of: 'value', atMost: LONGEST_TURN_MS }] as const;
			figures.push({ name: `event loop delay under ${name}, p99.9 ms`, value, floor: bare, goals });
		}
		printFigures(figures);
	} finally {
		floor.stop();
		await rm(dir, { recursive: true, force: true });
	}
}

/** The environment of a process whose event loop is looked at. */
function watched(delays: string): Record<string, string> {
	const watcher = pathToFileURL(join(import.meta.dirname, 'loop-delay.ts')).href;
	return { NODE_OPTIONS: `--import=${watcher}`, KUBELING_BENCH_DELAY: delays };
}

/** Since the last call, as loop-delay.ts sees it. */
async function longestTurn(pid: number, file: string): Promise<number> {
	await rm(file, { force: true });
	process.kill(pid, 'SIGUSR2');
	for (;;) {
		await sleep(20);
		const text = await readFile(file, 'utf8').catch(() => '');
		if (text !== '') return (JSON.parse(text) as { p999: number }).p999;
	}
}

async function get({ cluster, target, floor }: Bench): Promise<Figure[]> {
	const k = new Kubectl(await kubectl(), cluster, 'default');
	await k.must(['create', 'configmap', 'four-kb', `--from-literal=data=${'x'.repeat(3600)}`]);
	const load = ['-n', '40000', '-c', '8', '-m', '16'];
	const [ours, bare] = await interleaved(
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

async function lists({ target, floor }: Bench): Promise<Figure[]> {
	const { whole, floor: bare, selected, bytes } = await list(target, floor);
	const megabytes = (bytes / 1e6).toFixed(1);
	return [
		{ name: `LIST of 10,000 (${megabytes} MB), ms`, value: whole, floor: bare, goals: [{ of: 'ratio', atMost: 1.3 }] },
		{ name: 'LIST of 10 of them by label, ms', value: selected, goals: [{ of: 'value', atMost: 5 }] },
	];
}

async function watch({ target, floor, pid, commits }: Bench): Promise<Figure[]> {
	const { bytesPerEvent } = await fanOut(target, 1000, 50, 20);
	const [ours, bare] = await interleaved(
		async () => (await fanOut(target, 1000, 50, 100)).usPerEventAndWatcher,
		async () => (await fanOut(floor, 1000, 50, 100, bytesPerEvent)).usPerEventAndWatcher,
	);
	// After the above, so that neither the cluster's start nor the first use of anything is in it.
	const late = await eventDelay(target, 1000, commits);
	const idle = await bytesPerIdleWatcher(target, pid, 5000, 50);
	return [
		{ name: 'durable -> event seen by one watcher, p99 ms', value: late.p99, goals: [{ of: 'value', atMost: 2 }] },
		{ name: 'the same, p50 ms', value: late.p50 },
		{ name: 'create sent -> event seen, p50 ms', value: late.whole },
		{
			name: '1,000 watchers on 50 connections, µs an event and watcher',
			value: ours,
			floor: bare,
			goals: [{ of: 'ratio', atMost: 1.3 }],
		},
		{ name: 'memory of an idle watcher, KiB', value: idle / 1024, goals: [{ of: 'value', atMost: 8 }] },
	];
}

/** In a cluster of its own: what other parts left behind would count. */
async function memory({ dir }: Bench): Promise<Figure[]> {
	const delays = join(dir, 'memory-delays');
	await using cluster = await testCluster('bench-memory');
	Object.assign(cluster.env, watched(delays));
	await cluster.up();
	const pid = (await holderOf(cluster.dataDir))?.pid ?? 0;
	const target = await access(cluster);
	await longestTurn(pid, delays);
	const { peak, perSecond } = await manyObjects(target, pid, 100_000, join(dir, 'memory.json'));
	const delay = await longestTurn(pid, delays);
	return [
		{ name: 'memory with 100,000 objects of 1.7 KB, peak PSS MiB', value: peak / 2 ** 20, goals: [{ of: 'value', atMost: 320 }] },
		{ name: 'the same: written a second, of 3,000 offered', value: perSecond },
		{ name: 'event loop delay under memory, p99.9 ms', value: delay, goals: [{ of: 'value', atMost: LONGEST_TURN_MS }] },
	];
}

/** Medians of each; a first round warms all of them up. */
async function interleaved<T extends readonly (() => Promise<number>)[]>(...all: T): Promise<{ readonly [K in keyof T]: number }> {
	const got = all.map(() => [] as number[]);
	for (let i = -1; i < ROUNDS; i++)
		for (const [j, one] of all.entries()) {
			const value = await one();
			if (i >= 0) got[j]?.push(value);
		}
	return got.map(median) as { readonly [K in keyof T]: number };
}
