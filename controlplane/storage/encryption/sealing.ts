/**
 * Which key seals which value: the first provider of the rule that names the resource, else its group, else anything; any of its providers opens.
 * Rules with the same name are one.
 */
import { unmarked } from '../custom-folder.ts';
import { createHash } from 'node:crypto';
import { AppError } from '../../../base/errors.ts';
import { CIPHERS, type Cipher } from './ciphers.ts';
import type { Provider, ResourceRule } from './configuration.ts';
import { allOf, ANYTHING, patternOf } from './resource-names.ts';
import type { Opened, Sealer } from './sealer.ts';

/** What a sealed value begins with; a value without it is plain. */
const SEALED = Buffer.from('k8s:enc:');
/** Upstream's write-check: the longest prefix any provider of ours can have. */
const LONGEST_PREFIX = 300;

interface Seal {
	/** "k8s:enc:aescbc:v1:key1:"; empty for identity. */
	readonly prefix: Buffer;
	readonly cipher: Cipher | undefined;
	/** As {@link Sealer.form}. */
	readonly form: string;
}

/** What a key of the store ("/core/secrets/default/x") is sealed with; undefined where no rule names its resource. */
export type Sealing = (key: string) => Sealer | undefined;

export function createSealing(rules: readonly ResourceRule[]): Sealing {
	const providers = new Map<string, readonly Provider[]>();
	for (const rule of rules)
		for (const pattern of rule.resources.map(patternOf)) providers.set(pattern, [...(providers.get(pattern) ?? []), ...rule.providers]);
	const sealers = new Map([...providers].map(([pattern, all]) => [pattern, sealerOf(all)]));
	return (key) => {
		const [, first = '', resource = ''] = unmarked(key).split('/', 3);
		const group = first === 'core' ? '' : first;
		return sealers.get(`${resource}.${group}`) ?? sealers.get(allOf(group)) ?? sealers.get(ANYTHING);
	};
}

/** Opens what no rule names: plain values are as they should be, sealed ones cannot be read. */
export const NO_RULE: Sealer = sealerOf([{ type: 'identity' }]);

function sealerOf(providers: readonly Provider[]): Sealer {
	const seals = providers.flatMap(sealsOf);
	const writing = seals[0] as Seal;
	return {
		form: writing.form,
		seal: (name, bytes) => (writing.cipher === undefined ? bytes : Buffer.concat([writing.prefix, writing.cipher.encrypt(bytes, name)])),
		open: (name, bytes) => open(seals, writing, name, bytes),
	};
}

function sealsOf(provider: Provider): readonly Seal[] {
	if (provider.type === 'identity') return [{ prefix: Buffer.alloc(0), cipher: undefined, form: '' }];
	const make = CIPHERS[provider.type];
	return provider.keys.map(({ name, secret }) => {
		const prefix = `k8s:enc:${provider.type}:v1:${name}:`;
		const form = prefix + createHash('sha256').update(secret).digest('hex');
		return { prefix: Buffer.from(prefix), cipher: make(secret), form };
	});
}

function open(seals: readonly Seal[], writing: Seal, name: string, given: Uint8Array): Opened {
	const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
	const sealed = bytes.subarray(0, SEALED.length).equals(SEALED);
	// Keys may have the same name: one that is rotated to and one that is rotated away from.
	const failures: unknown[] = [];
	let tried = '';
	for (const seal of seals) {
		if (seal.cipher === undefined) {
			if (!sealed) return { bytes: given, stale: seal !== writing };
		} else if (bytes.subarray(0, seal.prefix.length).equals(seal.prefix)) {
			try {
				return { bytes: seal.cipher.decrypt(bytes.subarray(seal.prefix.length), name), stale: seal !== writing };
			} catch (cause) {
				failures.push(cause);
				tried = seal.prefix.toString();
			}
		}
	}
	if (failures.length > 0) throw new AppError('DataLoss', `"${name}" does not open with the key ${tried}`, { cause: failures.at(-1) });
	const prefix = sealed
		? (/^k8s:enc:[^:]*:v1:[^:]*:/.exec(bytes.subarray(0, LONGEST_PREFIX).toString('latin1'))?.[0] ?? 'k8s:enc:')
		: 'plain text';
	throw new AppError('DataLoss', `"${name}" is sealed as ${prefix}, which the encryption configuration has no provider for`);
}
