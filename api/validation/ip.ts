/** Addresses and networks as the API writes them. */
import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';

export function isIp(text: string): boolean {
	return isIP(text) !== 0 && !text.includes('%');
}

export const isV4 = isIPv4;
export const isV6 = isIPv6;

export function isCidr(text: string): boolean {
	const [address = '', bits = '', more] = text.split('/');
	if (more !== undefined || !/^\d{1,3}$/.test(bits) || !isIp(address)) return false;
	return Number(bits) <= (isIPv4(address) ? 32 : 128);
}

/** Is the network inside the other, and smaller? */
export function isStrictSubset(inner: string, outer: string): boolean {
	const [innerAddress = '', innerBits = ''] = inner.split('/');
	const [outerAddress = '', outerBits = ''] = outer.split('/');
	const family = isIPv4(outerAddress) ? 'ipv4' : 'ipv6';
	if (isIPv4(innerAddress) !== isIPv4(outerAddress)) return false;
	const list = new BlockList();
	list.addSubnet(outerAddress, Number(outerBits), family);
	return list.check(innerAddress, family) && Number(innerBits) > Number(outerBits);
}

/** "192.0.02.1": Go refuses leading zeros with a text of its own. */
export function hasLeadingZero(text: string): boolean {
	return /^\d+(\.\d+){3}$/.test(text) && text.split('.').some((part) => part.length > 1 && part.startsWith('0'));
}
