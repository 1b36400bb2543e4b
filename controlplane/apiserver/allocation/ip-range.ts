/** A range of addresses to hand out from, IPv4 or IPv6: the lower part is left to those who choose their address themselves. Pure. */
import { isIPv4, isIPv6 } from 'node:net';

export type Family = 'IPv4' | 'IPv6';

/** Upstream iterates at most so much of an IPv6 range. */
const MAX_SIZE = 1n << 64n;

export class IpRange {
	readonly cidr: string;
	readonly family: Family;
	readonly #first: bigint;
	/** How many addresses may be handed out. */
	readonly #size: bigint;
	/** How many of the lowest are left for static use: upstream's min(max(16, size/16), 256). */
	readonly #static: bigint;

	constructor(cidr: string) {
		const [address = '', bits = ''] = cidr.split('/');
		this.cidr = cidr;
		this.family = familyOf(address) ?? 'IPv4';
		const width = this.family === 'IPv4' ? 32n : 128n;
		const all = 1n << (width - BigInt(bits));
		this.#first = (toNumber(address) / all) * all + 1n;
		// Neither the network's own address nor, for IPv4, its broadcast address.
		const usable = all - (this.family === 'IPv4' ? 2n : 1n);
		this.#size = usable < 0n ? 0n : usable > MAX_SIZE ? MAX_SIZE : usable;
		this.#static = all <= 16n ? 0n : clamp(all / 16n, 16n, 256n);
	}

	/** How many addresses there are to hand out. */
	get size(): bigint {
		return this.#size;
	}

	/** The lowest of them. */
	get first(): string {
		return toText(this.#first, this.family);
	}

	contains(address: string): boolean {
		if (familyOf(address) !== this.family) return false;
		const n = toNumber(address);
		return n >= this.#first && n < this.#first + this.#size;
	}

	/** The first free address at or after a place given by `random` in [0, 1), the static part last; undefined when all are taken. */
	free(isTaken: (address: string) => boolean, random: number): string | undefined {
		const dynamic = this.#size - this.#static;
		const start = dynamic <= 0n ? 0n : BigInt(Math.floor(random * Number(dynamic < 1n << 48n ? dynamic : 1n << 48n)));
		for (let i = 0n; i < this.#size; i++) {
			const offset = i < dynamic ? this.#static + ((start + i) % dynamic) : i - (dynamic < 0n ? 0n : dynamic);
			const address = toText(this.#first + offset, this.family);
			if (!isTaken(address)) return address;
		}
		return undefined;
	}
}

export function familyOf(address: string): Family | undefined {
	return isIPv4(address) ? 'IPv4' : isIPv6(address) ? 'IPv6' : undefined;
}

function clamp(n: bigint, low: bigint, high: bigint): bigint {
	return n < low ? low : n > high ? high : n;
}

function toNumber(address: string): bigint {
	if (isIPv4(address)) return address.split('.').reduce((n, part) => n * 256n + BigInt(part), 0n);
	const [head = '', tail] = canonical(address).split('::');
	const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
	const [left, right] = [groups(head), groups(tail ?? '')];
	const middle = tail === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => '0');
	return [...left, ...middle, ...right].reduce((n, group) => n * 65_536n + BigInt(`0x${group}`), 0n);
}

/** Canonical text: RFC 5952 for IPv6. */
function toText(n: bigint, family: Family): string {
	if (family === 'IPv4') return [24n, 16n, 8n, 0n].map((shift) => String((n >> shift) & 255n)).join('.');
	const groups = Array.from({ length: 8 }, (_, i) => ((n >> BigInt(112 - 16 * i)) & 65_535n).toString(16));
	return canonical(groups.join(':'));
}

/** The platform's URL parser writes IPv6 addresses as RFC 5952 wants them. */
function canonical(address: string): string {
	return new URL(`http://[${address}]`).hostname.slice(1, -1);
}
