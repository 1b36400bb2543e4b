/** Fetches what a container's environment refers to, then computes it. */
import type { Container, Pod } from '../../api/gen/types.ts';
import type { AgentContext } from '../context.ts';
import { environmentOf, envReferences } from '../pod/env.ts';
import { isStatic } from '../static/static-pod.ts';
import { serviceVariables } from '../pod/service-env.ts';
import type { VolumePaths } from '../volume/volumes.ts';
import { envFileKey, envFiles } from './env-files.ts';

export async function environment(
	pod: Pod,
	container: Container,
	podIps: readonly string[],
	volumes: VolumePaths,
	context: AgentContext,
	signal: AbortSignal,
): Promise<readonly { readonly name: string; readonly value: string }[]> {
	const namespace = pod.metadata.namespace ?? '';
	const references = envReferences(container);
	const [configMaps, secrets, files] = await Promise.all([
		Promise.all(references.configMaps.map(async (name) => [name, await context.objects.configMap(namespace, name, signal)] as const)),
		Promise.all(references.secrets.map(async (name) => [name, await context.objects.secret(namespace, name, signal)] as const)),
		envFiles(container, volumes),
		// A static pod starts without an API, and then knows of no services.
		isStatic(pod) ? undefined : context.services.synced(signal),
	]);
	const [byConfigMap, bySecret] = [new Map(configMaps), new Map(secrets)];
	return environmentOf(container, {
		pod,
		podIps,
		hostIps: context.options.nodeIps,
		allocatable: context.allocatable,
		serviceVariables: servicesFor(pod, context),
		configMap: (name) => byConfigMap.get(name),
		secret: (name) => bySecret.get(name),
		file: (volumeName, path) => files.get(envFileKey(volumeName, path)),
	});
}

/** The services of the pod's namespace, and `kubernetes` of default in any case. */
function servicesFor(pod: Pod, { services, options }: AgentContext): Record<string, string> {
	const links = pod.spec?.enableServiceLinks ?? true;
	const master = services.lister.get('default/kubernetes');
	const own = links ? services.lister.list(pod.metadata.namespace ?? '').filter((s) => s.metadata.name !== 'kubernetes') : [];
	const variables = serviceVariables([...own, ...(master === undefined ? [] : [master])]);
	const direct = options.kubernetesService;
	if (direct === undefined) return variables;
	for (const name of Object.keys(variables)) if (/^KUBERNETES_(SERVICE|PORT)/.test(name)) delete variables[name];
	const spec = { clusterIP: direct.host, ports: [{ name: 'https', port: direct.port, protocol: 'TCP' }] };
	return { ...variables, ...serviceVariables([{ metadata: { name: 'kubernetes' }, spec }]) };
}
