/** What files of PEM blocks (RFC 7468) hold. */
import { createPublicKey, X509Certificate, type KeyObject } from 'node:crypto';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
const BLOCK = /-----BEGIN ([^-]+)-----[^-]+-----END \1-----/g;
/** Says which curve the key behind it is of. */
const PARAMETERS = 'EC PARAMETERS';

/** Empty where there are none; throws for one that cannot be read. */
export function certificatesIn(pem: string): readonly X509Certificate[] {
	return (pem.match(CERTIFICATE) ?? []).map((one) => new X509Certificate(one));
}

/** Of public keys, private ones and certificates; throws for what is none of them. */
export function publicKeysIn(pem: string): readonly KeyObject[] {
	const blocks = [...pem.matchAll(BLOCK)].filter(([, type]) => type !== PARAMETERS).map(([block]) => block);
	return (blocks.length === 0 ? [pem] : blocks).map((block) => createPublicKey(block));
}
