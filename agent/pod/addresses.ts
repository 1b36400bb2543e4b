/** Which addresses a pod and its host are told by: one of IPv4 and one of IPv6 at most, the node's own kind first. Pure. */
import { isIPv6 } from 'node:net';

/** @param like whose kind comes first; empty for the first one's */
export function oneOfEachKind(ips: readonly string[], like = ips[0] ?? ''): readonly string[] {
	const first = ips.find((ip) => isIPv6(ip) === isIPv6(like));
	const other = ips.find((ip) => isIPv6(ip) !== isIPv6(like));
	return [first, other].filter((ip) => ip !== undefined);
}

/** On the host network: the node's. What was said of the first one stays, as upstream has it. */
export function hostNetworkIps(nodeIps: readonly string[], before: readonly string[]): readonly string[] {
	return oneOfEachKind([...before.slice(0, 1), ...nodeIps]);
}
