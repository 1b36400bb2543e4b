/**
 * `npm run bench -- density [PART...]`: a node full of pods. The agent and the shim run as they are installed, each in a process of its own; the API server
 * is in this one. `once`: 105 pods at once beside as many of the raw engine; `sequence`: 100 pods, one after the other, over 50 that run, each beside one of the raw
 * engine; `idle`: memory and CPU of the agent with no pod and with 105; `hollow`: 1,000 agents with simulated runtimes in one process. All unless told.
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

const MOST = 105;
const RUNNING = 50;
const SEQUENCE = 100;
const HOLLOW = 1000;
const IDLE_MS = 60_000;
/** What is left to do after a change: images listed, garbage collected. */
const CALM_MS = 10_000;
const MIB = 2 ** 20;

type Part = 'once' | 'sequence' | 'idle' | 'hollow';

export async function bench(args: readonly string[]): Promise<void> {
	const engine = await testEngine();
	if (typeof engine === 'string') throw new Error(`No engine to measure: ${engine}`);
	await ensureTestImage(engine);
	const wants = (part: Part): boolean => args.length === 0 || args.includes(part);
	const figures: Figure[] = [];
	if (wants('once') || wants('sequence') || wants('idle'))
		await withNode('density', async (place) => {
			if (wants('idle')) figures.push(...(await idle(place, 0)));
			if (wants('once') || wants('idle')) figures.push(...(await once(place, engine)));
			if (wants('idle')) figures.push(...(await idle(place, MOST)));
			await place.clear();
			if (wants('sequence')) figures.push(...(await sequence(place, engine)));
		});
	if (wants('hollow')) figures.push(...(await hollow()));
	printFigures(figures);
}

/** The agent's pods stay; those of the raw engine go before and after, so that one does not pay for the other. */
async function once(place: NodePlace, engine: Engine): Promise<readonly Figure[]> {
	const names = Array.from({ length: MOST }, (_, i) => `kubeling-density-${process.pid}-${i}`);
	const rawFrom = performance.now();
	const raw = await Promise.all(names.map((name) => startRawPod(engine, name)));
	const floor = performance.now() - rawFrom;
	for (const { remove } of raw) await remove();
	const running = allRunning(place, MOST);
	const from = performance.now();
	await Promise.all(names.map((_, i) => place.create(`p${i}`)));
	await running;
	return [
		{
			name: `${MOST} pods at once until all run, s`,
			value: (performance.now() - from) / 1000,
			floor: floor / 1000,
			goals: [{ of: 'ratio', atMost: 0.75 }],
		},
	];
}

async function sequence(place: NodePlace, engine: Engine): Promise<readonly Figure[]> {
	for (let i = 0; i < RUNNING; i++) await place.create(`there-${i}`);
	await place.ready(RUNNING);
	const [ours, floor]: [number[], number[]] = [[], []];
	for (let i = -2; i < SEQUENCE; i++) {
		const raw = await startRawPod(engine, `kubeling-density-${process.pid}-s${i + 2}`);
		const running = allRunning(place, 1, `s${i + 2}`);
		const from = performance.now();
		await place.create(`s${i + 2}`);
		await running;
		const took = performance.now() - from;
		await raw.remove();
		await place.client.delete(PODS, `${NAMESPACE}/s${i + 2}`);
		await gone(place, `s${i + 2}`);
		if (i < 0) continue; // the first ones warm caches
		ours.push(took);
		floor.push(raw.laps.sandbox + raw.laps.create + raw.laps.start);
	}
	const row = (what: string, p: number, atMost: number): Figure => ({
		...{ name: `a pod after the other over ${RUNNING}, ${what} ms`, value: percentile(ours, p), floor: percentile(floor, p) },
		goals: [{ of: 'ratio', atMost }],
	});
	return [row('p50', 0.5, 0.85), row('p99', 0.99, 1.2)];
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
		{ name: `its CPU in a minute, % of a core`, value: cpu * 100, goals: [{ of: 'value', atMost: pods === 0 ? 0.5 : 2 }] },
	];
}

async function hollow(): Promise<readonly Figure[]> {
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
			await realClock.sleep(CALM_MS);
			return { pss: await pssBytes(process_.pid), cpu: ((await cpuMs(process_.pid)) - from) / CALM_MS };
		};
		const one = await memory(1);
		const all = await memory(HOLLOW);
		return [
			{
				name: `${HOLLOW} hollow nodes in one process, PSS MiB a node`,
				value: (all.pss - one.pss) / MIB / (HOLLOW - 1),
				goals: [{ of: 'value', atMost: 2 }],
			},
			{ name: 'their CPU, % of a core', value: all.cpu * 100 },
		];
	} finally {
		stop.abort();
		await rm(dir, { recursive: true, force: true });
	}
}

/** Resolves once so many pods that come from now on run, as a watch sees it. */
async function allRunning(place: NodePlace, count: number, only?: string): Promise<void> {
	const stop = new AbortController();
	const { metadata } = await place.client.list(PODS, { namespace: NAMESPACE, limit: 1 });
	const selection = { namespace: NAMESPACE, resourceVersion: metadata.resourceVersion ?? '', signal: stop.signal };
	const seen = new Set<string>();
	for await (const { object } of place.client.watch(
		PODS,
		only === undefined ? selection : { ...selection, fieldSelector: `metadata.name=${only}` },
	)) {
		if (object.status?.phase === 'Running') seen.add(object.metadata.name ?? '');
		if (seen.size >= count) break;
	}
	stop.abort();
}

async function gone(place: NodePlace, name: string): Promise<void> {
	for (;;) {
		const there = await place.client.list(PODS, { namespace: NAMESPACE, fieldSelector: `metadata.name=${name}` });
		if (there.items.length === 0) return;
		await realClock.sleep(20);
	}
}
