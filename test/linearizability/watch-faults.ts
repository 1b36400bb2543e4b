/** Stores whose watches have a bug each, at random moments: the check has to find every one of them. */
import { realClock } from '../../base/clock.ts';
import type { Change, Store, WatchBatch } from '../../controlplane/storage/store.ts';
import { Seeded } from '../tools/seeded.ts';

type Spoil = (batch: WatchBatch, chance: Seeded) => readonly WatchBatch[];

const BUGS: Readonly<Record<string, Spoil>> = {
	'a change is dropped': ({ revision, changes }, chance) => [{ revision, changes: rarely(chance) ? changes.slice(1) : changes }],
	'a change comes twice': ({ revision, changes }, chance) => [
		{ revision, changes: rarely(chance) ? [...changes, ...changes.slice(-1)] : changes },
	],
	// Told only where a watch is resumed after it, and on a busy machine many changes come in few batches.
	'a batch claims more than it has': ({ revision, changes }, chance) => [
		{ revision: chance.random() < 0.5 ? revision + 5n : revision, changes },
	],
	'a change of another prefix': ({ revision, changes }, chance) => [
		{ revision, changes: rarely(chance) ? changes.map((c) => ({ ...c, key: `/elsewhere${c.key}` })) : changes },
	],
	'a change shows the wrong predecessor': ({ revision, changes }, chance) => [
		{ revision, changes: rarely(chance) ? changes.map(withoutBefore) : changes },
	],
};

export const WATCH_FAULTS: Readonly<Record<string, (store: Store, seed: number) => Store>> = {
	...Object.fromEntries(
		Object.entries(BUGS).map(([name, spoil]) => [name, (store: Store, seed: number) => spoiled(store, spoil, new Seeded(seed))]),
	),
	'two changes are out of order': (store, seed) => {
		const chance = new Seeded(seed);
		return behind(store, (prefix, from, signal) => swapping(store.watch(prefix, from, signal), chance));
	},
	'a resumed watch begins a few changes late': (store, seed) => {
		const chance = new Seeded(seed);
		return behind(store, (prefix, from, signal) =>
			store.watch(prefix, chance.random() < 0.5 && from + 3n < store.revision() ? from + 3n : from, signal),
		);
	},
};

function rarely(chance: Seeded): boolean {
	return chance.random() < 0.05;
}

/** Now and then two batches change places, where a second one follows at all: how many changes are in one depends on how busy the machine is. */
async function* swapping(batches: AsyncIterable<WatchBatch>, chance: Seeded): AsyncGenerator<WatchBatch> {
	const from = batches[Symbol.asyncIterator]();
	for (let next = from.next(); ; ) {
		const { value: first, done } = await next;
		if (done === true) return;
		next = from.next();
		next.catch(() => {}); // whoever comes next hears of it
		const second = rarely(chance) ? await Promise.race([next, realClock.sleep(20)]) : undefined;
		if (second !== undefined && second.done !== true) {
			yield second.value;
			next = from.next();
			next.catch(() => {});
		}
		yield first;
	}
}

function withoutBefore({ before: _, ...change }: Change): Change {
	return change;
}

/** The store with another watch. */
function behind(store: Store, watch: Store['watch']): Store {
	return new Proxy(store, {
		get: (target, name) => {
			if (name === 'watch') return watch;
			const member: unknown = Reflect.get(target, name, target);
			return typeof member === 'function' ? (member as (...args: unknown[]) => unknown).bind(target) : member;
		},
	});
}

function spoiled(store: Store, spoil: Spoil, chance: Seeded): Store {
	return behind(store, (prefix, from, signal) => {
		const watch = store.watch(prefix, from, signal);
		return (async function* () {
			for await (const batch of watch) yield* spoil(batch, chance);
		})();
	});
}
