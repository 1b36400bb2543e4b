/** What a request asks for, as authorizers and the audit policy see it. Pure. */
import { pinnedFields } from '../authz/pinned-fields.ts';
import type { Attributes, UserInfo } from '../contracts.ts';
import type { RequestInfo } from './request-info.ts';

export function attributesOf(user: UserInfo, info: RequestInfo, query: URLSearchParams): Attributes {
	if (info.type === 'path') return { type: 'path', user, verb: info.verb, path: info.path };
	const { verb, group, version, resource, subresource, namespace } = info;
	const asked = {
		type: 'resource',
		user,
		verb,
		group,
		version,
		resource,
		subresource,
		namespace,
		name: info.name || selectedName(verb, query),
	} as const;
	const selector = SELECTING.includes(verb) ? query.get('fieldSelector') : null;
	return selector === null || selector === '' ? asked : { ...asked, pinned: pinnedFields(selector) };
}

const SELECTING = ['list', 'watch', 'deletecollection'];

/** A list, watch or deletecollection of one name by field selector counts as access to that name. */
function selectedName(verb: string, query: URLSearchParams): string {
	if (!SELECTING.includes(verb)) return '';
	const match = /^metadata\.name==?([^,]+)$/.exec(query.get('fieldSelector') ?? '');
	return match?.[1] ?? '';
}
