/** What a request asks for, as authorizers and the audit policy see it. Pure. */
import { pathSegment } from '../../../api/validation/names.ts';
import { pinnedFields } from '../authz/pinned-fields.ts';
import { selectorsOf } from '../authz/selectors.ts';
import type { Attributes, UserInfo } from '../contracts.ts';
import type { RequestInfo, ResourceInfo } from './request-info.ts';

/** Users and requests come again and again as the same objects. */
const known = new WeakMap<UserInfo, WeakMap<RequestInfo, Attributes>>();

export function attributesOf(user: UserInfo, info: RequestInfo, query: URLSearchParams): Attributes {
	if (info.type === 'resource' && SELECTING.includes(info.verb)) return selecting(user, info, query);
	let ofUser = known.get(user);
	if (ofUser === undefined) known.set(user, (ofUser = new WeakMap()));
	let asked = ofUser.get(info);
	if (asked === undefined) ofUser.set(info, (asked = plain(user, info)));
	return asked;
}

/** What the query has no part in. */
function plain(user: UserInfo, info: RequestInfo): Attributes {
	if (info.type === 'path') return { type: 'path', user, verb: info.verb, path: info.path, lasting: true };
	const { verb, group, version, resource, subresource, namespace, name } = info;
	return { type: 'resource', user, verb, group, version, resource, subresource, namespace, name, lasting: true };
}

function selecting(user: UserInfo, info: ResourceInfo, query: URLSearchParams): Attributes {
	const { verb, group, version, resource, subresource, namespace } = info;
	const selector = query.get('fieldSelector') ?? '';
	const pinned = pinnedFields(selector);
	const name = info.name || (verb === 'deletecollection' ? '' : selectedName(pinned));
	const asked = { type: 'resource', user, verb, group, version, resource, subresource, namespace, name } as const;
	const labels = query.get('labelSelector') ?? '';
	if (selector === '' && labels === '') return asked;
	return { ...asked, pinned, selectors: () => selectorsOf(selector, labels) };
}

/** The name that a list or watch is of: in its path, or by its field selector. */
export function nameOf({ name }: ResourceInfo, query: URLSearchParams): string {
	if (name !== '') return name;
	const selector = query.get('fieldSelector') ?? '';
	return selector === '' ? '' : selectedName(pinnedFields(selector));
}

const SELECTING = ['list', 'watch', 'deletecollection'];

/** A list or watch of one name by field selector counts as access to that name. */
function selectedName({ 'metadata.name': name = '' }: Readonly<Record<string, string>>): string {
	return pathSegment(name).length === 0 ? name : '';
}
