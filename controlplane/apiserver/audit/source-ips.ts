/** Who asks, by address, as audit events tell it (apimachinery's SourceIPs). Pure. */
import { isIP } from 'node:net';
import { familyOf, formatIp, parseIp } from '../../../base/ip.ts';
import type { ApiRequest } from '../contracts.ts';

/** Proxies on the way say for whom they ask; the connection's own end comes last. */
export function sourceIps({ headers, remoteAddress }: Pick<ApiRequest, 'headers' | 'remoteAddress'>): readonly string[] {
	const ips = (headers['x-forwarded-for'] ?? '').split(',').flatMap(ipOf);
	const [real] = ipOf(headers['x-real-ip'] ?? '');
	if (real !== undefined && !ips.includes(real)) ips.push(real);
	const [own] = ipOf(remoteAddress);
	if (own !== undefined && ips.at(-1) !== own) ips.push(own);
	return ips;
}

const MAPPED = 0xffffn << 32n;

/** One or none, as Go writes it: leading zeros of IPv4 say nothing, and IPv4 within IPv6 is IPv4. */
function ipOf(sent: string): readonly string[] {
	const text = sent.trim();
	// By far the most: nothing to make of them.
	if (isIP(text) === 4) return [text];
	const plain = text.includes(':') ? text : text.replace(/(^|\.)0+(?=\d)/g, '$1');
	const family = familyOf(plain);
	if (family === undefined) return [];
	const ip = parseIp(plain);
	return [family === 6 && ip >> 32n === MAPPED >> 32n ? formatIp(4, ip & 0xffffffffn) : formatIp(family, ip)];
}
