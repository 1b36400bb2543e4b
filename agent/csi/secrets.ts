/** The secrets that a volume names for its driver, and what the driver is told of the pod. */
import type { CSIDriver, Pod, SecretReference } from '../../api/gen/types.ts';
import { AppError } from '../../base/errors.ts';
import type { AgentContext } from '../context.ts';
import type { CsiSource } from './source.ts';

const TOKENS = 'csi.storage.k8s.io/serviceAccount.tokens';

export async function secretOf(
	ref: SecretReference | undefined,
	context: AgentContext,
	signal: AbortSignal,
): Promise<Record<string, string>> {
	if (ref === undefined) return {};
	const { namespace = '', name = '' } = ref;
	const secret = await context.objects.secret(namespace, name, signal);
	if (secret === undefined) throw new AppError('NotFound', `failed to get secret ${namespace}/${name}: secrets "${name}" not found`);
	return Object.fromEntries(Object.entries(secret.data ?? {}).map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]));
}

/** NodePublish's volume context: the volume's attributes, and with podInfoOnMount the pod. Pure. */
export function volumeContext(pod: Pod, source: CsiSource, object: CSIDriver | undefined): Record<string, string> {
	if (object?.spec.podInfoOnMount !== true) return { ...source.attributes };
	const { name = '', namespace = '', uid = '' } = pod.metadata;
	return {
		...source.attributes,
		'csi.storage.k8s.io/pod.name': name,
		'csi.storage.k8s.io/pod.namespace': namespace,
		'csi.storage.k8s.io/pod.uid': uid,
		'csi.storage.k8s.io/serviceAccount.name': pod.spec?.serviceAccountName ?? '',
		'csi.storage.k8s.io/ephemeral': String(source.lifecycle === 'Ephemeral'),
	};
}

/** The tokens that the driver asks for, under the one key that it finds them by; empty when it asks for none. */
export async function tokensOf(
	pod: Pod,
	object: CSIDriver | undefined,
	context: AgentContext,
	signal: AbortSignal,
): Promise<Record<string, string>> {
	const requests = object?.spec.tokenRequests ?? [];
	if (requests.length === 0) return {};
	const tokens = await Promise.all(
		requests.map(async ({ audience, expirationSeconds }) => {
			const { token, expiresAt } = await context.tokens.held(pod, audience, expirationSeconds, signal);
			return [audience, { token, expirationTimestamp: new Date(expiresAt).toISOString().replace(/\.\d+Z$/, 'Z') }] as const;
		}),
	);
	return { [TOKENS]: JSON.stringify(Object.fromEntries(tokens)) };
}
