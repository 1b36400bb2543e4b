/** The long forms: an agent full of pods and its deaths, the outages of its runtime, a machine that starts anew; and pods by the hundred that come and go. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { BUNDLE } from '../../../cli/bundle.ts';
import { NODE_FLAGS, SHIM_FLAGS, smallProcess } from '../../../cluster/node-flags.ts';
import { ensureTestImage, testEngine } from '../../tools/cri.ts';
import { Seeded } from '../../tools/seeded.ts';
import { realChurn } from './churn.ts';
import { NodePlace, type Programs } from './node-place.ts';
import { agentDeaths, fill, type Outages, reboot, runtimeOutages } from './outages.ts';

interface Campaign {
	readonly count: number;
	readonly seed: number;
	readonly log: (line: string) => void;
}

interface Result {
	readonly text: string;
	readonly problems: readonly string[];
}

/** With one more that comes and goes in an outage: a node has 110 at most. */
const PODS = 105;
const OUTAGES = 6;
const SETTLED_MS = 2000;
const RECOVERED_MS = 10_000;

/** As the command is installed, a file a part of it; resolves with what to start. */
async function installed(dir: string): Promise<Required<Programs>> {
	const source = (path: string): string => join(import.meta.dirname, path);
	await build({
		...BUNDLE,
		entryPoints: { agent: source('agent-process.ts'), shim: source('../cri/shim-process.ts') },
		...{ outdir: dir, outExtension: { '.js': '.mjs' }, splitting: true },
	});
	const env = smallProcess(process.env);
	return {
		agent: { file: join(dir, 'agent.mjs'), nodeFlags: NODE_FLAGS, env },
		shim: { file: join(dir, 'shim.mjs'), nodeFlags: SHIM_FLAGS, env },
	};
}

/** Runs with a node of installed programs. */
export async function withNode<T>(kind: string, body: (place: NodePlace) => Promise<T>): Promise<T> {
	const engine = await testEngine();
	if (typeof engine === 'string') throw new Error(`No engine: ${engine}`);
	await ensureTestImage(engine);
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-installed-'));
	try {
		await using place = await NodePlace.start(kind, await installed(dir));
		return await body(place);
	} finally {
		await rm(dir, { recursive: true, force: true });
	}
}

export function agentRestarts({ count, seed, log }: Campaign): Promise<Result> {
	return withNode('restart', async (place) => {
		const seeded = new Seeded(seed);
		await fill(place, PODS);
		const deaths = await agentDeaths(place, { count, seeded, log });
		const outages = await runtimeOutages(place, { count: OUTAGES, seeded, log });
		const anew = await reboot(place);
		const late = (what: string, { ms }: Outages, most: number): string[] =>
			ms.filter((each) => each > most).map((each) => `${what}: ${each.toFixed(0)} ms instead of ${most}`);
		const problems = [
			...[...deaths.problems, ...outages.problems, ...anew.problems],
			...late('settled after a death', deaths, SETTLED_MS),
			...late('recovered from an outage', outages, RECOVERED_MS),
		];
		const told = ({ ms }: Outages): string => {
			const sorted = ms.toSorted((a, b) => a - b);
			return `${sorted[sorted.length >> 1]?.toFixed(0)} ms (median), ${sorted.at(-1)?.toFixed(0)} ms (longest)`;
		};
		const text = [
			`${count} deaths of the agent over ${PODS} pods: settled after ${told(deaths)}`,
			`${OUTAGES} outages of the runtime: recovered after ${told(outages)}`,
			`${PODS} pods back after a reboot: ${told(anew)}`,
			`${problems.length} problems`,
		];
		return { text: text.join('; '), problems };
	});
}

export function agentChurn({ count, log }: Campaign): Promise<Result> {
	return withNode('churn', async (place) => {
		const problems = await realChurn(place, count, log);
		return { text: `${count} pods came and went: ${problems.length} problems`, problems };
	});
}
