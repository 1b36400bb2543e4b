/** A JSON schema as a CustomResourceDefinition carries it, and how to walk it. Schemas are taken as JSON, never copied. */

export type Json = Record<string, unknown>;

/** Marks a schema whose format counts whatever its type is; no key of JSON. */
export const ANY_FORMAT = Symbol('any format');

export interface Schema {
	readonly type?: string;
	readonly format?: string;
	readonly title?: string;
	readonly description?: string;
	readonly default?: unknown;
	readonly nullable?: boolean;
	/** A bigint: beyond what a double holds exactly. */
	readonly maximum?: number | bigint;
	readonly exclusiveMaximum?: boolean;
	readonly minimum?: number | bigint;
	readonly exclusiveMinimum?: boolean;
	readonly maxLength?: number;
	readonly minLength?: number;
	readonly pattern?: string;
	readonly maxItems?: number;
	readonly minItems?: number;
	readonly uniqueItems?: boolean;
	readonly multipleOf?: number | bigint;
	readonly enum?: readonly unknown[];
	readonly maxProperties?: number;
	readonly minProperties?: number;
	readonly required?: readonly string[];
	readonly items?: Schema;
	readonly allOf?: readonly Schema[];
	readonly oneOf?: readonly Schema[];
	readonly anyOf?: readonly Schema[];
	readonly not?: Schema;
	readonly properties?: Readonly<Record<string, Schema>>;
	readonly additionalProperties?: Schema | boolean;
	readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
	readonly 'x-kubernetes-embedded-resource'?: boolean;
	readonly 'x-kubernetes-int-or-string'?: boolean;
	readonly 'x-kubernetes-list-type'?: string;
	readonly 'x-kubernetes-list-map-keys'?: readonly string[];
	readonly 'x-kubernetes-map-type'?: string;
	readonly 'x-kubernetes-validations'?: readonly Rule[];
	readonly [ANY_FORMAT]?: true;
}

/** One of x-kubernetes-validations. */
export interface Rule {
	readonly rule: string;
	readonly message?: string;
	readonly messageExpression?: string;
	readonly reason?: string;
	readonly fieldPath?: string;
	readonly optionalOldSelf?: boolean;
}

/** Whether a value is a JSON object. */
export function isObject(value: unknown): value is Json {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value with the members of its objects in order, as Go shows them. */
export function inOrder(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(inOrder);
	if (!isObject(value)) return value;
	return Object.fromEntries(
		Object.keys(value)
			.toSorted()
			.map((key) => [key, inOrder(value[key])]),
	);
}

/** The schema of a declared property; own keys only, since names come from users. */
export function propertyOf(schema: Schema | undefined, name: string): Schema | undefined {
	const { properties } = schema ?? {};
	return properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** The schema of undeclared properties where it is one. */
export function additionalOf(schema: Schema | undefined): Schema | undefined {
	const additional = schema?.additionalProperties;
	return typeof additional === 'object' ? additional : undefined;
}

/** The schema of items where it is one: a list of schemas is none, and an empty one says nothing. */
export function itemsOf({ items }: Schema): Schema | undefined {
	return Array.isArray(items) ? undefined : items;
}

/** The schemas that stand directly in one, each with its place. */
export function innerPlaces(schema: Schema): readonly (readonly [place: string, schema: Schema])[] {
	const { properties = {}, allOf = [], anyOf = [], oneOf = [] } = schema;
	const several = (name: string, schemas: readonly Schema[]) => schemas.map((one, i) => [`${name}.${i}`, one] as const);
	const single = { items: itemsOf(schema), additionalProperties: additionalOf(schema), not: schema.not };
	return [
		...Object.entries(properties).map(([name, property]) => [`properties.${name}`, property] as const),
		...Object.entries(single).flatMap(([name, one]) => (one === undefined ? [] : [[name, one] as const])),
		...[...several('allOf', allOf), ...several('anyOf', anyOf), ...several('oneOf', oneOf)],
	];
}

/** The schemas that stand directly in one. */
export function innerSchemas(schema: Schema): readonly Schema[] {
	return innerPlaces(schema).map(([, one]) => one);
}

/** Keys that every resource has beside its schema. */
export const RESOURCE_KEYS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

export function isNullForbidden(schema: Schema | undefined): boolean {
	return schema !== undefined && schema.nullable !== true;
}
