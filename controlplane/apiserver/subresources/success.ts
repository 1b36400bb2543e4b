/** What subresources that are posted to have in common. */

/** The Status that answers a write without an object of its own (binding, eviction). */
export const CREATED = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 } as const;

/** True when the query asks for ?dryRun=All. */
export function isDryRun(query: URLSearchParams): boolean {
	return query.getAll('dryRun').includes('All');
}
