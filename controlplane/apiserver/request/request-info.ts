/** What a method and a path ask for, as upstream's RequestInfo: the one reading of paths that routing and authorization share. Pure. */
import { unescaped } from './escapes.ts';

export interface ResourceInfo {
	readonly type: 'resource';
	/** get, list, watch, create, update, patch, delete, deletecollection; '' where a method has no verb. Old paths name theirs: watch, proxy. */
	readonly verb: string;
	readonly group: string;
	readonly version: string;
	readonly resource: string;
	/** '' for none. */
	readonly subresource: string;
	/** What follows the subresource: proxy paths. */
	readonly rest: string;
	/** '' for cluster-scoped or all namespaces. */
	readonly namespace: string;
	/** '' for a collection. */
	readonly name: string;
}

/** Anything else. `unreadable` is a word that stands for a verb with no resource after it: nothing is asked for. */
export type RequestInfo =
	| ResourceInfo
	| { readonly type: 'path'; readonly verb: string; readonly path: string; readonly unreadable?: true };

/** By path, then by method: clients ask for the same few paths over and over. It is asked before who asks is known, so nobody may fill it with much. */
const known = new Map<string, Map<string, RequestInfo>>();
const MAX_KNOWN = 4096;
const MAX_KNOWN_PATH = 512;
const KNOWN_METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

export function requestInfo(method: string, path: string, query: URLSearchParams): RequestInfo {
	if (path.length > MAX_KNOWN_PATH || !KNOWN_METHODS.has(method)) return read(method, path, query);
	// Nothing else of the query counts, and who asks keeps what it knows by this object.
	const how = query.size > 0 && isWatch(query) ? `${method} watch` : method;
	let methods = known.get(path);
	if (methods === undefined) {
		if (known.size >= MAX_KNOWN) known.clear();
		known.set(path, (methods = new Map()));
	}
	let info = methods.get(how);
	if (info === undefined) methods.set(how, (info = read(method, path, query)));
	return info;
}

function read(method: string, sent: string, query: URLSearchParams): RequestInfo {
	const path = unescaped(sent);
	const asPath: RequestInfo = { type: 'path', verb: method.toLowerCase(), path };
	const segments = path.split('/').filter((s) => s !== '');
	let rest: string[];
	let group = '';
	let version: string;
	if (segments[0] === 'api' && segments.length > 2) {
		version = segments[1] as string;
		rest = segments.slice(2);
	} else if (segments[0] === 'apis' && segments.length > 3) {
		[group, version] = [segments[1] as string, segments[2] as string];
		rest = segments.slice(3);
	} else return asPath;
	const named = NAMED_BY_PATH.has(rest[0] as string) ? rest[0] : undefined;
	if (named !== undefined && rest.length === 1) return { ...asPath, unreadable: true };
	if (named !== undefined) rest = rest.slice(1);
	let namespace = '';
	if (NOWHERE.test(path)) rest = rest.slice(1);
	else if (rest[0] === 'namespaces' && rest.length > 1) {
		namespace = rest[1] as string;
		const isNamespaceItself = rest.length === 2 || rest[2] === 'status' || rest[2] === 'finalize';
		if (!isNamespaceItself) rest = rest.slice(2);
	}
	const [resource = '', name = '', ...below] = rest;
	const [subresource = '', ...tail] = named === 'proxy' ? [] : below;
	return {
		type: 'resource',
		verb: named ?? verbOf(method, name, query),
		group,
		version,
		resource,
		subresource,
		rest: tail.join('/'),
		namespace,
		name,
	};
}

/** In a namespace without a name, which is none. */
export const NOWHERE = /^\/(?:api\/[^/]+|apis\/[^/]+\/[^/]+)\/(?:watch\/)?namespaces\/\/(?!(?:status|finalize)(?:\/|$))[^/]/;

/** The first words of old paths that stand for the verb, whatever the method. */
const NAMED_BY_PATH = new Set(['watch', 'proxy']);

function verbOf(method: string, name: string, query: URLSearchParams): string {
	switch (method) {
		case 'POST':
			return 'create';
		case 'PUT':
			return 'update';
		case 'PATCH':
			return 'patch';
		case 'DELETE':
			return name === '' ? 'deletecollection' : 'delete';
		case 'GET':
		case 'HEAD':
			if (isWatch(query)) return name === '' ? 'watch' : 'get';
			return name === '' ? 'list' : 'get';
	}
	return '';
}

/** A boolean of a query, as upstream reads it: all but "0" and "false" is a yes, an empty value too (`?watch`). */
export function isTrue(value: string | null): boolean {
	return value !== null && value !== '0' && value.toLowerCase() !== 'false';
}

function isWatch(query: URLSearchParams): boolean {
	return query.has('watch') && isTrue(query.get('watch'));
}
