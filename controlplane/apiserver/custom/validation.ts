/** Custom resources checked: type and metadata, schema, scale, lists, expressions; what an update does not change is not checked again. */
import { invalidValue, required, type FieldError } from '../../../api/field-error.ts';
import { apiVersionOf, type KubeObject, type Resource } from '../../../api/resource.ts';
import { checkRules } from '../../../api/structural/cel-check.ts';
import type { RuleObserver } from '../../../api/structural/cel-rules.ts';
import { checkLists } from '../../../api/structural/lists.ts';
import { additionalOf, isObject, propertyOf, type Json, type Schema } from '../../../api/structural/schema.ts';
import { validateValue } from '../../../api/structural/validate.ts';
import { objectMeta, objectMetaUpdate } from '../../../api/validation/metadata.ts';
import { dns1035Label, dnsSubdomain, pathSegment } from '../../../api/validation/names.ts';
import type { CustomResourceSubresourceScale } from '../../../api/gen/types.ts';

export interface Rules {
	readonly resource: Resource;
	readonly schema: Schema;
	readonly scale: CustomResourceSubresourceScale | undefined;
	readonly observer?: RuleObserver | undefined;
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

function schemaErrors(
	{ schema, scale, observer }: Rules,
	object: KubeObject,
	old: KubeObject | undefined,
	statusOnly = false,
): FieldError[] {
	const value = object as unknown as Json;
	const before = old === undefined ? undefined : { value: old as unknown as Json };
	const out = statusOnly ? statusErrors(value, schema, before) : [...validateValue(value, schema, '', before)];
	if (scale !== undefined && !statusOnly) out.push(...replicasErrors(value, scale.specReplicasPath));
	if (scale !== undefined) out.push(...replicasErrors(value, scale.statusReplicasPath));
	out.push(...embeddedErrors(value, schema, ''));
	out.push(...checkLists(value, schema, '', before));
	if (out.some(({ reason }) => BLOCKING.has(reason))) return [...out, ...skippedRules(schema)];
	return [...out, ...checkRules(value, schema, before, { observer })];
}

/** The status alone: what is wrong with it is told from there, but for the field. */
function statusErrors(object: Json, schema: Schema, before: { readonly value: Json } | undefined): FieldError[] {
	const status = propertyOf(schema, 'status');
	if (status === undefined || object['status'] === undefined) return [];
	const old = before === undefined ? undefined : { value: before.value['status'] };
	return validateValue(object['status'], status, 'status', old).map((error) => ({
		...error,
		message: error.message.replace(/(: )status(?:\.([^\s:]*))? in body/, (_, colon: string, rest = '') => `${colon}${rest} in body`),
	}));
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

/** As Go prints a value of any type. */
function goText(value: unknown): string {
	if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`;
	if (isObject(value))
		return `map[${Object.entries(value)
			.toSorted(([a], [b]) => (a < b ? -1 : 1))
			.map(([key, inner]) => `${key}:${goText(inner)}`)
			.join(' ')}]`;
	return value === null ? '<nil>' : String(value as string | number | boolean);
}

function goType(value: unknown): string {
	if (Array.isArray(value)) return '[]interface {}';
	if (isObject(value)) return 'map[string]interface {}';
	switch (typeof value) {
		case 'number':
			return 'float64';
		case 'boolean':
			return 'bool';
		case 'string':
			return 'string';
		default:
			return '<nil>';
	}
}

function replicasErrors(object: Json, path: string): FieldError[] {
	const wrong = (value: unknown, at: string, expected: string): FieldError[] => [
		invalidValue(path, 0, `${at} accessor error: ${goText(value)} is of the type ${goType(value)}, expected ${expected}`),
	];
	const steps = path.split('.').slice(1);
	let value: unknown = object;
	for (const [i, step] of steps.entries()) {
		if (value === undefined || value === null) return [];
		if (!isObject(value)) return wrong(value, `.${steps.slice(0, i + 1).join('.')}`, 'map[string]interface{}');
		value = value[step];
	}
	if (value === undefined) return [];
	if (typeof value !== 'number' || !Number.isInteger(value)) return wrong(value, path, 'int64');
	if (value < 0) return [invalidValue(path, value, 'should be a non-negative integer')];
	return value > MAX_INT32 ? [invalidValue(path, value, `should be less than or equal to ${MAX_INT32}`)] : [];
}

/** Resources inside of resources name their type and have good metadata. */
function embeddedErrors(value: unknown, schema: Schema | undefined, path: string): FieldError[] {
	if (schema === undefined) return [];
	if (Array.isArray(value)) return value.flatMap((item, i) => embeddedErrors(item, schema.items, `${path}[${i}]`));
	if (!isObject(value)) return [];
	const out: FieldError[] = [];
	if (path !== '' && schema['x-kubernetes-embedded-resource'] === true) out.push(...resourceErrors(value, path));
	for (const [key, inner] of Object.entries(value))
		out.push(...embeddedErrors(inner, propertyOf(schema, key) ?? additionalOf(schema), path === '' ? key : `${path}.${key}`));
	return out;
}

/** apiextensions objectmeta.validateEmbeddedResource; that type and kind are there at all is the schema's. */
function resourceErrors(value: Json, path: string): FieldError[] {
	const out: FieldError[] = [];
	const text = (key: string, wrong: (given: string) => string | undefined): void => {
		const given = value[key];
		const at = `${path}.${key}`;
		if (given === undefined) out.push(required(at));
		else if (typeof given !== 'string') out.push(invalidValue(at, given, 'must be a string'));
		else {
			const why = given === '' ? 'must not be empty' : wrong(given);
			if (why !== undefined) out.push(invalidValue(at, given, why));
		}
	};
	text('apiVersion', (given) => (given.split('/').length > 2 ? `unexpected GroupVersion string: ${given}` : undefined));
	text('kind', (given) => {
		const complaints = dns1035Label(given.toLowerCase());
		return complaints.length === 0 ? undefined : `may have mixed case, but should otherwise match: ${complaints.join(',')}`;
	});
	if (!isObject(value['metadata'])) return out;
	const { namespace, ...metadata } = { name: 'unnamed', ...value['metadata'] } as KubeObject['metadata'];
	const namespaced = (namespace ?? '') !== '';
	const given = (namespaced ? { ...metadata, namespace } : metadata) as KubeObject['metadata'];
	objectMeta(out, given, { name: pathSegment, namespaced, finalizers: false }, `${path}.metadata`);
	return out;
}
