/** Which addresses a pod and its host are told by: one of IPv4 and one of IPv6 at most, the node's own kind first. Pure. */
import { isIPv6 } from 'node:net';

/** @param like whose kind comes first; empty for the first one's */
export function oneOfEachKind(ips: readonly string[], like = ips[0] ?? ''): readonly string[] {
	const first = ips.find((ip) => isIPv6(ip) === isIPv6(like));
	const other = ips.find((ip) => isIPv6(ip) !== isIPv6(like));
	return [first, other].filter((ip) => ip !== undefined);
}

/** Why a pod says of its host what this node does not: upstream's words; undefined where both are of one kind. */
export function hostKindFault(told: string | undefined, own: string | undefined): string | undefined {
	if (told === undefined || own === undefined || isIPv6(told) === isIPv6(own)) return undefined;
	const kind = (ip: string): string => `IPv${isIPv6(ip) ? 6 : 4} node IP (${ip})`;
	return `Kubelet detected an ${kind(told)}, but the cloud provider selected an ${kind(own)}; pass an explicit \`--node-ip\` to kubelet to fix this.`;
}

/** On the host network: the node's. What was said of the first one stays, as upstream has it. */
export function hostNetworkIps(nodeIps: readonly string[], before: readonly string[]): readonly string[] {
	return oneOfEachKind([...before.slice(0, 1), ...nodeIps]);
}
