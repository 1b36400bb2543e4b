/** An IP address as certificates carry it: four bytes or sixteen; an IPv4 address in IPv6 clothes has four, as Go writes it. */
import { hexIp } from '../../base/ip.ts';

/** What ::ffff:0:0/96 begins with. */
const MAPPED = /^0{20}f{4}(?=.{8}$)/;

/** @param ip valid (node:net's isIP), without a zone */
export function ipBytes(ip: string): Buffer {
	return Buffer.from(hexIp(ip).replace(MAPPED, ''), 'hex');
}
