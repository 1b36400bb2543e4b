/** Whether two API values say the same: absent, undefined and null fields are alike, and order of keys does not matter. Pure. */
export function sameJson(a: unknown, b: unknown): boolean {
	if (a === b) return true;
	if (a === undefined || a === null) return b === undefined || b === null;
	if (b === undefined || b === null) return false;
	if (typeof a !== 'object' || typeof b !== 'object') return false;
	if (Array.isArray(a) || Array.isArray(b))
		return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, i) => sameJson(item, b[i]));
	const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
	return [...new Set([...Object.keys(left), ...Object.keys(right)])].every((key) => sameJson(left[key], right[key]));
}
