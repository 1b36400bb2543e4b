/** Which key seals which value: the first provider of the first rule that names the resource; any of its providers opens. */
import { AppError } from '../../../base/errors.ts';
import { CIPHERS, type Cipher } from './ciphers.ts';
import type { Provider, ResourceRule } from './configuration.ts';
import type { Opened, Sealer } from './sealer.ts';

/** What a sealed value begins with; a value without it is plain. */
const SEALED = Buffer.from('k8s:enc:');
/** Upstream's write-check: the longest prefix any provider of ours can have. */
const LONGEST_PREFIX = 300;

interface Seal {
	/** "k8s:enc:aescbc:v1:key1:"; empty for identity. */
	readonly prefix: Buffer;
	readonly cipher: Cipher | undefined;
}

/** What a key of the store ("/core/secrets/default/x") is sealed with; undefined where no rule names its resource. */
export type Sealing = (key: string) => Sealer | undefined;

export function createSealing(rules: readonly ResourceRule[]): Sealing {
	const sealers = rules.map(({ resources, providers }) => ({ resources, sealer: sealerOf(providers) }));
	return (key) => {
		const [, group = '', resource = ''] = key.split('/', 3);
		return sealers.find(({ resources }) => resources.some((pattern) => names(pattern, group === 'core' ? '' : group, resource)))?.sealer;
	};
}

/** Opens what no rule names: plain values are as they should be, sealed ones cannot be read. */
export const NO_RULE: Sealer = sealerOf([{ type: 'identity' }]);

/** "secrets", "pandas.example.com", "*.apps", "*." for the core group, "*.*" for everything. */
function names(pattern: string, group: string, resource: string): boolean {
	if (pattern === '*.*') return true;
	if (pattern.startsWith('*.')) return pattern.slice(2) === group;
	return pattern === (group === '' ? resource : `${resource}.${group}`);
}

function sealerOf(providers: readonly Provider[]): Sealer {
	const seals = providers.flatMap(sealsOf);
	const writing = seals[0] as Seal;
	return {
		seal: (name, bytes) => (writing.cipher === undefined ? bytes : Buffer.concat([writing.prefix, writing.cipher.encrypt(bytes, name)])),
		open: (name, bytes) => open(seals, writing, name, bytes),
	};
}

function sealsOf(provider: Provider): readonly Seal[] {
	if (provider.type === 'identity') return [{ prefix: Buffer.alloc(0), cipher: undefined }];
	const make = CIPHERS[provider.type];
	return provider.keys.map(({ name, secret }) => ({ prefix: Buffer.from(`k8s:enc:${provider.type}:v1:${name}:`), cipher: make(secret) }));
}

function open(seals: readonly Seal[], writing: Seal, name: string, given: Uint8Array): Opened {
	const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
	const sealed = bytes.subarray(0, SEALED.length).equals(SEALED);
	for (const seal of seals) {
		if (seal.cipher === undefined) {
			if (!sealed) return { bytes: given, stale: seal !== writing };
		} else if (bytes.subarray(0, seal.prefix.length).equals(seal.prefix)) {
			try {
				return { bytes: seal.cipher.decrypt(bytes.subarray(seal.prefix.length), name), stale: seal !== writing };
			} catch (cause) {
				throw new AppError('DataLoss', `"${name}" does not open with the key ${seal.prefix.toString()}`, { cause });
			}
		}
	}
	const prefix = sealed
		? (/^k8s:enc:[^:]*:v1:[^:]*:/.exec(bytes.subarray(0, LONGEST_PREFIX).toString('latin1'))?.[0] ?? 'k8s:enc:')
		: 'plain text';
	throw new AppError('DataLoss', `"${name}" is sealed as ${prefix}, which the encryption configuration has no provider for`);
}
