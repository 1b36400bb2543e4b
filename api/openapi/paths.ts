/** The paths of a group version and their operations, from the registry of resources. Pure. */
import type { ResourceRow } from '../resources.ts';
import { schemaOfKind, typeNamed } from '../schema.ts';
import { ConnectPaths } from './connect-paths.ts';
import { ANSWERS_DELETED } from '../answers-deleted.ts';
import { capital, groupTag, groupVersionWord } from './operation-names.ts';
import { pathItem, type Operation } from './operations.ts';
import { optionsOf, pathParameter, PRETTY, type Parameter, type SharedParameters } from './parameters.ts';
import type { Describe, Flavour, Json, Schemas } from './schemas.ts';

export const TYPES = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];
const STREAMS = ['application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch'];
const PATCH_TYPES = [
	'application/json-patch+json',
	'application/merge-patch+json',
	'application/strategic-merge-patch+json',
	'application/apply-patch+yaml',
];
/** Subresources that hand the connection on, in place of an answer of the API. */
const CONNECTED = new Set(['proxy', 'exec', 'attach', 'portforward']);
const WATCH_INSTEAD = "deprecated: use the 'watch' parameter with a list operation instead";
const ONE_ITEM = "filtered to a single item with the 'fieldSelector' parameter";

/** Custom resources know their schemas themselves, and have fewer encodings and no old watch paths. */
export interface CustomTypes {
	/** A reference to the schema of one of their kinds; undefined: it is a built-in one. */
	ref(kind: string): Json | undefined;
}

/** What all paths of a document share. */
export interface Document {
	readonly schemas: Schemas;
	readonly flavour: Flavour;
	readonly describe: Describe;
	readonly shared: SharedParameters;
}

export function pathsOf(group: string, version: string, rows: readonly ResourceRow[], document: Document, custom?: CustomTypes): Json {
	const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
	const writer = new PathWriter(document, custom);
	if (custom === undefined) writer.discovery(`${root}/`, group, version);
	for (const row of rows) writer.resource(root, row);
	return writer.done();
}

interface Where {
	readonly path: string;
	readonly row: ResourceRow;
	/** "Namespaced" and the like, before the kind. */
	readonly scope: string;
	/** Of a subresource, "Status"; and its name. */
	readonly sub?: string;
	readonly kind: Json;
}

class PathWriter {
	readonly #paths = new Map<string, Operation[]>();
	readonly #document: Document;
	readonly #custom: CustomTypes | undefined;
	readonly #types: readonly string[];
	readonly #list: readonly Parameter[];
	readonly #delete: readonly Parameter[];
	readonly #create: readonly Parameter[];
	readonly #patch: readonly Parameter[];

	constructor(document: Document, custom: CustomTypes | undefined) {
		const { describe } = document;
		this.#document = document;
		this.#custom = custom;
		this.#types = custom === undefined ? TYPES : TYPES.filter((type) => !type.endsWith('protobuf'));
		this.#list = optionsOf('meta/v1.ListOptions', describe);
		this.#delete = optionsOf('meta/v1.DeleteOptions', describe);
		this.#create = optionsOf('meta/v1.CreateOptions', describe);
		this.#patch = optionsOf('meta/v1.PatchOptions', describe);
	}

