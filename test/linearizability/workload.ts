/** Clients that read and swap the same few keys at random, all at once, and write down what they were answered. */
import { codeOf } from '../../base/errors.ts';
import { Seeded } from '../tools/seeded.ts';
import type { Operation, Value } from './history.ts';
import type { Seen, Subject } from './subject.ts';

export interface Workload {
	readonly subjects: readonly [Subject, ...Subject[]];
	readonly clients: number;
	readonly operations: number;
	readonly seed: number;
	/** Called `disturbances` times, evenly spread: kills and restarts what is behind the subjects. */
	readonly disturb?: () => Promise<void>;
	readonly disturbances?: number;
}

/** So many keys are fought over at once, and so many operations are done before others take their place. */
const KEYS = 64;
const ROUND = 20_000;

export async function runWorkload(plan: Workload): Promise<Operation[]> {
	const { subjects, clients, operations, disturb, disturbances = 0 } = plan;
	const chance = new Seeded(plan.seed);
	const history: Operation[] = [];
	let [begun, disturbed, writes] = [0, 0, 0];
	let disturbing: Promise<void> = Promise.resolve();

	const client = async (id: number): Promise<void> => {
		const subject = subjects[id % subjects.length] as Subject;
		const known = new Map<string, Seen | undefined>();
		// What was just read is often swapped next, so that most swaps meet the value they expect.
		let last: string | undefined;
		while (begun < operations) {
			const number = begun++;
			if (disturb !== undefined && number >= ((disturbed + 1) * operations) / (disturbances + 1) && disturbed < disturbances) {
				disturbed++;
				disturbing = disturbing.then(disturb);
			}
			const again: string | undefined = last;
			const key = again ?? `/k/${Math.floor(number / ROUND)}/${chance.between(0, KEYS - 1)}`;
			last = undefined;
			const start = performance.now();
			if (again === undefined && (!known.has(key) || chance.random() < 0.7)) {
				const seen = await subject.read(key).catch(() => 'unknown' as const);
				// A read that nobody answered says nothing.
				if (seen === 'unknown') {
					await disturbing;
					continue;
				}
				history.push({ type: 'read', client: id, key, start, end: performance.now(), saw: seen?.value });
				known.set(key, seen);
				if (chance.random() < 0.7) last = key;
				continue;
			}
			const before = known.get(key);
			const to: Value = before !== undefined && chance.random() < 0.15 ? undefined : ++writes;
			const swap = { type: 'swap', client: id, key, start, from: before?.value, to } as const;
			try {
				const revision = await subject.swap(key, before?.revision ?? 'absent', to);
				history.push({ ...swap, end: performance.now(), outcome: 'done', revision });
				known.set(key, to === undefined ? undefined : { value: to, revision });
			} catch (error) {
				known.delete(key);
				if (codeOf(error) === 'Aborted') history.push({ ...swap, end: performance.now(), outcome: 'refused' });
				else {
					history.push({ ...swap, end: Infinity, outcome: 'unknown' });
					await disturbing;
				}
			}
		}
	};
	await Promise.all(Array.from({ length: clients }, (_, id) => client(id)));
	await disturbing;
	return history;
}
