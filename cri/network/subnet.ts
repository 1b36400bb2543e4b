/** IPv4 arithmetic: networks, the addresses in them, and which are free. Pure. */
import { AppError } from '../../base/errors.ts';

export interface Subnet {
	readonly base: number;
	readonly prefix: number;
}

export function parseIp(text: string): number {
	const parts = text.split('.').map(Number);
	if (parts.length !== 4 || parts.some((p) => !Number.isInteger(p) || p < 0 || p > 255))
		throw new AppError('InvalidArgument', `"${text}" is not an IPv4 address`);
	return parts.reduce((n, p) => n * 256 + p, 0);
}

export function formatIp(ip: number): string {
	return [24, 16, 8, 0].map((shift) => Math.floor(ip / 2 ** shift) % 256).join('.');
}

export function parseSubnet(cidr: string): Subnet {
	const [address = '', bits = ''] = cidr.split('/');
	const prefix = Number(bits);
	if (!/^\d+$/.test(bits) || prefix < 8 || prefix > 29)
		throw new AppError('InvalidArgument', `"${cidr}" is no IPv4 network between /8 and /29`);
	const size = 2 ** (32 - prefix);
	return { base: Math.floor(parseIp(address) / size) * size, prefix };
}

export function formatSubnet({ base, prefix }: Subnet): string {
	return `${formatIp(base)}/${prefix}`;
}

export function sizeOf({ prefix }: Subnet): number {
	return 2 ** (32 - prefix);
}

export function overlaps(a: Subnet, b: Subnet): boolean {
	return a.base < b.base + sizeOf(b) && b.base < a.base + sizeOf(a);
}

/** The first address: the host's own on the network. */
export function gatewayOf(subnet: Subnet): string {
	return formatIp(subnet.base + 1);
}

/** The first /24 of 10.244.0.0/16, then of 10.245.0.0/16 and so on, that meets none of the routes. */
export function freeSubnet(taken: readonly Subnet[]): Subnet {
	for (let second = 244; second < 255; second++) {
		for (let third = 0; third < 256; third++) {
			const candidate = { base: parseIp(`10.${second}.${third}.0`), prefix: 24 };
			if (!taken.some((t) => overlaps(t, candidate))) return candidate;
		}
	}
	throw new AppError('ResourceExhausted', 'No free /24 network in 10.244.0.0–10.254.255.255 for the pods; name one with --pod-subnet');
}
