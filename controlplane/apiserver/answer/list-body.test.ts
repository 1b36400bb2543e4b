/** Lists in pieces: whatever the sizes and whoever takes them, the text is the same. */
import test from 'ava';
import { CONFIG_MAPS } from '../../../api/resources.ts';
import { makeKind } from '../registry/kinds.ts';
import type { Piece } from './canonical.ts';
import { ListBody } from './list-body.ts';

const kind = makeKind(CONFIG_MAPS);
const PIECE_BYTES = 1000;
const TEXT = { first: '{"items":[', last: ']}\n', skip: kind.headLength, pieceBytes: PIECE_BYTES };

function objects(sizes: readonly number[]): Piece[] {
	return sizes.map((size, i) => {
		const metadata = { name: `n-${i}`, creationTimestamp: '2026-01-01T00:00:00Z' };
		const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { x: 'ü'.repeat(size) } };
		return { value: kind.encode(object), revision: BigInt(i + 1) };
	});
}

const expected = (sizes: readonly number[]): object => ({
	items: sizes.map((size, i) => ({
		metadata: { name: `n-${i}`, resourceVersion: `${i + 1}`, creationTimestamp: '2026-01-01T00:00:00Z' },
		data: { x: 'ü'.repeat(size) },
	})),
});

/** Takes a copy of each piece when it comes, as a socket does, and says when there is room again. */
function taken(body: ListBody, full: boolean, returns: boolean) {
	const seen = { text: '', pieces: 0, buffers: new Set<ArrayBufferLike>(), ended: false, error: undefined as unknown };
	body.start({
		...(returns ? { returns } : {}),
		write(bytes) {
			seen.text += Buffer.from(bytes).toString();
			seen.pieces++;
			seen.buffers.add(bytes.buffer);
			return !full;
		},
		end(error) {
			seen.ended = true;
			seen.error = error;
		},
	});
	for (let i = 0; full && !seen.ended && i < 1000; i++) body.resume();
	return seen;
}

for (const [name, sizes, isOne] of [
	['none', [], true],
	['one', [10], true],
	['a few', [10, 20, 30], true],
	['one as large as several pieces', [4000], false],
	['many small ones', Array.from({ length: 300 }, (_, i) => i % 40), false],
	['many around the size of a piece', Array.from({ length: 30 }, (_, i) => 300 + i * 20), false],
	['a small one behind a large one', [10, 5000, 10], false],
	['large ones', [3000, 3000, 4000, 3500], false],
] as const)
	for (const [who, full, returns] of [
		['who gives the memory back', true, true],
		['who keeps it', true, false],
		['who is never full', false, true],
	] as const)
		test(`ListBody: ${name}, to one ${who}`, (t) => {
			const body = new ListBody(objects(sizes), TEXT);
			const whole = body.whole();
			t.is(whole !== undefined, isOne);
			if (whole !== undefined) return t.deepEqual(JSON.parse(Buffer.from(whole).toString()), expected(sizes));
			const seen = taken(body, full, returns);
			t.deepEqual(JSON.parse(seen.text), expected(sizes));
			t.true(seen.ended);
			t.is(seen.error, undefined);
		});

test('ListBody: one buffer serves all pieces of a list where it comes back, and none twice where it does not', (t) => {
	const sizes = Array.from({ length: 300 }, () => 600);
	const again = taken(new ListBody(objects(sizes), TEXT), true, true);
	t.true(again.pieces > 100);
	t.is(again.buffers.size, 1);
	const kept = taken(new ListBody(objects(sizes), { ...TEXT, pieceBytes: 40_000 }), true, false);
	t.is(kept.buffers.size, kept.pieces);
});

test('ListBody: what cannot be read ends it with the error; closed, it writes no more', (t) => {
	const items = objects(Array.from({ length: 20 }, () => 600));
	const broken = {
		...items[19],
		value: {
			...items[19]?.value,
			get bytes(): Uint8Array {
				throw new Error('gone');
			},
		},
	} as Piece;
	const seen = taken(new ListBody([...items.slice(0, 19), broken], TEXT), true, true);
	t.is((seen.error as Error).message, 'gone');
	const body = new ListBody(items, TEXT);
	let pieces = 0;
	body.start({ write: () => ++pieces < 0, end: () => t.fail() });
	body.close();
	body.resume();
	t.is(pieces, 1);
});

test('ListBody: read as a stream, pieces stay as they are', async (t) => {
	const sizes = Array.from({ length: 50 }, (_, i) => i * 10);
	const pieces: Uint8Array[] = [];
	for await (const piece of new ListBody(objects(sizes), TEXT)) pieces.push(piece);
	t.true(pieces.length > 5);
	t.deepEqual(JSON.parse(Buffer.concat(pieces).toString()), expected(sizes));
});
