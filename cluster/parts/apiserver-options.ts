/** The API server's flags as what they make of it: files read, values checked. AppError InvalidArgument and NotFound name the flag. */
import { AppError } from '../../base/errors.ts';
import { admissionSettings } from '../../controlplane/apiserver/admission/configuration/settings.ts';
import { DEFAULT_TOLERATION_SECONDS } from '../../controlplane/apiserver/admission/pods/default-toleration-seconds.ts';
import { choosePlugins } from '../../controlplane/apiserver/admission/plugin-choice.ts';
import { DEFAULT_NODE_PORTS } from '../../controlplane/apiserver/apiserver.ts';
import type { ConfigurationFiles } from '../../controlplane/apiserver/reload/configuration-files.ts';
import type { ConfigurationFile } from '../../controlplane/apiserver/reload/followed-file.ts';
import type { StandardOptions } from '../../controlplane/apiserver/standard-options.ts';
import { KUBELET_ADDRESS_TYPES } from '../../controlplane/kubelet-address.ts';
import type { ApiserverFlags } from './apiserver-flags.ts';
import { auditOf } from './audit-options.ts';
import { authenticationOf } from './authentication-options.ts';
import { authorizersOf } from './authorization-options.ts';
import type { KeyPairFiles } from './config.ts';
import { Flags } from './flags.ts';
import { portRange } from './port-range.ts';
import { tokensOf, type TokenOptions } from './token-options.ts';

type Made = Pick<
	StandardOptions,
	| 'authorizers'
	| 'anonymous'
	| 'jwt'
	| 'tokenWebhook'
	| 'bootstrapTokens'
	| 'frontProxy'
	| 'audit'
	| 'fairness'
	| 'kubeletAddressTypes'
	| 'nodePorts'
	| 'eventTtlMs'
	| 'compactionMs'
	| 'storeCheckMs'
	| 'minWatchMs'
	| 'maxInFlight'
	| 'shutdownDelayMs'
	| 'requestTimeoutMs'
	| 'goAwayChance'
	| 'maxStreams'
	| 'shutdownWatchGraceMs'
	| 'shutdownSendsRetryAfter'
	| 'profiling'
	| 'configurations'
	| 'admissionPlugins'
	| 'admissionSettings'
> &
	TokenOptions;

const NODE_PORTS = 'service-node-port-range';

/** @param encryptionFile what the store's keys come from; absent: its values are plain */
export async function apiserverOptions(given: ApiserverFlags, encryptionFile?: string): Promise<Made> {
	const flags = new Flags(given);
	const configuration = await authenticationOf(flags);
	const plugins = choosePlugins(flags.list('enable-admission-plugins'), flags.list('disable-admission-plugins'));
	return {
		authorizers: await authorizersOf(flags),
		anonymous: configuration.anonymous ?? { enabled: isAnonymousAllowed(flags) },
		jwt: configuration.jwt,
		tokenWebhook: await tokenWebhookOf(flags),
		bootstrapTokens: flags.bool('enable-bootstrap-token-auth', true),
		frontProxy: await frontProxyOf(flags),
		...(await tokensOf(flags)),
		audit: await auditOf(flags),
		...inFlightOf(flags),
		admissionPlugins: plugins,
		admissionSettings: {
			...(await admissionSettings(flags.text('admission-control-config-file', ''), plugins)),
			tolerationSeconds: {
				notReady: flags.integer('default-not-ready-toleration-seconds', DEFAULT_TOLERATION_SECONDS),
				unreachable: flags.integer('default-unreachable-toleration-seconds', DEFAULT_TOLERATION_SECONDS),
			},
		},
		nodePorts: portRange(NODE_PORTS, flags.text(NODE_PORTS, '')) ?? DEFAULT_NODE_PORTS,
		kubeletAddressTypes: flags.list('kubelet-preferred-address-types', KUBELET_ADDRESS_TYPES),
		eventTtlMs: flags.ms('event-ttl', 3_600_000),
		compactionMs: flags.ms('etcd-compaction-interval', 300_000),
		storeCheckMs: { health: flags.ms('etcd-healthcheck-timeout', 2000), readiness: flags.ms('etcd-readycheck-timeout', 2000) },
		minWatchMs: flags.number('min-request-timeout', 1800) * 1000,
		requestTimeoutMs: flags.ms('request-timeout', 60_000),
		goAwayChance: goAwayChanceOf(flags),
		maxStreams: flags.number('http2-max-streams-per-connection', 0),
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

/** Shared out among all, their sum is what there is of seats: upstream starts with some only. */
function inFlightOf(flags: Flags): Pick<Made, 'fairness' | 'maxInFlight'> {
	const inFlight = {
		maxRequests: flags.number('max-requests-inflight', 400),
		maxMutatingRequests: flags.number('max-mutating-requests-inflight', 200),
	};
	if (!flags.bool('enable-priority-and-fairness', true)) return { fairness: undefined, maxInFlight: inFlight };
	if (inFlight.maxRequests + inFlight.maxMutatingRequests === 0)
		throw new AppError(
			'InvalidArgument',
			'--max-requests-inflight=0 and --max-mutating-requests-inflight=0 must add up to something positive',
		);
	return { fairness: inFlight };
}

/** Upstream's bounds, in its words. */
function goAwayChanceOf(flags: Flags): number {
	const chance = flags.fraction('goaway-chance', 0);
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

/** PEM of the CA that kubelets' certificates are verified by; '': they are not (upstream's default). */
export function kubeletAuthority(given: ApiserverFlags): Promise<string> {
	return new Flags(given).certificates('kubelet-certificate-authority');
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

async function tokenWebhookOf(flags: Flags): Promise<Made['tokenWebhook']> {
	const target = await flags.target('authentication-token-webhook-config-file');
	if (target === undefined) return undefined;
	const version = flags.oneOf('authentication-token-webhook-version', ['v1beta1', 'v1']);
	return { target, version, cacheMs: flags.ms('authentication-token-webhook-cache-ttl', 120_000) };
}

async function frontProxyOf(flags: Flags): Promise<Made['frontProxy']> {
	const clientCa = await flags.certificates('requestheader-client-ca-file');
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
