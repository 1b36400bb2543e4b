/** Rules for the schema of one version, or of all that have the same. */
import { fieldForbidden, invalidValue } from '../field-error.ts';
import { internalForm } from '../internal/form.ts';
import { defaultErrors } from '../structural/default-rules.ts';
import { rootCost, totalCostErrors } from '../structural/expression-rules.ts';
import type { Schema } from '../structural/schema.ts';
import { schemaErrors } from '../structural/schema-rules.ts';
import { structuralErrors } from '../structural/structural-rules.ts';
import type { Errors } from './rule.ts';

/** What may stand at the root where status is a part of its own. */
const ALLOWED_AT_ROOT = [
	'Properties',
	'Items',
	'AllOf',
	'AnyOf',
	'OneOf',
	'Not',
	'Required',
	'Description',
	'Title',
	'Format',
	'Example',
	'ExternalDocs',
	'Default',
	'Nullable',
	'Maximum',
	'Minimum',
	'XPreserveUnknownFields',
	'XEmbeddedResource',
	'XIntOrString',
	'XListMapKeys',
	'XListType',
	'XMapType',
	'XValidations',
];
const REFUSED_AT_ROOT = ['$ref', 'additionalProperties', 'patternProperties', 'enum', 'id', '$schema'];

export function customResourceSchema(out: Errors, schema: Schema, at: string, hasStatus: boolean): void {
	const path = `${at}.openAPIV3Schema`;
	const found: Errors = [];
	if (hasStatus) rootOfStatus(found, schema, path);
	if (schema.nullable === true) found.push(fieldForbidden(`${path}.nullable`, 'nullable cannot be true at the root'));
	const structural = isConvertible(schema) ? structuralErrors(schema, path) : [];
	found.push(...structural);
	const defaults = structural.length === 0 && isConvertible(schema) ? defaultErrors(schema, path) : [];
	found.push(...defaults);
	const cost = structural.length === 0 && defaults.length === 0 && isConvertible(schema) ? rootCost() : undefined;
	const { schema: wrong, expressions } = schemaErrors(schema, path, cost);
	found.push(...wrong, ...expressions);
	if (cost !== undefined) found.push(...totalCostErrors(cost, path));
	out.push(...found);
}

function rootOfStatus(out: Errors, schema: Schema, path: string): void {
	if (schema.type !== undefined && schema.type !== '' && schema.type !== 'object') {
		const text = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
		out.push(invalidValue(`${path}.type`, schema.type, text));
		return;
	}
	if (Object.keys(schema).some((key) => REFUSED_AT_ROOT.includes(key)))
		out.push(
			invalidValue(
				path,
				internalForm('apiextensions/v1.JSONSchemaProps', schema),
				`only [${ALLOWED_AT_ROOT.join(' ')}] fields are allowed at the root of the schema if the status subresource is enabled`,
			),
		);
}

/** What has no structural form ($ref, lists of schemas) is told of by the other rules. */
function isConvertible(schema: Schema): boolean {
	const given = schema as Readonly<Record<string, unknown>>;
	if (given['$ref'] !== undefined || Array.isArray(schema.items)) return false;
	const inner = [
		...Object.values(schema.properties ?? {}),
		...(schema.items === undefined ? [] : [schema.items]),
		...(typeof schema.additionalProperties === 'object' ? [schema.additionalProperties] : []),
		...(schema.allOf ?? []),
		...(schema.anyOf ?? []),
		...(schema.oneOf ?? []),
		...(schema.not === undefined ? [] : [schema.not]),
	];
	return inner.every(isConvertible);
}
