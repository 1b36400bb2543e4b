/** Bodies to objects and back, by media type: decoded as strictly as asked, defaulted, canonical. Errors are StatusErrors in upstream's words. */
import { parse as parseYaml, stringify as stringifyYaml, YAMLParseError } from 'yaml';
import { AppError, messageOf } from '../../base/errors.ts';
import { applyDefaults } from '../defaults/defaults.ts';
import type { KindName } from '../kind-name.ts';
import { schemaOfKind } from '../schema.ts';
import { badRequest, StatusError } from '../status.ts';
import { canonicalObject } from './canonical.ts';
import { decodeEnvelope, encodeEnvelope, encodeWatchEvent } from './envelope.ts';
import { parseJson, repeatedKeys } from './json-text.ts';

export interface Decoding {
	/** What happens to unknown and repeated fields. */
	readonly strictness: 'Ignore' | 'Warn' | 'Strict';
	/** Texts for `Warning` headers. */
	readonly warn: (text: string) => void;
}

export const PROTOBUF = 'application/vnd.kubernetes.protobuf';
type Json = Record<string, unknown>;

const groupVersion = ({ group, version }: KindName): string => (group === '' ? version : `${group}/${version}`);

/** The body as an object of the kind, defaulted and canonical. */
export function decodeBody(bytes: Uint8Array, mediaType: string, kind: KindName, decoding: Decoding): Json {
	const problems: string[] = [];
	const value = parsed(bytes, mediaType, kind, problems, decoding.strictness !== 'Ignore');
	return typed(value, kind, decoding, problems);
}

/** A plain value (a patch's result) as an object of the kind, defaulted and canonical. */
export function decodeObject(value: unknown, kind: KindName, decoding: Decoding): Json {
	return typed(value as Json, kind, decoding, []);
}

/** Options sent as a body: DeleteOptions of any group version, unknown fields ignored. */
export function decodeOptions(bytes: Uint8Array, mediaType: string, kind: string): Json {
	const name = { group: '', version: 'v1', kind };
	const value = parsed(bytes, mediaType, name, [], false);
	const { apiVersion: _a, kind: _k, ...rest } = value;
	return typed(rest, name, { strictness: 'Ignore', warn: () => {} }, []);
}

function parsed(bytes: Uint8Array, mediaType: string, kind: KindName, problems: string[], strict: boolean): Json {
	if (mediaType === PROTOBUF) {
		try {
			return decodeEnvelope(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), {
				apiVersion: groupVersion(kind),
				kind: kind.kind,
			});
		} catch (error) {
			if (error instanceof AppError && !(error instanceof StatusError))
				throw badRequest(`the object provided is unrecognized (must be of type ${kind.kind}): ${error.message} (${excerpt(bytes)})`);
			throw error;
		}
	}
	const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
	let value: unknown;
	try {
		value = mediaType === 'application/yaml' ? parseYaml(text, { version: '1.1', uniqueKeys: true, merge: true }) : parseJson(text);
	} catch (error) {
		const why =
			error instanceof YAMLParseError
				? `yaml: ${error.message.split('\n')[0]}`
				: `couldn't get version/kind; json parse error: ${goSyntaxError(text, messageOf(error))}`;
		throw badRequest(`the object provided is unrecognized (must be of type ${kind.kind}): ${why} (${excerpt(bytes)})`);
	}
	if (typeof value !== 'object' || value === null || Array.isArray(value)) {
		const what = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
		const why = `couldn't get version/kind; json parse error: json: cannot unmarshal ${what} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`;
		throw badRequest(`the object provided is unrecognized (must be of type ${kind.kind}): ${why} (${excerpt(bytes)})`);
	}
	for (const key of ['apiVersion', 'kind'] as const) {
		const given = (value as Json)[key];
		if (given === undefined || given === null || typeof given === 'string') continue;
		const what = Array.isArray(given) ? 'array' : typeof given === 'boolean' ? 'bool' : typeof given;
		throw badRequest(
			`the object provided is unrecognized (must be of type ${kind.kind}): couldn't get version/kind; json parse error: json: cannot unmarshal ${what} into Go struct field .${key} of type string (${excerpt(bytes)})`,
		);
	}
	if (strict && mediaType !== 'application/yaml')
		for (const path of new Set(repeatedKeys(text, value))) problems.push(`duplicate field ${JSON.stringify(path)}`);
	return value as Json;
}

