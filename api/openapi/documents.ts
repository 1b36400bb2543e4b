/** The documents of /openapi, made when first asked for and kept as bytes with their hash. */
import { createHash } from 'node:crypto';
import { RESOURCES, type ResourceRow } from '../resources.ts';
import { gnosticDocument } from './gnostic.ts';
import { SharedParameters } from './parameters.ts';
import { pathsOf } from './paths.ts';
import { rootPathItem, rootPaths } from './root-paths.ts';
import { SCHEME_VERSIONS } from './scheme-versions.ts';
import { Schemas, type Describe, type Flavour, type Json } from './schemas.ts';

export interface Document {
	readonly bytes: Uint8Array;
	/** Upper-case hexadecimal SHA-512, as upstream's ETags are. */
	readonly hash: string;
}

/** Of the API, not of the server. */
const VERSION = '1.36';

/** Gives the source of descriptions when a document is made; it may be big, so it is not kept. */
export type DescribedBy = () => Describe;
const undescribed: DescribedBy = () => () => undefined;
const made = new Map<string, Document>();

const groupVersionsOf = (): (readonly [string, string])[] => {
	const found = new Map(RESOURCES.map(({ group, version }) => [`${group}/${version}`, [group, version] as const]));
	return [...found.values()];
};

const groupNames = (): string[] => [...new Set(RESOURCES.map(({ group }) => group).filter((group) => group !== ''))];
/** Options and watch events are of every group version; a document names the core group and its own. */
const CORE = [{ group: '', version: 'v1' }];

/** "api", "api/v1", "apis/apps", "apis/apps/v1", … */
export function openApiV3Paths(): string[] {
	const versions = groupVersionsOf().map(([group, version]) => (group === '' ? `api/${version}` : `apis/${group}/${version}`));
	return [...versions, ...rootPaths(groupNames()).map(({ path }) => path)];
}

/** The document of a group version, or of a path above them; undefined for an unknown path. */
export function openApiV3(path: string, describedBy: DescribedBy = undescribed): Document | undefined {
	const found = groupVersionsOf().find(([group, version]) => path === (group === '' ? `api/${version}` : `apis/${group}/${version}`));
	if (found === undefined) {
		const above = openApiV3Paths().includes(path);
		return above ? document(path, () => text(rootV3(path, describedBy()) as Json)) : undefined;
	}
	const [group, version] = found;
	return document(path, () => text(groupVersionV3(group, version, describedBy())));
}

export interface DocumentAddress {
	readonly serverRelativeURL: string;
}