	/** By path, sorted. */
	done(): Json {
		const { flavour, shared } = this.#document;
		const sorted = [...this.#paths].toSorted(([a], [b]) => (a < b ? -1 : 1));
		return Object.fromEntries(sorted.map(([path, operations]) => [path, pathItem(operations, flavour, shared)]));
	}

	discovery(path: string, group: string, version: string): void {
		this.#put(path, {
			method: 'get',
			id: `get${groupVersionWord(group, version)}APIResources`,
			tag: `${groupTag(group)}_${version}`,
			description: 'get available resources',
			consumes: TYPES,
			produces: TYPES,
			parameters: [],
			answer: this.#named('meta/v1.APIResourceList'),
			answers: [],
		});
	}

	resource(root: string, row: ResourceRow): void {
		const verbs = new Set(row.verbs);
		const { group, version, kind, plural } = row;
		const base = row.namespaced ? `${root}/namespaces/{namespace}/${plural}` : `${root}/${plural}`;
		const scope = row.namespaced ? 'Namespaced' : '';
		const self = this.#ref(group, version, kind);
		const list = this.#ref(group, version, `${kind}List`);
		const gvk = { group, version, kind };
		const at = { row, scope, kind: gvk };
		if (verbs.has('list')) {
			if (row.namespaced) this.#listing({ ...at, scope: '', path: `${root}/${plural}` }, list, 'ForAllNamespaces');
			this.#listing({ ...at, path: base }, list, '');
		}
		if (verbs.has('create')) this.#write({ ...at, path: base }, 'create', self);
		if (verbs.has('deletecollection')) this.#deleteCollection({ ...at, path: base });
		const one = { ...at, path: `${base}/{name}` };
		if (verbs.has('get')) this.#read(one, self, [PRETTY, ...this.#readOptions()]);
		if (verbs.has('update')) this.#write(one, 'update', self);
		if (verbs.has('patch')) this.#write(one, 'patch', self);
		if (verbs.has('delete')) this.#deleteOne(one, ANSWERS_DELETED.has(`${group}/${plural}`) ? self : this.#named('meta/v1.Status'));
		if (verbs.has('watch') && this.#custom === undefined) this.#watches(root, at);
		for (const sub of row.rows) this.#subresource(base, at, sub);
	}

	#subresource(base: string, at: Omit<Where, 'path'>, { name, kind, kindGroup, kindVersion, verbs }: ResourceRow['rows'][number]): void {
		const path = `${base}/{name}/${name}`;
		const { row } = at;
		if (CONNECTED.has(name)) {
			const connect = new ConnectPaths(row, { group: row.group, version: kindVersion, kind }, this.#document.describe);
			for (const [on, operations] of connect.of(path, name)) for (const operation of operations) this.#put(on, operation);
			return;
		}
		// A subresource of a custom resource is said to be of that kind, whatever it takes.
		const of = this.#custom === undefined ? { group: kindGroup, version: kindVersion, kind } : at.kind;
		const where = { ...at, path, sub: name, kind: of };
		const type = this.#ref(kindGroup, kindVersion, kind);
		if (verbs.includes('get') && name === 'log') this.#log(where);
		else if (verbs.includes('get')) this.#read(where, type, [PRETTY, ...this.#readOptions()]);
		if (verbs.includes('create')) this.#write(where, 'create', type);
		if (verbs.includes('update')) this.#write(where, 'update', type);
		if (verbs.includes('patch')) this.#write(where, 'patch', type);
	}

	#listing(where: Where, list: Json | undefined, suffix: string): void {
		const canWatch = where.row.verbs.includes('watch') && this.#custom === undefined;
		this.#operation(where, 'get', 'list', `${canWatch ? 'list or watch' : 'list'} objects of kind ${where.row.kind}`, {
			id: ['list', suffix],
			produces: this.#custom === undefined ? [...TYPES, ...STREAMS] : this.#types,
			parameters: [PRETTY, ...this.#list],
			answer: list,
		});
	}

	#watches(root: string, at: Omit<Where, 'path'>): void {
		const { plural, namespaced, kind } = at.row;
		const inside = namespaced ? `${root}/watch/namespaces/{namespace}/${plural}` : `${root}/watch/${plural}`;
		const event = this.#named('meta/v1.WatchEvent');
		const all = { produces: [...TYPES, ...STREAMS], parameters: [PRETTY, ...this.#list], answer: event };
		const lists = `watch individual changes to a list of ${kind}. ${WATCH_INSTEAD}.`;
		const item = `watch changes to an object of kind ${kind}. ${WATCH_INSTEAD}, ${ONE_ITEM}.`;
		if (namespaced)
			this.#operation({ ...at, scope: '', path: `${root}/watch/${plural}` }, 'get', 'watchlist', lists, {
				...all,
				id: ['watch', 'ListForAllNamespaces'],
			});
		this.#operation({ ...at, path: inside }, 'get', 'watchlist', lists, { ...all, id: ['watch', 'List'] });
		this.#operation({ ...at, path: `${inside}/{name}` }, 'get', 'watch', item, { ...all, id: ['watch', ''] });
	}

	#read(where: Where, type: Json | undefined, parameters: readonly Parameter[]): void {
		this.#operation(where, 'get', 'get', `read ${ofThe(where)}`, { id: ['read', ''], parameters, answer: type });
	}

	#log(where: Where): void {
		this.#operation(where, 'get', 'get', `read ${ofThe(where)}`, {
			id: ['read', ''],
			produces: ['text/plain', ...TYPES],
			parameters: [PRETTY, ...optionsOf('core/v1.PodLogOptions', this.#document.describe)],
			answer: undefined,
		});
	}

	#write(where: Where, verb: 'create' | 'update' | 'patch', type: Json | undefined): void {
		const { schemas } = this.#document;
		const isCustom = this.#custom !== undefined;
		const a = where.sub === undefined ? `create a${/^[AEIOU]/.test(where.row.kind) ? 'n' : ''} ${where.row.kind}` : createOf(where);
		switch (verb) {
			case 'create':
				return this.#operation(where, 'post', 'post', a, {
					id: ['create', ''],
					parameters: [PRETTY, ...this.#create],
					body: { schema: type ?? {}, isRequired: true },
					answer: type,
					answers: [201, 202],
				});
			case 'update':
				return this.#operation(where, 'put', 'put', `replace ${ofThe(where)}`, {
					id: ['replace', ''],
					parameters: [PRETTY, ...this.#create],
					body: { schema: type ?? {}, isRequired: true },
					answer: type,
					answers: [201],
				});
			case 'patch':
				return this.#operation(where, 'patch', 'patch', `partially update ${ofThe(where)}`, {
					id: ['patch', ''],
					consumes: isCustom ? PATCH_TYPES.filter((one) => !one.includes('strategic')) : PATCH_TYPES,
					parameters: [PRETTY, ...this.#patch],
					body: { schema: schemas.patch(), isRequired: true },
					answer: type,
					answers: isCustom ? [] : [201],
				});
		}
	}

	#deleteOne(where: Where, answer: Json | undefined): void {
		const { kind } = where.row;
		this.#operation(where, 'delete', 'delete', `delete a${/^[AEIOU]/.test(kind) ? 'n' : ''} ${kind}`, {
			id: ['delete', ''],
			parameters: [PRETTY, ...this.#delete],
			body: { schema: this.#named('meta/v1.DeleteOptions'), isRequired: false },
			answer,
			answers: [202],
		});
	}

	#deleteCollection(where: Where): void {
		const isCustom = this.#custom !== undefined;
		const selecting = this.#list.filter(({ name }) => name !== 'watch' && name !== 'allowWatchBookmarks');
		this.#operation(where, 'delete', 'deletecollection', `delete collection of ${where.row.kind}`, {
			id: ['delete', '', 'Collection'],
			parameters: [PRETTY, ...(isCustom ? this.#list : [...selecting, ...this.#delete])],
			...(isCustom ? {} : { body: { schema: this.#named('meta/v1.DeleteOptions'), isRequired: false } }),
			answer: this.#named('meta/v1.Status'),
		});
	}

	#operation(
		where: Where,
		method: string,
		action: string,
		description: string,
		what: {
			readonly id: readonly [verb: string, suffix: string, prefix?: string];
			readonly consumes?: readonly string[];
			readonly produces?: readonly string[];
			readonly parameters: readonly Parameter[];
			readonly body?: Operation['body'];
			readonly answer: Json | undefined;
			readonly answers?: Operation['answers'];
		},
	): void {
		const { row, path, scope, sub = '' } = where;
		const [verb, suffix, prefix = ''] = what.id;
		this.#put(path, {
			method,
			id: `${verb}${groupVersionWord(row.group, row.version)}${prefix}${scope}${row.kind}${capital(sub)}${suffix}`,
			tag: `${groupTag(row.group)}_${row.version}`,
			description,
			consumes: what.consumes ?? (this.#custom === undefined ? ['*/*'] : this.#types),
			produces: what.produces ?? this.#types,
			parameters: [...namesIn(path).map((name) => pathParameter(name, row.kind)), ...what.parameters],
			body: what.body,
			answer: what.answer,
			answers: what.answers ?? [],
			action,
			subject: where.kind,
		});
	}

	#readOptions(): readonly Parameter[] {
		return this.#custom === undefined ? [] : this.#list.filter(({ name }) => name === 'resourceVersion');
	}

	#ref(group: string, version: string, kind: string): Json | undefined {
		const own = this.#custom?.ref(kind);
		if (own !== undefined) return own;
		const type = schemaOfKind(group, version, kind);
		return type === undefined ? undefined : this.#document.schemas.ref(type);
	}

	#named(type: string): Json {
		return this.#document.schemas.ref(typeNamed(type));
	}

	#put(path: string, operation: Operation): void {
		this.#paths.set(path, [...(this.#paths.get(path) ?? []), operation]);
	}
}

function ofThe({ sub, row }: Where): string {
	return `${sub === undefined ? '' : `${sub} of `}the specified ${row.kind}`;
}

function createOf({ sub, row }: Where): string {
	return `create ${sub ?? ''} of a${/^[AEIOU]/.test(row.kind) ? 'n' : ''} ${row.kind}`;
}

/** "/x/{namespace}/y/{name}" -> namespace, name */
function namesIn(path: string): string[] {
	return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}
