/**
 * In what form addresses and networks may be written (upstream's StrictIPCIDRValidation, on by default in 1.36): no leading zeros, no IPv4
 * in IPv6, no bits beyond a prefix; newer fields want the canonical form too. Pure.
 */
import { goQuote } from '../go-quote.ts';
import { hasLeadingZero, isIp, isV4 } from './ip.ts';

const IP_TEXT = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
const CIDR_TEXT = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';
const INTERFACE_TEXT = 'must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)';

/** Complaints of a field that is older than the rules (IsValidIPForLegacyField). */
export function ipComplaints(text: string): readonly string[] {
	const address = parseAddress(text);
	if (address === undefined) return [IP_TEXT];
	if (address.padded) return ['must not have leading 0s'];
	return isMapped(address) ? ['must not be an IPv4-mapped IPv6 address'] : [];
}

/** Complaints of a field that has always had them (IsValidIP). */
export function canonicalIpComplaints(text: string): readonly string[] {
	const found = ipComplaints(text);
	if (found.length > 0) return found;
	const wanted = shownAddress(parseAddress(text));
	return text === wanted ? [] : [notCanonical(wanted)];
}

/** Complaints of a field that is older than the rules (IsValidCIDRForLegacyField). */
export function cidrComplaints(text: string): readonly string[] {
	const network = parseNetwork(text);
	if (network === undefined) return [CIDR_TEXT];
	if (network.padded) return ['must not have leading 0s in IP or prefix length'];
	if (isMapped(network.address)) return ['must not have an IPv4-mapped IPv6 address'];
	return network.address.value === masked(network).value ? [] : ['must not have bits set beyond the prefix length'];
}

/** Complaints of a field that has always had them (IsValidCIDR). */
export function canonicalCidrComplaints(text: string): readonly string[] {
	const found = cidrComplaints(text);
	if (found.length > 0) return found;
	const wanted = shownNetwork(parseNetwork(text));
	return text === wanted ? [] : [notCanonical(wanted)];
}

/** An address with the prefix of its network (IsValidInterfaceAddress). */
export function interfaceComplaints(text: string): readonly string[] {
	const network = parseNetwork(text);
	if (network === undefined) return [INTERFACE_TEXT];
	const { address, bits } = network;
	const wanted = `${shownAddress(address)}/${isMapped(address) && bits > 32 ? bits - 96 : bits}`;
	return text === wanted ? [] : [notCanonical(wanted)];
}

/** Of an address that is taken, in another form than it should have (GetWarningsForIP). */
export function ipWarnings(path: string, text: string): readonly string[] {
	const address = parseAddress(text);
	if (address === undefined) return [];
	const wanted = shownAddress(address);
	if (address.padded || isMapped(address)) return [`${path}: non-standard IP address ${goQuote(text)} is invalid: use ${goQuote(wanted)}`];
	return address.width === 32 || text === wanted
		? []
		: [`${path}: IPv6 address ${goQuote(text)} should be in RFC 5952 canonical format (${goQuote(wanted)})`];
}

/** The same of a network (GetWarningsForCIDR). */
export function cidrWarnings(path: string, text: string): readonly string[] {
	const network = parseNetwork(text);
	if (network === undefined) return [];
	const { address } = network;
	const wanted = shownNetwork(network);
	const single = `${shownAddress(address)}/${address.width}`;
	const out: string[] = [];
	if (address.value !== masked(network).value)
		out.push(`${path}: CIDR value ${goQuote(text)} is ambiguous in this context (should be ${goQuote(wanted)} or ${goQuote(single)}?)`);
	if (network.padded || isMapped(address)) out.push(`${path}: non-standard CIDR value ${goQuote(text)} is invalid: use ${goQuote(wanted)}`);
	if (out.length === 0 && address.width === 128 && text !== wanted)
		out.push(`${path}: IPv6 CIDR value ${goQuote(text)} should be in RFC 5952 canonical format (${goQuote(wanted)})`);
	return out;
}

export interface Address {
	readonly value: bigint;
	readonly width: 32 | 128;
	/** Written with leading zeros. */
	readonly padded: boolean;
}
interface Network {
	readonly address: Address;
	readonly bits: number;
	readonly padded: boolean;
}

/** Undefined where it is none; leading zeros are passed over. */
export function parseAddress(text: string): Address | undefined {
	const padded = hasLeadingZero(text);
	const plain = padded ? text.replace(/(?<![^.])0+(?=\d)/g, '') : text;
	if (!isIp(plain)) return undefined;
	const parts = isV4(plain) ? plain.split('.').map(BigInt) : groups(plain);
	const size = isV4(plain) ? 8n : 16n;
	return { value: parts.reduce((sum, part) => (sum << size) + part, 0n), width: isV4(plain) ? 32 : 128, padded };
}

export function parseNetwork(text: string): Network | undefined {
	const [given = '', bits = '', more] = text.split('/');
	const address = parseAddress(given);
	if (address === undefined || more !== undefined || !/^\d+$/.test(bits) || Number(bits) > address.width) return undefined;
	return { address, bits: Number(bits), padded: address.padded || /^0\d/.test(bits) };
}

/** Is the network inside the other, and smaller? */
export function isStrictSubset(inner: string, outer: string): boolean {
	const [small, large] = [parseNetwork(inner), parseNetwork(outer)];
	if (small === undefined || large === undefined || small.address.width !== large.address.width) return false;
	return small.bits > large.bits && masked({ ...large, address: small.address }).value === masked(large).value;
}

/** The eight groups of an IPv6 address. */
function groups(text: string): bigint[] {
	const [head = '', tail] = canonicalV6(text).split('::');
	const list = (part: string): bigint[] => (part === '' ? [] : part.split(':').map((group) => BigInt(`0x${group}`)));
	const [before, after] = [list(head), list(tail ?? '')];
	const zeros = tail === undefined ? 0 : 8 - before.length - after.length;
	return [...before, ...Array.from({ length: zeros }, () => 0n), ...after];
}

function canonicalV6(text: string): string {
	return new URL(`http://[${text}]/`).hostname.slice(1, -1);
}

const MAPPED = 0xffffn;

function isMapped({ value, width }: Address): boolean {
	return width === 128 && value >> 32n === MAPPED;
}

function masked({ address, bits }: Network): Address {
	const free = BigInt(address.width - bits);
	return { ...address, value: (address.value >> free) << free };
}

/** The one form of an address; undefined where it is none. */
export function canonicalIp(text: string): string | undefined {
	const address = parseAddress(text);
	return address === undefined ? undefined : shownAddress(address);
}

/** As Go writes it: IPv4 in IPv6 is IPv4. */
export function shownAddress(address: Address | undefined): string {
	if (address === undefined) return '';
	const { value, width } = address;
	const at = (shift: number, mask: bigint): bigint => (value >> BigInt(shift)) & mask;
	if (width === 32 || isMapped(address)) return [24, 16, 8, 0].map((shift) => at(shift, 0xffn)).join('.');
	return canonicalV6([112, 96, 80, 64, 48, 32, 16, 0].map((shift) => at(shift, MAPPED).toString(16)).join(':'));
}

function shownNetwork(network: Network | undefined): string {
	if (network === undefined) return '';
	const start = masked(network);
	return `${shownAddress(start)}/${isMapped(start) ? network.bits - 96 : network.bits}`;
}

function notCanonical(wanted: string): string {
	return `must be in canonical form (${goQuote(wanted)})`;
}
