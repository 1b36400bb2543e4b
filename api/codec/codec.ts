/** Bodies to objects and back, by media type: decoded as strictly as asked, defaulted, canonical. Errors are StatusErrors in upstream's words. */
import { AppError } from '../../base/errors.ts';
import { applyDefaults } from '../defaults/defaults.ts';
import { goQuote } from '../go-quote.ts';
import type { KindName } from '../kind-name.ts';
import { schemaOfKind, type StructType } from '../schema.ts';
import { badRequest, StatusError } from '../status.ts';
import { canonicalObject } from './canonical.ts';
import { decodeEnvelope, encodeEnvelope, encodeWatchEvent, MessageError } from './envelope.ts';
import { documentOrder } from './document-order.ts';
import { jsonSyntaxError } from './json-syntax.ts';
import { isValueTooDeep } from './depth.ts';
import { keyPaths, overflowError, parseDeepJson, parseSentJson, repeatedKeys } from './json-text.ts';
import { readAs } from './read-as.ts';
import { NO_KIND, typeMetaFault } from './type-meta.ts';
import { isUnserved } from './unserved-versions.ts';
import { parseYamlBody } from './yaml-body.ts';
import { formatYaml } from './yaml.ts';
import { excerpt } from './excerpt.ts';
import { sortedKeys } from './sorted-keys.ts';

export interface Decoding {
	/** What happens to unknown and repeated fields. */
	readonly strictness: 'Ignore' | 'Warn' | 'Strict';
	/** Texts for `Warning` headers. */
	readonly warn: (text: string) => void;
	/** Set for what a patch made: errors do not say what they are about. */
	readonly patch?: PatchDecoding;
}

export interface PatchDecoding {
	/** What strict decoding found in the patch itself; it comes first. */
	readonly strict: readonly string[];
	/** The result did not go through JSON (strategic patches): unknown fields are sorted. */
	readonly unstructured: boolean;
}

export const PROTOBUF = 'application/vnd.kubernetes.protobuf';
type Json = Record<string, unknown>;

const groupVersion = ({ group, version }: KindName): string => (group === '' ? version : `${group}/${version}`);

interface Repeated {
	readonly warnings: readonly string[];
	readonly strict: readonly string[];
	/** The JSON that has them. */
	readonly text?: string;
}

/** A body as it was sent. */
export interface Parsed {
	readonly value: Json;
	/** Keys that stand more than once, as warnings and as strict decoding says it. */
	readonly repeated: Repeated;
	/** What to refuse the body with where what was too deep in it, and is not in the value, would be kept. */
	readonly tooDeep?: StatusError;
	/** What to say of a number in it that no double holds. */
	readonly overflow?: string | undefined;
}

const NONE: Parsed['repeated'] = { warnings: [], strict: [] };

/** The body as an object of the kind, defaulted and canonical. */
export function decodeBody(bytes: Uint8Array, mediaType: string, kind: KindName, decoding: Decoding): Json {
	const { value, repeated, tooDeep } = parsed(bytes, mediaType, kind, decoding.strictness !== 'Ignore', { parse: parseDeepJson });
	const object = typed(value, kind, decoding, repeated);
	if (tooDeep !== undefined && isValueTooDeep(object)) throw tooDeep;
	return object;
}

/** The body as it was sent, for kinds that the contract does not know: an object whose apiVersion and kind are texts, and what stands twice in it. */
export function decodeUntyped(bytes: Uint8Array, mediaType: string, kind: KindName, strict: boolean): Parsed {
	return parsed(bytes, mediaType, kind, strict);
}

/** A plain value (a patch's result) as an object of the kind, defaulted and canonical. */
export function decodeObject(value: unknown, kind: KindName, decoding: Decoding): Json {
	return typed(value as Json, kind, decoding, NONE);
}

/** Options sent as a body: DeleteOptions of any group version, unknown fields ignored. */
export function decodeOptions(bytes: Uint8Array, mediaType: string, kind: string): Json {
	const name = { group: '', version: 'v1', kind };
	const { value } = parsed(bytes, mediaType, name, false, { refuse: badRequest });
	const { apiVersion = 'meta.k8s.io/v1', kind: given = kind, ...rest } = value;
	if (given !== kind && given !== '')
		throw badRequest(
			`no kind ${goQuote(String(given))} is registered for version ${goQuote(String(apiVersion))} in scheme "pkg/runtime/scheme.go:111"`,
		);
	// Their errors do not say what they are about either.
	const {
		apiVersion: _v,
		kind: _k,
		...options
	} = typed(rest, name, { strictness: 'Ignore', warn: () => {}, patch: { strict: [], unstructured: true } }, NONE);
	return options;
}

interface Reading {
	readonly refuse?: (why: string) => StatusError;
	readonly parse?: typeof parseDeepJson;
}

const whole: typeof parseDeepJson = (text) => ({ value: parseSentJson(text), overflow: overflowError(text) });

