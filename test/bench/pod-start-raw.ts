/**
 * The runtime's part of a pod start beside its floor, interleaved in one run: RunPodSandbox, CreateContainer and StartContainer of the shim
 * against the raw engine's create and start of a sandbox on its own bridge and of a container that joins it. Prints medians and their ratio.
 * `node test/bench/pod-start-raw.ts [ROUNDS]`
 */
import { realClock } from '../../base/clock.ts';
import { ignore } from '../../base/errors.ts';
import type { Engine } from '../../cri/engine/engine.ts';
import { containerConfig, ensureTestImage, sandboxConfig, startTestShim, TEST_IMAGE, testEngine, type TestShim } from '../tools/cri.ts';
import { median } from './figures.ts';

interface Laps {
	readonly sandbox: number;
	readonly create: number;
	readonly start: number;
	readonly remove: number;
}

export async function podStartRaw(rounds: number): Promise<{ readonly raw: Laps; readonly shim: Laps; readonly ratio: number }> {
	const engine = await testEngine();
	if (typeof engine === 'string') throw new Error(`No engine to measure: ${engine}`);
	await ensureTestImage(engine);
	const shim = await startTestShim('bench');
	const raw: Laps[] = [];
	const ours: Laps[] = [];
	try {
		for (let round = -1; round < rounds; round++) {
			const a = await rawPod(engine, `kubeling-bench-raw-${process.pid}-${round}`);
			const b = await shimPod(shim, `pod-${round}`);
			if (round < 0) continue; // the first of each warms caches
			raw.push(a);
			ours.push(b);
		}
	} finally {
		await shim.stop();
	}
	const total = (l: Laps): number => l.sandbox + l.create + l.start;
	const ratio = median(ours.map((o, i) => total(o) / total(raw[i] as Laps)));
	return { raw: medians(raw), shim: medians(ours), ratio };
}

/** The floor: a sandbox on the engine's own bridge and a container that joins it; gone again at the end. */
export async function rawPod(engine: Engine, name: string): Promise<Laps> {
	const { laps, remove } = await startRawPod(engine, name);
	const lap = stopwatch();
	await remove();
	return { ...laps, remove: lap() };
}

/** The same, left running; nothing is left of one that fails. */
export async function startRawPod(engine: Engine, name: string): Promise<{ readonly laps: Omit<Laps, 'remove'>; remove(): Promise<void> }> {
	const lap = stopwatch();
	const HostConfig = { IpcMode: 'shareable' };
	const create = async (body: object, suffix: string): Promise<string> =>
		(await engine.call<{ Id: string }>({ method: 'POST', path: '/containers/create', query: { name: `${name}-${suffix}` }, body })).Id;
	const started = (id: string): Promise<undefined> => engine.call<undefined>({ method: 'POST', path: `/containers/${id}/start` });
	const removed = (suffix: string): Promise<undefined> =>
		engine.call<undefined>({ method: 'DELETE', path: `/containers/${name}-${suffix}`, query: { force: true } }).catch(ignore('NotFound'));
	const remove = async (): Promise<void> => void (await Promise.all(['app', 'pod'].map(removed)));
	try {
		const pod = await create({ Image: TEST_IMAGE, Cmd: ['sleep', '1000'], Entrypoint: ['busybox'], HostConfig }, 'pod');
		await started(pod);
		const sandbox = lap();
		const joined = { NetworkMode: `container:${pod}`, IpcMode: `container:${pod}` };
		const app = await create({ Image: TEST_IMAGE, Cmd: ['sleep', '1000'], Entrypoint: ['busybox'], HostConfig: joined }, 'app');
		const made = lap();
		await started(app);
		return { laps: { sandbox, create: made, start: lap() }, remove };
	} catch (error) {
		await remove();
		throw error;
	}
}

/** A pod in CRI order on the shim. */
async function shimPod({ runtime, dir }: TestShim, name: string): Promise<Laps> {
	const config = sandboxConfig(name, { logDirectory: `${dir}/logs/${name}` });
	const lap = stopwatch();
	const { podSandboxId } = await runtime.runPodSandbox({ config, runtimeHandler: '' });
	const sandbox = lap();
	const { containerId } = await runtime.createContainer({
		podSandboxId,
		config: containerConfig('app', ['busybox', 'sleep', '1000']),
		sandboxConfig: config,
	});
	const create = lap();
	await runtime.startContainer({ containerId });
	const start = lap();
	await runtime.stopPodSandbox({ podSandboxId });
	await runtime.removePodSandbox({ podSandboxId });
	return { sandbox, create, start, remove: lap() };
}

function stopwatch(): () => number {
	let from = realClock.monotonic();
	return () => {
		const now = realClock.monotonic();
		const ms = now - from;
		from = now;
		return ms;
	};
}

function medians(laps: readonly Laps[]): Laps {
	const of = (key: keyof Laps): number => median(laps.map((l) => l[key]));
	return { sandbox: of('sandbox'), create: of('create'), start: of('start'), remove: of('remove') };
}

if (import.meta.main) {
	const { raw, shim, ratio } = await podStartRaw(Number(process.argv[2] ?? 15));
	const line = (name: string, l: Laps): string =>
		`${name}  sandbox ${l.sandbox.toFixed(0)}  create ${l.create.toFixed(0)}  start ${l.start.toFixed(0)}  total ${(l.sandbox + l.create + l.start).toFixed(0)} ms; removed in ${l.remove.toFixed(0)} ms\n`;
	process.stdout.write(`${line('engine bridge', raw)}${line('shim         ', shim)}ratio ${ratio.toFixed(2)}\n`);
}
