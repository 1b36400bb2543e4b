/** Where a node's kubelet listens. Pure. */
import type { Node } from '../api/gen/types.ts';
import { unknownFailure } from '../api/status.ts';

const DEFAULT_PORT = 10250;
/** Most useful first, as kubeadm sets --kubelet-preferred-address-types. */
const PREFERRED = ['InternalIP', 'ExternalIP', 'Hostname', 'InternalDNS', 'ExternalDNS'];

export function kubeletAddress(node: Node): { readonly host: string; readonly port: number } {
	const addresses = node.status?.addresses ?? [];
	const found = PREFERRED.map((type) => addresses.find((a) => a.type === type)).find((a) => a !== undefined);
	if (found === undefined)
		throw unknownFailure(`no preferred addresses found; known addresses: [${addresses.map((a) => a.type).join(' ')}]`);
	const port = node.status?.daemonEndpoints?.kubeletEndpoint?.Port ?? 0;
	return { host: found.address, port: port === 0 ? DEFAULT_PORT : port };
}
