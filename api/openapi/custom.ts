/** Paths and schemas of custom resources for the documents of OpenAPI. Pure. */
import type { ResourceRow } from '../resources.ts';
import type { Schema } from '../structural/schema.ts';
import { customListSchema, customSchema } from './custom-schema.ts';
import { SharedParameters } from './parameters.ts';
import { pathsOf } from './paths.ts';
import { OPTIONS_VERSIONS } from './scheme-versions.ts';
import { refTo, Schemas, type Describe, type Flavour, type Json } from './schemas.ts';

/** A custom resource in one version. */
export interface CustomResource {
	readonly row: ResourceRow;
	readonly listKind: string;
	/** Undefined: anything goes. */
	readonly schema: Schema | undefined;
	/** The definition is from before schemas were structural: clients of version 2 would take what the schema does not name for wrong. */
	readonly keepsUnknown?: boolean;
	/** Places of the fields that selectors may name. */
	readonly selectableFields?: readonly string[];
}

export interface CustomParts {
	readonly paths: Json;
	readonly schemas: Json;
	/** What the paths share, in version 2. */
	readonly parameters: Json;
}

/** Of one group version. */
export function customParts(
	group: string,
	version: string,
	resources: readonly CustomResource[],
	flavour: Flavour,
	describe: Describe,
): CustomParts {
	const schemas = new Schemas(flavour, OPTIONS_VERSIONS, describe);
	const names = new Map<string, string>();
	for (const { row, listKind } of resources)
		for (const kind of [row.kind, listKind]) names.set(kind, `${[...group.split('.')].reverse().join('.')}.${version}.${kind}`);
	for (const { row, listKind, schema, keepsUnknown = false, selectableFields = [] } of resources) {
		const { kind, plural } = row;
		const fields = selectableFields.map((fieldPath) => ({ fieldPath }));
		const selectable = fields.length === 0 ? {} : { 'x-kubernetes-selectable-fields': fields };
		const gvk = (of: string): Json => ({ group, kind: of, version });
		const told = flavour === 'v2' && keepsUnknown ? undefined : schema;
		const item = schemas.add(names.get(kind) as string, { ...customSchema(told, gvk(kind), flavour, schemas, describe), ...selectable });
		const list = { kind, listKind, plural, item, gvk: gvk(listKind) };
		schemas.add(names.get(listKind) as string, { ...customListSchema(list, flavour, schemas, describe), ...selectable });
	}
	const listKinds = new Map(resources.map(({ row, listKind }) => [`${row.kind}List`, listKind]));
	const types = {
		ref(kind: string): Json | undefined {
			const name = names.get(listKinds.get(kind) ?? kind);
			return name === undefined ? undefined : refTo(name, flavour);
		},
	};
	const rows = resources.map(({ row }) => row);
	const shared = new SharedParameters();
	const paths = pathsOf(group, version, rows, { schemas, flavour, describe, shared }, types);
	return { paths, schemas: schemas.all(), parameters: shared.all() };
}
