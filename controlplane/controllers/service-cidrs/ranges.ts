/** Which ranges hold an address or another range. Pure. */
import { BlockList, isIP, isIPv6 } from 'node:net';
import type { IPAddress, ServiceCIDR } from '../../../api/gen/types.ts';
import { parseAddress } from '../../../api/validation/address-form.ts';

interface Range {
	readonly address: string;
	readonly bits: number;
}

function parse(cidr: string): Range | undefined {
	const [address = '', bits = ''] = cidr.split('/');
	return isIP(address) === 0 || !/^\d{1,3}$/.test(bits) ? undefined : { address, bits: Number(bits) };
}

function family(address: string): 'ipv4' | 'ipv6' {
	return isIPv6(address) ? 'ipv6' : 'ipv4';
}

function holds(range: Range, address: string): boolean {
	if (isIP(address) === 0 || family(range.address) !== family(address)) return false;
	const list = new BlockList();
	list.addSubnet(range.address, range.bits, family(range.address));
	return list.check(address, family(address));
}

function rangesOf({ spec }: ServiceCIDR): readonly Range[] {
	return (spec?.cidrs ?? []).flatMap((cidr) => parse(cidr) ?? []);
}

/** Whether it may have given out the address: not the first one, nor the last of IPv4. */
export function holdsAddress(cidr: ServiceCIDR, address: string): boolean {
	return rangesOf(cidr).some((range) => holds(range, address) && !isEdge(range, address));
}

function isEdge({ address, bits }: Range, ip: string): boolean {
	const [start, one] = [parseAddress(address), parseAddress(ip)];
	if (start === undefined || one === undefined) return false;
	const free = BigInt(one.width - bits);
	const first = (start.value >> free) << free;
	return one.value === first || (one.width === 32 && one.value === first + (1n << free) - 1n);
}

export function overlaps(a: ServiceCIDR, b: ServiceCIDR): boolean {
	return rangesOf(a).some((x) => rangesOf(b).some((y) => holds(x, y.address) || holds(y, x.address)));
}

/** Given out for a Service by an API server. */
export function isAllocated({ metadata }: IPAddress): boolean {
	return metadata.labels?.['ipaddress.kubernetes.io/managed-by'] === 'ipallocator.k8s.io';
}

/** True when others hold all that it holds, or no address that was given out is in it alone. */
export function isFree(cidr: ServiceCIDR, all: readonly ServiceCIDR[], addresses: readonly IPAddress[]): boolean {
	const others = all.filter((other) => other.metadata.name !== cidr.metadata.name);
	const contained = rangesOf(cidr).every(({ address, bits }) =>
		others.some((other) => rangesOf(other).some((range) => range.bits <= bits && holds(range, address))),
	);
	if (contained) return true;
	return !addresses.some((ip) => {
		const address = ip.metadata.name ?? '';
		return isAllocated(ip) && holdsAddress(cidr, address) && !others.some((other) => holdsAddress(other, address));
	});
}
