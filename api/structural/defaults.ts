/** Defaults of a schema, set in place; and nulls where no null is allowed, which count as absent. */
import { additionalOf, isNullForbidden, isObject, type Json, type Schema } from './schema.ts';
import { setOwn } from '../own-field.ts';

export function setDefaults(value: unknown, schema: Schema | undefined): void {
	if (schema === undefined) return;
	if (Array.isArray(value)) {
		value.forEach((item, i) => {
			if (isWrongNull(item, schema.items)) value[i] = defaultOf(schema.items);
			setDefaults(value[i], schema.items);
		});
		return;
	}
	if (!isObject(value)) return;
	const { properties = {} } = schema;
	for (const [name, property] of Object.entries(properties)) {
		if (property.default === undefined) continue;
		if (!Object.hasOwn(value, name) || isWrongNull(value[name], property)) setOwn(value, name, structuredClone(property.default));
	}
	const others = additionalOf(schema);
	for (const key of Object.keys(value)) {
		if (Object.hasOwn(properties, key)) {
			setDefaults(value[key], properties[key]);
			continue;
		}
		if (others === undefined) continue;
		if (isWrongNull(value[key], others)) setOwn(value, key, defaultOf(others));
		setDefaults(value[key], others);
	}
}

/** Drops nulls that are not allowed and have no default. */
export function dropNulls(value: unknown, schema: Schema | undefined): void {
	if (schema === undefined) return;
	if (Array.isArray(value)) {
		for (const item of value) dropNulls(item, schema.items);
		return;
	}
	if (!isObject(value)) return;
	const { properties = {} } = schema;
	const others = additionalOf(schema);
	for (const key of Object.keys(value)) {
		const inner = Object.hasOwn(properties, key) ? properties[key] : others;
		if (isWrongNull(value[key], inner) && inner?.default === undefined) delete (value as Json)[key];
		else dropNulls(value[key], inner);
	}
}

function isWrongNull(value: unknown, schema: Schema | undefined): boolean {
	return value === null && isNullForbidden(schema);
}

function defaultOf(schema: Schema | undefined): unknown {
	return schema?.default === undefined ? null : structuredClone(schema.default);
}
