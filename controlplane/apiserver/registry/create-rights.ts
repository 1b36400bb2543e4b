/** Who may change an object may not make one by that: an update or a patch of what is not there comes to a create, which is asked for by itself. */
import { internalError, StatusError } from '../../../api/status.ts';
import { refused } from '../authz/forbidden.ts';
import type { Caller, Parts } from './context.ts';
import type { Kind } from './kinds.ts';

/** StatusError Forbidden, and InternalError where nobody can say. */
export async function checkMayCreate(
	{ authorizer }: Parts,
	{ resource: { group, version, kind, plural } }: Kind,
	{ namespace, name }: { readonly namespace: string; readonly name: string },
	{ user, requested = { group, version, kind, resource: plural }, signal }: Caller,
): Promise<void> {
	// What the server writes by itself is nobody's to allow.
	if (authorizer === undefined) return;
	const { group: askedGroup, version: askedVersion, resource } = requested;
	const what = { verb: 'create', group: askedGroup, version: askedVersion, resource, subresource: '' };
	const asked = { type: 'resource', user, ...what, namespace, name } as const;
	const { allowed, error, reason } = await authorizer.authorize(asked, signal);
	if (allowed) return;
	if (error !== undefined) throw internalError(error);
	throw new StatusError(refused(asked, reason).status);
}
