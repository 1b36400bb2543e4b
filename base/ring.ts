/**
 * A list whose members come and go all the time: a ring of places around the one that stands for the list. Linked by hand, since V8 keeps what the
 * tables held that a Map or Set has outgrown until the old generation is looked through, and each of them the next one: with it everybody who ever
 * was a member, and what hangs on them.
 */
export class Place {
	before: Place = this;
	after: Place = this;

	/** To the end of the list. */
	join(list: Place): void {
		this.after = list;
		this.before = list.before;
		this.before.after = this;
		list.before = this;
	}

	/** Of whatever list it is in; holds nobody any more. */
	leave(): void {
		this.before.after = this.after;
		this.after.before = this.before;
		this.before = this.after = this;
	}
}

/** Those of a list, the first first. */
export function members<T extends Place>(list: Place): readonly T[] {
	const all: T[] = [];
	for (let place = list.after; place !== list; place = place.after) all.push(place as T);
	return all;
}
