/** What watchers were told, and whether it is what was committed: in order, without a gap, nothing twice, resumable at any revision. */

/** One committed change of a key; no value: deleted. */
export interface Committed {
	readonly revision: bigint;
	readonly key: string;
	readonly value: string | undefined;
}

export interface Told extends Committed {
	/** What the key held before, as the watch says. */
	readonly before: string | undefined;
}

/** What one watch, or several that resumed one another, delivered between two revisions. */
export interface Segment {
	readonly prefix: string;
	/** Exclusive. */
	readonly from: bigint;
	/** Inclusive: everything up to here was delivered. */
	to: bigint;
	readonly told: Told[];
}

/** A list that a watch began with. */
export interface Listed {
	readonly prefix: string;
	readonly revision: bigint;
	readonly values: ReadonlyMap<string, string>;
}

/** The problems found, a line each. `log`: every commit, in order of revisions. */
export function checkWatches(log: readonly Committed[], segments: readonly Segment[], lists: readonly Listed[]): string[] {
	const problems: string[] = [];
	for (const segment of segments) {
		const problem = checkSegment(log, segment);
		if (problem !== undefined) problems.push(`watch of "${segment.prefix}" from ${segment.from}: ${problem}`);
	}
	return [...problems, ...checkLists(log, lists)];
}

function checkSegment(log: readonly Committed[], { prefix, from, to, told }: Segment): string | undefined {
	let at = firstAfter(log, from);
	let last = from;
	for (const change of told) {
		if (change.revision < last) return `revision ${change.revision} came after ${last}`;
		last = change.revision;
		while (at < log.length && !(log[at] as Committed).key.startsWith(prefix)) at++;
		const want = log[at++];
		if (want === undefined) return `${tell(change)} was told, but nothing more was committed`;
		if (want.revision !== change.revision || want.key !== change.key || want.value !== change.value)
			return `${tell(change)} was told where ${tell(want)} was due`;
	}
	for (; at < log.length; at++) {
		const missed = log[at] as Committed;
		if (missed.revision > to) return undefined;
		if (missed.key.startsWith(prefix)) return `${tell(missed)} was never told, though the watch had come to ${to}`;
	}
	return undefined;
}

/** Lists, and the `before` of every change, are checked against the state that the log makes. */
function checkLists(log: readonly Committed[], lists: readonly Listed[]): string[] {
	const problems: string[] = [];
	const state = new Map<string, string>();
	let at = 0;
	for (const { prefix, revision, values } of lists.toSorted((a, b) => (a.revision < b.revision ? -1 : 1))) {
		for (let change; (change = log[at]) !== undefined && change.revision <= revision; at++)
			if (change.value === undefined) state.delete(change.key);
			else state.set(change.key, change.value);
		const want = new Map([...state].filter(([key]) => key.startsWith(prefix)));
		const wrong = [...new Set([...want.keys(), ...values.keys()])].find((key) => want.get(key) !== values.get(key));
		if (wrong !== undefined)
			problems.push(
				`list of "${prefix}" at ${revision}: "${wrong}" is ${values.get(wrong) ?? 'absent'}, not ${want.get(wrong) ?? 'absent'}`,
			);
	}
	return problems;
}

/** Whether each change names the value that it replaced. */
export function checkBefore(log: readonly Committed[], segments: readonly Segment[]): string[] {
	const replaced = new Map<bigint, string | undefined>();
	const state = new Map<string, string | undefined>();
	for (const { revision, key, value } of log) {
		replaced.set(revision, state.get(key));
		state.set(key, value);
	}
	const problems: string[] = [];
	for (const { prefix, told } of segments)
		for (const change of told)
			if (change.before !== replaced.get(change.revision)) {
				problems.push(`watch of "${prefix}": ${tell(change)} is said to replace ${change.before}, not ${replaced.get(change.revision)}`);
				break;
			}
	return problems;
}

function firstAfter(log: readonly Committed[], revision: bigint): number {
	let [low, high] = [0, log.length];
	while (low < high) {
		const mid = (low + high) >> 1;
		if ((log[mid] as Committed).revision <= revision) low = mid + 1;
		else high = mid;
	}
	return low;
}

function tell({ revision, key, value }: Committed): string {
	return `"${key}" ${value === undefined ? 'deleted' : `= ${value}`} at ${revision}`;
}
