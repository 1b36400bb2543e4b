/** Bundles of certificate authorities, as client-go's transport takes them. Pure. */
import { X509Certificate } from 'node:crypto';
import { hasTrailer, pemBlocks } from '../pem-blocks.ts';

/**
 * Why nobody could be trusted by this bundle; undefined where at least one certificate is read, and for none given.
 * @param bundle base64 of PEM, as the API has it
 */
export function caBundleFault(bundle = ''): string | undefined {
	if (bundle === '') return undefined;
	const pem = Buffer.from(bundle, 'base64');
	const certificates = pemBlocks(pem).filter(({ type, hasHeaders }) => type === 'CERTIFICATE' && !hasHeaders);
	if (certificates.some(({ der }) => isCertificate(der))) return undefined;
	if (certificates.length > 0) return 'unable to load root certificates: failed to parse certificate: x509: malformed certificate';
	const why = hasTrailer(pem) ? 'unable to parse bytes as PEM block' : 'no valid certificate authority data seen';
	return `unable to load root certificates: ${why}`;
}

function isCertificate(der: Buffer): boolean {
	try {
		return new X509Certificate(der).raw.length > 0;
	} catch {
		return false;
	}
}
