/** IP addresses and networks in their text forms, as Go's netip reads and prints them, with its reasons for what is none. */
import { formatIp } from '../../../base/ip.ts';
import { goQuote } from '../../go-quote.ts';

export interface Address {
	readonly bits: 32 | 128;
	readonly value: bigint;
}

export interface Network {
	readonly address: Address;
	readonly length: number;
}

interface Parsed extends Address {
	readonly zone: string;
}

/** A text: why it is none. */
export function parseAddress(text: string): Address | string {
	const quoted = goQuote(text);
	const parsed = parseAddr(text);
	if (typeof parsed === 'string') return `IP Address ${quoted} parse error during conversion from string: ${parsed}`;
	if (parsed.zone !== '') return `IP address ${quoted} with zone value is not allowed`;
	if (isMapped(parsed)) return `IPv4-mapped IPv6 address ${quoted} is not allowed`;
	return parsed;
}

const isMapped = ({ bits, value }: Address): boolean => bits === 128 && value >> 32n === 0xffffn;

class AddressError extends Error {}

/** @param at where reading stopped */
function wrong(why: string, at = ''): AddressError {
	return new AddressError(at === '' ? why : `${why} (at ${goQuote(at)})`);
}

/** As Go's netip.ParseAddr; a text: its error. */
export function parseAddr(text: string): Parsed | string {
	try {
		const mark = /[.:%]/.exec(text)?.[0];
		if (mark === '.') return { bits: 32, value: fieldsOf(text), zone: '' };
		if (mark === ':') return sixOf(text);
		throw wrong(mark === '%' ? 'missing IPv6 address' : 'unable to parse IP');
	} catch (error) {
		if (error instanceof AddressError) return `ParseAddr(${goQuote(text)}): ${error.message}`;
		throw error;
	}
}

/** Four fields of up to 255. */
function fieldsOf(text: string): bigint {
	let address = 0;
	let value = 0;
	let digits = 0;
	let dots = 0;
	for (let i = 0; i < text.length; i++) {
		const char = text.charAt(i);
		if (/\d/.test(char)) {
			if (digits === 1 && value === 0) throw wrong('IPv4 field has octet with leading zero');
			value = value * 10 + Number(char);
			digits++;
			if (value > 255) throw wrong('IPv4 field has value >255');
		} else if (char === '.') {
			if (i === 0 || i === text.length - 1 || text[i - 1] === '.') throw wrong('IPv4 field must have at least one digit', text.slice(i));
			if (dots === 3) throw wrong('IPv4 address too long');
			address = address * 256 + value;
			dots++;
			value = 0;
			digits = 0;
		} else throw wrong('unexpected character', text.slice(i));
	}
	if (dots < 3) throw wrong('IPv4 address too short');
	return BigInt(address * 256 + value);
}

/** Groups of 16 bits; one :: stands for as many of zero as are missing. */
function sixOf(text: string): Parsed {
	const percent = text.indexOf('%');
	const zone = percent < 0 ? '' : text.slice(percent + 1);
	if (percent >= 0 && zone === '') throw wrong('zone must be a non-empty string');
	let rest = percent < 0 ? text : text.slice(0, percent);
	const groups: number[] = [];
	let gap = -1;
	if (rest.startsWith('::')) {
		gap = 0;
		rest = rest.slice(2);
		if (rest === '') return { bits: 128, value: 0n, zone };
	}
	while (groups.length < 8) {
		const [digits = ''] = /^[0-9a-fA-F]*/.exec(rest) ?? [];
		if (digits.length > 4) throw wrong('each group must have 4 or less digits', rest);
		if (digits === '') throw wrong('each colon-separated field must have at least one digit', rest);
		if (rest[digits.length] === '.') {
			if (gap < 0 && groups.length !== 6) throw wrong('embedded IPv4 address must replace the final 2 fields of the address', rest);
			if (groups.length > 6) throw wrong('too many hex fields to fit an embedded IPv4 at the end of the address', rest);
			const four = Number(fieldsOf(rest));
			groups.push(Math.floor(four / 65_536), four % 65_536);
			rest = '';
			break;
		}
		groups.push(Number.parseInt(digits, 16));
		rest = rest.slice(digits.length);
		if (rest === '') break;
		if (!rest.startsWith(':')) throw wrong('unexpected character, want colon', rest);
		if (rest.length === 1) throw wrong('colon must be followed by more characters', rest);
		rest = rest.slice(1);
		if (!rest.startsWith(':')) continue;
		if (gap >= 0) throw wrong('multiple :: in address', rest);
		gap = groups.length;
		rest = rest.slice(1);
		if (rest === '') break;
	}
	if (rest !== '') throw wrong('trailing garbage after address', rest);
	if (groups.length < 8 && gap < 0) throw wrong('address string too short');
	if (groups.length === 8 && gap >= 0) throw wrong('the :: must expand to at least one field of zeros');
	if (gap >= 0) groups.splice(gap, 0, ...Array.from({ length: 8 - groups.length }, () => 0));
	return { bits: 128, value: groups.reduce((value, group) => (value << 16n) | BigInt(group), 0n), zone };
}

export function formatAddress({ bits, value }: Address): string {
	return formatIp(bits === 32 ? 4 : 6, value);
}

/** A text: why it is none. */
export function parseNetwork(text: string): Network | string {
	const slash = text.lastIndexOf('/');
	const why = (what: string): string =>
		`network address parse error during conversion from string: netip.ParsePrefix(${goQuote(text)}): ${what}`;
	if (slash < 0) return why("no '/'");
	const address = parseAddr(text.slice(0, slash));
	if (typeof address === 'string') return why(address);
	if (address.zone !== '') return why('IPv6 zones cannot be present in a prefix');
	const length = text.slice(slash + 1);
	if (!/^(0|[1-9]\d*)$/.test(length) || BigInt(length) >= 2n ** 63n) return why(`bad bits after slash: ${goQuote(length)}`);
	if (Number(length) > address.bits) return why('prefix length out of range');
	if (isMapped(address)) return `IPv4-mapped IPv6 address ${goQuote(text)} is not allowed`;
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
