/** The paths of a group version and their operations, from the registry of resources. */
import type { ResourceRow } from '../resources.ts';
import { typeNamed, schemaOfKind } from '../schema.ts';
import type { Flavour, Json, Schemas } from './schemas.ts';

interface Subject {
	readonly group: string;
	readonly version: string;
	readonly kind: string;
}

type Action = 'get' | 'list' | 'post' | 'put' | 'patch' | 'delete' | 'deletecollection' | 'watch' | 'watchlist' | 'connect';

const METHOD: Readonly<Record<Action, string>> = {
	get: 'get',
	list: 'get',
	post: 'post',
	put: 'put',
	patch: 'patch',
	delete: 'delete',
	deletecollection: 'delete',
	watch: 'get',
	watchlist: 'get',
	connect: 'get',
};
const ACTION: Readonly<Record<string, Action>> = { get: 'get', create: 'post', update: 'put', patch: 'patch', delete: 'delete' };
const TYPES = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];
const PATCH_TYPES = [
	'application/json-patch+json',
	'application/merge-patch+json',
	'application/strategic-merge-patch+json',
	'application/apply-patch+yaml',
];
const PROXIED = new Set(['proxy']);
const CONNECTED = new Set(['proxy', 'exec', 'attach', 'portforward']);

type Query = readonly [name: string, type: 'string' | 'boolean' | 'integer'];
const WRITE: readonly Query[] = [
	['dryRun', 'string'],
	['fieldManager', 'string'],
	['fieldValidation', 'string'],
];
const LIST: readonly Query[] = [
	['allowWatchBookmarks', 'boolean'],
	['continue', 'string'],
	['fieldSelector', 'string'],
	['labelSelector', 'string'],
	['limit', 'integer'],
	['resourceVersion', 'string'],
	['resourceVersionMatch', 'string'],
	['sendInitialEvents', 'boolean'],
	['timeoutSeconds', 'integer'],
	['watch', 'boolean'],
];
const DELETE: readonly Query[] = [
	['dryRun', 'string'],
	['gracePeriodSeconds', 'integer'],
	['orphanDependents', 'boolean'],
	['propagationPolicy', 'string'],
];
const QUERIES: Readonly<Partial<Record<Action, readonly Query[]>>> = {
	list: LIST,
	watch: LIST,
	watchlist: LIST,
	post: WRITE,
	put: WRITE,
	patch: [...WRITE, ['force', 'boolean']],
	delete: DELETE,
	deletecollection: [...LIST, ...DELETE],
};

/** Custom resources know their schemas themselves, and have fewer encodings and no old watch paths. */
export interface CustomTypes {
	/** A reference to the schema of one of their kinds; undefined: it is a built-in one. */
	ref(kind: string): Json | undefined;
}

