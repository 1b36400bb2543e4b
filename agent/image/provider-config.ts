/** The CredentialProviderConfig of --image-credential-provider-config: which plug-ins know credentials of which images. */
import { createHash } from 'node:crypto';
import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readYaml } from '../../base/parse-yaml.ts';
import { parseDuration } from '../../api/time.ts';
import { AppError, messageOf } from '../../base/errors.ts';

export interface TokenAttributes {
	readonly serviceAccountTokenAudience: string;
	readonly cacheType: 'ServiceAccount' | 'Token';
	readonly requireServiceAccount: boolean;
	readonly requiredServiceAccountAnnotationKeys: readonly string[];
	readonly optionalServiceAccountAnnotationKeys: readonly string[];
}

export interface ProviderConfig {
	readonly name: string;
	readonly matchImages: readonly string[];
	readonly defaultCacheMs: number;
	readonly apiVersion: string;
	readonly args: readonly string[];
	readonly env: readonly { readonly name: string; readonly value: string }[];
	readonly tokenAttributes: TokenAttributes | undefined;
}

const VERSIONS = ['v1', 'v1beta1', 'v1alpha1'];
const PROTOCOL = 'credentialprovider.kubelet.k8s.io';
const CONFIG = 'kubelet.config.k8s.io';

interface Given {
	readonly name?: string;
	readonly matchImages?: readonly string[];
	readonly defaultCacheDuration?: string;
	readonly apiVersion?: string;
	readonly args?: readonly string[] | null;
	readonly env?: readonly { readonly name: string; readonly value: string }[] | null;
	readonly tokenAttributes?: Partial<TokenAttributes> | null;
}

export interface LoadedProviders {
	readonly providers: readonly ProviderConfig[];
	/** Of all files, each after its length: "sha256:…", as upstream makes it. */
	readonly hash: string;
}

/** A file, or all of a folder in the order of their names. AppError InvalidArgument tells every fault. */
export async function loadProviders(path: string, folder: string): Promise<LoadedProviders> {
	const files = (await stat(path)).isDirectory()
		? (await readdir(path))
				.filter(isConfig)
				.toSorted()
				.map((name) => join(path, name))
		: [path];
	const providers: ProviderConfig[] = [];
	const faults: string[] = [];
	const hash = createHash('sha256');
	for (const file of files) {
		const bytes = await readFile(file);
		const length = Buffer.alloc(8);
		length.writeBigUInt64BE(BigInt(bytes.length));
		hash.update(length).update(bytes);
		const found = parseProviders(bytes.toString('utf8'));
		providers.push(...found.providers);
		faults.push(...found.faults);
	}
	if (providers.length === 0) faults.push('providers: Required value: at least 1 item in plugins is required');
	for (const [i, { name }] of providers.entries())
		if (providers.findIndex((p) => p.name === name) !== i) faults.push(`provider name "${name}" is already in use`);
	for (const { name } of providers)
		await stat(join(folder, name)).catch(() => faults.push(`plugin binary executable ${join(folder, name)} did not exist`));
	if (faults.length > 0) throw new AppError('InvalidArgument', `Wrong credential provider configuration "${path}": ${faults.join('; ')}`);
	return { providers, hash: `sha256:${hash.digest('hex')}` };
}

function isConfig(name: string): boolean {
	return /\.(json|ya?ml)$/.test(name);
}

/** Pure. */
export function parseProviders(text: string): { readonly providers: readonly ProviderConfig[]; readonly faults: readonly string[] } {
	const faults: string[] = [];
	let file: { apiVersion?: string; kind?: string; providers?: readonly Given[] };
	try {
		file = (readYaml(text) ?? {}) as typeof file;
	} catch (error) {
		return { providers: [], faults: [messageOf(error)] };
	}
	if (file.kind !== 'CredentialProviderConfig' || !VERSIONS.some((v) => file.apiVersion === `${CONFIG}/${v}`))
		faults.push(`it must be kind CredentialProviderConfig of ${CONFIG}/v1`);
	const providers = (file.providers ?? []).map((given, i): ProviderConfig => {
		const at = `providers[${i}]`;
		const { name = '', matchImages = [], apiVersion = '', defaultCacheDuration, tokenAttributes } = given;
		if (name === '' || name === '.' || name === '..' || /[/\s]/.test(name)) faults.push(`${at}.name: "${name}" is no name of a plug-in`);
		if (matchImages.length === 0) faults.push(`${at}.matchImages: Required value: at least 1 item in matchImages is required`);
		if (!VERSIONS.some((v) => apiVersion === `${PROTOCOL}/${v}`)) faults.push(`${at}.apiVersion: Unsupported value: "${apiVersion}"`);
		if (defaultCacheDuration === undefined) faults.push(`${at}.defaultCacheDuration: Required value`);
		const tokens = tokenAttributes ?? undefined;
		if (tokens !== undefined && (tokens.serviceAccountTokenAudience ?? '') === '')
			faults.push(`${at}.tokenAttributes.serviceAccountTokenAudience: Required value`);
		return {
			...{ name, matchImages, apiVersion, args: given.args ?? [], env: given.env ?? [] },
			defaultCacheMs: Number(parseDuration(defaultCacheDuration ?? '0s') / 1_000_000n),
			tokenAttributes:
				tokens === undefined
					? undefined
					: {
							serviceAccountTokenAudience: tokens.serviceAccountTokenAudience ?? '',
							cacheType: tokens.cacheType ?? 'ServiceAccount',
							requireServiceAccount: tokens.requireServiceAccount ?? false,
							requiredServiceAccountAnnotationKeys: tokens.requiredServiceAccountAnnotationKeys ?? [],
							optionalServiceAccountAnnotationKeys: tokens.optionalServiceAccountAnnotationKeys ?? [],
						},
		};
	});
	return { providers, faults };
}
