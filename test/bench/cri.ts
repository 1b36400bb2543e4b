/**
 * `npm run bench -- cri [ROUNDS]`: every call of a pod's life through the shim beside the raw engine's, interleaved in one run; lists over
 * many pods; memory beyond bare Node.js, and CPU when nothing happens. Prints medians, ratios and the targets. No rounds (0): lists, memory and idle CPU only.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { realClock } from '../../base/clock.ts';
import { noLog } from '../../base/log.ts';
import { BUNDLE } from '../../cli/bundle.ts';
import { SHIM_FLAGS, smallProcess } from '../../cluster/node-flags.ts';
import { destroyShim } from '../../cri/destroy.ts';
import type { Engine } from '../../cri/engine/engine.ts';
import { KillableShim } from '../crash/cri/killable-shim.ts';
import { ENGINE_SOCKET, ensureTestImage, testEngine } from '../tools/cri.ts';
import { CallsOfShim, CallsOfEngine, type PodCalls, type Step, STEPS } from './cri-calls.ts';
import { median } from './figures.ts';

const PODS = 50;
const CONTAINERS = 100;
const IDLE_MS = 20_000;
const READS = 60;

export async function bench(args: readonly string[]): Promise<void> {
	const rounds = Number(args[0] ?? 20);
	const engine = await testEngine();
	if (typeof engine === 'string') throw new Error(`No engine to measure: ${engine}`);
	await ensureTestImage(engine);
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-bench-cri-'));
	const options = {
		socketPath: join(dir, 'cri.sock'),
		dockerHost: ENGINE_SOCKET,
		dataDir: join(dir, 'data'),
		clusterName: `bench${process.pid}`,
	};
	try {
		// As `kubeling cri` starts itself.
		const program = { file: await bundled(dir), nodeFlags: SHIM_FLAGS, env: smallProcess(process.env) };
		await using shim = await KillableShim.start(options, program);
		if (rounds > 0) {
			await calls(engine, shim, dir, rounds);
			await rates(engine, shim, dir);
		}
		await lists(shim, dir);
	} finally {
		await destroyShim(options, { clock: realClock, log: noLog });
		await rm(dir, { recursive: true, force: true });
	}
}

/** As the command is installed: sources would cost 50 MB more, for the compiler in Node.js. */
async function bundled(dir: string): Promise<string> {
	const outfile = join(dir, 'shim.mjs');
	await build({ ...BUNDLE, entryPoints: [join(import.meta.dirname, '..', 'crash', 'cri', 'shim-process.ts')], outfile });
	return outfile;
}

/** One pod through each, in turn. */
async function calls(engine: Engine, shim: KillableShim, dir: string, rounds: number): Promise<void> {
	const raw = new CallsOfEngine(engine);
	const ours = new CallsOfShim(shim, dir);
	const laps: Record<'raw' | 'ours', Record<Step, number>[]> = { raw: [], ours: [] };
	for (let round = -2; round < rounds; round++) {
		const pair = round % 2 === 0 ? (['raw', 'ours'] as const) : (['ours', 'raw'] as const);
		for (const who of pair) {
			const lap = await onePod(who === 'raw' ? raw : ours, `${process.pid}-${round + 2}`);
			if (round >= 0) laps[who].push(lap);
		}
	}
	console.log(`${rounds} pods each, p50 ms`.padEnd(30), 'shim'.padStart(8), 'engine'.padStart(8), 'ratio'.padStart(7), ' target');
	const p50 = (who: 'raw' | 'ours', of: (lap: Record<Step, number>) => number): number => median(laps[who].map(of));
	const row = (name: string, of: (lap: Record<Step, number>) => number, target: string): void => {
		const [a, b] = [p50('ours', of), p50('raw', of)];
		console.log(name.padEnd(30), a.toFixed(1).padStart(8), b.toFixed(1).padStart(8), (a / b).toFixed(2).padStart(7), ` ${target}`);
	};
	const targets: Partial<Record<Step, string>> = { RunPodSandbox: '<= 0.65 x', StopPodSandbox: '', RemovePodSandbox: '' };
	for (const step of STEPS) row(step, (lap) => lap[step], targets[step] ?? '<= 1.05 x or + 3 ms');
	row('sandbox and container', (lap) => lap.RunPodSandbox + lap.CreateContainer + lap.StartContainer, '<= 0.75 x');
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

/** Twenty pods with a container each, four in flight. */
async function rates(engine: Engine, shim: KillableShim, dir: string): Promise<void> {
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
		for (const sandbox of made) {
			await who.stopSandbox(sandbox);
			await who.removeSandbox(sandbox);
		}
		return 20 / seconds;
	};
	const ours: number[] = [];
	const raw: number[] = [];
	for (let round = 0; round < 3; round++) {
		ours.push(await rate(new CallsOfShim(shim, dir), `o${round}`));
		raw.push(await rate(new CallsOfEngine(engine), `r${round}`));
	}
	const [a, b] = [median(ours), median(raw)];
	console.log(`\n20 pods, 4 in flight: ${a.toFixed(1)} pods/s, the engine ${b.toFixed(1)}: ${(a / b).toFixed(2)} x (target >= 1.7 x)`);
}

