/** IPv4 and IPv6 addresses as text and as numbers. Pure. */
import { isIPv4, isIPv6 } from 'node:net';
import { AppError } from './errors.ts';

export type Family = 4 | 6;

/** Undefined where the text is no address; zones (%eth0) are none. */
export function familyOf(text: string): Family | undefined {
	if (isIPv4(text)) return 4;
	return isIPv6(text) && !text.includes('%') ? 6 : undefined;
}

export function parseIp(text: string): bigint {
	const family = familyOf(text);
	if (family === undefined) throw new AppError('InvalidArgument', `"${text}" is not an IPv4 or IPv6 address`);
	return family === 4 ? parse4(text) : parse6(text);
}

/** Undefined for an address of the other family. */
export function parseIpOf(family: Family, text: string): bigint | undefined {
	return familyOf(text) === family ? parseIp(text) : undefined;
}

function parse4(text: string): bigint {
	return text.split('.').reduce((n, part) => n * 256n + BigInt(part), 0n);
}

function parse6(text: string): bigint {
	const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text);
	if (dotted !== null) {
		const low = parse4(dotted[2] as string);
		return parse6(`${dotted[1]}${(low >> 16n).toString(16)}:${(low & 0xffffn).toString(16)}`);
	}
	const [left = '', right] = text.split('::');
	const words = (part: string): readonly string[] => (part === '' ? [] : part.split(':'));
	const [before, after] = [words(left), words(right ?? '')];
	const all = [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after];
	return all.reduce((n, word) => (n << 16n) | BigInt(`0x${word}`), 0n);
}

/** Canonical text: RFC 5952 for IPv6. */
export function formatIp(family: Family, ip: bigint): string {
	if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => (ip >> shift) & 255n).join('.');
	const words = Array.from({ length: 8 }, (_, i) => ((ip >> BigInt(112 - 16 * i)) & 0xffffn).toString(16));
	const zeros = longestZeros(words);
	if (zeros === undefined) return words.join(':');
	return `${words.slice(0, zeros.from).join(':')}::${words.slice(zeros.from + zeros.length).join(':')}`;
}

function longestZeros(words: readonly string[]): { readonly from: number; readonly length: number } | undefined {
	let best: { from: number; length: number } | undefined;
	for (let from = 0; from < words.length; from++) {
		let length = 0;
		while (words[from + length] === '0') length++;
		if (length > Math.max(1, best?.length ?? 0)) best = { from, length };
	}
	return best;
}

/** Hexadecimal digits without any division, as the native helper reads them: 8 for IPv4, 32 for IPv6. */
export function hexIp(text: string): string {
	return parseIp(text)
		.toString(16)
		.padStart(familyOf(text) === 4 ? 8 : 32, '0');
}

/** An address inside a URL or before a port. */
export function bracketed(ip: string): string {
	return familyOf(ip) === 6 ? `[${ip}]` : ip;
}
