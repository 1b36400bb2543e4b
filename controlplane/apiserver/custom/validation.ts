/** Custom resources checked: type and metadata, schema, scale, lists, expressions; what an update does not change is not checked again. */
import { invalidValue, required, type FieldError } from '../../../api/field-error.ts';
import { apiVersionOf, type KubeObject, type Resource } from '../../../api/resource.ts';
import { checkRules } from '../../../api/structural/cel-check.ts';
import { checkLists } from '../../../api/structural/lists.ts';
import { additionalOf, isObject, propertyOf, type Json, type Schema } from '../../../api/structural/schema.ts';
import { validateValue } from '../../../api/structural/validate.ts';
import { objectMeta, objectMetaUpdate } from '../../../api/validation/metadata.ts';
import { dnsSubdomain } from '../../../api/validation/names.ts';
import type { CustomResourceSubresourceScale } from '../../../api/gen/types.ts';

export interface Rules {
	readonly resource: Resource;
	readonly schema: Schema;
	readonly scale: CustomResourceSubresourceScale | undefined;
}

export function createErrors(rules: Rules, object: KubeObject): FieldError[] {
	const wrongType = typeErrors(rules.resource, object);
	if (wrongType.length > 0) return wrongType;
	const out: FieldError[] = [];
	objectMeta(out, object.metadata, { name: dnsSubdomain, namespaced: rules.resource.namespaced, finalizers: false });
	out.push(...schemaErrors(rules, object, undefined));
	return out;
}

export function updateErrors(rules: Rules, object: KubeObject, old: KubeObject, subresource: string): FieldError[] {
	const wrongType = typeErrors(rules.resource, object);
	if (wrongType.length > 0) return wrongType;
	const out: FieldError[] = [];
	objectMetaUpdate(out, object.metadata, old.metadata);
	out.push(...schemaErrors(rules, object, old, subresource === 'status'));
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

function schemaErrors({ schema, scale }: Rules, object: KubeObject, old: KubeObject | undefined, statusOnly = false): FieldError[] {
	const value = object as unknown as Json;
	const before = old === undefined ? undefined : { value: old as unknown as Json };
	const out: FieldError[] = [...validateValue(value, schema, '', before)];
	if (scale !== undefined && !statusOnly) out.push(...replicasErrors(value, scale.specReplicasPath));
	if (scale !== undefined) out.push(...replicasErrors(value, scale.statusReplicasPath));
	out.push(...embeddedErrors(value, schema, ''));
	out.push(...checkLists(value, schema, '', before));
	if (out.some(({ reason }) => BLOCKING.has(reason))) return [...out, ...skippedRules(schema)];
	return [...out, ...checkRules(value, schema, before)];
}

function skippedRules(schema: Schema): FieldError[] {
	return checkable(schema) ? [{ reason: 'FieldValueInvalid', message: `Invalid value: "null": ${SKIPPED}`, field: '<nil>' }] : [];
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

const MAX_INT32 = 2 ** 31 - 1;

function replicasErrors(object: Json, path: string): FieldError[] {
	let value: unknown = object;
	for (const step of path.split('.').slice(1)) value = isObject(value) ? value[step] : undefined;
	if (value === undefined) return [];
	if (typeof value !== 'number' || !Number.isInteger(value))
		return [invalidValue(path, value, `${path} accessor error: ${String(value as string)} is of the type ${typeof value}, expected int64`)];
	if (value < 0) return [invalidValue(path, value, 'should be a non-negative integer')];
	return value > MAX_INT32 ? [invalidValue(path, value, `should be less than or equal to ${MAX_INT32}`)] : [];
}

/** Resources inside of resources name their type and have good metadata. */
function embeddedErrors(value: unknown, schema: Schema | undefined, path: string): FieldError[] {
	if (schema === undefined) return [];
	if (Array.isArray(value)) return value.flatMap((item, i) => embeddedErrors(item, schema.items, `${path}[${i}]`));
	if (!isObject(value)) return [];
	const out: FieldError[] = [];
	if (path !== '' && schema['x-kubernetes-embedded-resource'] === true) {
		for (const key of ['apiVersion', 'kind']) if ((value[key] ?? '') === '') out.push(required(`${path}.${key}`, 'must not be empty'));
		const { metadata } = value as { metadata?: KubeObject['metadata'] };
		if (metadata?.name !== undefined) {
			const found: FieldError[] = [];
			const at = { ...metadata, namespace: undefined } as unknown as KubeObject['metadata'];
			objectMeta(found, at, { name: dnsSubdomain, namespaced: false, finalizers: false }, `${path}.metadata`);
			out.push(...found);
		}
	}
	for (const [key, inner] of Object.entries(value))
		out.push(...embeddedErrors(inner, propertyOf(schema, key) ?? additionalOf(schema), path === '' ? key : `${path}.${key}`));
	return out;
}