function parsed(given: Uint8Array, mediaType: string, kind: KindName, strict: boolean, reading: Reading = {}): Parsed {
	const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
	const unrecognized = (why: string): StatusError =>
		badRequest(`the object provided is unrecognized (must be of type ${kind.kind}): ${why} (${excerpt(bytes)})`);
	const refused = reading.refuse ?? unrecognized;
	if (mediaType === PROTOBUF) {
		const broken = ({ kind: given, message }: MessageError): StatusError =>
			reading.refuse?.(message) ?? badRequest(`${errorSubject({}, given, kind.version, kind.kind)}${message}`);
		const value = read(() => decodeEnvelope(bytes, { apiVersion: groupVersion(kind), kind: kind.kind }), refused, broken);
		return { value, repeated: NONE };
	}
	if (mediaType === 'application/yaml') {
		const { value, repeated } = read(() => parseYamlBody(given), refused);
		const all = `yaml: unmarshal errors:${repeated.map((r) => `\n  ${r}`).join('')}`;
		return { value: objectOf(sortedKeys(value), refused), repeated: { warnings: repeated, strict: repeated.length === 0 ? [] : [all] } };
	}
	const text = bytes.toString();
	const found = readJson(text, refused, reading.parse ?? whole);
	const value = objectOf(found.value, refused);
	const deep = found.tooDeep === undefined ? { overflow: found.overflow } : { tooDeep: refused(`${NO_KIND}${found.tooDeep}`) };
	const keys = strict ? repeatedKeys(text, value) : [];
	if (keys.length === 0) return { value, repeated: NONE, ...deep };
	const repeated = [...new Set(keys)].map((path) => `duplicate field ${goQuote(path)}`);
	return { value, repeated: { warnings: repeated, strict: repeated, text }, ...deep };
}

/** Runs a reader; what it does not take, the body is refused for. */
function read<T>(reader: () => T, refused: (why: string) => StatusError, broken?: (error: MessageError) => StatusError): T {
	try {
		return reader();
	} catch (error) {
		if (error instanceof MessageError && broken !== undefined) throw broken(error);
		if (error instanceof AppError && !(error instanceof StatusError)) throw refused(error.message);
		throw error;
	}
}

function readJson(text: string, refused: (why: string) => StatusError, parse: typeof parseDeepJson): ReturnType<typeof parseDeepJson> {
	try {
		return parse(text);
	} catch {
		throw refused(`${NO_KIND}${jsonSyntaxError(text)}`);
	}
}

/** Checks what Go reads first of all: an object, whose apiVersion and kind are strings. */
function objectOf(value: unknown, refused: (why: string) => StatusError): Json {
	// To Go's reader null is an object that says nothing.
	if (value === null || value === undefined) return {};
	const fault = typeMetaFault(value);
	if (fault !== undefined) throw refused(fault);
	return value as Json;
}

/** What an error is about, with its colon. */
export function errorSubject({ patch }: Pick<Decoding, 'patch'>, given: string, version: string, kind: string): string {
	return patch === undefined ? `${given} in version ${goQuote(version)} cannot be handled as a ${kind}: ` : '';
}

