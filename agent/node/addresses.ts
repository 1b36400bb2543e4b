/** The addresses of the node, as its status lists them: its own, those by which others reach it from outside, and its name. Pure. */
import type { NodeAddress } from '../../api/gen/types.ts';

export function addressesOf({
	nodeName,
	nodeIps,
	externalIps = [],
}: {
	readonly nodeName: string;
	readonly nodeIps: readonly string[];
	readonly externalIps?: readonly string[];
}): readonly NodeAddress[] {
	return [
		...nodeIps.map((address) => ({ type: 'InternalIP', address })),
		...externalIps.map((address) => ({ type: 'ExternalIP', address })),
		{ type: 'Hostname', address: nodeName },
	];
}
