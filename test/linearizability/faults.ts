/** Stores with a bug each, at random moments: the checkers have to find every one of them. */
import { AppError } from '../../base/errors.ts';
import { Seeded } from '../tools/seeded.ts';
import type { Seen, Subject } from './subject.ts';

const RARELY = 0.01;

export const FAULTS: Readonly<Record<string, (subject: Subject, seed: number) => Subject>> = {
	'a read shows what was replaced before it began': (subject, seed) => {
		const chance = new Seeded(seed);
		const older = new Map<string, Seen | undefined>();
		return {
			...subject,
			async read(key) {
				const now = await subject.read(key);
				const before = older.get(key);
				older.set(key, now);
				return before !== undefined && chance.random() < RARELY ? before : now;
			},
		};
	},
	'an acknowledged write is lost': (subject, seed) => {
		const chance = new Seeded(seed);
		return {
			...subject,
			async swap(key, expect, to) {
				const now = await subject.read(key);
				if (chance.random() < RARELY && (now?.revision ?? 'absent') === expect) return BigInt(2 ** 40) + BigInt(to ?? 0);
				return subject.swap(key, expect, to);
			},
		};
	},
	'the expected revision is not looked at': (subject, seed) => {
		const chance = new Seeded(seed);
		return {
			...subject,
			async swap(key, expect, to) {
				const now = chance.random() < RARELY * 3 ? ((await subject.read(key))?.revision ?? 'absent') : expect;
				return subject.swap(key, now, to);
			},
		};
	},
	'a refused write happens': (subject, seed) => {
		const chance = new Seeded(seed);
		return {
			...subject,
			async swap(key, expect, to) {
				const revision = await subject.swap(key, expect, to);
				if (chance.random() < RARELY) throw new AppError('Aborted', 'refused');
				return revision;
			},
		};
	},
	'a write is seen, then taken back': (subject, seed) => {
		const chance = new Seeded(seed);
		return {
			...subject,
			async swap(key, expect, to) {
				const revision = await subject.swap(key, expect, to);
				if (to === undefined || chance.random() > RARELY * 20) return revision;
				// Long enough for the others to see it.
				for (let i = 0; i < 20; i++) await new Promise(setImmediate);
				await subject.swap(key, revision, undefined).catch(() => undefined);
				throw new AppError('Unavailable', 'nobody knows');
			},
		};
	},
	'a later commit has the lower revision': (subject, seed) => {
		const chance = new Seeded(seed);
		return {
			...subject,
			swap: async (key, expect, to) => (await subject.swap(key, expect, to)) - (chance.random() < RARELY ? 30n : 0n),
		};
	},
};