/** The group version that a body means: what it does not say is the one served. */
function versionOf(given: string | null | undefined, kind: KindName): string {
	const own = groupVersion(kind);
	return given === undefined || given === null || given === '' || given === '/' || given === `${kind.group}/`
		? own
		: given.replace(/^\//, '');
}

function typed(value: Json, kind: KindName, decoding: Decoding, repeated: Parsed['repeated']): Json {
	if (decoding.patch?.unstructured === false) objectOf(value, badRequest);
	const given = (value['kind'] as string | undefined) || kind.kind;
	const sent = readAs(versionOf(value['apiVersion'] as string | null | undefined, kind), given);
	checkKind(sent, given, kind, value, decoding);
	const apiVersion = groupVersion(kind);
	const type = schemaOfKind(kind.group, kind.version, kind.kind) ?? schemaOfKind('meta.k8s.io', kind.version, kind.kind);
	if (type === undefined) return { ...structuredClone(value), apiVersion, kind: given };
	const subject = errorSubject(decoding, given, kind.version, kind.kind);
	const unknown: string[] = [];
	const object = fitted(type, { ...value, apiVersion, kind: given }, subject, (path, withoutKeys) =>
		unknown.push(decoding.patch?.unstructured === true ? withoutKeys : path),
	);
	if (unknown.length > 0 || repeated !== NONE || decoding.patch !== undefined) tell(unknown, value, subject, decoding, repeated);
	applyDefaults(kind, object);
	keepEmptyManagers(value, object);
	return object;
}

/** Go's reader of JSON keeps no more complaints of one body. */
const MAX_TOLD = 100;

/** Says what is unknown or repeated, or refuses it, as asked. */
function tell(unknown: readonly string[], value: Json, subject: string, decoding: Decoding, repeated: Parsed['repeated']): void {
	const inOrder = decoding.patch?.unstructured === true ? unknown.toSorted() : documentOrder(unknown, value);
	const most = decoding.patch?.unstructured === true ? Number.POSITIVE_INFINITY : MAX_TOLD;
	const fields = inOrder.map((path) => `unknown field ${goQuote(path)}`);
	const patch = decoding.patch?.strict ?? [];
	// Of what is unknown Go sees no more than that.
	const unseen = new Set(fields.map((field) => field.replace('unknown', 'duplicate').slice(0, -1)));
	const isSeen = (duplicated: string): boolean => !isWithin(duplicated, unseen);
	const all = (repeats: readonly string[]): readonly string[] => {
		if (repeated.text !== undefined) return [...patch, ...inTextOrder(repeated.text, unknown).filter(isSeen).slice(0, most)];
		return [...patch, ...repeats.filter(isSeen), ...fields.slice(0, most)];
	};
	const strict = all(repeated.strict);
	if (strict.length > 0 && decoding.strictness === 'Strict') throw badRequest(`${subject}strict decoding error: ${strict.join(', ')}`);
	if (decoding.strictness === 'Warn') for (const problem of all(repeated.warnings)) decoding.warn(problem);
}

/** What is unknown and what is repeated, as Go's reader comes to it. */
function inTextOrder(text: string, unknown: readonly string[]): readonly string[] {
	const wanted = new Set(unknown);
	const found = new Set<string>();
	for (const { path, again } of keyPaths(text))
		if (wanted.has(path)) found.add(`unknown field ${goQuote(path)}`);
		else if (again) found.add(`duplicate field ${goQuote(path)}`);
	return [...found];
}

/** Whether a `duplicate field "a.b.c"` is one of the fields, or below one: `duplicate field "a.b`. */
function isWithin(duplicated: string, fields: ReadonlySet<string>): boolean {
	for (const { index } of duplicated.matchAll(/["[.]/g)) if (fields.has(duplicated.slice(0, index))) return true;
	return false;
}

/** An empty list of managers is no absent one: it asks to forget them all. */
function keepEmptyManagers(value: Json, object: Json): void {
	const given = (value['metadata'] as { managedFields?: unknown } | null | undefined)?.managedFields;
	if (Array.isArray(given) && given.length === 0) (object['metadata'] as { managedFields?: unknown }).managedFields = [];
}

function fitted(type: StructType, value: Json, subject: string, unknown: (path: string, withoutKeys: string) => void): Json {
	try {
		return canonicalObject(type, value, { unknown });
	} catch (error) {
		if (error instanceof AppError && !(error instanceof StatusError)) throw badRequest(`${subject}${error.message}`);
		throw error;
	}
}

/** The body's own kind must be the one that the path serves. */
function checkKind(apiVersion: string, given: string, kind: KindName, value: Json, decoding: Decoding): void {
	const expected = groupVersion(kind);
	if (apiVersion === expected && given === kind.kind) return;
	const mismatch = `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`;
	if (given === kind.kind && isUnserved(apiVersion, kind.group, given)) {
		// What a patch makes is converted: here only fields count that the served version has, too.
		if (decoding.patch !== undefined) return;
		throw badRequest(mismatch);
	}
	const version = apiVersion.slice(apiVersion.lastIndexOf('/') + 1);
	const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
	const subject = errorSubject(decoding, given, version, kind.kind);
	// Definitions and APIServices are read by servers of their own, which know their own kinds alone.
	const isApart = group !== kind.group && (kind.group === 'apiextensions.k8s.io' || kind.group === 'apiregistration.k8s.io');
	const other = isApart ? undefined : schemaOfKind(group, version, given);
	const meta = group === '' && ['Status', 'List', 'DeleteOptions', 'ListOptions'].includes(given);
	if (version !== '__internal' && other === undefined && !meta)
		throw badRequest(
			`${subject}no kind ${goQuote(given)} is registered for version ${goQuote(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
		);
	if (given === kind.kind) {
		// Go's types of that version have no names in JSON but these two.
		const { apiVersion: _, kind: __, ...unknown } = value;
		if (version === '__internal') tell(Object.keys(unknown), value, subject, decoding, NONE);
		throw badRequest(mismatch);
	}
	// Events of both groups are one kind inside.
	const short = kind.group === '' || kind.group === 'events.k8s.io' ? 'core' : (kind.group.split('.')[0] ?? kind.group);
	if (other !== undefined) fitted(other, value, subject, () => {});
	throw badRequest(`${subject}converting (${version}.${given}) to (${short}.${kind.kind}): unknown conversion`);
}

/** An object with apiVersion and kind as bytes of the media type. */
export function encodeBody(object: object, mediaType: string): Uint8Array {
	if (mediaType === 'application/yaml') return Buffer.from(formatYaml(object));
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
