/** Pod lifecycles through a shim whose engine misbehaves, or which is killed at random: all come to their end, and nothing is left. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realClock } from '../../../base/clock.ts';
import { noLog } from '../../../base/log.ts';
import { connectEngine } from '../../../cri/engine/engine.ts';
import { destroyShim } from '../../../cri/destroy.ts';
import { ENGINE_SOCKET, ensureTestImage } from '../../tools/cri.ts';
import { Seeded } from '../../tools/seeded.ts';
import { FaultPlan } from './fault-plan.ts';
import { FaultProxy } from './fault-proxy.ts';
import { KillableShim } from './killable-shim.ts';
import { leaksOf, settled } from './leaks.ts';
import { lifecycle, type LifecycleWish } from './lifecycle.ts';

export interface CriPlan {
	readonly pods: number;
	readonly seed: number;
	/** Share of engine calls and events that a fault meets. */
	readonly faults: number;
	/** How often the shim is killed while pods come and go. */
	readonly kills: number;
	readonly inFlight: number;
	readonly log: (line: string) => void;
}

export interface CriFigures {
	readonly text: string;
	readonly problems: readonly string[];
}

const LEAK_MS = 60_000;
const WHOLE_MS = 240_000;

export async function criCampaign(plan: CriPlan): Promise<CriFigures> {
	const started = Date.now();
	await ensureTestImage(await connectEngine(ENGINE_SOCKET));
	const seeded = new Seeded(plan.seed);
	const name = `cricrash${process.pid}`;
	const dir = await mkdtemp(join(tmpdir(), `kubeling-${name}-`));
	const faults = new FaultPlan(plan.seed, 0);
	const options = {
		socketPath: join(dir, 'cri.sock'),
		dockerHost: join(dir, 'engine.sock'),
		dataDir: join(dir, 'data'),
		clusterName: name,
		engineTimeoutMs: 3000,
	};
	const problems: string[] = [];
	try {
		await using proxy = new FaultProxy(options.dockerHost, ENGINE_SOCKET, faults);
		await proxy.start();
		await using shim = await KillableShim.start(options);
		const first = Date.now();
		await lifecycle({ ...wishOf(seeded, 'first'), hostPort: undefined }, { shim, dir, callMs: 20_000, wholeMs: WHOLE_MS });
		const usualLifeMs = Math.max(1500, 2 * (Date.now() - first));
		const before = await shim.holdings();
		faults.rate = plan.faults;
		let next = 0;
		let ended = 0;
		let killed = 0;
		const worker = async (): Promise<void> => {
			while (next < plan.pods) {
				const wish = wishOf(seeded, `p${next++}`);
				problems.push(...(await lifecycle(wish, { shim, dir, callMs: 20_000, wholeMs: WHOLE_MS })));
				ended++;
				await rm(join(dir, 'logs', wish.name), { recursive: true, force: true });
				if (next % 100 === 0) plan.log(`${next} pods, ${killed} kills, ${problems.length} problems`);
			}
		};
		const over = Promise.all(Array.from({ length: plan.inFlight }, worker));
		const killing = async (): Promise<void> => {
			let running = true;
			const ending = over.then(
				() => (running = false),
				() => (running = false),
			);
			let lifeMs = usualLifeMs;
			while (killed < plan.kills && running) {
				const endedBefore = ended;
				await Promise.race([new Promise((resolve) => setTimeout(resolve, seeded.between(100, lifeMs))), ending]);
				if (!running) return;
				// No pod came to its end, as where the machine has become slower: the next life may be longer.
				lifeMs = ended === endedBefore ? 1.2 * lifeMs : usualLifeMs;
				faults.rate = 0; // a start that fails is the supervisor's business
				await shim.kill();
				killed++;
				await shim.up();
				faults.rate = plan.faults;
			}
		};
		await Promise.all([over, killing()]);
		faults.rate = 0;
		await shim.up();
		const left = await settled(() => leaksOf(shim, ENGINE_SOCKET, before), LEAK_MS);
		problems.push(...left.map((l) => `left: ${l}`));
		if (problems.length > 0) plan.log(shim.said.slice(-40).join('\n'));
		const met = Object.entries(faults.met).map(([fault, count]) => `${fault} ${count}`);
		const seconds = ((Date.now() - started) / 1000).toFixed(0);
		return {
			text: `${plan.pods} pods, ${killed} kills, faults: ${met.join(', ') || 'none'}; ${problems.length} problems; ${seconds} s`,
			problems,
		};
	} finally {
		await destroyShim({ ...options, dockerHost: ENGINE_SOCKET }, { clock: realClock, log: noLog });
		await rm(dir, { recursive: true, force: true });
	}
}

function wishOf(seeded: Seeded, name: string): LifecycleWish {
	const kind = seeded.between(0, 5);
	return {
		name,
		lines: seeded.pick([0, 1, 20, 500]),
		exitCode: seeded.between(0, 5),
		hostPort: seeded.between(0, 4) === 0 ? 21000 + (process.pid % 500) * 20 + (Number(name.replace(/\D/g, '') || 0) % 20) : undefined,
		stopped: kind === 0,
		exec: kind === 1,
	};
}
