/** Kubernetes' IP and CIDR libraries. */
import { EvalError, NO_OVERLOAD } from '../errors.ts';
import { estimates } from '../ranges.ts';
import { overload, type Costs, type Overload } from '../functions.ts';
import { Opaque, type Value } from '../values.ts';
import { formatAddress, parseAddress, parseNetwork, networkContains, masked, type Address, type Network } from './address-text.ts';
import { sized, TRAVERSAL, traversal, walks } from './costs.ts';

const IP = 'net.IP';
const CIDR = 'net.CIDR';

/** Sizes in bytes: of the address, and of what a network fixes of it. */
const ipOf = (address: Address): Value => new Opaque(IP, address, (a, b) => a.bits === b.bits && a.value === b.value, address.bits / 8);
const sameNetwork = (a: Network, b: Network): boolean =>
	a.length === b.length && a.address.bits === b.address.bits && a.address.value === b.address.value;
const cidrOf = (network: Network): Value => new Opaque(CIDR, network, sameNetwork, Math.ceil(network.length / 8));
const ip = (value: Value | undefined): Address => (value as Opaque<Address>).value;
const cidr = (value: Value | undefined): Network => (value as Opaque<Network>).value;

function readIp(text: string): Address {
	const address = parseAddress(text);
	if (typeof address === 'string') throw new EvalError(address);
	return address;
}

function readCidr(text: string): Network {
	const network = parseNetwork(text);
	// Told twice.
	if (typeof network === 'string') throw new EvalError(`network address parse error during conversion from string: ${network}`);
	return network;
}

const inRange = ({ bits, value }: Address, size: 32 | 128, prefix: bigint, length: number): boolean =>
	bits === size && value >> BigInt(size - length) === prefix >> BigInt(size - length);

function v4(a: number, b: number, c: number, d: number): bigint {
	return BigInt(((a * 256 + b) * 256 + c) * 256 + d);
}

const isLoopback = (a: Address): boolean => inRange(a, 32, v4(127, 0, 0, 0), 8) || (a.bits === 128 && a.value === 1n);
const isLinkLocalMulticast = (a: Address): boolean =>
	inRange(a, 32, v4(224, 0, 0, 0), 24) || (a.bits === 128 && ((a.value >> 112n) & 0xff0fn) === 0xff02n);
const isLinkLocalUnicast = (a: Address): boolean => inRange(a, 32, v4(169, 254, 0, 0), 16) || inRange(a, 128, 0xfe80n << 112n, 10);
const isMulticast = (a: Address): boolean => inRange(a, 32, v4(224, 0, 0, 0), 4) || inRange(a, 128, 0xffn << 120n, 8);
const isUnspecified = (a: Address): boolean => a.value === 0n;
const isGlobalUnicast = (a: Address): boolean =>
	!isUnspecified(a) &&
	!isLoopback(a) &&
	!isMulticast(a) &&
	!isLinkLocalUnicast(a) &&
	!(a.bits === 32 && a.value === v4(255, 255, 255, 255));

const tests: Readonly<Record<string, (address: Address) => boolean>> = {
	isUnspecified,
	isLoopback,
	isLinkLocalMulticast,
	isLinkLocalUnicast,
	isGlobalUnicast,
};

/** Addresses have 4 or 16 bytes; both are walked, the network's once more (and one is added) where networks are compared, and a text is read. */
function containing(networks: 0 | 1, isText: boolean): Costs {
	const bytes = { min: 4, max: 16 };
	const most = [estimates.add(bytes, bytes), ...(networks === 1 ? [bytes] : [])].map((size) => estimates.scale(size, TRAVERSAL));
	const fixed = most.reduce(estimates.add, estimates.fixed(networks));
	return {
		cost: ([network, text]) =>
			traversal(2 * sized(network)) + networks * (traversal(sized(network)) + 1) + (isText ? traversal(sized(text)) : 0),
		estimate: (args, of) => ({ cost: isText ? estimates.add(fixed, estimates.scale(of.size(args[1]), TRAVERSAL)) : fixed }),
	};
}

export const addresses: readonly Overload[] = [
	overload('string_to_ip', 'ip(string): net.IP', (text) => ipOf(readIp(text as string)), walks(0)),
	overload('is_ip', 'isIP(string): bool', (text) => typeof parseAddress(text as string) !== 'string', walks(0)),
	overload('ip_is_canonical', 'ip.isCanonical(string): bool', (text) => formatAddress(readIp(text as string)) === text, walks(0, 2)),
	overload('ip_family', 'net.IP::family(): int', (a) => (ip(a).bits === 32 ? 4n : 6n)),
	...Object.entries(tests).map(([name, holds]) => overload(`ip_${name}`, `net.IP::${name}(): bool`, (a) => holds(ip(a)))),
	overload('ip_to_string', 'string(net.IP): string', (a) => formatAddress(ip(a))),
	overload('string_to_cidr', 'cidr(string): net.CIDR', (text) => cidrOf(readCidr(text as string)), walks(0)),
	overload('is_cidr', 'isCIDR(string): bool', (text) => typeof parseNetwork(text as string) !== 'string', walks(0)),
	overload(
		'cidr_contains_ip_string',
		'net.CIDR::containsIP(string): bool',
		(n, text) => {
			const address = parseAddress(text as string);
			// Whatever is wrong with it.
			if (typeof address === 'string') throw new EvalError(NO_OVERLOAD);
			return networkContains(cidr(n), address);
		},
		containing(0, true),
	),
	overload('cidr_contains_ip_ip', 'net.CIDR::containsIP(net.IP): bool', (n, a) => networkContains(cidr(n), ip(a)), containing(0, false)),
	overload(
		'cidr_contains_cidr_string',
		'net.CIDR::containsCIDR(string): bool',
		(n, text) => containsNetwork(cidr(n), readCidr(text as string)),
		containing(1, true),
	),
	overload(
		'cidr_contains_cidr',
		'net.CIDR::containsCIDR(net.CIDR): bool',
		(n, inner) => containsNetwork(cidr(n), cidr(inner)),
		containing(1, false),
	),
	overload('cidr_ip', 'net.CIDR::ip(): net.IP', (n) => ipOf(cidr(n).address)),
	overload('cidr_prefix_length', 'net.CIDR::prefixLength(): int', (n) => BigInt(cidr(n).length)),
	overload('cidr_masked', 'net.CIDR::masked(): net.CIDR', (n) => cidrOf(masked(cidr(n)))),
	overload('cidr_to_string', 'string(net.CIDR): string', (n) => `${formatAddress(cidr(n).address)}/${cidr(n).length}`),
];

function containsNetwork(outer: Network, inner: Network): boolean {
	return inner.length >= outer.length && networkContains(outer, inner.address);
}
