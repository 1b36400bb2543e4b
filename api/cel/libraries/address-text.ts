/** IP addresses and networks in their text forms, as Go's netip reads and prints them. */
import { isIPv4, isIPv6 } from 'node:net';

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
		return { bits: 32, value: text.split('.').reduce((value, part) => value * 256n + BigInt(part), 0n) };
	}
	if (text.includes('%')) return 'IP address with zone value is not allowed';
	if (!isIPv6(text)) return 'unable to parse IP';
	if (/^(0*:)*:?ffff:\d+\.\d+\.\d+\.\d+$/i.test(text)) return 'IPv4-mapped IPv6 address is not allowed';
	return { bits: 128, value: parseV6(text) };
}

function parseV6(text: string): bigint {
	const dotted = /(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(text);
	const [, a = '0', b = '0', c = '0', d = '0'] = dotted ?? [];
	const hex = (high: string, low: string): string => (Number(high) * 256 + Number(low)).toString(16);
	const plain = dotted === null ? text : `${text.slice(0, dotted.index)}${hex(a, b)}:${hex(c, d)}`;
	const [head = '', tail] = plain.split('::');
	const groups = (part: string): string[] => (part === '' ? [] : part.split(':'));
	const [left, right] = [groups(head), groups(tail ?? '')];
	const all = tail === undefined ? left : [...left, ...Array.from({ length: 8 - left.length - right.length }, () => '0'), ...right];
	return all.reduce((value, group) => (value << 16n) + BigInt(`0x${group}`), 0n);
}

export function formatAddress({ bits, value }: Address): string {
	if (bits === 32) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.');
	const groups = Array.from({ length: 8 }, (_, i) => (value >> BigInt(112 - 16 * i)) & 0xffffn);
	let best = { at: -1, length: 1 };
	for (let i = 0; i < 8; i++) {
		let length = 0;
		while (i + length < 8 && groups[i + length] === 0n) length++;
		if (length > best.length) best = { at: i, length };
	}
	const text = (from: number, to: number): string =>
		groups
			.slice(from, to)
			.map((g) => g.toString(16))
			.join(':');
	return best.at < 0 ? text(0, 8) : `${text(0, best.at)}::${text(best.at + best.length, 8)}`;
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
