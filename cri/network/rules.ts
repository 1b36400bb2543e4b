/** What the packet filter has to do for one pod network, whoever does it: iptables.ts and nftables.ts write it down. Pure. */
import { Protocol, type PortMapping } from '../proto.ts';
import { type Family, familyOf } from '../../base/ip.ts';
import type { Subnet } from './subnet.ts';

export interface RuleNames {
	readonly bridge: string;
	/** Chain and table names of this cluster start with it; iptables takes at most 28 characters. */
	readonly chain: string;
}

/** All that the rules follow from. */
export interface Filtering extends RuleNames {
	/** The pods' networks: those given out now, and older ones that pods still have addresses of. */
	readonly subnets: readonly Subnet[];
	readonly pods: readonly PodPorts[];
}

/** The host ports of a pod and where they lead. */
export interface PodPorts {
	readonly ips: readonly string[];
	readonly ports: readonly PortMapping[];
}

export type Transport = 'tcp' | 'udp' | 'sctp';

/** One host port in one family. */
export interface Redirect {
	readonly transport: Transport;
	/** The one address of the host that it is open on; undefined for all. */
	readonly hostIp: string | undefined;
	readonly hostPort: number;
	readonly ip: string;
	readonly port: number;
}

const TRANSPORTS: Readonly<Record<number, Transport>> = { [Protocol.TCP]: 'tcp', [Protocol.UDP]: 'udp', [Protocol.SCTP]: 'sctp' };
/** "All addresses of this family". */
const ANY: Readonly<Record<string, Family>> = { '0.0.0.0': 4, '::': 6 };

export function transportOf(port: PortMapping): Transport | undefined {
	return TRANSPORTS[port.protocol];
}

/** Whether the host port opens in the family: on all addresses unless one is named, and then in that one's family. */
export function opensIn(family: Family, { hostIp }: PortMapping): boolean {
	return hostIp === '' || familyOf(hostIp) === family;
}

export function redirects(family: Family, pods: readonly PodPorts[]): readonly Redirect[] {
	return pods.flatMap(({ ips, ports }) => {
		const ip = ips.find((i) => familyOf(i) === family);
		if (ip === undefined) return [];
		return ports.flatMap((port) => {
			const transport = transportOf(port);
			if (port.hostPort <= 0 || transport === undefined || !opensIn(family, port)) return [];
			const hostIp = port.hostIp === '' || ANY[port.hostIp] !== undefined ? undefined : port.hostIp;
			return [{ transport, hostIp, hostPort: port.hostPort, ip, port: port.containerPort }];
		});
	});
}

/** Pods that may reach themselves through a host port: their own address must not come back to them as the sender. */
export function hairpins(family: Family, pods: readonly PodPorts[]): readonly string[] {
	return [...new Set(redirects(family, pods).map((r) => r.ip))];
}

export function subnetsOf(family: Family, { subnets }: Filtering): readonly Subnet[] {
	return subnets.filter((s) => s.family === family);
}
