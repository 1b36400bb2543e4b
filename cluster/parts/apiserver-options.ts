/** The API server's flags as what they make of it: files read, values checked. AppError InvalidArgument and NotFound name the flag. */
import { parse as parseCsv } from './token-file.ts';
import { AppError } from '../../base/errors.ts';
import { admissionSettings } from '../../controlplane/apiserver/admission/configuration/settings.ts';
import { choosePlugins } from '../../controlplane/apiserver/admission/plugin-choice.ts';
import {
	parseAuthenticationConfiguration,
	type AuthenticationConfiguration,
} from '../../controlplane/apiserver/authn/oidc/configuration.ts';
import type { JwtAuthenticator } from '../../controlplane/apiserver/authn/oidc/jwt-authenticator.ts';
import { parseAuthorizationConfiguration, parseModes, type AuthorizerOptions } from '../../controlplane/apiserver/authz/configuration.ts';
import { parsePolicies } from '../../controlplane/apiserver/authz/abac.ts';
import type { ConfigurationFiles } from '../../controlplane/apiserver/reload/configuration-files.ts';
import type { ConfigurationFile } from '../../controlplane/apiserver/reload/followed-file.ts';
import type { StandardOptions } from '../../controlplane/apiserver/standard.ts';
import { remoteTarget } from '../../controlplane/apiserver/webhook/remote.ts';
import type { ApiserverFlags } from './apiserver-flags.ts';
import { auditOf } from './audit-options.ts';
import type { KeyPairFiles } from './config.ts';
import { Flags } from './flags.ts';

type Made = Pick<
	StandardOptions,
	| 'authorizers'
	| 'anonymous'
	| 'jwt'
	| 'tokenWebhook'
	| 'bootstrapTokens'
	| 'frontProxy'
	| 'tokens'
	| 'formerServiceAccountKeys'
	| 'tokenLife'
	| 'audit'
	| 'fairness'
	| 'eventTtlMs'
	| 'compactionMs'
	| 'minWatchMs'
	| 'maxInFlight'
	| 'shutdownDelayMs'
	| 'requestTimeoutMs'
	| 'goAwayChance'
	| 'shutdownWatchGraceMs'
	| 'shutdownSendsRetryAfter'
	| 'jwksUri'
	| 'profiling'
	| 'configurations'
	| 'admissionPlugins'
	| 'admissionSettings'
> & { readonly issuers?: readonly [string, ...string[]]; readonly audiences?: readonly string[] };

/** @param encryptionFile what the store's keys come from; absent: its values are plain */
export async function apiserverOptions(given: ApiserverFlags, encryptionFile?: string): Promise<Made> {
	const flags = new Flags(given);
	const configuration = await authenticationOf(flags);
	const [issuer, ...issuers] = flags.list('service-account-issuer');
	const audiences = flags.list('api-audiences');
	const plugins = choosePlugins(flags.list('enable-admission-plugins'), flags.list('disable-admission-plugins'));
	const inFlight = {
		maxRequests: flags.number('max-requests-inflight', 400),
		maxMutatingRequests: flags.number('max-mutating-requests-inflight', 200),
	};
	return {
		authorizers: await authorizersOf(flags),
		anonymous: configuration.anonymous ?? { enabled: isAnonymousAllowed(flags) },
		jwt: configuration.jwt,
		tokenWebhook: await tokenWebhookOf(flags),
		bootstrapTokens: flags.bool('enable-bootstrap-token-auth', true),
		frontProxy: await frontProxyOf(flags),
		tokens: parseCsv(await flags.read('token-auth-file', '')),
		formerServiceAccountKeys: await Promise.all(
			flags.list('service-account-key-file').map((path) => flags.file('service-account-key-file', path)),
		),
		...(issuer === undefined ? {} : { issuers: [issuer, ...issuers] }),
		...(audiences.length === 0 ? {} : { audiences }),
		tokenLife: tokenLifeOf(flags),
		jwksUri: flags.text('service-account-jwks-uri', '') || undefined,
		audit: await auditOf(flags),
		...(flags.bool('enable-priority-and-fairness', true) ? { fairness: inFlight } : { fairness: undefined, maxInFlight: inFlight }),
		admissionPlugins: plugins,
		admissionSettings: await admissionSettings(flags.text('admission-control-config-file', ''), plugins),
		eventTtlMs: flags.ms('event-ttl', 3_600_000),
		compactionMs: flags.ms('etcd-compaction-interval', 300_000),
		minWatchMs: flags.number('min-request-timeout', 1800) * 1000,
		requestTimeoutMs: flags.ms('request-timeout', 60_000),
		goAwayChance: goAwayChanceOf(flags),
		shutdownDelayMs: flags.ms('shutdown-delay-duration', 0),
		shutdownWatchGraceMs: flags.ms('shutdown-watch-termination-grace-period', 0),
		shutdownSendsRetryAfter: flags.bool('shutdown-send-retry-after', false),
		profiling: flags.bool('profiling', true),
		configurations: {
			authentication: await followed(flags, 'authentication-config'),
			authorization: await followed(flags, 'authorization-config'),
			encryption: encryptionOf(flags, encryptionFile),
		},
	};
}