async function lists(shim: KillableShim, dir: string): Promise<void> {
	const { runtime } = shim;
	const bare = await bareNode();
	const ids: string[] = [];
	const ours = new CallsOfShim(shim, dir);
	for (let pod = 0; pod < PODS; pod++) {
		const sandbox = await ours.run(`list-${process.pid}-${pod}`);
		for (let c = 0; c < CONTAINERS / PODS; c++) {
			const id = await ours.create(sandbox, `c${c}`);
			await ours.start(id);
			ids.push(id);
		}
	}
	const read = async (name: string, target: string, work: () => Promise<unknown>): Promise<void> => {
		await work();
		const laps: number[] = [];
		for (let i = 0; i < READS; i++) {
			const from = performance.now();
			await work();
			laps.push(performance.now() - from);
		}
		console.log(name.padEnd(30), `${median(laps).toFixed(2)} ms`.padStart(10), ` ${target}`);
	};
	console.log(`\n${PODS} pods, ${CONTAINERS} containers, p50 of ${READS}`);
	await read('ListContainers', '<= 2 ms', () => runtime.listContainers({ filter: undefined }));
	await read('ListPodSandbox', '<= 2 ms', () => runtime.listPodSandbox({ filter: undefined }));
	await read('ContainerStatus', '<= 1 ms', () => runtime.containerStatus({ containerId: ids[0] ?? '', verbose: false }));
	await read('PodSandboxStatus', '', async () =>
		runtime.podSandboxStatus({ podSandboxId: (await runtime.listPodSandbox({ filter: undefined })).items[0]?.id ?? '', verbose: false }),
	);
	await read('ListContainerStats', '<= 20 ms', () => runtime.listContainerStats({ filter: undefined }));
	await read('ListPodSandboxMetrics', '', () => runtime.listPodSandboxMetrics({}));
	const before = await cpuMs(shim.pid);
	await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
	const idle = (await cpuMs(shim.pid)) - before;
	const memory = (await pssMb(shim.pid)) - bare;
	console.log(`memory beyond bare Node.js`.padEnd(30), `${memory.toFixed(0)} MB`.padStart(10), ' <= 60 MB');
	console.log(`CPU in ${IDLE_MS / 1000} idle seconds`.padEnd(30), `${idle.toFixed(0)} ms`.padStart(10), ' none');
}

/** PSS of a Node.js that does nothing. */
async function bareNode(): Promise<number> {
	const child = spawn(process.execPath, ['-e', 'console.log("up"); setInterval(() => {}, 1e6)'], { stdio: ['ignore', 'pipe', 'ignore'] });
	await once(child.stdout, 'data');
	const mb = await pssMb(child.pid ?? 0);
	child.kill('SIGKILL');
	return mb;
}

async function pssMb(pid: number): Promise<number> {
	const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8');
	return Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) / 1024;
}

/** User and system time, in ticks of 10 ms. */
async function cpuMs(pid: number): Promise<number> {
	const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
	return (Number(fields[11]) + Number(fields[12])) * 10;
}
