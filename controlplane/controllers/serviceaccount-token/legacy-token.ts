/** The token of a secret: no audience, no end; it lives as long as its secret and service account (upstream's serviceaccount.LegacyClaims). */
import { createPrivateKey } from 'node:crypto';
import { SignJWT } from 'jose';
import type { Secret, ServiceAccount } from '../../../api/gen/types.ts';
import { jwtAlgorithm, jwtKeyId } from '../../../wire/tls/jwt-key.ts';

const ISSUER = 'kubernetes/serviceaccount';

/** @param privateKey PEM of the key that signs service-account tokens */
export function legacyToken(account: ServiceAccount, secret: Secret, privateKey: string): Promise<string> {
	const key = createPrivateKey(privateKey);
	const { namespace, name, uid } = account.metadata;
	return new SignJWT({
		iss: ISSUER,
		sub: `system:serviceaccount:${namespace}:${name}`,
		'kubernetes.io/serviceaccount/namespace': namespace,
		'kubernetes.io/serviceaccount/secret.name': secret.metadata.name,
		'kubernetes.io/serviceaccount/service-account.name': name,
		'kubernetes.io/serviceaccount/service-account.uid': uid,
	})
		.setProtectedHeader({ alg: jwtAlgorithm(key), kid: jwtKeyId(key) })
		.sign(key);
}
