/** Bodies of custom resources: metadata as every kind has it, the rest by the schema: pruned, defaulted, without nulls that are not allowed. */
import type { Decoding } from '../../../api/codec/codec.ts';
import { decodeUntyped, errorSubject } from '../../../api/codec/codec.ts';
import { excerpt } from '../../../api/codec/excerpt.ts';
import { typeMetaFault } from '../../../api/codec/type-meta.ts';
import { goJson } from '../../../api/go-json.ts';
import type { ObjectMeta } from '../../../api/gen/types.ts';
import { apiVersionOf, type KubeObject, type Resource } from '../../../api/resource.ts';
import { badRequest, internalError, StatusError } from '../../../api/status.ts';
import { canonicalMetadata } from '../../../api/structural/coerce.ts';
import { dropNulls, setDefaults } from '../../../api/structural/defaults.ts';
import { prune } from '../../../api/structural/prune.ts';
import { additionalOf, inOrder, isObject, propertyOf, type Json, type Schema } from '../../../api/structural/schema.ts';
import { AppError } from '../../../base/errors.ts';
import type { CustomDecoding } from '../registry/custom-kind.ts';

/** Schemas of the definition's other versions, by apiVersion: what is sent in one is told of its unknown fields before it is refused. */
export type OtherVersions = (apiVersion: string) => Schema | undefined;

export function decodeCustomBody(
	bytes: Uint8Array,
	mediaType: string,
	resource: Resource,
	schema: Schema,
	decoding: Decoding,
	others?: OtherVersions,
): KubeObject {
	const { value, repeated, overflow } = decodeUntyped(bytes, mediaType, resource, decoding.strictness !== 'Ignore');
	if ((value['kind'] ?? '') === '') throw withoutKind(bytes, mediaType, value, resource);
	if (overflow !== undefined)
		throw badRequest(`${errorSubject(decoding, String(value['kind'] as string), resource.version, resource.kind)}${overflow}`);
	return decodeCustom(value, resource, schema, decoding, others, repeated);
}

function withoutKind(bytes: Uint8Array, mediaType: string, value: Json, { kind }: Resource): StatusError {
	const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const json = mediaType === 'application/yaml' ? JSON.stringify(value) : body.toString();
	return badRequest(
		`the object provided is unrecognized (must be of type ${kind}): Object 'Kind' is missing in '${json}' (${excerpt(body)})`,
	);
}

const NO_VERSION = "Object 'apiVersion' is missing in 'object has no apiVersion field'";
const NOTHING = { warnings: [], strict: [] };
const ANYTHING: Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const NOTHING_KNOWN: Schema = { type: 'object' };

function partsOf(apiVersion: string): { readonly group: string; readonly version: string } {
	const slash = apiVersion.indexOf('/');
	return { group: apiVersion.slice(0, Math.max(slash, 0)), version: apiVersion.slice(slash + 1) };
}

/** The value is changed. StatusError BadRequest. */
export function decodeCustom(
	value: Json,
	resource: Resource,
	schema: Schema,
	decoding: CustomDecoding,
	others?: OtherVersions,
	repeated: { readonly warnings: readonly string[]; readonly strict: readonly string[] } = NOTHING,
): KubeObject {
	const expected = apiVersionOf(resource);
	const fault = typeMetaFault(value);
	if (fault !== undefined) throw badRequest(fault);
	const kind = value['kind'] ?? '';
	if (kind === '') throw badRequest(`Object 'Kind' is missing in '${goJson(inOrder(value))}'`);
	const apiVersion = String((value['apiVersion'] ?? '') as string);
	const { strictness, warn } = decoding;
	const patch = decoding.patch?.strict ?? [];
	const { group, version } = partsOf(apiVersion);
	const subject = errorSubject(decoding, String(kind as string), version, resource.kind);
	// What is of another kind has metadata and nothing else that is known of it.
	const isOwn = group === resource.group && kind === resource.kind;
	const fitting = !isOwn ? ANYTHING : apiVersion === expected ? schema : (others?.(apiVersion) ?? NOTHING_KNOWN);
	const ofMetadata: string[] = [];
	const metadata = coerced(value['metadata'] ?? {}, 'metadata', ofMetadata, subject);
	const object: Json = { ...value, metadata };
	const pruned = prune(object, fitting);
	const ofEmbedded: string[] = [];
	embedded(object, fitting, '', ofEmbedded, subject);
	const fields = [...new Set([...ofMetadata, ...pruned, ...ofEmbedded.sort()])].map((path) => `unknown field ${JSON.stringify(path)}`);
	const strict = [...patch, ...repeated.strict, ...fields];
	if (strict.length > 0 && strictness === 'Strict') {
		if (apiVersion === '') throw badRequest(NO_VERSION);
		throw badRequest(`${subject}strict decoding error: ${strict.join(', ')}`);
	}
	if (strictness === 'Warn') for (const problem of [...patch, ...repeated.warnings, ...fields]) warn(problem);
	// What a patch made of it is for validation to say.
	const isPatched = decoding.patch !== undefined && decoding.isApplied !== true;
	if (isPatched && apiVersion === '') throw internalError(NO_VERSION);
	if (apiVersion !== expected && !isPatched)
		throw badRequest(`the API version in the data (${apiVersion}) does not match the expected API version (${expected})`);
	complete(object, schema, decoding.isApplied);
	return object as unknown as KubeObject;
}

/**
 * Defaults, and no nulls where none may be; metadata is left alone.
 * @param isApplied what an apply patch came to: its nulls stay, and are validated
 */
export function complete(object: Json, schema: Schema, isApplied = false): void {
	setDefaults(object, withoutMetadata(schema));
	if (!isApplied) withoutNulls(object, schema);
}

/** No nulls where none may be, and which no default stands for. */
export function withoutNulls(object: Json, schema: Schema): void {
	dropNulls(object, withoutMetadata(schema));
}

function withoutMetadata(schema: Schema): Schema {
	const { metadata: _, ...properties } = schema.properties ?? {};
	return { ...schema, properties };
}

/** Metadata in its canonical form. */
function coerced(metadata: unknown, path: string, unknown: string[], subject: string): ObjectMeta {
	const where = path === 'metadata' ? '' : `${path}: Invalid value: ${JSON.stringify(metadata)}: `;
	try {
		return canonicalMetadata(metadata, (field) => unknown.push(`${path}.${field}`));
	} catch (error) {
		if (error instanceof AppError && !(error instanceof StatusError)) throw badRequest(`${subject}${where}${error.message}`);
		throw error;
	}
}

/** Metadata of resources inside of resources. */
function embedded(value: unknown, schema: Schema | undefined, path: string, unknown: string[], subject: string): void {
	if (schema === undefined) return;
	if (Array.isArray(value)) value.forEach((item, i) => embedded(item, schema.items, `${path}[${i}]`, unknown, subject));
	else if (isObject(value)) {
		if (schema['x-kubernetes-embedded-resource'] === true && value['metadata'] !== undefined)
			value['metadata'] = coerced(value['metadata'], path === '' ? 'metadata' : `${path}.metadata`, unknown, subject);
		for (const [key, inner] of Object.entries(value)) {
			const property = propertyOf(schema, key);
			if (property === undefined) embedded(inner, additionalOf(schema), `${path}[${key}]`, unknown, subject);
			else embedded(inner, property, path === '' ? key : `${path}.${key}`, unknown, subject);
		}
	}
}
