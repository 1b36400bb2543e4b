/** Times as the API writes them. */

/** RFC 3339 to the second. */
export function timeOf(ms: number): string {
	return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** RFC 3339 with microseconds, as leases carry them. */
export function microTimeOf(ms: number): string {
	return new Date(ms).toISOString().replace('Z', '000Z');
}
