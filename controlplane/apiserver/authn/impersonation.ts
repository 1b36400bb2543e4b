/** Acting as someone else: the Impersonate-* headers, each of which needs the verb "impersonate" (upstream's filters/impersonation). */
import { badRequest, forbidden } from '../../../api/status.ts';
import { forbiddenMessage } from '../authz/forbidden.ts';
import type { Attributes, Authorizer, UserInfo } from '../contracts.ts';
import { ANONYMOUS, AUTHENTICATED, UNAUTHENTICATED } from './chain.ts';
import { serviceAccountGroups, splitServiceAccount } from './service-account-claims.ts';

type Headers = Readonly<Record<string, string | undefined>>;

const EXTRA_PREFIX = 'impersonate-extra-';

/** The user to go on with: the asked one when the real user may impersonate it, the real one when no header asks. */
export async function impersonate(user: UserInfo, headers: Headers, authorizer: Authorizer, signal: AbortSignal): Promise<UserInfo> {
	const asked = askedUser(headers);
	if (asked === undefined) return user;
	if (asked.name === '') throw badRequest(`requested ${goText(asked)} without impersonating a user name`);
	for (const attributes of permissions(user, asked)) {
		const decision = await authorizer.authorize(attributes, signal);
		if (!decision.allowed)
			throw forbidden(
				{ group: attributes.group, plural: attributes.resource },
				attributes.name,
				forbiddenMessage(attributes, decision.reason),
			);
	}
	return complete(asked);
}

/** The headers as a user; undefined when none is there. */
export function askedUser(headers: Headers): UserInfo | undefined {
	const extra: Record<string, readonly string[]> = {};
	for (const [name, value] of Object.entries(headers))
		if (name.startsWith(EXTRA_PREFIX) && value !== undefined) extra[decodeURIComponent(name.slice(EXTRA_PREFIX.length))] = values(value);
	const name = headers['impersonate-user'] ?? '';
	const uid = headers['impersonate-uid'] ?? '';
	const groups = headers['impersonate-group'] === undefined ? [] : values(headers['impersonate-group']);
	if (name === '' && uid === '' && groups.length === 0 && Object.keys(extra).length === 0) return undefined;
	return { name, uid, groups, extra };
}

/** A repeated header arrives joined by ", ". */
function values(header: string): string[] {
	return header.split(/,\s*/);
}

function permissions(user: UserInfo, asked: UserInfo): (Attributes & { readonly type: 'resource' })[] {
	const one = (
		group: string,
		resource: string,
		name: string,
		namespace = '',
		subresource = '',
	): Attributes & { readonly type: 'resource' } => ({
		type: 'resource',
		user,
		verb: 'impersonate',
		group,
		version: 'v1',
		resource,
		subresource,
		namespace,
		name,
	});
	const account = splitServiceAccount(asked.name);
	const out = [account === undefined ? one('', 'users', asked.name) : one('', 'serviceaccounts', account.name, account.namespace)];
	for (const group of asked.groups) out.push(one('', 'groups', group));
	for (const [key, list] of Object.entries(asked.extra))
		for (const value of list) out.push(one('authentication.k8s.io', 'userextras', value, '', key));
	if (asked.uid !== '') out.push(one('authentication.k8s.io', 'uids', asked.uid));
	return out;
}

/** Adds the groups that authentication would have added. */
function complete(asked: UserInfo): UserInfo {
	const account = splitServiceAccount(asked.name);
	const groups = asked.groups.length === 0 && account !== undefined ? [...serviceAccountGroups(account.namespace)] : [...asked.groups];
	const always = asked.name === ANONYMOUS ? UNAUTHENTICATED : AUTHENTICATED;
	if (!groups.includes(always)) groups.push(always);
	return { ...asked, groups };
}

/** The user as Go's %#v prints it, which upstream's message shows. */
function goText(user: UserInfo): string {
	const strings = (list: readonly string[]): string => `[]string{${list.map((s) => JSON.stringify(s)).join(', ')}}`;
	const groups = user.groups.length === 0 ? '[]string(nil)' : strings(user.groups);
	const entries = Object.entries(user.extra).sort(([a], [b]) => (a < b ? -1 : 1));
	const extra =
		entries.length === 0
			? 'map[string][]string(nil)'
			: `map[string][]string{${entries.map(([k, v]) => `${JSON.stringify(k)}:${strings(v)}`).join(', ')}}`;
	return `&user.DefaultInfo{Name:${JSON.stringify(user.name)}, UID:${JSON.stringify(user.uid)}, Groups:${groups}, Extra:${extra}}`;
}
