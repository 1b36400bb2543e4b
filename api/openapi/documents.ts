/** The documents of /openapi, made when first asked for and kept as bytes with their hash. */
import { createHash } from 'node:crypto';
import { RESOURCES, type ResourceRow } from '../resources.ts';
import { typeNamed } from '../schema.ts';
import { gnosticDocument } from './gnostic.ts';
import { pathsOf } from './paths.ts';
import { Schemas, type Describe, type Flavour, type Json } from './schemas.ts';

export interface Document {
	readonly bytes: Uint8Array;
	/** Upper-case hexadecimal SHA-512, as upstream's ETags are. */
	readonly hash: string;
}

const VERSION = 'v1.36.2';

/** Gives the source of descriptions when a document is made; it may be big, so it is not kept. */
export type DescribedBy = () => Describe;
const undescribed: DescribedBy = () => () => undefined;
const made = new Map<string, Document>();

const groupVersionsOf = (): (readonly [string, string])[] => {
	const found = new Map(RESOURCES.map(({ group, version }) => [`${group}/${version}`, [group, version] as const]));
	return [...found.values()];
};

/** "api/v1", "apis/apps/v1", … */
export function openApiV3Paths(): string[] {
	return groupVersionsOf().map(([group, version]) => (group === '' ? `api/${version}` : `apis/${group}/${version}`));
}

/** The document of a group version; undefined for an unknown path. */
export function openApiV3(path: string, describedBy: DescribedBy = undescribed): Document | undefined {
	const found = groupVersionsOf().find(([group, version]) => path === (group === '' ? `api/${version}` : `apis/${group}/${version}`));
	if (found === undefined) return undefined;
	const [group, version] = found;
	return document(path, () => text(specV3(group, version, describedBy())));
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
}

/** The document of a group version that is not built in. */
export function openApiV3With({ paths, schemas }: Additions): Document {
	const info = { title: 'Kubernetes CRD Swagger', version: 'v0.1.0' };
	return hashed(text({ openapi: '3.0.0', info, paths, components: { schemas } }));
}

/** The built-in document with more in it. What is built in wins. */
export function openApiV2With(form: 'json' | 'protobuf', describedBy: DescribedBy, { paths, schemas }: Additions): Document {
	const { bytes } = openApiV2('json', describedBy);
	const built = Buffer.from(bytes).toString();
	const [atPaths, atDefinitions] = [built.indexOf(PATHS) + PATHS.length, built.indexOf(DEFINITIONS) + DEFINITIONS.indexOf('"io.')];
	const entries = (more: Json): string => {
		const json = JSON.stringify(more).slice(1, -1);
		return json === '' ? '' : `${json},`;
	};
	const isNew = ([name]: readonly [string, unknown]): boolean => !built.includes(`,"${name}":{`) && !built.includes(`{"${name}":{`);
	const definitions = entries(Object.fromEntries(Object.entries(schemas).filter(isNew)));
	const whole = `${built.slice(0, atPaths)}${entries(paths)}${built.slice(atPaths, atDefinitions)}${definitions}${built.slice(atDefinitions)}`;
	return hashed(form === 'json' ? Buffer.from(whole) : gnosticDocument(JSON.parse(whole) as Json));
}

/** Where these begin in the text; nothing before looks like them, since descriptions have their quotes escaped. */
const PATHS = '"paths":{';
const DEFINITIONS = '},"definitions":{"io.k8s.';

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

function specV3(group: string, version: string, describe: Describe): Json {
	const schemas = new Schemas('v3', groupVersionsOf, describe);
	const paths = pathsOf(group, version, rowsOf(group, version), schemas, 'v3');
	return { openapi: '3.0.0', info: INFO, paths, components: { schemas: schemas.all(), securitySchemes: { BearerToken: BEARER } } };
}

function specV2(describe: Describe): Json {
	const flavour: Flavour = 'v2';
	const schemas = new Schemas(flavour, groupVersionsOf, describe);
	let paths: Json = {};
	for (const [group, version] of groupVersionsOf())
		paths = { ...paths, ...pathsOf(group, version, rowsOf(group, version), schemas, flavour) };
	const simple = (schema: Json): Json => ({
		get: { produces: ['application/json'], responses: { 200: { description: 'OK', schema }, 401: { description: 'Unauthorized' } } },
	});
	const groups = new Set(RESOURCES.map(({ group }) => group).filter((group) => group !== ''));
	paths['/api/'] = simple(schemas.ref(typeNamed('meta/v1.APIVersions')));
	paths['/apis/'] = simple(schemas.ref(typeNamed('meta/v1.APIGroupList')));
	for (const group of groups) paths[`/apis/${group}/`] = simple(schemas.ref(typeNamed('meta/v1.APIGroup')));
	paths['/version/'] = simple(schemas.ref(typeNamed('version.Info')));
	for (const path of ['/.well-known/openid-configuration/', '/openid/v1/jwks/']) paths[path] = simple({ type: 'string' });
	return {
		swagger: '2.0',
		info: INFO,
		paths: Object.fromEntries(Object.entries(paths).toSorted(([a], [b]) => (a < b ? -1 : 1))),
		definitions: schemas.all(),
		securityDefinitions: { BearerToken: BEARER },
		security: [{ BearerToken: [] }],
	};
}
