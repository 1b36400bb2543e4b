/** Arithmetic of IPv4 and IPv6: networks, the addresses in them, and which are free. Pure. */
import { AppError } from '../../base/errors.ts';
import { type Family, familyOf, formatIp, parseIp, parseIpOf } from '../../base/ip.ts';

export interface Subnet {
	readonly family: Family;
	readonly base: bigint;
	readonly prefix: number;
}

/** Bounds of a pod network's prefix: at least gateway, broadcast and a few pods, at most what a node can be meant to have. */
const PREFIXES: Readonly<Record<Family, readonly [number, number]>> = { 4: [8, 29], 6: [16, 125] };

/** The network of an address in CIDR form. */
export function parseSubnet(cidr: string): Subnet {
	const [address = '', bits = '', ...more] = cidr.split('/');
	const family = familyOf(address);
	const [least, most] = PREFIXES[family ?? 4];
	const prefix = Number(bits);
	if (family === undefined || more.length > 0 || !/^\d+$/.test(bits) || prefix < least || prefix > most)
		throw new AppError('InvalidArgument', `"${cidr}" is no IPv${family ?? 4} network between /${least} and /${most}`);
	return networkOf(family, parseIp(address), prefix);
}

/** One network or two of different families, divided by commas: the form of a node's podCIDRs. The first is the pods' primary one. */
export function parseSubnets(list: string): readonly Subnet[] {
	const subnets = list.split(',').map((cidr) => parseSubnet(cidr.trim()));
	if (subnets.length > 2 || (subnets.length === 2 && subnets[0]?.family === subnets[1]?.family))
		throw new AppError('InvalidArgument', `"${list}" is not one network, or one of IPv4 and one of IPv6`);
	return subnets;
}

export function networkOf(family: Family, address: bigint, prefix: number): Subnet {
	const size = 1n << BigInt(bitsOf(family) - prefix);
	return { family, base: (address / size) * size, prefix };
}

export function formatSubnet({ family, base, prefix }: Subnet): string {
	return `${formatIp(family, base)}/${prefix}`;
}

export function formatSubnets(subnets: readonly Subnet[]): string {
	return subnets.map(formatSubnet).join(',');
}

export function bitsOf(family: Family): 32 | 128 {
	return family === 4 ? 32 : 128;
}

export function sizeOf({ family, prefix }: Subnet): bigint {
	return 1n << BigInt(bitsOf(family) - prefix);
}

export function overlaps(a: Subnet, b: Subnet): boolean {
	return a.family === b.family && a.base < b.base + sizeOf(b) && b.base < a.base + sizeOf(a);
}

export function contains(subnet: Subnet, ip: string): boolean {
	const value = parseIpOf(subnet.family, ip);
	return value !== undefined && value >= subnet.base && value < subnet.base + sizeOf(subnet);
}

/** The first address: the host's own on the network. */
export function gatewayOf(subnet: Subnet): string {
	return formatIp(subnet.family, subnet.base + 1n);
}

/** The first /24 of 10.244.0.0/16, then of 10.245.0.0/16 and so on, that meets none of the routes. */
export function freeSubnet(taken: readonly Subnet[]): Subnet {
	for (let second = 244; second < 255; second++) {
		for (let third = 0; third < 256; third++) {
			const candidate = parseSubnet(`10.${second}.${third}.0/24`);
			if (!taken.some((t) => overlaps(t, candidate))) return candidate;
		}
	}
	throw new AppError('ResourceExhausted', 'No free /24 network in 10.244.0.0–10.254.255.255 for the pods; name one with --pod-subnet');
}

/** A /64 of unique local addresses (RFC 4193) for an instance's ten random hex digits: nobody else's, on this host or another. */
export function localSubnet6(random: string): Subnet {
	const hex = random.padEnd(10, '0').slice(0, 10);
	return parseSubnet(`fd${hex.slice(0, 2)}:${hex.slice(2, 6)}:${hex.slice(6, 10)}::/64`);
}
