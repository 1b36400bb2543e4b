/** Work in turns: of one key, of one loop, so many at once. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import test from 'ava';
import { AtMost } from './at-most.ts';
import { realClock } from './clock.ts';
import { InTurn } from './in-turn.ts';
import { TurnLimit } from './turn-limit.ts';
import { Turns } from './turns.ts';
import { VirtualClock } from './virtual-clock.ts';

const turned = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

for (const [name, pieces, ms, rounds] of [
	['a few pieces run before anything else of the loop', 3, 0, 0],
	['many let what is written be sent first', 20, 0, 1],
	['a turn ends once it has lasted its time', 24, 0.2, 3],
] as const)
	test(`Turns: ${name}`, async (t) => {
		let [now, round, last] = [0, 0, 0];
		const turns = new Turns(Object.assign(new VirtualClock(), { monotonic: () => now }));
		const ran: number[] = [];
		for (let i = 0; i < pieces; i++)
			turns.add(() => {
				ran.push(i);
				now += ms;
				last = round;
			});
		t.deepEqual(ran, []);
		for (
			await new Promise((resolve) => process.nextTick(resolve));
			ran.length < pieces;
			await new Promise((resolve) => setImmediate(resolve))
		)
			round++;
		t.deepEqual(
			ran,
			Array.from({ length: pieces }, (_, i) => i),
		);
		t.is(last, rounds);
	});

test('Turns: a piece that finds the turn over ends it, though it goes on in the next', async (t) => {
	let now = 0;
	const turns = new Turns(Object.assign(new VirtualClock(), { monotonic: () => now }));
	let [round, ran] = [0, 0];
	const rounds: number[] = [];
	const piece = (): void => {
		now += 5;
		rounds.push(round);
		t.true(turns.over);
		if (++ran < 6) turns.add(piece);
	};
	for (let i = 0; i < 3; i++) turns.add(piece);
	for (; rounds.length < 8; round++) await turned();
	t.is(new Set(rounds).size, rounds.length, 'one a turn');
});

test('Turns: what has run is let go while something is added all the time', async (t) => {
	setFlagsFromString('--expose-gc');
	const collect = runInNewContext('gc') as () => void;
	const turns = new Turns(realClock);
	const gone: WeakRef<object>[] = [];
	let [open, rounds] = [0, 0];
	const add = (): void => {
		const held = { bytes: new Uint8Array(1000) };
		gone.push(new WeakRef(held));
		turns.add(() => {
			if (held.bytes.length > 0 && rounds < 50) add();
			else open--;
		});
	};
	for (; open < 2; open++) add();
	const dead = (): number => gone.filter((ref) => ref.deref() === undefined).length;
	for (; rounds < 50; rounds++) await turned();
	collect();
	t.true(dead() > gone.length / 2, `${dead()} of ${gone.length} while two are on their way`);
	for (rounds = 0; rounds < 50 || open > 0; rounds++) await turned();
});

for (const [name, ms, rest] of [
	['rests as long as it took', 2, 2],
	['rests five milliseconds at most', 30, 5],
	['needs no rest where it took no time', 0, 0],
] as const)
	test(`Turns: a crowd ${name}; what comes meanwhile runs together`, async (t) => {
		let now = 0;
		const clock = new VirtualClock();
		const turns = new Turns(Object.assign(clock, { monotonic: () => now }));
		const ran: string[] = [];
		turns.addToCrowd(() => {
			ran.push('a');
			now += ms;
			turns.addToCrowd(() => ran.push('b'));
		});
		await turned();
		t.deepEqual(ran, ['a']);
		turns.addToCrowd(() => ran.push('c'));
		turns.add(() => ran.push('another'));
		await turned();
		t.deepEqual(ran, rest === 0 ? ['a', 'another', 'b', 'c'] : ['a', 'another']);
		if (rest === 0) return;
		await clock.advance(rest - 1);
		t.is(ran.length, 2);
		await clock.advance(1);
		t.deepEqual(ran, ['a', 'another', 'b', 'c']);
	});

for (const [name, endsAfter, rest] of [
	['until it is done; that counts as rest', 1.5, 0.5],
	['for five milliseconds at most, which are its rest', 9, 0],
] as const)
	test(`Turns: a crowd lets what is urgent go first, ${name}`, async (t) => {
		let now = 0;
		const clock = new VirtualClock();
		const turns = new Turns(Object.assign(clock, { monotonic: () => now }));
		const ran: number[] = [];
		const pass = async (ms: number): Promise<void> => {
			now += ms;
			await clock.advance(ms);
			await turned();
		};
		turns.beginUrgent();
		for (let i = 0; i < 2; i++)
			turns.addToCrowd(() => {
				ran.push(i);
				now += 1;
			}, {});
		await turned();
		turns.beginUrgent();
		turns.endUrgent();
		await turned();
		t.deepEqual(ran, [], 'there is another one');
		await pass(Math.min(endsAfter, 4));
		t.deepEqual(ran, []);
		if (endsAfter < 5) turns.endUrgent();
		await pass(endsAfter < 5 ? 0 : 1);
		t.deepEqual(ran, [0, 1]);
		if (endsAfter > 5) turns.endUrgent();
		turns.addToCrowd(() => ran.push(2));
		await turned();
		t.is(ran.length, rest === 0 ? 3 : 2);
		await pass(rest);
		t.deepEqual(ran, [0, 1, 2]);
	});

test('Turns: what is urgent when no crowd is on its way holds up nothing later', async (t) => {
	const turns = new Turns(Object.assign(new VirtualClock(), { monotonic: () => 0 }));
	turns.beginUrgent();
	turns.endUrgent();
	let ran = 0;
	turns.addToCrowd(() => ran++);
	await turned();
	t.is(ran, 1);
});

test('Turns: what writes to one connection is next to each other in a crowd, and a turn writes to eight at most', async (t) => {
	const turns = new Turns(Object.assign(new VirtualClock(), { monotonic: () => 0 }));
	const connections = Array.from({ length: 10 }, () => ({}));
	const ran: number[] = [];
	for (const round of [0, 100])
		for (const [i, connection] of connections.entries()) turns.addToCrowd(() => ran.push(round + i), connection);
	await turned();
	t.deepEqual(
		ran,
		[0, 1, 2, 3, 4, 5, 6, 7].flatMap((i) => [i, 100 + i]),
	);
	await turned();
	t.deepEqual(ran.slice(16), [8, 108, 9, 109]);
});

test('Turns: what comes in order keeps it, and a turn writes to eight connections at most', async (t) => {
	const turns = new Turns(Object.assign(new VirtualClock(), { monotonic: () => 0 }));
	const ran: number[] = [];
	for (let i = 0; i < 20; i++) turns.add(() => ran.push(i), i % 2 === 0 ? {} : undefined);
	const after: number[] = [];
	for (let rounds = 0; rounds < 4; rounds++) {
		await turned();
		after.push(ran.length);
	}
	t.deepEqual([...new Set(after)], [0, 16, 20]);
	t.deepEqual(
		ran,
		Array.from({ length: 20 }, (_, i) => i),
	);
});

for (const [name, ms, atOnce, atEachTurn] of [
	['what costs little runs at once', 0.03, 12, 0],
	['what comes after half a millisecond waits', 0.25, 2, 2],
	['what its microtasks do counts', 3, 1, 1],
] as const)
	test(`TurnLimit: ${name}, in order`, async (t) => {
		let now = 0;
		const limit = new TurnLimit(Object.assign(new VirtualClock(), { monotonic: () => now }));
		const ran: number[] = [];
		for (let i = 0; i < 12; i++) {
			limit.run(() => {
				ran.push(i);
				queueMicrotask(() => (now += ms));
			});
			await Promise.resolve(); // as between two callbacks of the loop
		}
		t.is(ran.length, atOnce);
		for (let turns = 0, before: number = atOnce; ran.length < 12; before = ran.length) {
			await new Promise((resolve) => setImmediate(resolve));
			t.true(ran.length - before <= atEachTurn && turns++ < 24, `${ran.length - before} in a turn`);
		}
		t.deepEqual(
			ran,
			Array.from({ length: 12 }, (_, i) => i),
		);
	});

test('TurnLimit: after a long turn the next begins nothing', async (t) => {
	let now = 0;
	const limit = new TurnLimit(Object.assign(new VirtualClock(), { monotonic: () => now }));
	const ran: number[] = [];
	for (let i = 0; i < 5; i++) limit.run(() => (ran.push(i), (now += 0.6)));
	const after: number[] = [];
	// Of turns that take 0.6, 2, 0.6 ... ms
	for (const more of [0, 1.4, 0, 0, 0, 0]) {
		after.push(ran.length);
		now += more;
		await turned();
	}
	t.deepEqual([...after, ran.length], [1, 2, 2, 3, 4, 5, 5]);
});

test('InTurn: work of one key never overlaps, goes on after a failure, and keeps no other key', async (t) => {
	const turns = new InTurn();
	const order: string[] = [];
	const first = Promise.withResolvers<void>();
	const failing = turns.run('a', () => first.promise);
	const next = turns.run('a', async () => order.push('a'));
	await turns.run('b', async () => order.push('b'));
	t.deepEqual(order, ['b']);
	first.reject(new Error('first'));
	await t.throwsAsync(failing, { message: 'first' });
	t.is(await next, 2);
	t.deepEqual(order, ['b', 'a']);
});

test('AtMost: what waits begins in order, after a failure, too; what is given up while it waits never does', async (t) => {
	const atMost = new AtMost(2);
	const { signal } = new AbortController();
	const begun: string[] = [];
	const works = new Map<string, PromiseWithResolvers<void>>();
	const run = (name: string, under: AbortSignal = signal): Promise<void> =>
		atMost.run(under, () => {
			begun.push(name);
			works.set(name, Promise.withResolvers<void>());
			return works.get(name)?.promise ?? Promise.resolve();
		});
	const givenUp = new AbortController();
	const [a, b, c, d] = [run('a'), run('b'), run('c', givenUp.signal), run('d')];
	await turned();
	t.deepEqual(begun, ['a', 'b']);
	givenUp.abort(new Error('given up'));
	await t.throwsAsync(c, { message: 'given up' });
	works.get('a')?.reject(new Error('a'));
	await t.throwsAsync(a, { message: 'a' });
	await turned();
	t.deepEqual(begun, ['a', 'b', 'd']);
	works.get('b')?.resolve();
	works.get('d')?.resolve();
	await Promise.all([b, d]);
	const again = [run('e'), run('f'), run('g')];
	await turned();
	t.deepEqual(begun.slice(3), ['e', 'f']);
	for (const name of ['e', 'f']) works.get(name)?.resolve();
	await turned();
	works.get('g')?.resolve();
	await Promise.all(again);
	await t.throwsAsync(run('h', AbortSignal.abort(new Error('before'))), { message: 'before' });
});
