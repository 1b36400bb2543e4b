/** Equality of JSON values as the API means it: a member that is undefined is not there, prototypes and the order of members say nothing. */

/** Whether both would be the same JSON, up to the order of members. */
export function sameJson(a: unknown, b: unknown): boolean {
	if (a === b) return true;
	if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
	if (Array.isArray(a) || Array.isArray(b))
		return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, i) => sameJson(item, b[i]));
	const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
	let shared = 0;
	for (const key of Object.keys(left)) {
		const value = left[key];
		if (value === undefined) continue;
		// Own members only: "constructor" is a key like any other.
		if (!Object.hasOwn(right, key) || !sameJson(value, right[key])) return false;
		shared++;
	}
	for (const key of Object.keys(right)) if (right[key] !== undefined) shared--;
	return shared === 0;
}
