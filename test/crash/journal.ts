/**
 * What a client of a cluster that may die knows of its own objects: the last acknowledged form of each, and the write that was under way.
 * `differences` is the rule of durability: an acknowledged form, or the one under way, and nothing else.
 */

/** One form of an object as a server acknowledged or showed it. */
export interface Form {
	readonly uid: string;
	readonly resourceVersion: string;
	readonly value: string;
}

/** `gone`: never there, or its deletion was acknowledged. */
type State = Form | 'gone';

interface Record {
	acknowledged: State;
	/** The value that a create or an update under way would give it. */
	underWay: { readonly value: string } | 'delete' | undefined;
}

export class Journal {
	readonly #records = new Map<string, Record>();
	#acknowledged = 0;

	/** How many writes were acknowledged. */
	get acknowledged(): number {
		return this.#acknowledged;
	}

	/** Names whose object is there and is not being written. */
	get idle(): readonly string[] {
		return [...this.#records].filter(([, r]) => r.underWay === undefined && r.acknowledged !== 'gone').map(([name]) => name);
	}

	form(name: string): Form | undefined {
		const state = this.#records.get(name)?.acknowledged;
		return state === 'gone' ? undefined : state;
	}

	begins(name: string, write: { readonly value: string } | 'delete'): void {
		const record = this.#records.get(name);
		if (record === undefined) this.#records.set(name, { acknowledged: 'gone', underWay: write });
		else record.underWay = write;
	}

	acknowledge(name: string, state: State): void {
		this.#records.set(name, { acknowledged: state, underWay: undefined });
		this.#acknowledged++;
	}

	/** What a server that came back shows against what it acknowledged; each difference is one line. What it shows is then what is known. */
	differences(shown: ReadonlyMap<string, Form>): readonly string[] {
		const lines: string[] = [];
		for (const [name, record] of this.#records) {
			const seen: State = shown.get(name) ?? 'gone';
			if (!fits(record, seen)) lines.push(`"${name}": ${text(seen)} instead of ${text(record.acknowledged)}`);
			this.#records.set(name, { acknowledged: seen, underWay: undefined });
		}
		for (const name of shown.keys()) if (!this.#records.has(name)) lines.push(`"${name}" was never created`);
		return lines;
	}
}

function fits({ acknowledged, underWay }: Record, seen: State): boolean {
	if (same(acknowledged, seen)) return true;
	if (underWay === undefined) return false;
	if (underWay === 'delete' || seen === 'gone') return underWay === 'delete' && seen === 'gone';
	if (seen.value !== underWay.value) return false;
	return acknowledged === 'gone' || (seen.uid === acknowledged.uid && BigInt(seen.resourceVersion) > BigInt(acknowledged.resourceVersion));
}

function same(a: State, b: State): boolean {
	if (a === 'gone' || b === 'gone') return a === b;
	return a.uid === b.uid && a.resourceVersion === b.resourceVersion && a.value === b.value;
}

function text(state: State): string {
	return state === 'gone' ? 'gone' : `"${state.value.slice(0, 40)}" at ${state.resourceVersion} (${state.uid})`;
}
