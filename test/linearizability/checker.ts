/**
 * Is a history linearizable? Keys are independent, so each is searched by itself (Wing and Gong's search with Lowe's memory of visited
 * states): some order of its operations must fit both real time and a register with compare-and-swap. Revisions then have to order commits
 * of all keys as real time does.
 */
import { Seeded } from '../tools/seeded.ts';
import type { Operation, Swap, Value } from './history.ts';

/** The problems found, a line each; none: the history is linearizable. */
export function check(operations: readonly Operation[]): string[] {
	const byKey = Map.groupBy(operations, (o) => o.key);
	const problems: string[] = [];
	for (const [key, own] of byKey) {
		const stuck = linearize(own);
		if (stuck !== undefined) problems.push(`"${key}": no order of its operations explains ${tell(stuck)}`);
	}
	return [...problems, ...checkRevisions(operations)];
}

/** The register's rule: whether the operation fits the value, and the value after it. */
function step(operation: Operation, value: Value): { readonly value: Value } | undefined {
	if (operation.type === 'read') return operation.saw === value ? { value } : undefined;
	if (operation.outcome === 'refused') return operation.from === value ? undefined : { value };
	return operation.from === value ? { value: operation.to } : undefined;
}

/** An operation in the list of those not yet placed, ordered by start. */
interface Node {
	readonly operation: Operation;
	readonly index: number;
	before: Node | undefined;
	after: Node | undefined;
}

interface Placed {
	readonly node: Node;
	readonly before: Value;
}

/** Undefined when an order exists; otherwise the operation that none could get past. */
function linearize(operations: readonly Operation[]): Operation | undefined {
	const head: Node = { operation: operations[0] as Operation, index: -1, before: undefined, after: undefined };
	let last = head;
	for (const operation of operations.toSorted((a, b) => a.start - b.start)) {
		const node: Node = { operation, index: last.index + 1, before: last, after: undefined };
		last.after = node;
		last = node;
	}
	let must = operations.filter(isAnswered).length;
	const placed: Placed[] = [];
	const visited = new Visited();
	let value: Value;
	let furthest: Operation | undefined;
	let most = -1;
	let at = head.after;
	while (must > 0) {
		// Only operations that began before the earliest end of those left may come next.
		const horizon = earliestEnd(head);
		let found: Node | undefined;
		for (; at !== undefined && at.operation.start <= horizon; at = at.after) {
			const next = step(at.operation, value);
			if (next === undefined || !visited.enter(at.index, next.value)) continue;
			found = at;
			placed.push({ node: at, before: value });
			({ value } = next);
			break;
		}
		if (found !== undefined) {
			unlink(found);
			visited.toggle(found.index);
			if (isAnswered(found.operation)) must--;
			if (placed.length > most) {
				most = placed.length;
				furthest = undefined;
			}
			at = head.after;
			continue;
		}
		if (placed.length === most) furthest ??= firstToEnd(head);
		const back = placed.pop();
		if (back === undefined) return furthest ?? firstToEnd(head);
		relink(back.node);
		visited.toggle(back.node.index);
		if (isAnswered(back.node.operation)) must++;
		value = back.before;
		at = back.node.after;
	}
	return undefined;
}

function isAnswered(operation: Operation): boolean {
	return operation.type === 'read' || operation.outcome !== 'unknown';
}

function unlink(node: Node): void {
	(node.before as Node).after = node.after;
	if (node.after !== undefined) node.after.before = node.before;
}

function relink(node: Node): void {
	(node.before as Node).after = node;
	if (node.after !== undefined) node.after.before = node;
}

/** Ends grow nearly as starts do: the walk stops where no later operation can end earlier. */
function earliestEnd(head: Node): number {
	let end = Infinity;
	for (let node = head.after; node !== undefined && node.operation.start <= end; node = node.after) end = Math.min(end, node.operation.end);
	return end;
}

function firstToEnd(head: Node): Operation | undefined {
	let first: Operation | undefined;
	for (let node = head.after; node !== undefined; node = node.after)
		if (first === undefined || node.operation.end < first.end) first = node.operation;
	return first;
}

/** States (which operations are placed, and the value) that the search has been in; a set is told by a 62-bit sum of words of its members. */
class Visited {
	readonly #seen = new Set<string>();
	readonly #words: (readonly [number, number])[] = [];
	readonly #chance = new Seeded(1);
	#high = 0;
	#low = 0;

	/** True the first time that placing the operation now leads to the value. */
	enter(index: number, value: Value): boolean {
		const [high, low] = this.#word(index);
		const state = `${this.#high ^ high}.${this.#low ^ low}.${value}`;
		if (this.#seen.has(state)) return false;
		this.#seen.add(state);
		return true;
	}

	/** Places or takes back. */
	toggle(index: number): void {
		const [high, low] = this.#word(index);
		this.#high ^= high;
		this.#low ^= low;
	}

	#word(index: number): readonly [number, number] {
		return (this.#words[index] ??= [this.#chance.between(0, 2 ** 31 - 1), this.#chance.between(0, 2 ** 31 - 1)]);
	}
}

/** A commit that began after another had been answered has the higher revision, and no two share one. */
function checkRevisions(operations: readonly Operation[]): string[] {
	const commits = operations.filter((o): o is Swap & { revision: bigint } => o.type === 'swap' && o.revision !== undefined);
	const problems: string[] = [];
	const byRevision = new Map<bigint, Swap>();
	for (const commit of commits) {
		const other = byRevision.get(commit.revision);
		if (other !== undefined) problems.push(`revision ${commit.revision} was given to ${tell(other)} and to ${tell(commit)}`);
		byRevision.set(commit.revision, commit);
	}
	const ended = commits.toSorted((a, b) => a.end - b.end);
	let [i, highest] = [0, 0n];
	for (const commit of commits.toSorted((a, b) => a.start - b.start)) {
		for (let done; (done = ended[i]) !== undefined && done.end < commit.start; i++) if (done.revision > highest) highest = done.revision;
		if (commit.revision <= highest) problems.push(`${tell(commit)} came after an answered commit of revision ${highest}`);
	}
	return problems;
}

function tell(operation: Operation): string {
	const when = `client ${operation.client}, ${operation.start.toFixed(3)} to ${operation.end.toFixed(3)}`;
	if (operation.type === 'read') return `a read of ${operation.saw ?? 'nothing'} (${when})`;
	const { from, to, outcome, revision } = operation;
	return `a swap of ${from ?? 'nothing'} for ${to ?? 'nothing'}, ${outcome}${revision === undefined ? '' : ` at ${revision}`} (${when})`;
}
