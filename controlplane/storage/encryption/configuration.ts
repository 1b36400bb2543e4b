/**
 * Upstream's EncryptionConfiguration (apiserver.config.k8s.io/v1): which resources are sealed with which keys, the first provider writing. What
 * is wrong is told in upstream's words (pkg/apis/apiserver/validation), but for values: one of them might be a secret.
 */
import { invalidValue, required, type FieldError } from '../../../api/field-error.ts';
import { AppError, messageOf } from '../../../base/errors.ts';
import { parseYaml } from '../../../base/parse-yaml.ts';
import { KEY_LENGTHS, type CipherName } from './ciphers.ts';
import { listFaults, maskFault, nameFault, patternOf } from './resource-names.ts';

export interface NamedKey {
	readonly name: string;
	readonly secret: Buffer;
}

export type Provider = { readonly type: 'identity' } | { readonly type: CipherName; readonly keys: readonly NamedKey[] };

export interface ResourceRule {
	/** "secrets", "pandas.example.com", "*.apps", "*." (core) or "*.*". */
	readonly resources: readonly string[];
	readonly providers: readonly Provider[];
}

type Json = Readonly<Record<string, unknown>>;

const TYPES = ['kms', 'aesgcm', 'aescbc', 'secretbox', 'identity'] as const;
const NO_PROVIDER = 'provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity';
const SEVERAL = 'more than one provider specified in a single element, should split into different list elements';

/** Reads YAML or JSON. AppError InvalidArgument names every field that is wrong; secrets are never part of a message. */
export function parseEncryptionConfiguration(text: string): readonly ResourceRule[] {
	if (text === '') throw parsing('error while loading file: encryption provider configuration file is empty');
	let document: unknown;
	try {
		document = parseYaml(text);
	} catch (cause) {
		throw decoding(`it is neither YAML nor JSON: ${messageOf(cause).split('\n')[0]}`);
	}
	const root = object('', document, 'apiVersion', 'kind', 'resources');
	const { apiVersion = '', kind = '' } = root as { readonly apiVersion?: unknown; readonly kind?: unknown };
	if (kind !== 'EncryptionConfiguration' || apiVersion !== 'apiserver.config.k8s.io/v1')
		throw decoding(`no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`);
	const faults: FieldError[] = [];
	const rules = list('resources', root['resources']).map((rule, i) => ruleOf(`resources[${i}]`, rule, faults));
	if (rules.length === 0) faults.push(required('resources', 'at least one resources is required'));
	const told = [...new Set(faults.map(({ field, message }) => `${field}: ${message}`))];
	if (told.length > 0) throw parsing(told.length === 1 ? (told[0] as string) : `[${told.join(', ')}]`);
	checkMasks(rules);
	return rules;
}

function checkMasks(rules: readonly ResourceRule[]): void {
	const earlier = new Set<string>();
	for (const name of rules.flatMap(({ resources }) => resources)) {
		const masked = maskFault(name, earlier);
		if (masked !== undefined) throw new AppError('InvalidArgument', `error while building transformers: ${masked}`);
		earlier.add(patternOf(name));
	}
}

function ruleOf(path: string, given: unknown, faults: FieldError[]): ResourceRule {
	const { resources, providers } = object(path, given, 'resources', 'providers');
	const at = `${path}.resources`;
	const names = list(at, resources).map((name, i) => {
		if (typeof name !== 'string') throw decoding(`${at}[${i}] must be a string`);
		return name;
	});
	if (names.length === 0) faults.push(required(at, `at least one ${at} is required`));
	faults.push(...listFaults(names).map((why) => invalidValue(at, names, why)));
	for (const [i, name] of names.entries()) {
		const why = nameFault(name);
		if (why !== undefined) faults.push(invalidValue(`${at}[${i}]`, name, why));
	}
	const all = list(`${path}.providers`, providers);
	if (all.length === 0) faults.push(required(`${path}.providers`, `at least one ${path}.providers is required`));
	return { resources: names, providers: all.flatMap((one, i) => providerOf(`${path}.providers[${i}]`, one, faults)) };
}

/** None where it is wrong. */
function providerOf(path: string, given: unknown, faults: FieldError[]): readonly Provider[] {
	const provider = object(path, given, ...TYPES);
	const types = TYPES.filter((type) => provider[type] !== undefined);
	const [type] = types;
	if (type === undefined || types.length > 1) {
		faults.push(invalidValue(path, '<omitted>', type === undefined ? NO_PROVIDER : SEVERAL));
		return [];
	}
	const at = `${path}.${type}`;
	if (type === 'kms') {
		faults.push(invalidValue(at, '<omitted>', 'KMS plugins are not supported'));
		return [];
	}
	if (type === 'identity') {
		object(at, provider[type]);
		return [{ type }];
	}
	const keys = list(`${at}.keys`, object(at, provider[type], 'keys')['keys']);
	if (keys.length === 0) faults.push(required(`${at}.keys`, 'at least one keys is required'));
	return [{ type, keys: keys.map((key, i) => keyOf(`${at}.keys[${i}]`, type, key, faults)) }];
}

function keyOf(path: string, cipher: CipherName, given: unknown, faults: FieldError[]): NamedKey {
	const { name = '', secret = '' } = object(path, given, 'name', 'secret');
	if (typeof name !== 'string') throw decoding(`${path}.name must be a string`);
	if (typeof secret !== 'string') throw decoding(`${path}.secret must be a string`);
	if (name === '') faults.push(required(`${path}.name`, 'name is a mandatory field for a key'));
	const why = secret === '' ? undefined : secretFault(secret, KEY_LENGTHS[cipher]);
	if (secret === '') faults.push(required(`${path}.secret`, 'secret is a mandatory field for a key'));
	else if (why !== undefined) faults.push(invalidValue(`${path}.secret`, 'REDACTED', why));
	return { name, secret: Buffer.from(secret, 'base64') };
}

/** Ends of lines do not count, as for Go's decoder. */
function secretFault(secret: string, lengths: readonly number[]): string | undefined {
	const text = secret.replace(/[\r\n]/g, '');
	if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return 'secrets must be base64 encoded';
	const { length } = Buffer.from(text, 'base64');
	return lengths.includes(length)
		? undefined
		: `secret is not of the expected length, got ${length}, expected one of [${lengths.join(' ')}]`;
}

/** Read strictly, as by upstream. */
function object(path: string, value: unknown, ...known: readonly string[]): Json {
	if (typeof value !== 'object' || value === null || Array.isArray(value)) throw decoding(`${path === '' ? 'it' : path} must be an object`);
	const unknown = Object.keys(value).filter((field) => !known.includes(field));
	const fields = unknown.map((field) => `unknown field ${JSON.stringify(path === '' ? field : `${path}.${field}`)}`);
	if (fields.length > 0) throw decoding(`strict decoding error: ${fields.join(', ')}`);
	return value as Json;
}

function list(path: string, value: unknown): readonly unknown[] {
	if (value === undefined) return [];
	if (!Array.isArray(value)) throw decoding(`${path} must be a list`);
	return value;
}

function parsing(why: string): AppError {
	return new AppError('InvalidArgument', `error while parsing file: ${why}`);
}

function decoding(why: string): AppError {
	return parsing(`error decoding encryption provider configuration file: ${why}`);
}
