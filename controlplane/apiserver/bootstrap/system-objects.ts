/** The objects every cluster has from its first second, besides RBAC: namespaces, priority classes, the kubernetes service. */
import type { ConfigMap, Endpoints, EndpointSlice, Namespace, PriorityClass, Service } from '../../../api/gen/types.ts';
import { timeOf } from '../../../api/time.ts';
import type { FrontProxyOptions } from '../authn/front-proxy.ts';

export const SYSTEM_NAMESPACES: readonly Namespace[] = ['default', 'kube-system', 'kube-public', 'kube-node-lease'].map((name) => ({
	apiVersion: 'v1',
	kind: 'Namespace',
	metadata: { name },
}));

/** Values of upstream's scheduling.SystemNodeCritical and SystemClusterCritical. */
export const SYSTEM_PRIORITY_CLASSES: readonly PriorityClass[] = [
	{
		apiVersion: 'scheduling.k8s.io/v1',
		kind: 'PriorityClass',
		metadata: { name: 'system-node-critical' },
		value: 2_000_001_000,
		description: 'Used for system critical pods that must not be moved from their current node.',
	},
	{
		apiVersion: 'scheduling.k8s.io/v1',
		kind: 'PriorityClass',
		metadata: { name: 'system-cluster-critical' },
		value: 2_000_000_000,
		description: 'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
	},
];

/** The service by which pods find the API server: always the first address of the range. */
export function kubernetesService(clusterIp: string, targetPort: number): Service {
	return {
		apiVersion: 'v1',
		kind: 'Service',
		metadata: { name: 'kubernetes', namespace: 'default', labels: { component: 'apiserver', provider: 'kubernetes' } },
		spec: {
			clusterIP: clusterIp,
			ipFamilyPolicy: 'SingleStack',
			ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort }],
			sessionAffinity: 'None',
			type: 'ClusterIP',
		},
	};
}

export function kubernetesEndpoints(address: string, port: number): Endpoints {
	return {
		apiVersion: 'v1',
		kind: 'Endpoints',
		metadata: { name: 'kubernetes', namespace: 'default', labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
		subsets: [{ addresses: [{ ip: address }], ports: [{ name: 'https', port, protocol: 'TCP' }] }],
	};
}

export function kubernetesEndpointSlice(address: string, port: number): EndpointSlice {
	return {
		apiVersion: 'discovery.k8s.io/v1',
		kind: 'EndpointSlice',
		metadata: { name: 'kubernetes', namespace: 'default', labels: { 'kubernetes.io/service-name': 'kubernetes' } },
		addressType: address.includes(':') ? 'IPv6' : 'IPv4',
		endpoints: [{ addresses: [address], conditions: { ready: true } }],
		ports: [{ name: 'https', port, protocol: 'TCP' }],
	};
}

/** Since when servers note which legacy tokens are used: the controller that cleans them up counts from here (upstream legacytokentracking). */
export function legacyTokenTracking(now: number): ConfigMap {
	return {
		apiVersion: 'v1',
		kind: 'ConfigMap',
		metadata: { name: 'kube-apiserver-legacy-service-account-token-tracking', namespace: 'kube-system' },
		data: { since: timeOf(now).slice(0, 'YYYY-MM-DD'.length) },
	};
}

/** What extension API servers read to trust client certificates, and the proxies that speak for users. */
export function authenticationConfig(clientCa: string, frontProxy?: FrontProxyOptions): ConfigMap {
	return {
		apiVersion: 'v1',
		kind: 'ConfigMap',
		metadata: { name: 'extension-apiserver-authentication', namespace: 'kube-system' },
		data: {
			'client-ca-file': clientCa,
			...(frontProxy === undefined
				? {}
				: {
						'requestheader-allowed-names': JSON.stringify(frontProxy.allowedNames),
						'requestheader-client-ca-file': frontProxy.clientCa,
						'requestheader-extra-headers-prefix': JSON.stringify(frontProxy.extraHeaderPrefixes),
						'requestheader-group-headers': JSON.stringify(frontProxy.groupHeaders),
						'requestheader-uid-headers': JSON.stringify(frontProxy.uidHeaders),
						'requestheader-username-headers': JSON.stringify(frontProxy.usernameHeaders),
					}),
		},
	};
}
