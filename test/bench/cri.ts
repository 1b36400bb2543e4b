/**
 * `npm run bench -- cri [ROUNDS] [--engine=sid]`: every call of a pod's life through the shim beside the raw engine's, interleaved in one run; lists over
 * many pods; memory beyond bare Node.js, and CPU when nothing happens. No rounds (0): lists, memory and idle CPU only. `--engine` takes Docker Engine
 * of a later Debian release, in namespaces of its own, instead of this machine's.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { realClock } from '../../base/clock.ts';
import { noLog } from '../../base/log.ts';
import { BUNDLE } from '../../cli/bundle.ts';
import { SHIM_FLAGS, smallProcess } from '../../cluster/node-flags.ts';
import { destroyShim } from '../../cri/destroy.ts';
import type { Engine } from '../../cri/engine/engine.ts';
import { newerEngine, releaseOf } from '../conformance/critest/newer-engine.ts';
import { inOwnNamespaces, removeCgroups } from '../conformance/critest/place.ts';
import { KillableShim } from '../crash/cri/killable-shim.ts';
import { ENGINE_SOCKET, ensureTestImage, testEngine } from '../tools/cri.ts';
import { CallsOfShim, CallsOfEngine, type PodCalls, type Step, STEPS } from './cri-calls.ts';
import { cpuMs, type Figure, type Goal, median, printFigures, pssBytes } from './figures.ts';

const PODS = 50;
const CONTAINERS = 100;
/** What calls leave behind ends within this: connections to the engine that nobody used for five seconds. */
const SETTLED_MS = 6000;
const IDLE_MS = 20_000;
/** The collector of Node.js looks every eight seconds whether there is something for it, which takes 0.1 ms. */
const NOTHING_MS = 1;
const READS = 60;
const MB = 1024 ** 2;

export async function bench(args: readonly string[]): Promise<void> {
	const release = releaseOf(args);
	const rounds = Number(args.find((arg) => !arg.startsWith('--')) ?? 20);
	await (release === undefined ? measure(rounds) : measureOn(await newerEngine(release), rounds));
}

/** On an engine whose programs are in `bin`; its data lie on the disk that this machine's engine uses, too, not in memory. */
async function measureOn(bin: string, rounds: number): Promise<void> {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-bench-engine-'));
	const cgroup = `/kubeling-bench-${process.pid}`;
	try {
		process.exitCode = await inOwnNamespaces(join(import.meta.dirname, 'cri-inside.ts'), [dir, cgroup, bin, String(rounds)], process.env);
	} finally {
		await removeCgroups(cgroup);
		await rm(dir, { recursive: true, force: true });
	}
}

/** On the engine at the usual socket; prints the figures. */
export async function measure(rounds: number, cgroupParent = ''): Promise<void> {
	const engine = await testEngine();
	if (typeof engine === 'string') throw new Error(`No engine to measure: ${engine}`);
	await ensureTestImage(engine);
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-bench-cri-'));
	const options = {
		socketPath: join(dir, 'cri.sock'),
		dockerHost: ENGINE_SOCKET,
		dataDir: join(dir, 'data'),
		clusterName: `bench${process.pid}`,
		cgroupParent,
	};
	const figures: Figure[] = [];
	try {
		// As `kubeling cri` starts itself.
		const program = { file: await bundled(dir), nodeFlags: SHIM_FLAGS, env: smallProcess(process.env) };
		await using shim = await KillableShim.start(options, program);
		if (rounds > 0) {
			const rate = await rates(engine, shim, dir); // first: a shim lives long, and what it does often is compiled by then
			figures.push(...(await calls(engine, shim, dir, rounds)), ...rate);
		}
		figures.push(...(await lists(shim, dir)));
	} finally {
		await destroyShim(options, { clock: realClock, log: noLog });
		await rm(dir, { recursive: true, force: true });
	}
	console.log(
		`Docker Engine ${engine.engineVersion}, ${rounds} pods each, p50; lists of ${PODS} pods with ${CONTAINERS} containers, p50 of ${READS}`,
	);
	const missed = printFigures(figures);
	console.log(`${missed} figures miss their goal`);
}

