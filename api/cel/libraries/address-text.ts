/** IP addresses and networks in their text forms, as Go's netip reads and prints them. */
import { isIPv4, isIPv6 } from 'node:net';
import { formatIp, parseIp } from '../../../base/ip.ts';

export interface Address {
	readonly bits: 32 | 128;
	readonly value: bigint;
}

export interface Network {
	readonly address: Address;
	readonly length: number;
}

/** A text: why it is none. */
export function parseAddress(text: string): Address | string {
	if (isIPv4(text)) {
		if (/(^|\.)0\d/.test(text)) return 'IPv4 field has octet with leading zero';
		return { bits: 32, value: parseIp(text) };
	}
	if (text.includes('%')) return 'IP address with zone value is not allowed';
	if (!isIPv6(text)) return `ParseAddr(${JSON.stringify(text)}): unable to parse IP`;
	if (/^(0*:)*:?ffff:\d+\.\d+\.\d+\.\d+$/i.test(text)) return 'IPv4-mapped IPv6 address is not allowed';
	return { bits: 128, value: parseIp(text) };
}

export function formatAddress({ bits, value }: Address): string {
	return formatIp(bits === 32 ? 4 : 6, value);
}

/** A text: why it is none. */
export function parseNetwork(text: string): Network | string {
	const slash = text.lastIndexOf('/');
	const why = `netip.ParsePrefix(${JSON.stringify(text)})`;
	if (slash < 0) return `${why}: no '/'`;
	const address = parseAddress(text.slice(0, slash));
	if (typeof address === 'string') return `${why}: ${address}`;
	const length = text.slice(slash + 1);
	if (!/^(0|[1-9]\d*)$/.test(length)) return `${why}: bad bits after slash: ${JSON.stringify(length)}`;
	if (Number(length) > address.bits) return `${why}: prefix length out of range`;
	return { address, length: Number(length) };
}

export function masked({ address, length }: Network): Network {
	const shift = BigInt(address.bits - length);
	return { address: { bits: address.bits, value: (address.value >> shift) << shift }, length };
}

export function networkContains({ address, length }: Network, { bits, value }: Address): boolean {
	const shift = BigInt(address.bits - length);
	return bits === address.bits && value >> shift === address.value >> shift;
}
