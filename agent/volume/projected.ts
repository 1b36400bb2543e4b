/** projected: several sources in one volume. */
import type { Pod, ProjectedVolumeSource, VolumeProjection } from '../../api/gen/types.ts';
import { allSteps } from '../../base/aggregate.ts';
import { AppError } from '../../base/errors.ts';
import type { AgentContext } from '../context.ts';
import { downwardFiles } from './downward-api.ts';
import { configMapFiles, DEFAULT_MODE, secretFiles, type VolumeFile, type VolumeFiles } from './files.ts';
import { DEFAULT_EXPIRATION_SECONDS } from './tokens.ts';

/** Of tokens and trust anchors that a user or group owns. */
const OWNED_MODE = 0o600;

export async function projectedFiles(
	pod: Pod,
	source: ProjectedVolumeSource,
	context: AgentContext,
	signal: AbortSignal,
): Promise<VolumeFiles> {
	const mode = source.defaultMode ?? DEFAULT_MODE;
	const parts = (source.sources ?? []).map((part) => filesOf(pod, part, mode, context, signal));
	await allSteps(parts);
	return new Map<string, VolumeFile>((await Promise.all(parts)).flatMap((part) => [...part]));
}

async function filesOf(pod: Pod, part: VolumeProjection, mode: number, context: AgentContext, signal: AbortSignal): Promise<VolumeFiles> {
	const namespace = pod.metadata.namespace ?? '';
	const { configMap, secret, downwardAPI, serviceAccountToken, clusterTrustBundle } = part;
	const owned = (path: string, data: Uint8Array): VolumeFiles => new Map([[path, { data, ...ownerOf(pod, mode) }]]);
	if (configMap !== undefined) {
		const { name = '' } = configMap;
		return configMapFiles(`configmap "${name}"`, await context.objects.configMap(namespace, name, signal), configMap, mode);
	}
	if (secret !== undefined) {
		const { name = '' } = secret;
		return secretFiles(`secret "${name}"`, await context.objects.secret(namespace, name, signal), secret, mode);
	}
	if (downwardAPI !== undefined) {
		const fields = { pod, podIps: [], hostIps: context.options.nodeIps, allocatable: context.allocatable };
		return downwardFiles(downwardAPI.items ?? [], mode, fields);
	}
	if (serviceAccountToken !== undefined) {
		const { path, audience = '', expirationSeconds = DEFAULT_EXPIRATION_SECONDS } = serviceAccountToken;
		const token = await context.tokens.token(pod, audience, expirationSeconds, signal);
		return owned(path, Buffer.from(token));
	}
	if (clusterTrustBundle !== undefined)
		return owned(clusterTrustBundle.path, await context.followed.bundles.read(pod.metadata.uid ?? '', clusterTrustBundle, signal));
	throw new AppError('Unimplemented', 'unimplemented'); // podCertificate, which is off: upstream's word of it
}

/** What is made for this pod belongs to its user or group alone, if it has one. */
function ownerOf(pod: Pod, mode: number): Pick<VolumeFile, 'mode' | 'uid'> {
	const uid = fsUserOf(pod);
	const isOwned = pod.spec?.securityContext?.fsGroup !== undefined || uid !== undefined;
	return { mode: isOwned ? OWNED_MODE : mode, uid };
}

/** The one user that all containers run as, who then owns what is made for the pod. */
function fsUserOf(pod: Pod): number | undefined {
	const users = new Set(
		[...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])].map(
			(c) => c.securityContext?.runAsUser ?? pod.spec?.securityContext?.runAsUser,
		),
	);
	return users.size === 1 ? [...users][0] : undefined;
}
