/** Addresses and networks as the API writes them. */
import { isIP, isIPv4, isIPv6 } from 'node:net';

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

/** "192.0.02.1": Go refuses leading zeros with a text of its own. */
export function hasLeadingZero(text: string): boolean {
	return /^\d+(\.\d+){3}$/.test(text) && text.split('.').some((part) => part.length > 1 && part.startsWith('0'));
}
