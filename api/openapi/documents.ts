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

/** The list of documents, each with the hash that makes its address immutable. */
export function openApiV3Root(describedBy: DescribedBy = undescribed): Document {
	return document('v3', () => {
		const describe = describedBy();
		const paths = Object.fromEntries(
			openApiV3Paths().map((path) => [
				path,
				{ serverRelativeURL: `/openapi/v3/${path}?hash=${openApiV3(path, () => describe)?.hash ?? ''}` },
			]),
		);
		return text({ paths });
	});
}

export function openApiV2(form: 'json' | 'protobuf', describedBy: DescribedBy = undescribed): Document {
	return document(`v2 ${form}`, () => (form === 'json' ? text(specV2(describedBy())) : gnosticDocument(specV2(describedBy()))));
}

function document(key: string, make: () => Uint8Array): Document {
	let known = made.get(key);
	if (known === undefined) {
		const bytes = make();
		known = { bytes, hash: createHash('sha512').update(bytes).digest('hex').toUpperCase() };
		made.set(key, known);
	}
	return known;
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
