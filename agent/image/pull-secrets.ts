/** The credentials of a pod's imagePullSecrets that fit an image. */
import type { Pod, Secret } from '../../api/gen/types.ts';
import type { AgentContext } from '../context.ts';
import type { ImageAuth } from '../runtime/runtime.ts';
import { hashOf, type Credential } from './credential.ts';
import { registryOf } from './name.ts';

interface DockerEntry {
	readonly username?: string;
	readonly password?: string;
	readonly auth?: string;
	readonly identitytoken?: string;
}

export async function pullSecrets(pod: Pod, image: string, context: AgentContext, signal: AbortSignal): Promise<readonly Credential[]> {
	const namespace = pod.metadata.namespace ?? '';
	const secrets = await Promise.all(
		(pod.spec?.imagePullSecrets ?? []).map((ref) => context.objects.secret(namespace, ref.name ?? '', signal)),
	);
	return secrets.flatMap((secret) => {
		if (secret === undefined) return [];
		const { uid = '', name = '' } = secret.metadata;
		return credentialsFor(image, secret).map((auth) => ({
			auth,
			source: { type: 'secret', uid, namespace, name, hash: hashOf(auth) } as const,
		}));
	});
}

/** Pure: what a .dockerconfigjson or .dockercfg secret holds for the image's registry. */
export function credentialsFor(image: string, secret: Secret): readonly ImageAuth[] {
	const [modern, legacy] = [secret.data?.['.dockerconfigjson'], secret.data?.['.dockercfg']];
	const text = modern ?? legacy;
	return text === undefined ? [] : credentialsIn(image, Buffer.from(text, 'base64').toString('utf8'), modern !== undefined);
}

/** Pure: what Docker's configuration holds for the image's registry. @param modern under "auths" */
export function credentialsIn(image: string, text: string, modern: boolean): readonly ImageAuth[] {
	let entries: Readonly<Record<string, DockerEntry>>;
	try {
		const parsed = JSON.parse(text) as { auths?: Record<string, DockerEntry> } & Record<string, DockerEntry>;
		entries = modern ? (parsed.auths ?? {}) : parsed;
	} catch {
		return [];
	}
	const registry = registryOf(image);
	return Object.entries(entries)
		.filter(([server]) => hostOf(server) === registry || (registry === 'index.docker.io' && hostOf(server) === 'docker.io'))
		.map(([serverAddress, entry]) => authOf(serverAddress, entry));
}

function hostOf(server: string): string {
	return server.replace(/^https?:\/\//, '').split('/')[0] ?? '';
}

function authOf(serverAddress: string, entry: DockerEntry): ImageAuth {
	const decoded = entry.auth === undefined ? '' : Buffer.from(entry.auth, 'base64').toString('utf8');
	const colon = decoded.indexOf(':');
	const username = entry.username ?? (colon < 0 ? undefined : decoded.slice(0, colon));
	const password = entry.password ?? (colon < 0 ? undefined : decoded.slice(colon + 1));
	return {
		serverAddress,
		...(username === undefined ? {} : { username }),
		...(password === undefined ? {} : { password }),
		...(entry.identitytoken === undefined ? {} : { identityToken: entry.identitytoken }),
	};
}