/** As the command is installed: sources would cost 50 MB more, for the compiler in Node.js. */
async function bundled(dir: string): Promise<string> {
	const outfile = join(dir, 'shim.mjs');
	await build({ ...BUNDLE, entryPoints: [join(import.meta.dirname, '..', 'crash', 'cri', 'shim-process.ts')], outfile });
	return outfile;
}

/** What a call may take beside the engine's own: 3 ms more or 1.05 of it, whichever is larger. */
const beside = (floorMs: number): readonly Goal[] => [{ of: 'value', atMost: Number(Math.max(floorMs + 3, floorMs * 1.05).toFixed(1)) }];
const atMost = (limit: number): readonly Goal[] => [{ of: 'value', atMost: limit }];

/** One pod through each, in turn. */
async function calls(engine: Engine, shim: KillableShim, dir: string, rounds: number): Promise<readonly Figure[]> {
	const raw = new CallsOfEngine(engine);
	const ours = new CallsOfShim(shim, dir);
	const barest = new CallsOfEngine(engine, 'barest');
	const laps: Record<'raw' | 'ours' | 'barest', Record<Step, number>[]> = { raw: [], ours: [], barest: [] };
	for (let round = -2; round < rounds; round++) {
		const order = round % 2 === 0 ? (['raw', 'barest', 'ours'] as const) : (['ours', 'barest', 'raw'] as const);
		for (const who of order) {
			const lap = await onePod({ raw, ours, barest }[who], `${process.pid}-${round + 2}`);
			if (round >= 0) laps[who].push(lap);
		}
	}
	const goals: Partial<Record<Step, readonly Goal[]>> = {
		RunPodSandbox: [{ of: 'ratio', atMost: 0.65 }],
		StopPodSandbox: [],
		RemovePodSandbox: [],
	};
	const figure = (
		name: string,
		of: (lap: Record<Step, number>) => number,
		set?: readonly Goal[],
		who: 'ours' | 'barest' = 'ours',
	): Figure => {
		const [value, floor] = [median(laps[who].map(of)), median(laps.raw.map(of))];
		return { name: `${name}, ms`, value, floor, goals: set ?? beside(floor) };
	};
	const started = (lap: Record<Step, number>): number => lap.RunPodSandbox + lap.CreateContainer + lap.StartContainer;
	return [
		...STEPS.map((step) => figure(step, (lap) => lap[step], goals[step])),
		figure('sandbox and container', started, [{ of: 'ratio', atMost: 0.75 }]),
		figure("the engine's barest sandbox", (lap) => lap.RunPodSandbox, [], 'barest'),
		figure("the engine's barest sandbox and container", started, [], 'barest'),
	];
}

async function onePod(who: PodCalls, name: string): Promise<Record<Step, number>> {
	const lap = {} as Record<Step, number>;
	const timed = async <T>(step: Step, work: () => Promise<T>): Promise<T> => {
		const from = performance.now();
		const value = await work();
		lap[step] = performance.now() - from;
		return value;
	};
	const sandbox = await timed('RunPodSandbox', () => who.run(name));
	const container = await timed('CreateContainer', () => who.create(sandbox));
	await timed('StartContainer', () => who.start(container));
	await timed('ExecSync', () => who.exec(container));
	await timed('StopContainer', () => who.stop(container));
	// No kubelet removes what it has not seen the end of.
	await timed('ContainerStatus after stop', () => who.status(container));
	await timed('RemoveContainer', () => who.remove(container));
	await timed('StopPodSandbox', () => who.stopSandbox(sandbox));
	await timed('RemovePodSandbox', () => who.removeSandbox(sandbox));
	return lap;
}

