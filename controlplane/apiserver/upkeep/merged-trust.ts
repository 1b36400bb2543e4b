/** What servers on one store say of whom to trust, in one: what is there comes first, then this server's own, each once. Pure. */
import type { X509Certificate } from 'node:crypto';
import { certificatesIn } from '../../../wire/tls/pem.ts';

type Data = Readonly<Record<string, string>>;

const CLIENT_CA = 'client-ca-file';
const PROXY_CA = 'requestheader-client-ca-file';
/** Besides the proxies' CA, without which none of these is there. */
const LISTS = [
	'requestheader-username-headers',
	'requestheader-uid-headers',
	'requestheader-group-headers',
	'requestheader-extra-headers-prefix',
	'requestheader-allowed-names',
];
/** This one is left out while it is empty: servers before 1.32 do not know it. */
const UID_HEADERS = 'requestheader-uid-headers';
/** A certificate that has ended stays for so long, for clocks that differ (upstream's filterExpiredCerts). */
const SLACK_MS = 5 * 60_000;

/**
 * The data of the ConfigMap. Certificates that have ended and keys that mean nothing are dropped; what cannot be read counts as nothing.
 * @param now ms since the epoch
 */
export function mergedTrust(stored: Data, own: Data, now: number): Data {
	const certificates = (key: string): string => bundle([...readCertificates(stored[key]), ...readCertificates(own[key])], now);
	const [clientCa, proxyCa] = [certificates(CLIENT_CA), certificates(PROXY_CA)];
	const data: Record<string, string> = {};
	if (clientCa !== '') data[CLIENT_CA] = clientCa;
	if (proxyCa === '') return data;
	data[PROXY_CA] = proxyCa;
	for (const key of LISTS) {
		const items = new Set([...readList(stored[key]), ...readList(own[key])]);
		if (items.size > 0 || key !== UID_HEADERS) data[key] = goJson([...items]);
	}
	return data;
}

function bundle(certificates: readonly X509Certificate[], now: number): string {
	const found = new Map(certificates.map((one) => [one.fingerprint256, one]));
	return [...found.values()]
		.filter(({ validTo }) => Date.parse(validTo) > now - SLACK_MS)
		.map(String)
		.join('');
}

function readCertificates(pem = ''): readonly X509Certificate[] {
	try {
		return certificatesIn(pem);
	} catch {
		return [];
	}
}

function readList(text = '[]'): readonly string[] {
	try {
		const read: unknown = JSON.parse(text);
		return Array.isArray(read) && read.every((one) => typeof one === 'string') ? read : [];
	} catch {
		return [];
	}
}

/** As Go writes it, byte for byte: an upstream server on the same store would write it anew for ever. */
function goJson(list: readonly string[]): string {
	return JSON.stringify(list).replace(/[<>&\u2028\u2029]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
