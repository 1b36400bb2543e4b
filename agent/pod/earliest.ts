/** The first of times to come. Pure. */

/** Undefined where none is known. */
export function earliest(...times: readonly (number | undefined)[]): number | undefined {
	const known = times.filter((t) => t !== undefined);
	return known.length === 0 ? undefined : Math.min(...known);
}
