/** Custom resources checked: type and metadata, schema, scale, lists, expressions; what an update does not change is not checked again. */
import { invalidValue, type FieldError } from '../../../api/field-error.ts';
import { apiVersionOf, type KubeObject, type Resource } from '../../../api/resource.ts';
import { checkRules } from '../../../api/structural/cel-check.ts';
import type { RuleObserver } from '../../../api/structural/cel-rules.ts';
import { checkLists } from '../../../api/structural/lists.ts';
import { embeddedErrors } from '../../../api/structural/embedded.ts';
import { additionalOf, propertyOf, type Json, type Schema } from '../../../api/structural/schema.ts';
import { validateValue } from '../../../api/structural/validate.ts';
import { genericMetaUpdate, objectMeta } from '../../../api/validation/metadata.ts';
import { dnsSubdomain } from '../../../api/validation/names.ts';
import { commonUpdate } from '../../../api/validation/validation.ts';
import type { CustomResourceSubresourceScale } from '../../../api/gen/types.ts';
import { finalizerWarnings } from './finalizer-warnings.ts';
import { scaleErrors } from './scale-errors.ts';

export interface Rules {
	readonly resource: Resource;
	readonly schema: Schema;
	readonly scale: CustomResourceSubresourceScale | undefined;
	readonly observer?: RuleObserver | undefined;
}

type Warn = (text: string) => void;

/** @param warn hears of finalizers that were better named otherwise */
export function createErrors(rules: Rules, object: KubeObject, warn: Warn): FieldError[] {
	const wrongType = typeErrors(rules.resource, object);
	if (wrongType.length > 0) return wrongType;
	const out: FieldError[] = [];
	objectMeta(out, object.metadata, { name: dnsSubdomain, namespaced: rules.resource.namespaced, finalizers: false });
	out.push(...schemaErrors(rules, object, out, undefined));
	if (out.length === 0) for (const text of finalizerWarnings(object)) warn(text);
	return out;
}

/** @param warn also hears what is wrong but was so before */
export function updateErrors(rules: Rules, object: KubeObject, old: KubeObject, subresource: string, warn: Warn): FieldError[] {
	const out = commonUpdate(object, old, rules.resource.namespaced);
	const wrongType = typeErrors(rules.resource, object);
	if (wrongType.length > 0) return [...out, ...wrongType];
	const ofMetadata: FieldError[] = [];
	genericMetaUpdate(ofMetadata, object.metadata, old.metadata);
	out.push(...ofMetadata, ...schemaErrors(rules, object, ofMetadata, { old, statusOnly: subresource === 'status', warn }));
	if (out.length === 0 && subresource !== 'status') for (const text of finalizerWarnings(object, old)) warn(text);
	return out;
}

function typeErrors({ kind, ...resource }: Resource, object: KubeObject): FieldError[] {
	const apiVersion = apiVersionOf({ ...resource });
	const out: FieldError[] = [];
	if (object.kind !== kind) out.push(invalidValue('kind', object.kind ?? '', `must be ${kind}`));
	if (object.apiVersion !== apiVersion) out.push(invalidValue('apiVersion', object.apiVersion ?? '', `must be ${apiVersion}`));
	return out;
}

/** Errors after which expressions are not run, since they may rest on what is wrong. */
const BLOCKING = new Set([
	'FieldValueNotSupported',
	'FieldValueRequired',
	'FieldValueTooLong',
	'FieldValueTooMany',
	'FieldValueTypeInvalid',
]);
const SKIPPED = 'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';

interface Update {
	readonly old: KubeObject;
	readonly statusOnly: boolean;
	readonly warn: Warn;
}

/** @param found errors of metadata, after which expressions may not be run either */
function schemaErrors(
	{ schema, scale, observer }: Rules,
	object: KubeObject,
	found: readonly FieldError[],
	update: Update | undefined,
): FieldError[] {
	const value = object as unknown as Json;
	const before = update === undefined ? undefined : { value: update.old as unknown as Json };
	const statusOnly = update?.statusOnly === true;
	const out = statusOnly ? statusErrors(value, schema, before) : [...validateValue(value, schema, '', before)];
	if (scale !== undefined) out.push(...scaleErrors(value, scale, statusOnly));
	if (!statusOnly) out.push(...embeddedErrors(value, schema, ''));
	// Lists that were wrong already are let be, all of them.
	if (before === undefined || checkLists(before.value, schema, '').length === 0) out.push(...checkLists(value, schema, ''));
	if ([...found, ...out].some(({ reason }) => BLOCKING.has(reason))) return [...out, ...skippedRules(schema)];
	return [...out, ...checkRules(value, schema, before, { observer, warn: update?.warn })];
}

/** The status alone: what is wrong with it is told from there, but for the field. */
function statusErrors(object: Json, schema: Schema, before: { readonly value: Json } | undefined): FieldError[] {
	const status = propertyOf(schema, 'status');
	if (status === undefined || object['status'] === undefined) return [];
	const old = before === undefined ? undefined : { value: before.value['status'] };
	return validateValue(object['status'], status, '', old).map((error) => {
		const { field } = error;
		return { ...error, field: field === '' || field === '<nil>' ? 'status' : `status.${field}` };
	});
}

function skippedRules(schema: Schema): FieldError[] {
	return checkable(schema) ? [{ reason: 'FieldValueInvalid', message: `Invalid value: null: ${SKIPPED}`, field: '<nil>' }] : [];
}

function checkable(schema: Schema | undefined): boolean {
	if (schema === undefined) return false;
	return (
		(schema['x-kubernetes-validations'] ?? []).length > 0 ||
		checkable(schema.items) ||
		checkable(additionalOf(schema)) ||
		Object.values(schema.properties ?? {}).some(checkable)
	);
}
