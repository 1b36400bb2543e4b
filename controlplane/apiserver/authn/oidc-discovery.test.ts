import test from 'ava';
import type { ServiceAccountKeys } from './service-account-keys.ts';
import { oidcDiscovery } from './oidc-discovery.ts';

const KEYS = { jwks: { keys: [] }, algorithms: ['ES256'] } as unknown as ServiceAccountKeys;
const JWKS = 'https://192.0.2.1:6443/openid/v1/jwks';

for (const [issuer, jwks, served] of [
	['https://kubernetes.default.svc', JWKS, 2],
	['https://issuer.example/path', 'HTTPS://keys.example', 2],
	['kubernetes.default.svc', JWKS, 0],
	['http://issuer.example', JWKS, 0],
	['https://issuer.example?a=b', JWKS, 0],
	['https://issuer.example#a', JWKS, 0],
	['https://issuer.example', 'http://keys.example', 0],
] as const)
	test(`documents of the issuer ${issuer} with keys at ${jwks}: ${served}`, (t) => t.is(oidcDiscovery(issuer, jwks, KEYS).size, served));
