/**
 * `npm run bench -- density [PART...] [NODES]`: a node full of pods. The agent and the shim run as they are installed, each in a process of its own; the API server
 * is in this one. `once`: 105 pods at once beside as many of the raw engine; `sequence`: 100 pods, one after the other, over 50 that run, each beside one of the raw
 * engine; `idle`: memory and CPU of the agent with no pod and with 105; `hollow`: NODES (1,000) agents with simulated runtimes in one process. All unless told.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { realClock } from '../../base/clock.ts';
import { noLog } from '../../base/log.ts';
import { BUNDLE } from '../../cli/bundle.ts';
import { NODE_FLAGS, smallProcess } from '../../cluster/node-flags.ts';
import type { Engine } from '../../cri/engine/engine.ts';
import { withNode } from '../crash/agent/campaign.ts';
import { NAMESPACE, type NodePlace } from '../crash/agent/node-place.ts';
import { PODS } from '../../api/resources.ts';
import { testApiServer } from '../fakes/api-server.ts';
import { ensureTestImage, testEngine } from '../tools/cri.ts';
import { KillableProcess } from '../tools/killable-process.ts';
import { cpuMs, type Figure, percentile, printFigures, pssBytes } from './figures.ts';
import type { HollowOptions } from './hollow-process.ts';
import { startRawPod } from './pod-start-raw.ts';
import { timeToRun } from './time-to-run.ts';
import type { BENCHES } from './usage.ts';

const MOST = 105;
const RUNNING = 50;
const SEQUENCE = 100;
const AT_ONCE = Array.from({ length: MOST }, (_, i) => `p${i}`);
const IDLE_MS = 60_000;
/** Of hollow nodes, which are many and busy. */
const HOLLOW_MS = 10_000;
/** What is left to do after a change: images listed, garbage collected. */
const CALM_MS = 10_000;
const MIB = 2 ** 20;

type Part = (typeof BENCHES)['density']['parts'][number];

export async function bench(args: readonly string[]): Promise<void> {
	const engine = await testEngine();
	if (typeof engine === 'string') throw new Error(`No engine to measure: ${engine}`);
	await ensureTestImage(engine);
	const [numbers, parts] = [args.filter((arg) => /^\d+$/.test(arg)), args.filter((arg) => !/^\d+$/.test(arg))];
	const nodes = Number(numbers[0] ?? 1000);
	const wants = (part: Part): boolean => parts.length === 0 || parts.includes(part);
	const figures: Figure[] = [];
	if (wants('once') || wants('sequence') || wants('idle'))
		await withNode('density', async (place) => {
			if (wants('idle')) figures.push(...(await idle(place, 0)));
			if (wants('once')) figures.push(...(await once(place, engine)));
			if (wants('idle')) {
				await timeToRun(place, AT_ONCE);
				figures.push(...(await idle(place, MOST)));
				await place.clear();
			}
			if (wants('sequence')) figures.push(...(await sequence(place, engine)));
		});
	if (wants('hollow')) figures.push(...(await hollow(nodes)));
	printFigures(figures);
}

/** Two rounds, each first once. Those of one are gone before the other's come, so that neither pays for the other. */
async function once(place: NodePlace, engine: Engine): Promise<readonly Figure[]> {
	const ours = async (): Promise<number> => {
		const took = await timeToRun(place, AT_ONCE);
		await place.clear();
		return took / 1000;
	};
	const raw = async (): Promise<number> => (await rawAtOnce(engine)) / 1000;
	const [rawFirst, oursAfter] = [await raw(), await ours()];
	const [oursFirst, rawAfter] = [await ours(), await raw()];
	return [
		{
			name: `${MOST} pods at once until all run, mean of two rounds, s`,
			value: (oursAfter + oursFirst) / 2,
			floor: (rawFirst + rawAfter) / 2,
			goals: [{ of: 'ratio', atMost: 0.75 }],
		},
	];
}

