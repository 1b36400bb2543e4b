/** The system objects that the server makes again while it runs. */
import { NAMESPACES, SERVICES } from '../../../api/resources.ts';
import type { Clock } from '../../../base/clock.ts';
import type { FrontProxyOptions } from '../authn/front-proxy.ts';
import { kubernetesService, SYSTEM_NAMESPACES } from '../bootstrap/system-objects.ts';
import { authenticationTrust } from './authentication-trust.ts';
import { present, type KeptDeps } from './present.ts';
import { tokenTracking } from './token-tracking.ts';
import type { Kept } from './upkeep.ts';

interface Options {
	/** The first address of the first range: the cluster IP of the kubernetes service. */
	readonly kubernetesIp: string;
	/** Where it leads to. */
	readonly port: number;
	/** PEM of the CA that signs client certificates. */
	readonly clientCa: string;
	readonly frontProxy?: FrontProxyOptions | undefined;
}

/** Upstream's intervals: of its system namespaces controller, and DefaultEndpointReconcilerInterval. */
const [NAMESPACES_MS, SERVICE_MS] = [60_000, 10_000];

export function systemNamespaces(deps: KeptDeps): readonly Kept[] {
	return SYSTEM_NAMESPACES.map((namespace) => present(NAMESPACES, () => namespace, NAMESPACES_MS, deps));
}

/** They live in the system namespaces. */
export function systemObjects(options: Options, deps: KeptDeps & { readonly clock: Clock }): readonly Kept[] {
	const { kubernetesIp, port } = options;
	return [
		// Its type and ports are for those who change them, as by upstream. It waits for its address while the default range of Services is replaced.
		{ ...present(SERVICES, () => kubernetesService(kubernetesIp, port), SERVICE_MS, deps), isForLater: true },
		// Nor is the start to wait for webhooks, which may run in the cluster.
		...[authenticationTrust(options, deps), ...tokenTracking(deps)].map((kept) => ({ ...kept, isForLater: true })),
	];
}
