/** Upstream's EncryptionConfiguration (apiserver.config.k8s.io/v1): which resources are sealed with which keys, the first provider writing. */
import { parse } from 'yaml';
import { AppError, messageOf } from '../../../base/errors.ts';
import { KEY_LENGTHS, type CipherName } from './ciphers.ts';
import { listFault, maskFault, nameFault, patternOf } from './resource-names.ts';

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

/** Reads YAML or JSON. AppError InvalidArgument names the field; secrets are never part of a message. */
export function parseEncryptionConfiguration(text: string): readonly ResourceRule[] {
	let document: unknown;
	try {
		document = parse(text);
	} catch (cause) {
		throw new AppError('InvalidArgument', `The encryption configuration is neither YAML nor JSON: ${messageOf(cause).split('\n')[0]}`);
	}
	const { apiVersion, kind, resources } = object('the document', document);
	if (kind !== 'EncryptionConfiguration' || apiVersion !== 'apiserver.config.k8s.io/v1')
		throw invalid('apiVersion, kind', `${String(apiVersion)} ${String(kind)}: must be apiserver.config.k8s.io/v1 EncryptionConfiguration`);
	const rules = list('resources', resources).map((rule, i) => ruleOf(`resources[${i}]`, object(`resources[${i}]`, rule)));
	if (rules.length === 0) throw invalid('resources', 'must name at least one resource');
	const earlier = new Set<string>();
	for (const [i, rule] of rules.entries())
		for (const name of rule.resources) {
			const masked = maskFault(name, earlier);
			if (masked !== undefined) throw invalid(`resources[${i}].resources`, masked);
			earlier.add(patternOf(name));
		}
	return rules;
}

function ruleOf(path: string, { resources, providers }: Json): ResourceRule {
	const names = list(`${path}.resources`, resources).map((name, i) => {
		if (typeof name !== 'string' || name === '') throw invalid(`${path}.resources[${i}]`, `${JSON.stringify(name)} is no resource`);
		const fault = nameFault(name);
		if (fault !== undefined) throw invalid(`${path}.resources[${i}]`, `Invalid value: ${JSON.stringify(name)}: ${fault}`);
		return name;
	});
	if (names.length === 0) throw invalid(`${path}.resources`, 'must name at least one resource');
	const together = listFault(names);
	if (together !== undefined) throw invalid(`${path}.resources`, `Invalid value: ${JSON.stringify(names)}: ${together}`);
	const found = list(`${path}.providers`, providers).map((p, i) =>
		providerOf(`${path}.providers[${i}]`, object(`${path}.providers[${i}]`, p)),
	);
	if (found.length === 0) throw invalid(`${path}.providers`, 'must name at least one provider');
	return { resources: names, providers: found };
}

function providerOf(path: string, provider: Json): Provider {
	const types = Object.keys(provider);
	const [type = ''] = types;
	if (types.length !== 1)
		throw invalid(path, `must have exactly one of identity, aescbc, aesgcm, secretbox; it has ${types.join(', ') || 'none'}`);
	if (type === 'identity') return { type };
	if (type === 'kms') throw invalid(`${path}.kms`, 'KMS plugins are not supported');
	if (!Object.hasOwn(KEY_LENGTHS, type)) throw invalid(`${path}.${type}`, 'is no provider: use identity, aescbc, aesgcm or secretbox');
	const cipher = type as CipherName;
	const at = `${path}.${cipher}.keys`;
	const keys = list(at, object(`${path}.${cipher}`, provider[cipher])['keys']).map((key, i) =>
		keyOf(`${at}[${i}]`, cipher, object(`${at}[${i}]`, key)),
	);
	if (keys.length === 0) throw invalid(at, 'must have at least one key');
	const names = keys.map((k) => k.name);
	const twice = names.find((name, i) => names.indexOf(name) !== i);
	if (twice !== undefined) throw invalid(at, `the name "${twice}" stands twice`);
	return { type: cipher, keys };
}

function keyOf(path: string, cipher: CipherName, { name, secret }: Json): NamedKey {
	if (typeof name !== 'string' || name === '' || name.includes(':'))
		throw invalid(`${path}.name`, `${JSON.stringify(name)} must be a name without ":"`);
	if (typeof secret !== 'string' || !/^[A-Za-z0-9+/]+={0,2}$/.test(secret)) throw invalid(`${path}.secret`, 'must be base64');
	const bytes = Buffer.from(secret, 'base64');
	const lengths = KEY_LENGTHS[cipher];
	if (!lengths.includes(bytes.length)) throw invalid(`${path}.secret`, `has ${bytes.length} bytes; ${cipher} takes ${lengths.join(', ')}`);
	return { name, secret: bytes };
}

function object(path: string, value: unknown): Json {
	if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(path, 'must be an object');
	return value as Json;
}

function list(path: string, value: unknown): readonly unknown[] {
	if (!Array.isArray(value)) throw invalid(path, 'must be a list');
	return value;
}

function invalid(path: string, why: string): AppError {
	return new AppError('InvalidArgument', `Encryption configuration: ${path}: ${why}`);
}
