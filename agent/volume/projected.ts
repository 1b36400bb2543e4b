/** projected: several sources in one volume. */
import type { Pod, ProjectedVolumeSource, VolumeProjection } from '../../api/gen/types.ts';
import { AppError } from '../../base/errors.ts';
import type { AgentContext } from '../context.ts';
import { downwardFiles } from './downward-api.ts';
import { configMapFiles, DEFAULT_MODE, secretFiles, type VolumeFile, type VolumeFiles } from './files.ts';
import { DEFAULT_EXPIRATION_SECONDS } from './tokens.ts';

/** Of a token that a user or group owns. */
const OWNED_TOKEN_MODE = 0o600;

export async function projectedFiles(
	pod: Pod,
	source: ProjectedVolumeSource,
	context: AgentContext,
	signal: AbortSignal,
): Promise<VolumeFiles> {
	const mode = source.defaultMode ?? DEFAULT_MODE;
	const parts = await Promise.all((source.sources ?? []).map((part) => filesOf(pod, part, mode, context, signal)));
	return new Map<string, VolumeFile>(parts.flatMap((part) => [...part]));
}

async function filesOf(pod: Pod, part: VolumeProjection, mode: number, context: AgentContext, signal: AbortSignal): Promise<VolumeFiles> {
	const namespace = pod.metadata.namespace ?? '';
	const { configMap, secret, downwardAPI, serviceAccountToken } = part;
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
		const uid = fsUserOf(pod);
		const owned = pod.spec?.securityContext?.fsGroup !== undefined || uid !== undefined;
		return new Map([[path, { data: Buffer.from(token), mode: owned ? OWNED_TOKEN_MODE : mode, uid }]]);
	}
	throw new AppError('Unimplemented', 'This node has no clusterTrustBundle and podCertificate projections');
}

/** The one user that all containers run as, who then owns the token. */
function fsUserOf(pod: Pod): number | undefined {
	const users = new Set(
		[...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])].map(
			(c) => c.securityContext?.runAsUser ?? pod.spec?.securityContext?.runAsUser,
		),
	);
	return users.size === 1 ? [...users][0] : undefined;
}