/** Twenty pods with a container each, four in flight: through the shim, as the engine usually makes them, and the barest that it can make, which no client can be faster than. */
async function rates(engine: Engine, shim: KillableShim, dir: string): Promise<readonly Figure[]> {
	const rate = async (who: PodCalls, mark: string): Promise<number> => {
		const made: string[] = [];
		let next = 0;
		const from = performance.now();
		const worker = async (): Promise<void> => {
			while (next < 20) {
				const sandbox = await who.run(`rate-${mark}-${process.pid}-${next++}`);
				made.push(sandbox);
				await who.start(await who.create(sandbox));
			}
		};
		await Promise.all(Array.from({ length: 4 }, worker));
		const seconds = (performance.now() - from) / 1000;
		await Promise.all(made.map((sandbox) => who.stopSandbox(sandbox).then(() => who.removeSandbox(sandbox))));
		return 20 / seconds;
	};
	const ours: number[] = [];
	const raw: number[] = [];
	const barest: number[] = [];
	for (let round = 0; round < 3; round++) {
		ours.push(await rate(new CallsOfShim(shim, dir), `o${round}`));
		raw.push(await rate(new CallsOfEngine(engine), `r${round}`));
		barest.push(await rate(new CallsOfEngine(engine, 'barest'), `b${round}`));
	}
	const floor = median(raw);
	return [
		{ name: '20 pods, 4 in flight, pods/s', value: median(ours), floor, goals: [{ of: 'ratio', atLeast: 1.7 }] },
		{ name: "20 of the engine's barest, 4 in flight, pods/s", value: median(barest), floor, goals: [] },
	];
}

async function lists(shim: KillableShim, dir: string): Promise<readonly Figure[]> {
	const { runtime } = shim;
	const bare = await bareNode();
	const ids: string[] = [];
	const sandboxes: string[] = [];
	const ours = new CallsOfShim(shim, dir);
	for (let pod = 0; pod < PODS; pod++) {
		const sandbox = await ours.run(`list-${process.pid}-${pod}`);
		sandboxes.push(sandbox);
		for (let c = 0; c < CONTAINERS / PODS; c++) {
			const id = await ours.create(sandbox, `c${c}`);
			await ours.start(id);
			ids.push(id);
		}
	}
	const read = async (name: string, goals: readonly Goal[], work: () => Promise<unknown>): Promise<Figure> => {
		await work();
		const laps: number[] = [];
		for (let i = 0; i < READS; i++) {
			const from = performance.now();
			await work();
			laps.push(performance.now() - from);
		}
		return { name: `${name}, ms`, value: median(laps), goals };
	};
	const figures = [
		await read('ListContainers', atMost(2), () => runtime.listContainers({ filter: undefined })),
		await read('ListPodSandbox', atMost(2), () => runtime.listPodSandbox({ filter: undefined })),
		await read('ContainerStatus', atMost(1), () => runtime.containerStatus({ containerId: ids[0] ?? '', verbose: false })),
		await read('PodSandboxStatus', [], () => runtime.podSandboxStatus({ podSandboxId: sandboxes[0] ?? '', verbose: false })),
		await read('ListContainerStats', atMost(20), () => runtime.listContainerStats({ filter: undefined })),
		await read('ListPodSandboxMetrics', [], () => runtime.listPodSandboxMetrics({})),
	];
	await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
	const before = await cpuMs(shim.pid);
	await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
	const idle = (await cpuMs(shim.pid)) - before;
	const memory = ((await pssBytes(shim.pid)) - bare) / MB;
	return [
		...figures,
		{ name: 'memory beyond bare Node.js, MB', value: memory, goals: atMost(60) },
		{ name: `CPU in ${IDLE_MS / 1000} idle seconds, ms`, value: idle, goals: atMost(NOTHING_MS) },
	];
}

/** PSS of a Node.js that does nothing. */
async function bareNode(): Promise<number> {
	const child = spawn(process.execPath, ['-e', 'console.log("up"); setInterval(() => {}, 1e6)'], { stdio: ['ignore', 'pipe', 'ignore'] });
	await once(child.stdout, 'data');
	const bytes = await pssBytes(child.pid ?? 0);
	child.kill('SIGKILL');
	return bytes;
}
