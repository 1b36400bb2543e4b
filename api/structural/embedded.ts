/** Resources inside of resources name their type and have good metadata (apiextensions schema/objectmeta). */
import { invalidValue, required, type FieldError } from '../field-error.ts';
import type { KubeObject } from '../resource.ts';
import { objectMeta } from '../validation/metadata.ts';
import { dns1035Label, pathSegment } from '../validation/names.ts';
import { additionalOf, isObject, propertyOf, type Json, type Schema } from './schema.ts';

export function embeddedErrors(value: unknown, schema: Schema | undefined, path: string): FieldError[] {
	if (schema === undefined) return [];
	if (Array.isArray(value)) return value.flatMap((item, i) => embeddedErrors(item, schema.items, `${path}[${i}]`));
	if (!isObject(value)) return [];
	const out: FieldError[] = [];
	if (path !== '' && schema['x-kubernetes-embedded-resource'] === true) out.push(...resourceErrors(value, path));
	for (const [key, inner] of Object.entries(value)) {
		const property = propertyOf(schema, key);
		if (property === undefined) out.push(...embeddedErrors(inner, additionalOf(schema), `${path}[${key}]`));
		else out.push(...embeddedErrors(inner, property, path === '' ? key : `${path}.${key}`));
	}
	return out;
}

/** @param path empty for the root */
export function resourceErrors(value: Json, path: string): FieldError[] {
	const out: FieldError[] = [];
	const text = (key: string, wrong: (given: string) => string | undefined): void => {
		const given = value[key];
		const at = path === '' ? key : `${path}.${key}`;
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
	const { namespace = '', name = '', ...metadata } = value['metadata'] as KubeObject['metadata'];
	const namespaced = namespace !== '';
	// A resource inside of another needs no name.
	const given = { ...metadata, name: name === '' ? 'unnamed' : name, ...(namespaced ? { namespace } : {}) };
	objectMeta(out, given, { name: pathSegment, namespaced, finalizers: false }, path === '' ? 'metadata' : `${path}.metadata`);
	return out;
}
