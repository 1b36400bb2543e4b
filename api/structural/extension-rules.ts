/** Rules for x-kubernetes-* markers of a schema. */
import { fieldForbidden, invalidValue, notSupported, required, type FieldError } from '../field-error.ts';
import { internalForm } from '../internal/form.ts';
import type { SchemaSkips } from './schema-options.ts';
import { itemsOf, propertyOf, type Schema } from './schema.ts';

/** Are the items of a set none that are taken as a whole? */
export function hasLooseSet(schema: Schema): boolean {
	const found: FieldError[] = [];
	if (schema['x-kubernetes-list-type'] === 'set') setList(found, schema, '');
	return found.length > 0;
}

/** May the items of a map or a set, or their keys, be missing? */
export function hasLooseKeys(schema: Schema): boolean {
	const found: FieldError[] = [];
	keyed(found, schema, '');
	return found.length > 0;
}

export function extensionErrors(schema: Schema, path: string, skips: SchemaSkips): FieldError[] {
	const out: FieldError[] = [];
	const type = schema.type ?? '';
	const mapType = schema['x-kubernetes-map-type'];
	const listType = schema['x-kubernetes-list-type'];
	if (schema['x-kubernetes-preserve-unknown-fields'] === false)
		out.push(invalidValue(`${path}.x-kubernetes-preserve-unknown-fields`, false, 'must be true or undefined'));
	const mustBe = (wanted: string, marker: string): void => {
		if (type === wanted) return;
		const text = `must be ${wanted} if ${marker} is specified`;
		out.push(type === '' ? required(`${path}.type`, text) : invalidValue(`${path}.type`, type, text));
	};
	if (mapType !== undefined) {
		mustBe('object', 'x-kubernetes-map-type');
		if (mapType !== 'atomic' && mapType !== 'granular')
			out.push(notSupported(`${path}.x-kubernetes-map-type`, mapType, ['atomic', 'granular']));
	}
	if (listType !== undefined) {
		mustBe('array', 'x-kubernetes-list-type');
		if (listType === 'set' && type === 'array' && !skips.has('looseSets')) setList(out, schema, path);
		if (!['atomic', 'set', 'map'].includes(listType))
			out.push(notSupported(`${path}.x-kubernetes-list-type`, listType, ['atomic', 'set', 'map']));
	}
	const keys = schema['x-kubernetes-list-map-keys'] ?? [];
	if (keys.length > 0 && listType !== 'map') {
		const text = 'must be map if x-kubernetes-list-map-keys is non-empty';
		const at = `${path}.x-kubernetes-list-type`;
		out.push(listType === undefined ? required(at, text) : invalidValue(at, listType, text));
	}
	if (listType === 'map') mapList(out, schema, keys, path);
	if (!skips.has('looseKeys')) keyed(out, schema, path);
	return out;
}

function mapList(out: FieldError[], schema: Schema, keys: readonly string[], path: string): void {
	if (keys.length === 0) out.push(required(`${path}.x-kubernetes-list-map-keys`, 'must not be empty if x-kubernetes-list-type is map'));
	const { items } = schema;
	if (Array.isArray(items)) {
		const shown = { Schema: null, JSONSchemas: items.map((one: Schema) => internalForm('apiextensions/v1.JSONSchemaProps', one)) };
		out.push(invalidValue(`${path}.items`, shown, 'must only have a single schema if x-kubernetes-list-type is map'));
		return;
	}
	if (items === undefined) {
		out.push(required(`${path}.items`, 'must have a schema if x-kubernetes-list-type is map'));
		return;
	}
	if (items.type !== 'object') {
		out.push(invalidValue(`${path}.items.type`, items.type ?? '', "must be object if parent array's x-kubernetes-list-type is map"));
		return;
	}
	keys.forEach((key, i) => {
		const property = propertyOf(items, key);
		if (property === undefined)
			out.push(invalidValue(`${path}.x-kubernetes-list-map-keys`, keys, 'entries must all be names of item properties'));
		else if (property.type === 'array' || property.type === 'object')
			out.push(
				invalidValue(
					`${path}.items.properties[${key}].type`,
					items.type,
					"must be a scalar type if parent array's x-kubernetes-list-type is map",
				),
			);
		if (keys.indexOf(key) < i) out.push(invalidValue(`${path}.x-kubernetes-list-map-keys`, keys, 'must not contain duplicate entries'));
	});
}

function setList(out: FieldError[], schema: Schema, path: string): void {
	const items = itemsOf(schema);
	const text = 'must be atomic as item of a list with x-kubernetes-list-type=set';
	const mapType = items?.['x-kubernetes-map-type'];
	const listType = items?.['x-kubernetes-list-type'];
	if (items?.type === 'object' && mapType !== 'atomic')
		// Upstream shows the type of the list in place of the map's.
		out.push(invalidValue(`${path}.items.x-kubernetes-map-type`, listType ?? null, text));
	if (items?.type === 'array' && listType !== undefined && listType !== 'atomic')
		out.push(invalidValue(`${path}.items.x-kubernetes-list-type`, listType, text));
}

function keyed(out: FieldError[], schema: Schema, path: string): void {
	const { 'x-kubernetes-list-type': listType, 'x-kubernetes-list-map-keys': keys = [] } = schema;
	const items = itemsOf(schema);
	if (items === undefined || (listType !== 'set' && listType !== 'map')) return;
	if (items.nullable === true)
		out.push(fieldForbidden(`${path}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`));
	for (const key of listType === 'map' ? keys : []) {
		const property = propertyOf(items, key);
		if (property === undefined) continue;
		const at = `${path}.items.properties[${key}]`;
		if (items.required?.includes(key) !== true && property.default === undefined)
			out.push(
				required(`${at}.default`, 'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property'),
			);
		if (property.nullable === true)
			out.push(fieldForbidden(`${at}.nullable`, 'this property is in x-kubernetes-list-map-keys, so it cannot be nullable'));
	}
}
