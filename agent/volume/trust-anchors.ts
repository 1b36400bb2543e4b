/** The trust anchors of ClusterTrustBundles as one file of a volume. Pure. */
import { createHash } from 'node:crypto';

/** Go's encoding/pem. */
const LINE_CHARS = 64;
const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----\r?\n([\s\S]*?)-----END \1-----/g;

/**
 * PEM of each certificate once. As upstream, the order says nothing, and nobody can come to lean on it.
 * @param order chooses it: the same for the same
 */
export function anchorsOf(bundles: readonly string[], order: string): Uint8Array {
	const anchors = new Set(bundles.flatMap((bundle) => [...bundle.matchAll(BLOCK)].map(([, , body = '']) => body.replace(/\s/g, ''))));
	const rank = (anchor: string): string => createHash('sha256').update(order).update(anchor).digest('hex');
	const ranked = [...anchors].map((anchor) => [rank(anchor), anchor] as const).toSorted(([a], [b]) => (a < b ? -1 : 1));
	return Buffer.from(ranked.map(([, anchor]) => pemOf(anchor)).join(''));
}

function pemOf(base64: string): string {
	const lines = base64.match(new RegExp(`.{1,${LINE_CHARS}}`, 'g')) ?? [];
	return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}