export function addressOf(path: string, { hash }: Document): DocumentAddress {
	return { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` };
}

/** The list of documents, each with the hash that makes its address immutable. */
export function openApiV3Root(describedBy: DescribedBy = undescribed, others: Readonly<Record<string, DocumentAddress>> = {}): Document {
	const list = (): Uint8Array => {
		const describe = describedBy();
		const own = openApiV3Paths().map((path) => [path, addressOf(path, openApiV3(path, () => describe) as Document)] as const);
		const paths = Object.entries({ ...others, ...Object.fromEntries(own) }).toSorted(([a], [b]) => (a < b ? -1 : 1));
		return text({ paths: Object.fromEntries(paths) });
	};
	return Object.keys(others).length === 0 ? document('v3', list) : hashed(list());
}

/** Paths and schemas that are not built in. */
export interface Additions {
	readonly paths: Json;
	readonly schemas: Json;
	/** What paths of version 2 share. */
	readonly parameters?: Json;
}

/** The document of a group version that is not built in. */
export function openApiV3With({ paths, schemas }: Additions): Document {
	const info = { title: 'Kubernetes CRD Swagger', version: 'v0.1.0' };
	return hashed(text({ openapi: '3.0.0', info, paths, components: { schemas } }));
}

/** The built-in document with more in it. What is built in wins. */
export function openApiV2With(form: 'json' | 'protobuf', describedBy: DescribedBy, more: Additions): Document {
	const { paths, schemas, parameters = {} } = more;
	const { bytes } = openApiV2('json', describedBy);
	const built = Buffer.from(bytes).toString();
	const places = [PATHS, DEFINITIONS, PARAMETERS].map(([before, after]) => built.indexOf(before + after) + before.length);
	const [atPaths = 0, atDefinitions = 0, atParameters = 0] = places;
	const entries = (added: Json): string => {
		const json = JSON.stringify(added).slice(1, -1);
		return json === '' ? '' : `${json},`;
	};
	const isNew = ([name]: readonly [string, unknown]): boolean => !built.includes(`,"${name}":{`) && !built.includes(`{"${name}":{`);
	const news = (added: Json): string => entries(Object.fromEntries(Object.entries(added).filter(isNew)));
	const beforeDefinitions = `${built.slice(0, atPaths)}${entries(paths)}${built.slice(atPaths, atDefinitions)}`;
	const definitions = `${news(schemas)}${built.slice(atDefinitions, atParameters)}`;
	const whole = `${beforeDefinitions}${definitions}${news(parameters)}${built.slice(atParameters)}`;
	return hashed(form === 'json' ? Buffer.from(whole) : gnosticDocument(JSON.parse(whole) as Json));
}

/** Where these begin in the text; nothing before looks like them, since descriptions have their quotes escaped. */
const PATHS = ['"paths":{', ''] as const;
const DEFINITIONS = ['},"definitions":{', '"io.k8s.'] as const;
const PARAMETERS = ['},"parameters":{', '"allowWatchBookmarks-'] as const;

export function openApiV2(form: 'json' | 'protobuf', describedBy: DescribedBy = undescribed): Document {
	return document(`v2 ${form}`, () => (form === 'json' ? text(specV2(describedBy())) : gnosticDocument(specV2(describedBy()))));
}

function document(key: string, make: () => Uint8Array): Document {
	let known = made.get(key);
	if (known === undefined) {
		known = hashed(make());
		made.set(key, known);
	}
	return known;
}

function hashed(bytes: Uint8Array): Document {
	return { bytes, hash: createHash('sha512').update(bytes).digest('hex').toUpperCase() };
}

function text(value: Json): Uint8Array {
	return Buffer.from(JSON.stringify(value));
}

function rowsOf(group: string, version: string): ResourceRow[] {
	return RESOURCES.filter((row) => row.group === group && row.version === version);
}

const INFO = { title: 'Kubernetes', version: VERSION };
const BEARER = { description: 'Bearer Token authentication', type: 'apiKey', name: 'authorization', in: 'header' };

function specV3(paths: Json, schemas: Schemas): Json {
	const all = schemas.all();
	const components = { ...(Object.keys(all).length === 0 ? {} : { schemas: all }), securitySchemes: { BearerToken: BEARER } };
	return { openapi: '3.0.0', info: INFO, paths, components };
}

function groupVersionV3(group: string, version: string, describe: Describe): Json {
	const schemas = new Schemas('v3', group === '' ? CORE : [...CORE, { group, version }], describe);
	const document = { schemas, flavour: 'v3', describe, shared: new SharedParameters() } as const;
	return specV3(pathsOf(group, version, rowsOf(group, version), document), schemas);
}

function rootV3(path: string, describe: Describe): Json | undefined {
	const found = rootPaths(groupNames()).find((one) => one.path === path);
	if (found === undefined) return undefined;
	const schemas = new Schemas('v3', CORE, describe);
	return specV3(rootPathItem(found, schemas, 'v3'), schemas);
}

function specV2(describe: Describe): Json {
	const flavour: Flavour = 'v2';
	const schemas = new Schemas(flavour, SCHEME_VERSIONS, describe);
	const shared = new SharedParameters();
	let paths: Json = {};
	for (const [group, version] of groupVersionsOf())
		paths = { ...paths, ...pathsOf(group, version, rowsOf(group, version), { schemas, flavour, describe, shared }) };
	for (const one of rootPaths(groupNames())) paths = { ...paths, ...rootPathItem(one, schemas, flavour) };
	return {
		swagger: '2.0',
		info: INFO,
		paths: Object.fromEntries(Object.entries(paths).toSorted(([a], [b]) => (a < b ? -1 : 1))),
		definitions: schemas.all(),
		parameters: shared.all(),
		securityDefinitions: { BearerToken: BEARER },
		security: [{ BearerToken: [] }],
	};
}
