/** An IP address as certificates carry it: four bytes or sixteen; an IPv4 address in IPv6 clothes has four, as Go writes it. */
import { isIPv4 } from 'node:net';

/** @param ip valid (node:net's isIP), without a zone */
export function ipBytes(ip: string): Buffer {
	if (isIPv4(ip)) return Buffer.from(ip.split('.').map(Number));
	const [head = '', tail] = ip.split('::');
	const [front, back] = [groups(head), groups(tail ?? '')];
	const zeros = tail === undefined ? 0 : 16 - front.length - back.length;
	const bytes = Buffer.from([...front, ...Buffer.alloc(zeros), ...back]);
	return bytes.subarray(0, MAPPED.length).equals(MAPPED) ? bytes.subarray(MAPPED.length) : bytes;
}

/** What ::ffff:0:0/96 begins with. */
const MAPPED = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]);

/** The bytes of groups between colons, the last of which may be an IPv4 address. */
function groups(text: string): number[] {
	if (text === '') return [];
	return text.split(':').flatMap((group) => {
		if (group.includes('.')) return group.split('.').map(Number);
		const value = Number.parseInt(group, 16);
		return [value >> 8, value & 0xff];
	});
}
