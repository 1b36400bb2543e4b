/** A node full of pods whose agent dies, loses its runtime, or wakes up on a machine that has lost everything. */
import { realClock } from '../../../base/clock.ts';
import { must } from '../../tools/command.ts';
import { eventually } from '../../tools/eventually.ts';
import { TEST_IMAGE } from '../../tools/cri.ts';
import type { Seeded } from '../../tools/seeded.ts';
import { runningContainers } from '../pods.ts';
import { containerNames } from '../traces.ts';
import { isReady, type NodePlace, STAYS } from './node-place.ts';
import { Watched } from './watched.ts';

export interface Outages {
	/** How long each took until all was as it should be. */
	readonly ms: readonly number[];
	readonly problems: readonly string[];
}

export interface Plan {
	readonly count: number;
	readonly seeded: Seeded;
	readonly log: (line: string) => void;
}

const BOUND_MS = 300_000;

/** So many pods that are ready: every fifth because its probe says so. */
export async function fill(place: NodePlace, count: number): Promise<void> {
	// A machine with other work answers late, and that is no flap.
	const readinessProbe = { exec: { command: ['busybox', 'true'] }, periodSeconds: 5, timeoutSeconds: 60 };
	const container = { name: 'c', image: TEST_IMAGE, imagePullPolicy: 'IfNotPresent', command: STAYS };
	for (let i = 0; i < count; i++) await place.create(`p${i}`, i % 5 === 0 ? { containers: [{ ...container, readinessProbe }] } : {});
	await place.ready(count, BOUND_MS);
}

/** `kill -9` of the agent, at any moment after its start: nobody notices but the agent. */
export async function agentDeaths(place: NodePlace, { count, seeded, log }: Plan): Promise<Outages> {
	const { problems, ms, done } = await begin(place);
	const pods = (await place.pods()).length;
	const before = await runningContainers(place.name);
	for (let death = 1; death <= count; death++) {
		await realClock.sleep(seeded.between(0, 2000));
		await place.agent.kill();
		const from = performance.now();
		await place.agent.up();
		await eventually('every pod has been looked at', async () => (await place.synced()) >= pods, BOUND_MS);
		ms.push(performance.now() - from);
		const now = await runningContainers(place.name);
		for (const [name, facts] of before)
			if (now.get(name) !== facts) problems.push(`death ${death}: container ${name} was ${facts} and is ${now.get(name) ?? 'gone'}`);
		if (now.size !== before.size) problems.push(`death ${death}: ${now.size} containers run, ${before.size} before`);
		log(`death ${death}: settled after ${ms.at(-1)?.toFixed(0)} ms, ${problems.length} problems`);
	}
	return done();
}

/** The runtime's socket is gone for some seconds, while a container ends and a pod is made: afterwards both are seen to, and nothing else has changed. That pod goes again. */
export async function runtimeOutages(place: NodePlace, { count, seeded, log }: Plan): Promise<Outages> {
	const { watched, problems, ms, done } = await begin(place);
	for (let outage = 1; outage <= count; outage++) {
		const victim = `p${seeded.between(0, (await place.pods()).length - 1)}`;
		watched.touch(victim);
		const { uid = '', restarts } = await place.restartsOf(victim);
		await place.shim.kill();
		await realClock.sleep(seeded.between(1000, 4000));
		await must('docker', ['kill', (await containerNames(place.name)).find((name) => name.includes(uid) && !name.includes('_POD_')) ?? '']);
		const made = `during-${outage}`;
		await place.create(made);
		await realClock.sleep(seeded.between(1000, 4000));
		await place.shim.up();
		const from = performance.now();
		await eventually(
			`${victim} starts again, and all are ready`,
			async () => (await place.restartsOf(victim)).restarts > restarts && (await place.pods()).every(isReady),
			BOUND_MS,
		);
		ms.push(performance.now() - from);
		await place.remove(made, BOUND_MS);
		log(`outage ${outage}: recovered after ${ms.at(-1)?.toFixed(0)} ms, ${problems.length} problems`);
	}
	return done();
}

/** The agent, the shim and every container are gone at once: all pods come back, their restarts counted. */
export async function reboot(place: NodePlace): Promise<Outages> {
	const before = new Map((await place.pods()).map(({ metadata }) => [metadata.name ?? '', metadata.uid]));
	await Promise.all([place.agent.kill(), place.shim.kill()]);
	const names = await containerNames(place.name);
	await must('docker', ['rm', '-f', ...names], { timeoutMs: BOUND_MS });
	const from = performance.now();
	await place.shim.up();
	await place.agent.up();
	const restarted = async (): Promise<boolean> =>
		(await place.pods()).every((pod) => isReady(pod) && (pod.status?.containerStatuses?.[0]?.restartCount ?? 0) > 0);
	await eventually('all pods are back', restarted, BOUND_MS);
	const ms = [performance.now() - from];
	const problems = (await place.pods())
		.filter(({ metadata }) => before.get(metadata.name ?? '') !== metadata.uid)
		.map(({ metadata }) => `${metadata.name} is another pod`);
	return { ms, problems };
}

interface Begun {
	readonly watched: Watched;
	readonly problems: string[];
	readonly ms: number[];
	done(): Promise<Outages>;
}

async function begin(place: NodePlace): Promise<Begun> {
	const watched = await Watched.begin(place.client);
	const [problems, ms]: [string[], number[]] = [[], []];
	return {
		...{ watched, problems, ms },
		async done() {
			await watched[Symbol.asyncDispose]();
			return { ms, problems: [...problems, ...watched.problems] };
		},
	};
}
