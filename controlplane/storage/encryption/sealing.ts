/**
 * Which key seals which value: the first provider of the rule that names the resource, else its group, else anything; any of its providers opens.
 * Rules with the same name are one.
 */
import { unmarked } from '../custom-folder.ts';
import { createHash } from 'node:crypto';
import { AppError } from '../../../base/errors.ts';
import { CIPHERS, type Cipher } from './ciphers.ts';
import type { Provider, ResourceRule } from './configuration.ts';
import { allOf, ANYTHING, isApi, patternOf } from './resource-names.ts';
import type { Opened, Sealer } from './sealer.ts';
import type { Transformation, Transformations } from './transformations.ts';

/** What a sealed value begins with; a value without it is plain. */
const SEALED = Buffer.from('k8s:enc:');
/** Upstream's write-check: the longest prefix any provider of ours can have. */
const LONGEST_PREFIX = 300;

interface Seal {
	/** "k8s:enc:aescbc:v1:key1:"; empty for identity. */
	readonly prefix: Buffer;
	/** "k8s:enc:aescbc:v1:" and "key1:", under which its use is counted. */
	readonly provider: string;
	readonly key: string;
	readonly cipher: Cipher | undefined;
	/** As {@link Sealer.form}. */
	readonly form: string;
}

/** A key of the right name that did not open the value. */
interface Failure {
	readonly prefix: string;
	readonly cause: unknown;
}

/** As what is counted that no provider, or none of its keys, is for. */
const UNKNOWN = 'unknown';

/** The keys of one provider, in their order. */
type Ring = readonly [Seal, ...Seal[]];

/** What a key of the store ("/core/secrets/default/x") is sealed with; undefined where no rule names its resource. */
export type Sealing = (key: string) => Sealer | undefined;

/** @param counted by whom; absent: nobody */
export function createSealing(rules: readonly ResourceRule[], counted?: Transformations): Sealing {
	const providers = new Map<string, readonly Provider[]>();
	for (const rule of rules)
		for (const pattern of rule.resources.map(patternOf)) providers.set(pattern, [...(providers.get(pattern) ?? []), ...rule.providers]);
	const rings = new Map([...providers].map(([pattern, all]) => [pattern, all.map(ringOf)]));
	/** By resource, each of which is counted under its own name. */
	const sealers = new Map<string, Sealer | undefined>();
	return (key) => {
		const [, first = '', resource = ''] = unmarked(key).split('/', 3);
		const group = first === 'core' ? '' : first;
		const name = `${resource}.${group}`;
		if (!sealers.has(name)) {
			const found = rings.get(name) ?? rings.get(allOf(group)) ?? rings.get(ANYTHING);
			// What servers share beside the API is written plain: others could not read it.
			const used = found === undefined || isApi(name) ? found : [PLAIN, ...found];
			sealers.set(name, used === undefined ? undefined : sealerOf(used, group === '' ? resource : name, counted));
		}
		return sealers.get(name);
	};
}

const PLAIN = ringOf({ type: 'identity' });

/** Opens what no rule names: plain values are as they should be, sealed ones cannot be read. */
export const NO_RULE: Sealer = sealerOf([PLAIN], '', undefined);

function sealerOf(rings: readonly Ring[], resource: string, counted: Transformations | undefined): Sealer {
	const writing = (rings[0] as Ring)[0];
	return {
		form: writing.form,
		seal: (name, bytes) => {
			const counting = counted?.begin(resource, 'to_storage');
			const sealed = writing.cipher === undefined ? bytes : Buffer.concat([writing.prefix, writing.cipher.encrypt(bytes, name)]);
			if (writing.cipher !== undefined) counting?.ended(writing.key, true);
			counting?.ended(writing.provider, true);
			return sealed;
		},
		open: (name, bytes) => open(rings, writing, name, bytes, counted?.begin(resource, 'from_storage')),
	};
}

function ringOf(provider: Provider): Ring {
	if (provider.type === 'identity') return [{ prefix: Buffer.alloc(0), provider: '', key: '', cipher: undefined, form: '' }];
	const make = CIPHERS[provider.type];
	return provider.keys.map(({ name, secret }) => {
		const common = `k8s:enc:${provider.type}:v1:`;
		const prefix = `${common}${name}:`;
		const form = prefix + createHash('sha256').update(secret).digest('hex');
		return { prefix: Buffer.from(prefix), provider: common, key: `${name}:`, cipher: make(secret), form };
	}) as readonly Seal[] as Ring;
}

function open(rings: readonly Ring[], writing: Seal, name: string, given: Uint8Array, counting: Transformation | undefined): Opened {
	const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
	const sealed = bytes.subarray(0, SEALED.length).equals(SEALED);
	const failures: Failure[] = [];
	let isTried = false;
	for (const ring of rings) {
		const [{ provider, cipher }] = ring;
		if (cipher === undefined) {
			if (sealed) continue;
			counting?.ended('identity', true);
			return { bytes: given, stale: ring[0] !== writing };
		}
		if (!beginsWith(bytes, Buffer.from(provider))) continue;
		isTried = true;
		const found = openBy(ring, name, bytes, failures, counting);
		counting?.ended(provider, found !== undefined);
		if (found !== undefined) return { bytes: found.bytes, stale: found.seal !== writing };
	}
	if (!isTried) counting?.ended(UNKNOWN, false);
	const last = failures.at(-1);
	if (last !== undefined) throw new AppError('DataLoss', `"${name}" does not open with the key ${last.prefix}`, { cause: last.cause });
	const prefix = sealed
		? (/^k8s:enc:[^:]*:v1:[^:]*:/.exec(bytes.subarray(0, LONGEST_PREFIX).toString('latin1'))?.[0] ?? 'k8s:enc:')
		: 'plain text';
	throw new AppError('DataLoss', `"${name}" is sealed as ${prefix}, which the encryption configuration has no provider for`);
}

/** By one of the provider's keys. Keys may have the same name: one that is rotated to and one that is rotated away from. */
function openBy(
	ring: Ring,
	name: string,
	bytes: Buffer,
	failures: Failure[],
	counting: Transformation | undefined,
): { readonly bytes: Uint8Array; readonly seal: Seal } | undefined {
	const named = ring.filter(({ prefix }) => beginsWith(bytes, prefix));
	for (const seal of named) {
		try {
			const opened = (seal.cipher as Cipher).decrypt(bytes.subarray(seal.prefix.length), name);
			counting?.ended(seal.key, true);
			return { bytes: opened, seal };
		} catch (cause) {
			counting?.ended(seal.key, false);
			failures.push({ prefix: seal.prefix.toString(), cause });
		}
	}
	if (named.length === 0) counting?.ended(UNKNOWN, false);
	return undefined;
}

function beginsWith(bytes: Buffer, prefix: Buffer): boolean {
	return bytes.subarray(0, prefix.length).equals(prefix);
}
