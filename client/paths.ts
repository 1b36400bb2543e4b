/** Where resources live on an API server, and how options are written in a query. Pure. */
import { splitKey, type Key, type Resource } from '../api/resource.ts';

/** "/api/v1/namespaces/default/pods/web/status". A namespaced resource without a namespace means all namespaces. */
export function pathOf(
	resource: Resource,
	where: { readonly namespace?: string; readonly name?: string; readonly subresource?: string },
): string {
	const root = resource.group === '' ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
	const parts = [root];
	if (resource.namespaced && where.namespace !== undefined && where.namespace !== '')
		parts.push('namespaces', encodeURIComponent(where.namespace));
	parts.push(resource.plural);
	if (where.name !== undefined) parts.push(encodeURIComponent(where.name));
	if (where.subresource !== undefined) parts.push(where.subresource);
	return parts.join('/');
}

/** The path of one object. */
export function pathOfKey(resource: Resource, key: Key, subresource?: string): string {
	const { namespace, name } = splitKey(key);
	return pathOf(resource, {
		name,
		...(namespace === undefined ? {} : { namespace }),
		...(subresource === undefined ? {} : { subresource }),
	});
}

export type QueryValue = string | number | boolean | undefined;

/** "?a=1&b=x", or "" where nothing is set. */
export function queryOf(values: Readonly<Record<string, QueryValue>>): string {
	const parts: string[] = [];
	for (const [name, value] of Object.entries(values)) if (value !== undefined) parts.push(`${name}=${encodeURIComponent(String(value))}`);
	return parts.length === 0 ? '' : `?${parts.join('&')}`;
}
