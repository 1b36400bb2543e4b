/** Times as the API writes them: RFC 3339, UTC, whole seconds. */

export function isoSeconds(ms: number): string {
	return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