/** Where everybody may do everything, who asks has to be known (upstream ApplyAuthorization). */
function isAnonymousAllowed(flags: Flags): boolean {
	return flags.bool('anonymous-auth', true) && !flags.list('authorization-mode').includes('AlwaysAllow');
}

/** Upstream's bounds, in its words. */
function goAwayChanceOf(flags: Flags): number {
	const chance = flags.number('goaway-chance', 0);
	if (chance > 0.02) throw new AppError('InvalidArgument', '--goaway-chance can not be less than 0 or greater than 0.02');
	return chance;
}

/** A file that is read again while the server runs. */
async function followed(flags: Flags, name: string): Promise<ConfigurationFile | undefined> {
	const path = flags.text(name, '');
	return path === '' ? undefined : { path, text: await flags.file(name, path) };
}

function encryptionOf(flags: Flags, path: string | undefined): ConfigurationFiles['encryption'] {
	const isFollowed = flags.bool('encryption-provider-config-automatic-reload', false);
	if (path !== undefined) return { path, isFollowed };
	// Upstream's validation, in its words.
	if (isFollowed)
		throw new AppError('InvalidArgument', '--encryption-provider-config-automatic-reload must be set with --encryption-provider-config');
	return undefined;
}

/** The certificate shown to aggregated servers; undefined: the cluster's own. */
export function proxyClientFiles(given: ApiserverFlags): KeyPairFiles | undefined {
	const flags = new Flags(given);
	const [certFile, keyFile] = [flags.text('proxy-client-cert-file', ''), flags.text('proxy-client-key-file', '')];
	if (certFile === '' && keyFile === '') return undefined;
	if (certFile === '' || keyFile === '')
		throw new AppError('InvalidArgument', '--proxy-client-cert-file and --proxy-client-key-file need each other');
	return { certFile, keyFile };
}

function tokenLifeOf(flags: Flags): Made['tokenLife'] {
	const seconds = flags.ms('service-account-max-token-expiration', 0) / 1000;
	if (seconds !== 0 && (seconds < 3600 || seconds > 2 ** 32))
		throw new AppError('InvalidArgument', 'the service-account-max-token-expiration must be between 1 hour and 2^32 seconds');
	return {
		isExtended: flags.bool('service-account-extend-token-expiration', true),
		...(seconds === 0 ? {} : { maxSeconds: Math.floor(seconds) }),
	};
}

