/** What a client sent beside its own certificate: those between it and a CA. */
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls';
import { Lru } from '../../../base/lru.ts';

/** Certificates remembered with what was above them. */
const REMEMBERED = 1000;
/** Anybody may send a hundred kilobytes of them: no more than this is remembered of one. */
const MAX_BYTES = 16 * 1024;

/** A session that is taken up again carries the client's own certificate only. */
const chains = new Lru<string, readonly Uint8Array[]>(REMEMBERED);

/** DER, the nearest first. */
export function intermediatesOf(socket: TLSSocket): readonly Uint8Array[] {
	const leaf = socket.getPeerCertificate(true);
	const sent = above(leaf);
	if (sent.length === 0) return chains.get(leaf.fingerprint256) ?? [];
	if (sent.reduce((sum, { length }) => sum + length, 0) <= MAX_BYTES) chains.set(leaf.fingerprint256, sent);
	return sent;
}

/** A root is its own issuer. */
function above(leaf: DetailedPeerCertificate): readonly Uint8Array[] {
	const found: Uint8Array[] = [];
	const seen = new Set([leaf]);
	for (let next = leaf.issuerCertificate; next !== undefined && !seen.has(next); next = next.issuerCertificate) {
		seen.add(next);
		found.push(next.raw);
	}
	return found;
}

/**
 * A list of revocations of nobody's. Node tells what a client sent with its certificate only where it did not find the certificate good itself, and
 * it finds none good where it was given lists of revocations but not the CA's: whose it is, is for the authenticators to say.
 */
export const NO_VERDICT = `-----BEGIN X509 CRL-----
MIHIMHACAQEwCgYIKoZIzj0EAwIwLzERMA8GA1UECgwIa3ViZWxpbmcxGjAYBgNV
BAMMEW5vYm9keSBpcyByZXZva2VkFw0yNjExMjMyMzIxMTdaGA8yMTI2MTAzMDIz
MjExN1qgDjAMMAoGA1UdFAQDAgECMAoGCCqGSM49BAMCA0gAMEUCID8Yqe8uQfgF
MZdWPjOFNIk6nnJtvK0mRLk33mPZHuU3AiEApeo8ZdfjYGfQsJBGsWn6CMgOYp5U
yXrMnrArJ8pxwl0=
-----END X509 CRL-----
`;
