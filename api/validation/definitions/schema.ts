/** Rules for the schema of one version, or of all that have the same. */
import { fieldForbidden, invalidValue } from '../../field-error.ts';
import { internalForm } from '../../internal/form.ts';
import { defaultErrors } from '../../structural/default-rules.ts';
import { rootCost, totalCostErrors } from '../../structural/expression-rules.ts';
import { innerSchemas, type Schema } from '../../structural/schema.ts';
import { schemaErrors } from '../../structural/schema-rules.ts';
import { isConvertible } from '../../structural/structural-form.ts';
import { structuralErrors } from '../../structural/structural-rules.ts';
import { asSent } from '../../sent-empty.ts';
import type { Errors } from '../rule.ts';
import type { SchemaOptions } from './options.ts';

/** What may stand at the root where status is a part of its own. */
const ALLOWED_AT_ROOT =
	'Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations';
/** What may not: first what is looked at before the type. */
const REFUSED_FIRST = ['id', '$schema', '$ref'];
const REFUSED = [
	'nullable',
	'default',
	'enum',
	'maxProperties',
	'minProperties',
	'allOf',
	'oneOf',
	'anyOf',
	'not',
	'additionalProperties',
	'patternProperties',
	'dependencies',
	'additionalItems',
	'definitions',
	'x-kubernetes-embedded-resource',
	'x-kubernetes-int-or-string',
	'x-kubernetes-list-map-keys',
	'x-kubernetes-list-type',
	'x-kubernetes-map-type',
];

export function customResourceSchema(out: Errors, schema: Schema, at: string, hasStatus: boolean, options: SchemaOptions): void {
	const path = `${at}.openAPIV3Schema`;
	const found: Errors = [];
	if (hasStatus) rootOfStatus(found, schema, path);
	if (schema.nullable === true) found.push(fieldForbidden(`${path}.nullable`, 'nullable cannot be true at the root'));
	const mustBeStructural = !options.has('notStructural');
	const hasForm = mustBeStructural && isConvertible(schema);
	const structural = hasForm ? structuralErrors(schema, path) : [];
	found.push(...structural);
	const defaults = hasForm && structural.length === 0 ? defaultErrors(schema, path, options.has('unprunedDefaults')) : [];
	found.push(...defaults);
	const cost = hasForm && structural.length === 0 && defaults.length === 0 ? rootCost() : undefined;
	const { schema: wrong, expressions } = schemaErrors(schema, path, cost, options);
	found.push(...wrong, ...expressions);
	if (mustBeStructural && found.length === 0 && namesSchema(schema))
		found.push(invalidValue(path, '', "OpenAPIV3Schema 'schema' is not supported"));
	if (cost !== undefined) found.push(...totalCostErrors(cost, path));
	out.push(...found);
}

function rootOfStatus(out: Errors, schema: Schema, path: string): void {
	const given = schema as Readonly<Record<string, unknown>>;
	const isSet = (key: string): boolean => asSent(schema, key) !== undefined && given[key] !== '' && given[key] !== false;
	const isRefused = REFUSED_FIRST.some(isSet);
	if (!isRefused && isSet('type') && schema.type !== 'object') {
		const text = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
		out.push(invalidValue(`${path}.type`, schema.type, text));
	} else if (isRefused || REFUSED.some(isSet) || schema.additionalProperties === false)
		out.push(
			invalidValue(
				path,
				internalForm('apiextensions/v1.JSONSchemaProps', schema),
				`only [${ALLOWED_AT_ROOT}] fields are allowed at the root of the schema if the status subresource is enabled`,
			),
		);
}

/** No other rule knows this one. */
function namesSchema(schema: Schema): boolean {
	return ((schema as Readonly<Record<string, unknown>>)['$schema'] ?? '') !== '' || innerSchemas(schema).some(namesSchema);
}
