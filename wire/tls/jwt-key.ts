/** What the header of a token says of the key that signed it: algorithm and key id, as upstream names them (pkg/serviceaccount). */
import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import { AppError } from '../../base/errors.ts';

export type JwtAlgorithm = 'RS256' | 'ES256' | 'ES384' | 'ES512';

const CURVES: Readonly<Record<string, JwtAlgorithm>> = { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' };

/** AppError InvalidArgument for keys that sign no tokens. */
export function jwtAlgorithm({ asymmetricKeyType: type, asymmetricKeyDetails }: KeyObject): JwtAlgorithm {
	const curve = asymmetricKeyDetails?.namedCurve ?? '';
	const algorithm = type === 'rsa' ? 'RS256' : CURVES[curve];
	if (algorithm !== undefined) return algorithm;
	const what = curve === '' ? `type "${type}"` : `curve "${curve}"`;
	throw new AppError(
		'InvalidArgument',
		`Tokens are signed with RSA keys and those of the curves P-256, P-384 and P-521, not with one of ${what}`,
	);
}

/** Tells nothing of the key: the digest of its public half. */
export function jwtKeyId(key: KeyObject): string {
	const half = key.type === 'private' ? createPublicKey(key) : key;
	return createHash('sha256')
		.update(half.export({ type: 'spki', format: 'der' }))
		.digest('base64url');
}
