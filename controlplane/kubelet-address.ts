/** Where a node's kubelet listens. Pure. */
import type { Node } from '../api/gen/types.ts';
import { unknownFailure } from '../api/status.ts';

const DEFAULT_PORT = 10250;
/** Most useful first, as kubeadm sets --kubelet-preferred-address-types. */
export const KUBELET_ADDRESS_TYPES: readonly string[] = ['InternalIP', 'ExternalIP', 'Hostname', 'InternalDNS', 'ExternalDNS'];

/** @param preferred types of addresses, in order */
export function kubeletAddress(node: Node, preferred = KUBELET_ADDRESS_TYPES): { readonly host: string; readonly port: number } {
	const addresses = node.status?.addresses ?? [];
	const found = preferred.map((type) => addresses.find((a) => a.type === type)).find((a) => a !== undefined);
	if (found === undefined)
		throw unknownFailure(`no preferred addresses found; known addresses: [${addresses.map((a) => a.type).join(' ')}]`);
	const port = node.status?.daemonEndpoints?.kubeletEndpoint?.Port ?? 0;
	return { host: found.address, port: port === 0 ? DEFAULT_PORT : port };
}
