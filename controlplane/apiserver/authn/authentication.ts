/** The API server's authenticators put together: client certificates, then bearer tokens, then nobody. */
import { X509Certificate } from 'node:crypto';
import type { Clock } from '../../../base/clock.ts';
import type { ObjectReader } from '../contracts.ts';
import { BearerAuthenticator } from './bearer.ts';
import { authenticatorChain, type AuthenticatorChain } from './chain.ts';
import { serviceAccountKeys, type ServiceAccountKeys } from './service-account-keys.ts';
import { ServiceAccountTokens } from './service-account-tokens.ts';
import { staticTokens, type StaticToken } from './static-tokens.ts';
import type { TokenAuthenticator } from './token-authenticator.ts';
import { X509Authenticator } from './x509.ts';

export interface AuthenticationOptions {
	readonly objects: ObjectReader;
	readonly clock: Clock;
	/** PEM of the CA (or several) that signs client certificates. */
	readonly clientCa: string;
	readonly tokens?: readonly StaticToken[];
	/** PEM of the private key that signs service-account tokens. */
	readonly serviceAccountKey: string;
	/** PEMs of former keys whose tokens are still good. */
	readonly formerServiceAccountKeys?: readonly string[];
	/** The first signs; "https://kubernetes.default.svc.cluster.local" is usual. */
	readonly issuers: readonly [string, ...string[]];
	/** What a token must be meant for to be good here; the issuers unless told. */
	readonly audiences?: readonly string[];
	/** True unless told. */
	readonly anonymous?: boolean;
}

export interface Authentication {
	readonly authenticator: AuthenticatorChain;
	/** Those that TokenReview asks. */
	readonly tokenAuthenticators: readonly TokenAuthenticator[];
	readonly serviceAccounts: ServiceAccountTokens;
	readonly keys: ServiceAccountKeys;
	readonly audiences: readonly string[];
	readonly issuer: string;
}

export async function createAuthentication(options: AuthenticationOptions): Promise<Authentication> {
	const { objects, clock, issuers } = options;
	const keys = await serviceAccountKeys(options.serviceAccountKey, options.formerServiceAccountKeys);
	const serviceAccounts = new ServiceAccountTokens({ keys, issuers, objects, clock });
	const authorities = certificatesIn(options.clientCa);
	const tokenAuthenticators = [staticTokens(options.tokens ?? []), serviceAccounts];
	const audiences = options.audiences ?? issuers;
	return {
		authenticator: authenticatorChain(
			[new X509Authenticator(() => authorities, clock), new BearerAuthenticator(tokenAuthenticators, audiences)],
			options.anonymous ?? true,
		),
		tokenAuthenticators,
		serviceAccounts,
		keys,
		audiences,
		issuer: issuers[0],
	};
}

function certificatesIn(pem: string): readonly X509Certificate[] {
	return (pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []).map((one) => new X509Certificate(one));
}
