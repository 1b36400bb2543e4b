/**
 * Differences of two values as errors show them: a unified diff, with three lines of context, of their indented JSON. Lines are matched as
 * Python's difflib does, which Go's port follows: the longest block that both have, then what is left and right of it.
 */
import { goEscaped } from '../go-json.ts';

/** Empty when both are the same. */
export function jsonDiff(before: unknown, after: unknown): string {
	return unified(linesOf(before), linesOf(after));
}

const linesOf = (value: unknown): string[] => goEscaped(JSON.stringify(value, undefined, 1)).split('\n');

const CONTEXT = 3;
/** In a text of this many lines, those that fill more than one per cent of it do not start a match. */
const POPULAR_FROM = 200;

interface Block {
	readonly a: number;
	readonly b: number;
	readonly size: number;
}

function unified(a: readonly string[], b: readonly string[]): string {
	const changes = changesOf(matchingBlocks(a, b));
	const hunks: (readonly Change[])[] = [];
	for (const change of changes) {
		const last = hunks.at(-1);
		const previous = last?.at(-1);
		if (last === undefined || previous === undefined || change.a - previous.aEnd > 2 * CONTEXT) hunks.push([change]);
		else hunks[hunks.length - 1] = [...last, change];
	}
	return hunks.map((hunk) => hunkText(hunk, a, b)).join('');
}

interface Change {
	readonly a: number;
	readonly aEnd: number;
	readonly b: number;
	readonly bEnd: number;
}

/** What lies between the blocks. */
function changesOf(blocks: readonly Block[]): Change[] {
	const out: Change[] = [];
	let [a, b] = [0, 0];
	for (const block of blocks) {
		if (a < block.a || b < block.b) out.push({ a, aEnd: block.a, b, bEnd: block.b });
		[a, b] = [block.a + block.size, block.b + block.size];
	}
	return out;
}

function hunkText(changes: readonly Change[], a: readonly string[], b: readonly string[]): string {
	const [first, last] = [changes[0], changes.at(-1)];
	if (first === undefined || last === undefined) return '';
	const lead = Math.min(CONTEXT, first.a);
	const end = Math.min(a.length, last.aEnd + CONTEXT);
	const lines: string[] = [];
	let at = first.a - lead;
	for (const change of changes) {
		lines.push(...a.slice(at, change.a).map((line) => ` ${line}`));
		lines.push(...a.slice(change.a, change.aEnd).map((line) => `-${line}`), ...b.slice(change.b, change.bEnd).map((line) => `+${line}`));
		at = change.aEnd;
	}
	lines.push(...a.slice(at, end).map((line) => ` ${line}`));
	const before = range(first.a - lead, end);
	const after = range(first.b - lead, last.bEnd + (end - last.aEnd));
	return `@@ -${before} +${after} @@\n${lines.join('\n')}\n`;
}

function range(from: number, to: number): string {
	const size = to - from;
	if (size === 1) return String(from + 1);
	return `${size === 0 ? from : from + 1},${size}`;
}

/** Blocks that both have, in order; the last one, of size 0, stands at the ends. */
function matchingBlocks(a: readonly string[], b: readonly string[]): Block[] {
	const places = new Map<string, number[]>();
	for (const [i, line] of b.entries()) {
		const known = places.get(line);
		if (known === undefined) places.set(line, [i]);
		else known.push(i);
	}
	if (b.length >= POPULAR_FROM) for (const [line, found] of places) if (found.length > Math.floor(b.length / 100) + 1) places.delete(line);
	const found: Block[] = [];
	const left: (readonly [aFrom: number, aTo: number, bFrom: number, bTo: number])[] = [[0, a.length, 0, b.length]];
	for (let part = left.pop(); part !== undefined; part = left.pop()) {
		const [aFrom, aTo, bFrom, bTo] = part;
		const block = longest(a, b, places, part);
		if (block.size === 0) continue;
		found.push(block);
		if (aFrom < block.a && bFrom < block.b) left.push([aFrom, block.a, bFrom, block.b]);
		if (block.a + block.size < aTo && block.b + block.size < bTo) left.push([block.a + block.size, aTo, block.b + block.size, bTo]);
	}
	return [...found.toSorted((x, y) => x.a - y.a), { a: a.length, b: b.length, size: 0 }];
}

function longest(
	a: readonly string[],
	b: readonly string[],
	places: ReadonlyMap<string, readonly number[]>,
	[aFrom, aTo, bFrom, bTo]: readonly [number, number, number, number],
): Block {
	let best: Block = { a: aFrom, b: bFrom, size: 0 };
	let runs = new Map<number, number>();
	for (let i = aFrom; i < aTo; i++) {
		const next = new Map<number, number>();
		for (const j of places.get(a[i] ?? '') ?? []) {
			if (j < bFrom) continue;
			if (j >= bTo) break;
			const size = (runs.get(j - 1) ?? 0) + 1;
			next.set(j, size);
			if (size > best.size) best = { a: i - size + 1, b: j - size + 1, size };
		}
		runs = next;
	}
	let { a: x, b: y, size } = best;
	while (x > aFrom && y > bFrom && a[x - 1] === b[y - 1]) [x, y, size] = [x - 1, y - 1, size + 1];
	while (x + size < aTo && y + size < bTo && a[x + size] === b[y + size]) size++;
	return { a: x, b: y, size };
}
