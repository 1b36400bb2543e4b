/** ConfigMaps, Secrets and ServiceAccounts. */
import { fieldForbidden, invalidValue, required, tooLong } from '../field-error.ts';
import { jsonSyntaxError } from '../codec/json-syntax.ts';
import type { ConfigMap, Secret, ServiceAccount } from '../gen/types.ts';
import { configKey } from './names.ts';
import { NAMESPACED, objectMeta, objectMetaUpdate } from './metadata.ts';
import { immutable, same, texts, type Errors } from './rule.ts';
import { ACCOUNT_NAME, TOKEN_SECRET_TYPE } from '../token-secret.ts';

const MAX_BYTES = 1_048_576;
const IMMUTABLE = 'field is immutable when `immutable` is set';

export function configMap(out: Errors, object: ConfigMap): void {
	objectMeta(out, object.metadata, NAMESPACED);
	let size = 0;
	for (const [key, value] of Object.entries(object.data ?? {})) {
		texts(out, `data[${key}]`, key, configKey(key));
		if (object.binaryData?.[key] !== undefined) out.push(invalidValue(`data[${key}]`, key, 'duplicate of key present in binaryData'));
		size += Buffer.byteLength(value);
	}
	for (const [key, value] of Object.entries(object.binaryData ?? {})) {
		texts(out, `binaryData[${key}]`, key, configKey(key));
		size += decodedBytes(value);
	}
	if (size > MAX_BYTES) out.push(tooLong('[]', MAX_BYTES));
}

const decodedBytes = (base64: string): number => Buffer.byteLength(base64, 'base64');

export function configMapUpdate(out: Errors, object: ConfigMap, old: ConfigMap): void {
	objectMetaUpdate(out, object.metadata, old.metadata);
	if (old.immutable === true) {
		if (object.immutable !== true) out.push(fieldForbidden('immutable', IMMUTABLE));
		for (const key of ['data', 'binaryData'] as const) if (!same(object[key], old[key])) out.push(fieldForbidden(key, IMMUTABLE));
	}
	configMap(out, object);
}

/** Keys that a type of Secret must have. */
const NEEDED: ReadonlyMap<string, readonly string[]> = new Map([
	['kubernetes.io/dockercfg', ['.dockercfg']],
	['kubernetes.io/dockerconfigjson', ['.dockerconfigjson']],
	['kubernetes.io/ssh-auth', ['ssh-privatekey']],
	['kubernetes.io/tls', ['tls.crt', 'tls.key']],
]);

export function secret(out: Errors, object: Secret): void {
	objectMeta(out, object.metadata, NAMESPACED);
	const data = object.data ?? {};
	let size = 0;
	for (const [key, value] of Object.entries(data)) {
		texts(out, `data[${key}]`, key, configKey(key));
		size += decodedBytes(value);
	}
	if (size > MAX_BYTES) out.push(tooLong('data', MAX_BYTES));
	const { type = '' } = object;
	if (type === TOKEN_SECRET_TYPE && (object.metadata.annotations?.[ACCOUNT_NAME] ?? '') === '')
		out.push(required(`metadata.annotations[${ACCOUNT_NAME}]`));
	if (type === 'kubernetes.io/basic-auth' && data['username'] === undefined && data['password'] === undefined)
		out.push(required('data[username]'), required('data[password]'));
	for (const key of NEEDED.get(type) ?? []) {
		const value = data[key];
		const why = value !== undefined && key.startsWith('.dockerc') ? noObject(Buffer.from(value, 'base64')) : undefined;
		if (value === undefined || (value === '' && key === 'ssh-privatekey')) out.push(required(`data[${key}]`));
		else if (why !== undefined) out.push(invalidValue(`data[${key}]`, '<secret contents redacted>', why));
	}
}

/** Why the bytes are no JSON object, in Go's words. */
function noObject(bytes: Buffer): string | undefined {
	const text = bytes.toString();
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		return jsonSyntaxError(text, bytes);
	}
	const kind = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
	return kind === 'object' ? undefined : `json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`;
}

export function secretUpdate(out: Errors, object: Secret, old: Secret): void {
	objectMetaUpdate(out, object.metadata, old.metadata);
	immutable(out, 'type', object.type, old.type);
	if (old.immutable === true) {
		if (object.immutable !== true) out.push(fieldForbidden('immutable', IMMUTABLE));
		if (!same(object.data, old.data)) out.push(fieldForbidden('data', IMMUTABLE));
	}
	secret(out, object);
}

export function serviceAccount(out: Errors, object: ServiceAccount): void {
	objectMeta(out, object.metadata, NAMESPACED);
}

export function serviceAccountUpdate(out: Errors, object: ServiceAccount, old: ServiceAccount): void {
	objectMetaUpdate(out, object.metadata, old.metadata);
	serviceAccount(out, object);
}
