/** The API server's authenticators put together: client certificates, then bearer tokens, then nobody. */
import type { Clock } from '../../../base/clock.ts';
import type { Registry } from '../../../base/metrics.ts';
import type { ObjectReader, ObjectWriter } from '../contracts.ts';
import { CredentialMetrics } from '../metrics/credential-metrics.ts';
import { ServiceAccountMetrics } from '../metrics/service-account-metrics.ts';
import { audienceAgnostic } from './agnostic.ts';
import { BearerAuthenticator } from './bearer.ts';
import { Remote, type RemoteTarget } from '../webhook/remote.ts';
import { BootstrapTokens } from './bootstrap-tokens.ts';
import { certificatesIn } from '../../../wire/tls/pem.ts';
import { authenticatorChain, type AuthenticatorChain } from './chain.ts';
import { FrontProxy, type FrontProxyOptions } from './front-proxy.ts';
import type { AnonymousOptions } from './oidc/configuration.ts';
import { LegacyTokens } from './legacy-tokens.ts';
import type { JwtAuthenticator } from './oidc/jwt-authenticator.ts';
import { JwtIssuers } from './oidc/jwt-issuers.ts';
import { JwtMetrics } from './oidc/jwt-metrics.ts';
import { serviceAccountKeys, type ServiceAccountKeys } from './service-account-keys.ts';
import { ServiceAccountTokens } from './service-account-tokens.ts';
import { staticTokens, type StaticToken } from './static-tokens.ts';
import type { TokenAuthenticator } from './token-authenticator.ts';
import { WebSocketBearerAuthenticator } from './websocket-bearer.ts';
import { WebhookTokens, type WebhookTokenOptions } from './webhook-tokens.ts';
import { X509Authenticator } from './x509.ts';

export interface AuthenticationOptions {
	readonly objects: ObjectReader;
	/** Notes on secrets when their tokens are used; absent: nobody does. */
	readonly writer?: ObjectWriter | undefined;
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
	readonly tokenLife?: TokenLife | undefined;
	/** True unless told. */
	readonly anonymous?: AnonymousOptions | undefined;
	/** OpenID Connect issuers whose tokens are believed. */
	readonly jwt?: readonly JwtAuthenticator[] | undefined;
	/** A service asked about tokens that nobody else knows. */
	readonly tokenWebhook?: (Omit<WebhookTokenOptions, 'audiences'> & { readonly target: RemoteTarget }) | undefined;
	/** Tokens of secrets with which nodes join; off unless told. */
	readonly bootstrapTokens?: boolean | undefined;
	/** A proxy that authenticates users itself. */
	readonly frontProxy?: FrontProxyOptions | undefined;
	/** Absent: nobody counts. */
	readonly metrics?: Registry | undefined;
}

/** Of service-account tokens that are asked for. */
export interface TokenLife {
	/** None lives longer; undefined: no bound. */
	readonly maxSeconds?: number | undefined;
	/** Whether tokens that pods get without asking live a year, and are only remarked on after the time they were asked for. */
	readonly isExtended: boolean;
}

export interface Authentication extends Disposable {
	readonly authenticator: AuthenticatorChain;
	/** Those that TokenReview asks. */
	readonly tokenAuthenticators: readonly TokenAuthenticator[];
	readonly serviceAccounts: ServiceAccountTokens;
	readonly keys: ServiceAccountKeys;
	readonly audiences: readonly string[];
	readonly issuer: string;
	readonly tokenLife: TokenLife;
	/** Believes these OpenID Connect issuers from now on, once they can be reached; rejects when they cannot. */
	reload(jwt: readonly JwtAuthenticator[], signal: AbortSignal): Promise<void>;
}

export async function createAuthentication(options: AuthenticationOptions): Promise<Authentication> {
	const { objects, clock, issuers, audiences = issuers } = options;
	const keys = await serviceAccountKeys(options.serviceAccountKey, options.formerServiceAccountKeys);
	const uses = options.metrics === undefined ? undefined : new ServiceAccountMetrics(options.metrics);
	const legacy = new LegacyTokens(clock, options.writer, uses);
	const serviceAccounts = new ServiceAccountTokens({ keys, issuers, audiences, objects, clock, metrics: uses, legacy });
	const authorities = certificatesIn(options.clientCa);
	const owned = new DisposableStack();
	const { tokenWebhook, frontProxy } = options;
	const tokenAuthenticators: TokenAuthenticator[] = [audienceAgnostic(staticTokens(options.tokens ?? []), audiences), serviceAccounts];
	if (options.bootstrapTokens === true) tokenAuthenticators.push(audienceAgnostic(new BootstrapTokens(objects, clock), audiences));
	const issuersOfOthers = owned.use(
		new JwtIssuers(options.jwt ?? [], clock, {
			disallowed: issuers,
			metrics: options.metrics === undefined ? undefined : new JwtMetrics(options.metrics, clock),
		}),
	);
	issuersOfOthers.begin();
	tokenAuthenticators.push(audienceAgnostic(issuersOfOthers, audiences));
	if (tokenWebhook !== undefined)
		tokenAuthenticators.push(new WebhookTokens({ ...tokenWebhook, audiences }, owned.use(new Remote(tokenWebhook.target, clock)), clock));
	const metrics = options.metrics === undefined ? undefined : new CredentialMetrics(options.metrics, clock);
	return {
		authenticator: authenticatorChain(
			[
				...(frontProxy === undefined ? [] : [new FrontProxy(frontProxy, clock)]),
				new X509Authenticator(() => authorities, clock, metrics),
				new BearerAuthenticator(tokenAuthenticators, audiences, metrics),
				new WebSocketBearerAuthenticator(tokenAuthenticators, audiences, metrics),
			],
			options.anonymous,
		),
		tokenAuthenticators,
		serviceAccounts,
		keys,
		audiences,
		issuer: issuers[0],
		tokenLife: options.tokenLife ?? { isExtended: true },
		reload: (jwt, signal) => issuersOfOthers.replace(jwt, signal),
		[Symbol.dispose]: () => owned.dispose(),
	};
}