/** Go's words for the commonest syntax errors. */
function goSyntaxError(text: string, message: string): string {
	if (text.trim() === '' || /Unexpected end|Unterminated|Expected (property name|',' or '[}\]]')[^\n]*$/.test(message)) {
		if (text.trim() === '' || /end of JSON|Unterminated/.test(message) || isCutShort(text)) return 'unexpected end of JSON input';
	}
	const at = /position (\d+)/.exec(message)?.[1];
	const character = at === undefined ? text.trim()[0] : text[Number(at)];
	return `invalid character ${character === undefined ? "' '" : `'${character}'`} looking for beginning of value`;
}

function isCutShort(text: string): boolean {
	return /[{[,:]\s*$/.test(text);
}

/** The first bytes of a body, as error messages quote them. */
function excerpt(bytes: Uint8Array): string {
	const text = Buffer.from(bytes.subarray(0, 31)).toString();
	return bytes.length > 30 ? `${text.slice(0, 30)} ...` : text;
}

function typed(value: Json, kind: KindName, decoding: Decoding, problems: readonly string[]): Json {
	const apiVersion = (value['apiVersion'] as string | undefined) || groupVersion(kind);
	const given = (value['kind'] as string | undefined) || kind.kind;
	checkKind(apiVersion, given, kind);
	const type = schemaOfKind(kind.group, kind.version, kind.kind) ?? schemaOfKind('meta.k8s.io', kind.version, kind.kind);
	if (type === undefined) return { ...structuredClone(value), apiVersion, kind: given };
	const subject = `${given} in version ${JSON.stringify(kind.version)} cannot be handled as a ${kind.kind}`;
	const unknown: string[] = [];
	let object: Json;
	try {
		object = canonicalObject(
			type,
			{ ...value, apiVersion, kind: given },
			{ unknown: (path) => unknown.push(`unknown field ${JSON.stringify(path)}`) },
		);
	} catch (error) {
		if (error instanceof AppError && !(error instanceof StatusError)) throw badRequest(`${subject}: ${error.message}`);
		throw error;
	}
	const all = [...problems, ...unknown];
	if (all.length > 0 && decoding.strictness === 'Strict') throw badRequest(`${subject}: strict decoding error: ${all.join(', ')}`);
	if (decoding.strictness === 'Warn') for (const problem of all) decoding.warn(problem);
	applyDefaults(kind, object);
	return object;
}

/** The body's own kind must be the one that the path serves. */
function checkKind(apiVersion: string, given: string, kind: KindName): void {
	const expected = groupVersion(kind);
	if (apiVersion === expected && given === kind.kind) return;
	const version = apiVersion.slice(apiVersion.lastIndexOf('/') + 1);
	const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
	const subject = `${given} in version ${JSON.stringify(version)} cannot be handled as a ${kind.kind}`;
	const meta = group === '' && ['Status', 'List', 'DeleteOptions', 'ListOptions'].includes(given);
	if (schemaOfKind(group, version, given) === undefined && !meta)
		throw badRequest(
			`${subject}: no kind ${JSON.stringify(given)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
		);
	if (given === kind.kind)
		throw badRequest(`the API version in the data (${apiVersion}) does not match the expected API version (${expected})`);
	const short = (g: string): string => (g === '' ? 'core' : (g.split('.')[0] ?? g));
	throw badRequest(`${subject}: converting (${version}.${given}) to (${short(kind.group)}.${kind.kind}): unknown conversion`);
}

/** An object with apiVersion and kind as bytes of the media type. */
export function encodeBody(object: object, mediaType: string): Uint8Array {
	if (mediaType === 'application/yaml')
		return Buffer.from(
			stringifyYaml(JSON.parse(JSON.stringify(object)), {
				version: '1.1',
				lineWidth: 0,
				sortMapEntries: true,
				aliasDuplicateObjects: false,
			}),
		);
	if (mediaType.startsWith(PROTOBUF)) {
		const bytes = encodeEnvelope(object as Json);
		if (bytes !== undefined) return bytes;
	}
	return Buffer.from(`${JSON.stringify(object)}\n`);
}

/** One watch event as a protobuf frame. */
export function encodeWatchFrame(type: string, object: object): Uint8Array {
	return encodeWatchEvent(type, object as Json);
}