export function pathsOf(
	group: string,
	version: string,
	rows: readonly ResourceRow[],
	schemas: Schemas,
	flavour: Flavour,
	custom?: CustomTypes,
): Json {
	const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
	const paths: Json = {};
	const writer = new PathWriter(paths, schemas, flavour, custom);
	if (custom === undefined) writer.discovery(`${root}/`);
	for (const row of rows) writer.resource(root, row);
	return Object.fromEntries(Object.entries(paths).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

class PathWriter {
	readonly #paths: Json;
	readonly #schemas: Schemas;
	readonly #flavour: Flavour;
	readonly #custom: CustomTypes | undefined;
	readonly #types: readonly string[];
	readonly #patchTypes: readonly string[];

	constructor(paths: Json, schemas: Schemas, flavour: Flavour, custom: CustomTypes | undefined) {
		this.#paths = paths;
		this.#schemas = schemas;
		this.#flavour = flavour;
		this.#custom = custom;
		this.#types = custom === undefined ? TYPES : TYPES.filter((type) => !type.endsWith('protobuf'));
		this.#patchTypes = custom === undefined ? PATCH_TYPES : PATCH_TYPES.filter((type) => !type.includes('strategic'));
	}

	#ref(group: string, version: string, kind: string): Json | undefined {
		const own = this.#custom?.ref(kind);
		if (own !== undefined) return own;
		const type = schemaOfKind(group, version, kind);
		return type === undefined ? undefined : this.#schemas.ref(type);
	}

	discovery(path: string): void {
		this.#put(path, 'get', {
			description: 'get available resources',
			operationId: idOf('get', path),
			...this.#answer(this.#schemas.ref(typeNamed('meta/v1.APIResourceList'))),
		});
	}

	resource(root: string, row: ResourceRow): void {
		const verbs = new Set(row.verbs);
		const { group, version, kind, plural } = row;
		const subject = { group, version, kind };
		const base = row.namespaced ? `${root}/namespaces/{namespace}/${plural}` : `${root}/${plural}`;
		const self = this.#ref(group, version, kind);
		const list = this.#ref(group, version, `${kind}List`);
		if (verbs.has('list')) {
			if (row.namespaced) this.#operation(`${root}/${plural}`, 'list', subject, list);
			this.#operation(base, 'list', subject, list);
		}
		if (verbs.has('create')) this.#operation(base, 'post', subject, self);
		if (verbs.has('deletecollection')) this.#operation(base, 'deletecollection', subject, self);
		for (const verb of ['get', 'update', 'patch', 'delete']) {
			const action = ACTION[verb];
			if (verbs.has(verb) && action !== undefined) this.#operation(`${base}/{name}`, action, subject, self);
		}
		if (verbs.has('watch') && this.#custom === undefined) {
			const watched = row.namespaced ? `${root}/watch/namespaces/{namespace}/${plural}` : `${root}/watch/${plural}`;
			if (row.namespaced) this.#operation(`${root}/watch/${plural}`, 'watchlist', subject, self);
			this.#operation(watched, 'watchlist', subject, self);
			this.#operation(`${watched}/{name}`, 'watch', subject, self);
		}
		for (const sub of row.rows) {
			const of = { group: sub.kindGroup, version: sub.kindVersion, kind: sub.kind };
			const type = this.#ref(of.group, of.version, of.kind);
			const at = `${base}/{name}/${sub.name}`;
			if (CONNECTED.has(sub.name)) {
				for (const path of PROXIED.has(sub.name) ? [at, `${at}/{path}`] : [at]) this.#operation(path, 'connect', of, undefined);
				continue;
			}
			for (const verb of sub.verbs) {
				const action = ACTION[verb];
				if (action !== undefined) this.#operation(at, action, of, type);
			}
		}
	}

	#operation(path: string, action: Action, subject: Subject, type: Json | undefined): void {
		const isStream = this.#custom === undefined && (action === 'list' || action.startsWith('watch'));
		const produces = isStream ? [...this.#types, 'application/json;stream=watch'] : this.#types;
		const body =
			action === 'post' || action === 'put'
				? this.#body(type, ['*/*'])
				: action === 'patch'
					? this.#patchBody()
					: action.startsWith('delete')
						? this.#body(this.#named('meta/v1.DeleteOptions'), ['*/*'])
						: {};
		const status = action === 'deletecollection' || (action === 'delete' && type === undefined);
		const answer =
			status || action === 'delete' ? this.#named('meta/v1.Status') : action.startsWith('watch') ? this.#named('meta/v1.WatchEvent') : type;
		const queries = (QUERIES[action] ?? []).map(([name, of]) => this.#query(name, of));
		const parameters = [...((body['parameters'] as Json[] | undefined) ?? []), ...queries];
		const { parameters: _, ...rest } = body;
		this.#put(path, METHOD[action], {
			operationId: idOf(action, path),
			...rest,
			...(parameters.length === 0 ? {} : { parameters }),
			...this.#answer(answer ?? { type: 'string' }, produces),
			'x-kubernetes-action': action,
			'x-kubernetes-group-version-kind': subject,
		});
		const item = this.#paths[path] as Json;
		item['parameters'] ??= pathParameters(path).map((name) => this.#parameter(name, 'path', 'string', true));
	}

	#put(path: string, method: string, operation: Json): void {
		const item = (this.#paths[path] as Json | undefined) ?? {};
		item[method] = operation;
		this.#paths[path] = item;
	}

	#answer(schema: Json, types: readonly string[] = TYPES): Json {
		if (this.#flavour === 'v2')
			return { produces: types, responses: { 200: { description: 'OK', schema }, 401: { description: 'Unauthorized' } } };
		const content = Object.fromEntries(types.map((type) => [type, { schema }]));
		return { responses: { 200: { description: 'OK', content }, 401: { description: 'Unauthorized' } } };
	}

	#named(type: string): Json {
		return this.#schemas.ref(typeNamed(type));
	}

	#body(schema: Json | undefined, types: readonly string[]): Json {
		if (schema === undefined) return {};
		if (this.#flavour === 'v2') return { consumes: types, parameters: [{ in: 'body', name: 'body', schema }] };
		return { requestBody: { content: Object.fromEntries(types.map((t) => [t, { schema }])) } };
	}

	#patchBody(): Json {
		const schema = this.#schemas.add('io.k8s.apimachinery.pkg.apis.meta.v1.Patch', { type: 'object' });
		if (this.#flavour === 'v2') return { consumes: this.#patchTypes, parameters: [{ in: 'body', name: 'body', required: true, schema }] };
		return { requestBody: { required: true, content: Object.fromEntries(this.#patchTypes.map((type) => [type, { schema }])) } };
	}

	#query(name: string, type: string): Json {
		return this.#parameter(name, 'query', type, false);
	}

	#parameter(name: string, where: 'query' | 'path', type: string, isRequired: boolean): Json {
		const base = { name, in: where, ...(isRequired ? { required: true } : {}) };
		return this.#flavour === 'v2' ? { ...base, type, uniqueItems: true } : { ...base, schema: { type, uniqueItems: true } };
	}
}

function pathParameters(path: string): string[] {
	return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}

/** Unique by path and action. */
function idOf(action: string, path: string): string {
	const words = path.split(/[/{}.-]+/).filter((word) => word !== '');
	return action + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}
