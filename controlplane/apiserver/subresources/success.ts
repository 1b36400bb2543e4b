/** What subresources that are posted to have in common. */
import { badRequest } from '../../../api/status.ts';

/** The Status that answers a write without an object of its own (binding, eviction). */
export const CREATED = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 } as const;

/** True when the query asks for ?dryRun=All. */
export function isDryRun(query: URLSearchParams): boolean {
	return query.getAll('dryRun').includes('All');
}

/** What is posted to a subresource may name a namespace, but no other one. StatusError BadRequest. */
export function checkPlace(given: string | undefined, namespace: string): void {
	if ((given ?? '') !== '' && given !== namespace)
		throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
}
