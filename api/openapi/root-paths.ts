/** Paths that are of no group version: lists of versions and groups, the server's version, keys of service accounts. Pure. */
import { typeNamed } from '../schema.ts';
import { capital, groupTag } from './operation-names.ts';
import { pathItem, type Operation } from './operations.ts';
import { SharedParameters } from './parameters.ts';
import { TYPES } from './paths.ts';
import type { Flavour, Json, Schemas } from './schemas.ts';

interface RootPath {
	/** Without slashes around it. */
	readonly path: string;
	readonly id: string;
	readonly tag: string;
	readonly description: string;
	readonly types: readonly string[];
	/** Undefined: a text. */
	readonly type: string | undefined;
	readonly consumes: boolean;
}

const plain = { types: TYPES, consumes: true };
const FIXED: readonly RootPath[] = [
	{
		path: '.well-known/openid-configuration',
		id: 'getServiceAccountIssuerOpenIDConfiguration',
		tag: 'WellKnown',
		description: "get service account issuer OpenID configuration, also known as the 'OIDC discovery doc'",
		types: ['application/json'],
		type: undefined,
		consumes: false,
	},
	{ ...plain, path: 'api', id: 'getCoreAPIVersions', tag: 'core', description: 'get available API versions', type: 'meta/v1.APIVersions' },
	{ ...plain, path: 'apis', id: 'getAPIVersions', tag: 'apis', description: 'get available API versions', type: 'meta/v1.APIGroupList' },
	{
		path: 'openid/v1/jwks',
		id: 'getServiceAccountIssuerOpenIDKeyset',
		tag: 'openid',
		description: 'get service account issuer OpenID JSON Web Key Set (contains public token verification keys)',
		types: ['application/jwk-set+json'],
		type: undefined,
		consumes: false,
	},
	{
		path: 'version',
		id: 'getCodeVersion',
		tag: 'version',
		description: 'get the version information for this server',
		types: ['application/json'],
		type: 'version.Info',
		consumes: true,
	},
];

/** @param groups names of all but the core group */
export function rootPaths(groups: readonly string[]): readonly RootPath[] {
	const ofGroups = groups.map((group) => {
		const tag = groupTag(group);
		const description = 'get information of a group';
		return { ...plain, path: `apis/${group}`, id: `get${capital(tag)}APIGroup`, tag, description, type: 'meta/v1.APIGroup' };
	});
	return [...FIXED, ...ofGroups];
}

/** The item of one of them, which ends with a slash. */
export function rootPathItem(one: RootPath, schemas: Schemas, flavour: Flavour): Json {
	const operation: Operation = {
		method: 'get',
		id: one.id,
		tag: one.tag,
		description: one.description,
		consumes: one.consumes ? one.types : undefined,
		produces: one.types,
		parameters: [],
		answer: one.type === undefined ? undefined : schemas.ref(typeNamed(one.type)),
		answers: [],
	};
	return { [`/${one.path}/`]: pathItem([operation], flavour, new SharedParameters()) };
}
