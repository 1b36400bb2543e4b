/** What a KubeletConfiguration says of the kubelet's own servers: their ports, who may use them, what they serve. Pure. */
import { parseDuration } from '../../api/time.ts';
import type { KubeletConfiguration } from './configuration.ts';

export interface ServerSettings {
	/** Of the HTTPS API. */
	readonly enabled: boolean;
	/** Plain HTTP for everybody; 0 is none. */
	readonly readOnlyPort: number;
	/** Undefined: as the caller chose; 0 is none. */
	readonly healthzPort: number | undefined;
	readonly healthzAddress: string;
	/** Containers: exec, logs, run, port-forward. */
	readonly debugging: boolean;
	readonly systemLogs: boolean;
	readonly logQuery: boolean;
	readonly profiling: boolean;
	/** How much is logged can be set while the agent runs. */
	readonly debugFlags: boolean;
	readonly clientCaFile: string | undefined;
	readonly anonymous: boolean;
	/** Tokens are asked of the API server. */
	readonly tokens: boolean;
	readonly tokenMs: number;
	/** Everybody who is known may do everything. */
	readonly alwaysAllow: boolean;
	readonly allowedMs: number;
	readonly deniedMs: number;
	readonly certFile: string | undefined;
	readonly keyFile: string | undefined;
	readonly minVersion: 'TLSv1.2' | 'TLSv1.3' | undefined;
	/** OpenSSL's names. */
	readonly ciphers: string | undefined;
	/** The serving certificate is asked of the API server. */
	readonly tlsBootstrap: boolean;
	/** The client certificate is renewed before it ends. */
	readonly rotateCertificates: boolean;
	readonly streamIdleMs: number;
}

export const SERVER_FIELDS: readonly string[] = [
	...['enableServer', 'readOnlyPort', 'healthzPort', 'healthzBindAddress', 'enableDebuggingHandlers', 'enableSystemLogHandler'],
	...['enableSystemLogQuery', 'enableProfilingHandler', 'enableDebugFlagsHandler', 'authentication', 'authorization', 'tlsCertFile'],
	...[
		'tlsPrivateKeyFile',
		'tlsMinVersion',
		'tlsCipherSuites',
		'serverTLSBootstrap',
		'rotateCertificates',
		'streamingConnectionIdleTimeout',
	],
];

interface Authentication {
	readonly x509?: { readonly clientCAFile?: string };
	readonly webhook?: { readonly enabled?: boolean; readonly cacheTTL?: string };
	readonly anonymous?: { readonly enabled?: boolean };
}

interface Authorization {
	readonly mode?: string;
	readonly webhook?: { readonly cacheAuthorizedTTL?: string; readonly cacheUnauthorizedTTL?: string };
}

const MINUTE_MS = 60_000;

export function serverSettingsOf(given: KubeletConfiguration): ServerSettings {
	const flag = (field: string, byDefault: boolean): boolean => (given[field] as boolean | undefined) ?? byDefault;
	const text = (field: string): string | undefined => (given[field] as string | undefined) || undefined;
	const ms = (value: unknown, defaultMs: number): number =>
		value === undefined ? defaultMs : Number(parseDuration(value as string) / 1_000_000n) || defaultMs;
	const authentication = (given['authentication'] ?? {}) as Authentication;
	const authorization = (given['authorization'] ?? {}) as Authorization;
	const suites = given['tlsCipherSuites'] as readonly string[] | undefined;
	return {
		enabled: flag('enableServer', true),
		readOnlyPort: (given['readOnlyPort'] as number | undefined) ?? 0,
		healthzPort: given['healthzPort'] as number | undefined,
		healthzAddress: text('healthzBindAddress') ?? '127.0.0.1',
		debugging: flag('enableDebuggingHandlers', true),
		systemLogs: flag('enableSystemLogHandler', true),
		logQuery: flag('enableSystemLogQuery', false),
		profiling: flag('enableProfilingHandler', true),
		debugFlags: flag('enableDebugFlagsHandler', true),
		clientCaFile: authentication.x509?.clientCAFile || undefined,
		anonymous: authentication.anonymous?.enabled ?? false,
		tokens: authentication.webhook?.enabled ?? true,
		tokenMs: ms(authentication.webhook?.cacheTTL, 2 * MINUTE_MS),
		alwaysAllow: authorization.mode === 'AlwaysAllow',
		allowedMs: ms(authorization.webhook?.cacheAuthorizedTTL, 5 * MINUTE_MS),
		deniedMs: ms(authorization.webhook?.cacheUnauthorizedTTL, 30_000),
		certFile: text('tlsCertFile'),
		keyFile: text('tlsPrivateKeyFile'),
		minVersion: text('tlsMinVersion') === 'VersionTLS13' ? 'TLSv1.3' : text('tlsMinVersion') === undefined ? undefined : 'TLSv1.2',
		ciphers: suites === undefined || suites.length === 0 ? undefined : suites.map(cipherName).join(':'),
		tlsBootstrap: flag('serverTLSBootstrap', false),
		rotateCertificates: flag('rotateCertificates', false),
		streamIdleMs: ms(given['streamingConnectionIdleTimeout'], 4 * 60 * MINUTE_MS),
	};
}

/** From Go's name of a cipher suite to OpenSSL's; those of TLS 1.3 are the same. */
export function cipherName(suite: string): string {
	const [exchange, cipher] = suite.replace(/^TLS_/, '').split('_WITH_');
	if (exchange === undefined || cipher === undefined) return suite;
	const name = cipher
		.replace(/^AES_(\d+)_/, 'AES$1_')
		.replace('_CBC_', '_')
		.replace(/^(CHACHA20_POLY1305)_SHA256$/, '$1')
		.replace(/^3DES_EDE/, 'DES_CBC3');
	return `${exchange === 'RSA' ? '' : `${exchange}_`}${name}`.replaceAll('_', '-');
}

/** What stands wrong in fields that are kinds by themselves. */
export function serverFaults(config: KubeletConfiguration): readonly string[] {
	const faults: string[] = [];
	const { mode } = (config['authorization'] ?? {}) as Authorization;
	if (mode !== undefined && mode !== '' && mode !== 'AlwaysAllow' && mode !== 'Webhook')
		faults.push(`invalid configuration: authorization.mode "${mode}" must be AlwaysAllow or Webhook`);
	const version = config['tlsMinVersion'];
	if (
		version !== undefined &&
		version !== '' &&
		!['VersionTLS10', 'VersionTLS11', 'VersionTLS12', 'VersionTLS13'].includes(version as string)
	)
		faults.push(`invalid configuration: unknown tls version ${JSON.stringify(version)}`);
	for (const field of ['readOnlyPort', 'healthzPort']) {
		const port = config[field];
		if (typeof port === 'number' && (port < 0 || port > 65_535))
			faults.push(`invalid configuration: ${field} ${port} must be between 0 and 65535, inclusive`);
	}
	if (config['enableSystemLogQuery'] === true && config['enableSystemLogHandler'] === false)
		faults.push('invalid configuration: enableSystemLogHandler is required for enableSystemLogQuery');
	if ((config['tlsCertFile'] || undefined) === undefined && config['tlsPrivateKeyFile'])
		faults.push('invalid configuration: tlsPrivateKeyFile is of no use without tlsCertFile');
	return faults;
}
