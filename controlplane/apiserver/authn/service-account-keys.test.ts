import { createHash, createPublicKey, generateKeyPairSync } from 'node:crypto';
import test from 'ava';
import { calculateJwkThumbprint, decodeProtectedHeader, exportJWK } from 'jose';
import { jwtKeyId } from '../../../wire/tls/jwt-key.ts';
import { serviceAccountKeys } from './service-account-keys.ts';

const PEM = { type: 'pkcs8', format: 'pem' } as const;
const KEYS = {
	ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export(PEM) as string,
	ES384: generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey.export(PEM) as string,
	ES512: generateKeyPairSync('ec', { namedCurve: 'P-521' }).privateKey.export(PEM) as string,
	RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export(PEM) as string,
};

for (const [alg, pem] of Object.entries(KEYS))
	test(`a key of ${alg} is known by the digest of its public half, and by its thumbprint (RFC 7638), as it was once`, async (t) => {
		const keys = await serviceAccountKeys(pem);
		const jwk = await exportJWK(createPublicKey(pem));
		const kid = createHash('sha256')
			.update(createPublicKey(pem).export({ type: 'spki', format: 'der' }))
			.digest('base64url');
		t.deepEqual(keys.jwks.keys, [{ use: 'sig', kid, alg, ...jwk }]);
		t.deepEqual(decodeProtectedHeader(await keys.sign({ sub: 'a' })), { alg, kid });
		for (const known of [kid, await calculateJwkThumbprint(jwk), undefined]) t.is(keys.find(known).length, 1, known);
		t.deepEqual(keys.find('other'), []);
	});

test('a file may hold several keys, public ones and the one that signs; each is served once', async (t) => {
	const half = createPublicKey(KEYS.RS256).export({ type: 'spki', format: 'pem' }) as string;
	const sec1 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey.export({ type: 'sec1', format: 'pem' }) as string;
	const parameters = '-----BEGIN EC PARAMETERS-----\nBgUrgQQAIg==\n-----END EC PARAMETERS-----\n';
	const own = createPublicKey(KEYS.ES256);
	const keys = await serviceAccountKeys(KEYS.ES256, [`${half}${KEYS.ES256}`, `${parameters}${sec1}`]);
	t.deepEqual(
		keys.jwks.keys.map(({ kid }) => kid),
		[own, createPublicKey(half), createPublicKey(sec1)].map(jwtKeyId),
	);
	t.deepEqual(keys.algorithms, ['ES256', 'ES384', 'RS256']);
	t.is(keys.find(undefined).length, 3);
});

test('keys that sign no tokens are refused at the start', async (t) => {
	const key = generateKeyPairSync('ed25519').privateKey.export(PEM) as string;
	await t.throwsAsync(serviceAccountKeys(key), { code: 'InvalidArgument', message: /not with one of type "ed25519"/ });
});
