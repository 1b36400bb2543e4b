/** Which cluster IPs a Service has, and how their IPAddress objects are marked as the allocator's. Pure. */
import type { ServiceSpec } from '../../../api/gen/types.ts';
import type { KubeObject } from '../../../api/resource.ts';

const [MANAGED_BY, ALLOCATOR] = ['ipaddress.kubernetes.io/managed-by', 'ipallocator.k8s.io'];

export function heldAddresses(spec: ServiceSpec | undefined): readonly string[] {
	if (spec === undefined || spec.type === 'ExternalName') return [];
	return (spec.clusterIPs ?? (spec.clusterIP === undefined ? [] : [spec.clusterIP])).filter((ip) => ip !== '' && ip !== 'None');
}

export function addressLabels(address: string): Readonly<Record<string, string>> {
	return { 'ipaddress.kubernetes.io/ip-family': address.includes(':') ? 'IPv6' : 'IPv4', [MANAGED_BY]: ALLOCATOR };
}

/** Whether the allocator made it. */
export function isManaged({ metadata }: KubeObject): boolean {
	return metadata.labels?.[MANAGED_BY] === ALLOCATOR;
}