async function authorizersOf(flags: Flags): Promise<readonly AuthorizerOptions[] | undefined> {
	const file = flags.text('authorization-config', '');
	const modes = flags.list('authorization-mode');
	if (file !== '') {
		if (modes.length > 0) throw new AppError('InvalidArgument', '--authorization-config and --authorization-mode exclude each other');
		return parseAuthorizationConfiguration(await flags.read('authorization-config', ''), file);
	}
	if (modes.length === 0) return undefined;
	const webhook = flags.text('authorization-webhook-config-file', '');
	const policyFile = flags.text('authorization-policy-file', '');
	const policies = policyFile === '' ? undefined : parsePolicies(await flags.read('authorization-policy-file', ''), policyFile);
	if (webhook === '') return parseModes(modes, undefined, policies);
	const options = {
		target: await remoteTarget(webhook),
		version: flags.oneOf('authorization-webhook-version', ['v1beta1', 'v1']),
		timeoutMs: 30_000,
		authorizedMs: flags.ms('authorization-webhook-cache-authorized-ttl', 300_000),
		unauthorizedMs: flags.ms('authorization-webhook-cache-unauthorized-ttl', 30_000),
		failurePolicy: 'NoOpinion' as const,
		conditions: [],
	};
	return parseModes(modes, options, policies);
}

async function authenticationOf(flags: Flags): Promise<AuthenticationConfiguration> {
	const file = flags.text('authentication-config', '');
	const hasOidc = flags.given('oidc-');
	if (file !== '') {
		if (hasOidc) throw new AppError('InvalidArgument', 'authentication-config file and oidc-* flags are mutually exclusive');
		return parseAuthenticationConfiguration(await flags.read('authentication-config', ''), file);
	}
	if (!hasOidc) return {};
	const url = flags.text('oidc-issuer-url', '');
	const client = flags.text('oidc-client-id', '');
	if (url === '' || client === '')
		throw new AppError('InvalidArgument', 'oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set');
	if (!url.startsWith('https://')) throw new AppError('InvalidArgument', `--oidc-issuer-url "${url}" must begin with https://`);
	return { jwt: [await jwtOf(flags, url, client)] };
}

async function jwtOf(flags: Flags, url: string, client: string): Promise<JwtAuthenticator> {
	const claim = flags.text('oidc-username-claim', 'sub');
	// One that is empty is as good as none: users of an issuer must not be called like those of the cluster unless that is asked for.
	const prefix = flags.text('oidc-username-prefix', '') || (claim === 'email' ? '-' : `${url}#`);
	const groups = flags.text('oidc-groups-claim', '');
	const certificateAuthority = await flags.read('oidc-ca-file', '');
	return {
		issuer: { url, audiences: [client], ...(certificateAuthority === '' ? {} : { certificateAuthority }) },
		claimMappings: {
			username: { claim, prefix: prefix === '-' ? '' : prefix },
			...(groups === '' ? {} : { groups: { claim: groups, prefix: flags.text('oidc-groups-prefix', '') } }),
		},
		claimValidationRules: flags.list('oidc-required-claim').map((pair) => {
			const at = pair.indexOf('=');
			if (at < 1) throw new AppError('InvalidArgument', `--oidc-required-claim "${pair}" is not NAME=VALUE`);
			return { claim: pair.slice(0, at), requiredValue: pair.slice(at + 1) };
		}),
		signingAlgorithms: flags.list('oidc-signing-algs', ['RS256']),
	};
}

async function tokenWebhookOf(flags: Flags): Promise<Made['tokenWebhook']> {
	const file = flags.text('authentication-token-webhook-config-file', '');
	if (file === '') return undefined;
	const version = flags.oneOf('authentication-token-webhook-version', ['v1beta1', 'v1']);
	return { target: await remoteTarget(file), version, cacheMs: flags.ms('authentication-token-webhook-cache-ttl', 120_000) };
}

async function frontProxyOf(flags: Flags): Promise<Made['frontProxy']> {
	const clientCa = await flags.read('requestheader-client-ca-file', '');
	if (clientCa === '') return undefined;
	return {
		clientCa,
		allowedNames: flags.list('requestheader-allowed-names'),
		usernameHeaders: flags.list('requestheader-username-headers', ['X-Remote-User']),
		uidHeaders: flags.list('requestheader-uid-headers'),
		groupHeaders: flags.list('requestheader-group-headers', ['X-Remote-Group']),
		extraHeaderPrefixes: flags.list('requestheader-extra-headers-prefix', ['X-Remote-Extra-']),
	};
}