async function rawAtOnce(engine: Engine): Promise<number> {
	const from = performance.now();
	const started = await Promise.allSettled(AT_ONCE.map((name) => startRawPod(engine, `kubeling-density-${process.pid}-${name}`)));
	const took = performance.now() - from;
	for (const pod of started) if (pod.status === 'fulfilled') await pod.value.remove();
	for (const pod of started) if (pod.status === 'rejected') throw pod.reason;
	return took;
}

async function sequence(place: NodePlace, engine: Engine): Promise<readonly Figure[]> {
	for (let i = 0; i < RUNNING; i++) await place.create(`there-${i}`);
	await place.ready(RUNNING);
	const [ours, floor]: [number[], number[]] = [[], []];
	for (let i = -2; i < SEQUENCE; i++) {
		const name = `s${i + 2}`;
		const raw = await startRawPod(engine, `kubeling-density-${process.pid}-${name}`);
		let took: number;
		try {
			took = await timeToRun(place, [name]);
		} finally {
			await raw.remove();
		}
		await place.client.delete(PODS, `${NAMESPACE}/${name}`);
		await gone(place, name);
		if (i < 0) continue; // the first ones warm caches
		ours.push(took);
		floor.push(raw.laps.sandbox + raw.laps.create + raw.laps.start);
	}
	const row = (what: string, p: number, atMost: number): Figure => ({
		...{ name: `a pod after the other over ${RUNNING}, ${what} ms`, value: percentile(ours, p), floor: percentile(floor, p) },
		goals: [{ of: 'ratio', atMost }],
	});
	return [row('p50', 0.5, 0.85), row(`p99 (the longest of ${SEQUENCE})`, 0.99, 1.2)];
}

async function idle({ agent }: NodePlace, pods: number): Promise<readonly Figure[]> {
	await realClock.sleep(CALM_MS);
	const before = await cpuMs(agent.pid);
	await realClock.sleep(IDLE_MS);
	const cpu = ((await cpuMs(agent.pid)) - before) / IDLE_MS;
	return [
		{
			...{ name: `memory of the agent with ${pods} pods, PSS MiB`, value: (await pssBytes(agent.pid)) / MIB },
			goals: [{ of: 'value', atMost: pods === 0 ? 90 : 120 }],
		},
		{
			name: `CPU of the agent with ${pods} pods in a minute, % of a core`,
			value: cpu * 100,
			goals: [{ of: 'value', atMost: pods === 0 ? 0.5 : 2 }],
		},
	];
}

async function hollow(count: number): Promise<readonly Figure[]> {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-hollow-'));
	const stop = new AbortController();
	try {
		const outfile = join(dir, 'hollow.mjs');
		await build({ ...BUNDLE, entryPoints: [join(import.meta.dirname, 'hollow-process.ts')], outfile });
		const { url, token, ca } = await testApiServer({ clock: realClock, log: noLog, port: 0 }, stop.signal);
		const memory = async (nodes: number): Promise<{ readonly pss: number; readonly cpu: number }> => {
			const options: HollowOptions = { nodes, dir: join(dir, String(nodes)), server: url, token, ca };
			await using process_ = new KillableProcess({ file: outfile, nodeFlags: NODE_FLAGS, env: smallProcess(process.env) }, [
				JSON.stringify(options),
			]);
			await process_.up();
			await realClock.sleep(CALM_MS);
			const from = await cpuMs(process_.pid);
			await realClock.sleep(HOLLOW_MS);
			return { pss: await pssBytes(process_.pid), cpu: ((await cpuMs(process_.pid)) - from) / HOLLOW_MS };
		};
		const one = await memory(1);
		const all = await memory(count);
		return [
			{
				name: `${count} hollow nodes in one process, PSS MiB a node`,
				value: (all.pss - one.pss) / MIB / (count - 1),
				goals: [{ of: 'value', atMost: 2 }],
			},
			{ name: 'their CPU, % of a core', value: all.cpu * 100 },
		];
	} finally {
		stop.abort();
		await rm(dir, { recursive: true, force: true });
	}
}

async function gone(place: NodePlace, name: string): Promise<void> {
	for (;;) {
		const there = await place.client.list(PODS, { namespace: NAMESPACE, fieldSelector: `metadata.name=${name}` });
		if (there.items.length === 0) return;
		await realClock.sleep(20);
	}
}
