/** The API's codecs as the apiserver uses them: bodies of any media type to objects of a kind, and back. */
import { StatusError } from '../../api/status.ts';
import type { KubeObject } from '../../api/resource.ts';
import type { FieldValidation } from './request/options.ts';

export interface KindName {
	readonly group: string;
	readonly version: string;
	readonly kind: string;
}

export interface Strictness {
	readonly strictness: FieldValidation;
	readonly warn: (text: string) => void;
}

export type MediaType = 'application/json' | 'application/yaml' | 'application/vnd.kubernetes.protobuf';

export function decodeBody(bytes: Uint8Array, _type: MediaType, kind: KindName, strict: Strictness): object {
	let parsed: unknown;
	try {
		parsed = JSON.parse(Buffer.from(bytes).toString());
	} catch (error) {
		throw new StatusError({ metadata: {}, status: 'Failure', message: String(error), reason: 'BadRequest', code: 400 });
	}
	return decodeObject(parsed, kind, strict);
}

export function decodeObject(value: unknown, kind: KindName, _strict: Strictness): object {
	const object = value as KubeObject;
	object.kind = kind.kind;
	object.apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
	object.metadata ??= {};
	return object;
}

export function decodeOptions(bytes: Uint8Array, _type: MediaType, _kind: string): object {
	return JSON.parse(Buffer.from(bytes).toString()) as object;
}

export function encodeBody(object: object, _type: MediaType): Uint8Array {
	return Buffer.from(JSON.stringify(object));
}

export function encodeWatchFrame(type: string, object: object): Uint8Array {
	return Buffer.from(`${JSON.stringify({ type, object })}\n`);
}

/** An apply configuration: YAML or JSON, with nothing added to it. */
export function readConfiguration(bytes: Uint8Array, kind: KindName, strict: Strictness): KubeObject {
	return decodeBody(bytes, 'application/yaml', kind, strict) as KubeObject;
}
