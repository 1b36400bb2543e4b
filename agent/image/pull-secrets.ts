/** The credentials of a pod's imagePullSecrets that fit an image. */
import type { Pod, Secret } from '../../api/gen/types.ts';
import { podEvent, type AgentContext } from '../context.ts';
import type { ImageAuth } from '../runtime/runtime.ts';
import { hashOf, type Credential } from './credential.ts';
import { imageMatches } from './match.ts';
import { DOCKER_HUB, registryOf, wholeName } from './name.ts';

interface DockerEntry {
	readonly username?: string;
	readonly password?: string;
	readonly auth?: string;
	readonly identitytoken?: string;
}

export async function pullSecrets(pod: Pod, image: string, context: AgentContext, signal: AbortSignal): Promise<readonly Credential[]> {
	const namespace = pod.metadata.namespace ?? '';
	const names = (pod.spec?.imagePullSecrets ?? []).map((ref) => ref.name ?? '').filter((name) => name !== '');
	const secrets = await Promise.all(names.map((name) => context.objects.secret(namespace, name, signal).catch(unlessAborted(signal))));
	const missing = names.filter((_, i) => secrets[i] === undefined);
	if (missing.length > 0) {
		const message = `Unable to retrieve some image pull secrets (${missing.join(', ')}); attempting to pull the image may not succeed.`;
		podEvent(context, pod, 'Warning', 'FailedToRetrieveImagePullSecret', message);
	}
	return secrets.flatMap((secret) => {
		if (secret === undefined) return [];
		const { uid = '', name = '' } = secret.metadata;
		return credentialsFor(image, secret).map((auth) => ({
			auth,
			source: { type: 'secret', uid, namespace, name, hash: hashOf(auth) } as const,
		}));
	});
}

function unlessAborted(signal: AbortSignal) {
	return (error: unknown): undefined => {
		if (signal.aborted) throw error;
		return undefined;
	};
}

/** Pure: what a .dockerconfigjson or .dockercfg secret holds for the image's registry. */
export function credentialsFor(image: string, secret: Secret): readonly ImageAuth[] {
	const [modern, legacy] = [secret.data?.['.dockerconfigjson'], secret.data?.['.dockercfg']];
	const text = modern ?? legacy;
	return text === undefined ? [] : credentialsIn(image, Buffer.from(text, 'base64').toString('utf8'), modern !== undefined);
}

/**
 * Pure: what Docker's configuration holds for the image, the nearest first: by host, "*" in its parts, port and the beginning of the path (upstream's
 * BasicDockerKeyring). @param modern under "auths"
 */
export function credentialsIn(image: string, text: string, modern: boolean): readonly ImageAuth[] {
	let entries: Readonly<Record<string, DockerEntry>>;
	try {
		const parsed = JSON.parse(text) as { auths?: Record<string, DockerEntry> } & Record<string, DockerEntry>;
		entries = modern ? (parsed.auths ?? {}) : parsed;
	} catch {
		return [];
	}
	const whole = wholeName(image);
	const known = Object.entries(entries)
		.map(([server, entry]) => ({ server, key: keyOf(server), entry }))
		.toSorted((a, b) => (a.key < b.key ? 1 : a.key > b.key ? -1 : 0));
	const fitting = known.filter(({ key }) => imageMatches(key, whole));
	const hub = known.filter(({ key }) => registryOf(image) === DOCKER_HUB && key === DOCKER_HUB);
	return (fitting.length > 0 ? fitting : hub).map(({ server, entry }) => authOf(server, entry));
}

/** As patterns have it: a scheme does not matter, nor the version of the registry's API. */
function keyOf(server: string): string {
	const [, host = '', path = ''] = /^(?:https?:\/\/)?([^/]*)(.*)$/s.exec(server) ?? [];
	const effective = path.replace(/^\/v[12]\//, '/');
	return effective === '/' ? host : `${host}${effective}`;
}

function authOf(serverAddress: string, entry: DockerEntry): ImageAuth {
	const decoded = entry.auth === undefined ? '' : Buffer.from(entry.auth, 'base64').toString('utf8');
	const colon = decoded.indexOf(':');
	const username = colon < 0 ? entry.username : decoded.slice(0, colon);
	const password = colon < 0 ? entry.password : decoded.slice(colon + 1);
	return {
		serverAddress,
		...(username === undefined ? {} : { username }),
		...(password === undefined ? {} : { password }),
		...(entry.identitytoken === undefined ? {} : { identityToken: entry.identitytoken }),
	};
}
