/** What leads requests for metrics.k8s.io to the provider: a Service with one endpoint, the APIService; who may read, and what the provider itself may. */
import type { APIService, ClusterRole, EndpointSlice, PolicyRule, Service } from '../../api/gen/types.ts';
import { API_SERVICES, CLUSTER_ROLES, ENDPOINT_SLICES, SERVICES } from '../../api/resources.ts';
import { codeOf, ignore } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';
import { grant } from './grant.ts';
import { KUBE_SYSTEM } from './kube-system.ts';

/** Not upstream's name: whoever installs metrics-server gets a Service of its own, and takes over the APIService. */
export const METRICS_SERVICE = { name: 'kubeling-metrics', namespace: KUBE_SYSTEM } as const;

/** Who the provider is, to the API server and to kubelets: whatever a Node says of its address gets to see no more than this. */
export const METRICS_USER = 'kubeling:metrics';
const RIGHTS: readonly PolicyRule[] = [
	{ apiGroups: [''], resources: ['nodes', 'pods'], verbs: ['get', 'list'] },
	{ apiGroups: [''], resources: ['nodes/metrics'], verbs: ['get'] },
];

const PORT = 443;
const GROUP = 'metrics.k8s.io';
const SLICE_NAME = `${METRICS_SERVICE.name}-1`;
/** As metrics-server's manifest has it: whoever may view, may view these. */
const AGGREGATED = Object.fromEntries(['view', 'edit', 'admin'].map((role) => [`rbac.authorization.k8s.io/aggregate-to-${role}`, 'true']));

const SERVICE: Service = { metadata: METRICS_SERVICE, spec: { ports: [{ name: 'https', port: PORT, targetPort: 'https' as const }] } };
const READER: ClusterRole = {
	metadata: { name: 'system:aggregated-metrics-reader', labels: AGGREGATED },
	rules: [{ apiGroups: [GROUP], resources: ['pods', 'nodes'], verbs: ['get', 'list', 'watch'] }],
};

function apiService(caPem: string): APIService {
	return {
		metadata: { name: `v1beta1.${GROUP}` },
		spec: {
			...{ group: GROUP, version: 'v1beta1', groupPriorityMinimum: 100, versionPriority: 100 },
			service: { ...METRICS_SERVICE, port: PORT },
			caBundle: Buffer.from(caPem).toString('base64'),
		},
	};
}

function endpointSlice(address: string, port: number): EndpointSlice {
	return {
		metadata: {
			name: SLICE_NAME,
			namespace: METRICS_SERVICE.namespace,
			labels: { 'kubernetes.io/service-name': METRICS_SERVICE.name, 'endpointslice.kubernetes.io/managed-by': 'kubeling' },
		},
		addressType: address.includes(':') ? 'IPv6' : 'IPv4',
		endpoints: [{ addresses: [address], conditions: { ready: true } }],
		ports: [{ name: 'https', port, protocol: 'TCP' }],
	};
}

/** An APIService that somebody else has made stays his. */
export async function publishMetrics(client: Client, address: string, port: number, caPem: string, signal: AbortSignal): Promise<void> {
	const present = ignore('AlreadyExists');
	await Promise.all([
		grant(client, METRICS_USER, RIGHTS, { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: METRICS_USER }, signal),
		client.create(SERVICES, SERVICE, { signal }).catch(present),
		client.create(CLUSTER_ROLES, READER, { signal }).catch(present),
	]);
	// Made anew: the address's family cannot change.
	await client.delete(ENDPOINT_SLICES, `${METRICS_SERVICE.namespace}/${SLICE_NAME}`, { signal }).catch(ignore('NotFound'));
	await client.create(ENDPOINT_SLICES, endpointSlice(address, port), { signal });
	const wanted = apiService(caPem);
	try {
		await client.create(API_SERVICES, wanted, { signal });
	} catch (error) {
		if (codeOf(error) !== 'AlreadyExists') throw error;
		const found = await client.get(API_SERVICES, wanted.metadata.name ?? '', { signal });
		if (found.spec?.service?.name === METRICS_SERVICE.name && found.spec.caBundle !== wanted.spec?.caBundle)
			await client.update(API_SERVICES, { ...found, spec: wanted.spec }, { signal });
	}
}
