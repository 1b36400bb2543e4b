/** Go reads YAML as JSON that it wrote of it, whose keys are sorted: so are the complaints. */
export function sortedKeys(value: unknown): unknown {
	if (Array.isArray(value)) return value.map((item) => sortedKeys(item));
	if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
	const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
	return Object.fromEntries(entries.map(([key, inner]) => [key, sortedKeys(inner)]));
}
