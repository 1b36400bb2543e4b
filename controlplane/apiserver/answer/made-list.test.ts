/** Lists made in turns: the bytes are all there, whoever takes them; no turn is long, and who leaves is not made for. */
import test from 'ava';
import { mapInTurns } from '../../../base/map-in-turns.ts';
import { realClock } from '../../../base/clock.ts';
import { Turns } from '../../../base/turns.ts';
import { MadeList } from './made-list.ts';

const PIECE_BYTES = 100;
/** Of an item, which makes three a turn. */
const ITEM_MS = 0.4;

function busy(ms: number): void {
	for (const until = performance.now() + ms; performance.now() < until; );
}

function listOf(count: number, saysLength = false, more: { readonly signal?: AbortSignal; readonly failAt?: number } = {}) {
	const seen = { made: 0, text: '', ended: false, error: undefined as unknown };
	const list = new MadeList({
		count,
		saysLength,
		item: (i) => {
			if (i === more.failAt) throw new Error('gone');
			seen.made++;
			busy(ITEM_MS);
			return Buffer.from(`${i},`);
		},
		around: (bytes) => ({ first: Buffer.from(saysLength ? `<${bytes}>` : '<'), last: Buffer.from('>') }),
		pieceBytes: PIECE_BYTES,
		turns: new Turns(realClock),
		signal: more.signal ?? new AbortController().signal,
	});
	return { list, seen };
}

function textOf(count: number, saysLength: boolean): string {
	const items = Array.from({ length: count }, (_, i) => `${i},`).join('');
	return saysLength ? `<${items.length}>${items}>` : `<${items}>`;
}

for (const saysLength of [false, true])
	for (const full of [false, true])
		for (const [count, isOne] of [
			[1, true],
			[20, true],
			[400, false],
		] as const)
			test(`MadeList: ${count} items, ${saysLength ? 'their length first, ' : ''}to one who ${full ? 'is full each time' : 'takes all'}`, async (t) => {
				const { list, seen } = listOf(count, saysLength);
				const whole = await list.begin();
				t.is(whole !== undefined, isOne);
				if (whole !== undefined) return t.is(Buffer.from(whole).toString(), textOf(count, saysLength));
				if (!saysLength) t.true(seen.made < 100, 'no more is made than a piece until somebody takes it');
				await new Promise<void>((resolve) => {
					list.start({
						write(bytes) {
							seen.text += Buffer.from(bytes).toString();
							if (full) setImmediate(() => list.resume());
							return !full;
						},
						end(error) {
							t.is(error, undefined);
							resolve();
						},
					});
				});
				t.is(seen.text, textOf(count, saysLength));
				t.is(list.sentBytes, seen.text.length);
			});

test('MadeList: others have their turns meanwhile', async (t) => {
	const { list } = listOf(100, true);
	let rounds = 0;
	const count = setInterval(() => rounds++, 0);
	await list.begin();
	clearInterval(count);
	t.true(rounds > 5, `${rounds} rounds`);
});

test('MadeList: what cannot be made is told to who waits, or ends what is on its way', async (t) => {
	await t.throwsAsync(listOf(100, false, { failAt: 3 }).list.begin(), { message: 'gone' });
	const { list } = listOf(400, false, { failAt: 300 });
	await list.begin();
	const error = await new Promise((resolve) => list.start({ write: () => true, end: resolve }));
	t.is((error as Error).message, 'gone');
});

test('MadeList: nothing more is made for who has left', async (t) => {
	const left = new AbortController();
	const { list, seen } = listOf(1000, true, { signal: left.signal });
	const begun = list.begin();
	setTimeout(() => left.abort(new Error('left')), 5);
	await t.throwsAsync(begun, { message: 'left' });
	t.true(seen.made < 1000);
	const other = listOf(1000);
	await other.list.begin();
	other.list.close();
	const { made } = other.seen;
	await new Promise((resolve) => setTimeout(resolve, 20));
	t.is(other.seen.made, made);
});

test('mapInTurns: in order, others have their turns meanwhile; fails with the work, ends with the signal', async (t) => {
	const turns = new Turns(realClock);
	const items = Array.from({ length: 50 }, (_, i) => i);
	const { signal } = new AbortController();
	let rounds = 0;
	const count = setInterval(() => rounds++, 0);
	t.deepEqual(
		await mapInTurns(turns, items, (i) => (busy(ITEM_MS), i * 2), signal),
		items.map((i) => i * 2),
	);
	clearInterval(count);
	t.true(rounds > 3, `${rounds} rounds`);
	t.deepEqual(await mapInTurns(turns, [], () => 1, signal), []);
	const fail = (): never => {
		throw new Error('gone');
	};
	await t.throwsAsync(mapInTurns(turns, items, fail, signal), { message: 'gone' });
	await t.throwsAsync(
		mapInTurns(turns, items, (i) => i, AbortSignal.abort(new Error('left'))),
		{ message: 'left' },
	);
});
