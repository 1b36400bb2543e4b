/** Where proxies may lead: not to the API server's own host or its links (upstream's isProxyableHostname). */
import { lookup } from 'node:dns/promises';
import { badRequest } from '../../../../api/status.ts';
import { familyOf, parseIp } from '../../../../base/ip.ts';

const MAPPED = 0xffffn;

/** StatusError BadRequest. */
export async function checkProxyable(host: string): Promise<void> {
	const addresses = familyOf(host) === undefined ? await addressesOf(host) : [host];
	if (!addresses.every(isGlobalUnicast)) throw badRequest('address not allowed');
}

async function addressesOf(host: string): Promise<readonly string[]> {
	try {
		return (await lookup(host, { all: true })).map(({ address }) => address);
	} catch {
		throw badRequest(`lookup ${host}: no such host`);
	}
}

/** Go's net.IP.IsGlobalUnicast; what is no address is none. */
export function isGlobalUnicast(text: string): boolean {
	const family = familyOf(text);
	if (family === undefined) return false;
	const value = parseIp(text);
	if (family === 4 || value >> 32n === MAPPED) return isGlobal4(value & 0xffff_ffffn);
	return value > 1n && value >> 120n !== 0xffn && value >> 118n !== 0xfe80n >> 6n;
}

function isGlobal4(value: bigint): boolean {
	const first = value >> 24n;
	const isMulticast = first >> 4n === 0xen;
	return value !== 0n && value !== 0xffff_ffffn && first !== 127n && !isMulticast && value >> 16n !== 0xa9fen;
}
