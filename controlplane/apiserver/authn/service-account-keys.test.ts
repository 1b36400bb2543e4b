import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import test from 'ava';
import { calculateJwkThumbprint, exportJWK } from 'jose';
import { serviceAccountKeys } from './service-account-keys.ts';

const PEM = { type: 'pkcs8', format: 'pem' } as const;
const KEYS = {
	ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export(PEM) as string,
	RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export(PEM) as string,
};

for (const [alg, pem] of Object.entries(KEYS))
	test(`a key of ${alg} is known by its thumbprint, as RFC 7638 makes it`, async (t) => {
		const keys = await serviceAccountKeys(pem);
		const jwk = await exportJWK(createPublicKey(pem));
		const kid = await calculateJwkThumbprint(jwk);
		t.deepEqual(keys.jwks.keys, [{ use: 'sig', kid, alg, ...jwk }]);
		t.not(keys.find({ kid, alg }), undefined);
	});
