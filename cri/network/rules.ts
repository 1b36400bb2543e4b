/** The packet filter rules of one pod network, as iptables-restore input. Pure: the same input always gives the whole text. */
import { Protocol, type PortMapping } from '../proto.ts';
import type { PodPorts } from './pod-network.ts';

export interface RuleNames {
	readonly bridge: string;
	readonly subnet: string;
	readonly gateway: string;
	/** Chain names of this cluster start with it; iptables takes at most 28 characters. */
	readonly chain: string;
}

const PROTOCOLS: Readonly<Record<number, string>> = { [Protocol.TCP]: 'tcp', [Protocol.UDP]: 'udp', [Protocol.SCTP]: 'sctp' };

/** Our own chains, emptied and filled again; declaring a chain under --noflush empties just that one. */
export function chainRules(names: RuleNames, pods: readonly PodPorts[]): string {
	const { bridge, subnet, gateway, chain } = names;
	return [
		'*filter',
		`:${chain}-FWD - [0:0]`,
		`:${chain}-IN - [0:0]`,
		`-A ${chain}-FWD -i ${bridge} -j ACCEPT`,
		`-A ${chain}-FWD -o ${bridge} -j ACCEPT`,
		`-A ${chain}-IN -i ${bridge} -d ${gateway} -j ACCEPT`,
		'COMMIT',
		'*nat',
		`:${chain}-HP - [0:0]`,
		`:${chain}-POST - [0:0]`,
		...pods.flatMap((pod) => pod.ports.flatMap((port) => hostPortRule(chain, pod, port))),
		`-A ${chain}-POST -s ${subnet} ! -d ${subnet} ! -o ${bridge} -j MASQUERADE`,
		`-A ${chain}-POST -s 127.0.0.0/8 -o ${bridge} -j MASQUERADE`,
		...pods
			.filter((p) => p.ports.some((m) => m.hostPort > 0))
			.map((p) => `-A ${chain}-POST -s ${p.address.ip}/32 -d ${p.address.ip}/32 -j MASQUERADE`),
		'COMMIT',
		'',
	].join('\n');
}

/** The jumps to our chains: table, chain, rule. Put first, so that a FORWARD policy or another's rule does not come before. */
export function jumps({
	chain,
}: RuleNames): readonly { readonly table: string; readonly from: string; readonly rule: readonly string[] }[] {
	return [
		{ table: 'filter', from: 'FORWARD', rule: ['-j', `${chain}-FWD`] },
		{ table: 'filter', from: 'INPUT', rule: ['-j', `${chain}-IN`] },
		{ table: 'nat', from: 'PREROUTING', rule: ['-m', 'addrtype', '--dst-type', 'LOCAL', '-j', `${chain}-HP`] },
		{ table: 'nat', from: 'OUTPUT', rule: ['-m', 'addrtype', '--dst-type', 'LOCAL', '-j', `${chain}-HP`] },
		{ table: 'nat', from: 'POSTROUTING', rule: ['-j', `${chain}-POST`] },
	];
}

function hostPortRule(chain: string, pod: PodPorts, port: PortMapping): readonly string[] {
	const protocol = PROTOCOLS[port.protocol];
	if (port.hostPort <= 0 || protocol === undefined) return [];
	const anyAddress = port.hostIp === '' || port.hostIp === '0.0.0.0' || port.hostIp === '::';
	return [
		`-A ${chain}-HP ${anyAddress ? '' : `-d ${port.hostIp}/32 `}-p ${protocol} -m ${protocol} --dport ${port.hostPort} -j DNAT --to-destination ${pod.address.ip}:${port.containerPort}`,
	];
}
