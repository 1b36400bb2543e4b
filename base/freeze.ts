/** Freezes a plain value and all in it, in place: what many share, nobody changes. */
export function freeze<V>(value: V): V {
	if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
	Object.freeze(value);
	for (const name in value) freeze(value[name]);
	return value;
}
