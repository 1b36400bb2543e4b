import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { apiserverFlagsOf } from '../../cli/flags.ts';
import { loopbackTls } from '../../test/fakes/loopback-tls.ts';
import { apiserverOptions, kubeletAuthority, proxyClientFiles } from './apiserver-options.ts';

test('without flags: what upstream has, and joining tokens', async (t) => {
	t.like(await apiserverOptions({}), {
		authorizers: undefined,
		anonymous: { enabled: true },
		jwt: undefined,
		audit: undefined,
		bootstrapTokens: true,
		fairness: { maxRequests: 400, maxMutatingRequests: 200 },
		...{ eventTtlMs: 3_600_000, compactionMs: 300_000, minWatchMs: 1_800_000 },
		shutdownDelayMs: 0,
		requestTimeoutMs: 60_000,
		goAwayChance: 0,
		maxStreams: 0,
	});
	t.deepEqual((await apiserverOptions({ 'kubelet-preferred-address-types': ['Hostname'] })).kubeletAddressTypes, ['Hostname']);
	t.like(await apiserverOptions({ 'request-timeout': '5s', 'goaway-chance': 0.02 }), { requestTimeoutMs: 5000, goAwayChance: 0.02 });
	t.like(await apiserverOptions({ 'http2-max-streams-per-connection': 250 }), { maxStreams: 250 });
	await t.throwsAsync(apiserverOptions({ 'goaway-chance': 0.03 }), {
		message: '--goaway-chance can not be less than 0 or greater than 0.02',
	});
});

test('who asks has to be known where everybody may do everything', async (t) => {
	const anonymous = async (modes: readonly string[], wanted?: boolean): Promise<unknown> => {
		const flags = wanted === undefined ? {} : { 'anonymous-auth': wanted };
		return (await apiserverOptions({ 'authorization-mode': modes, ...flags })).anonymous;
	};
	t.deepEqual(await anonymous(['Node', 'RBAC']), { enabled: true });
	t.deepEqual(await anonymous(['Node', 'RBAC'], false), { enabled: false });
	t.deepEqual(await anonymous(['RBAC', 'AlwaysAllow']), { enabled: false });
	t.deepEqual(await anonymous(['AlwaysAllow'], true), { enabled: false });
});

test('how long tokens live that are asked for', async (t) => {
	const life = async (max: string, extended = true): Promise<unknown> =>
		(await apiserverOptions({ 'service-account-max-token-expiration': max, 'service-account-extend-token-expiration': extended }))
			.tokenLife;
	t.deepEqual(await life('0'), { isExtended: true });
	t.deepEqual(await life('2h', false), { isExtended: false, maxSeconds: 7200 });
	for (const max of ['59m', '1200000h'])
		await t.throwsAsync(life(max), { message: 'the service-account-max-token-expiration must be between 1 hour and 2^32 seconds' });
});

test('node ports, and how long pods stay on nodes that are gone', async (t) => {
	t.like(await apiserverOptions({}), {
		nodePorts: [30_000, 32_767],
		admissionSettings: { tolerationSeconds: { notReady: 300, unreachable: 300 } },
	});
	t.deepEqual((await apiserverOptions({ 'service-node-port-range': '' })).nodePorts, [30_000, 32_767]);
	const given = {
		...{ 'service-node-port-range': '20000-20010' },
		...{ 'default-not-ready-toleration-seconds': '30', 'default-unreachable-toleration-seconds': -1 },
	};
	t.like(await apiserverOptions(given), {
		nodePorts: [20_000, 20_010],
		admissionSettings: { tolerationSeconds: { notReady: 30, unreachable: -1 } },
	});
	for (const name of ['default-not-ready-toleration-seconds', 'default-unreachable-toleration-seconds'])
		await t.throwsAsync(apiserverOptions({ [name]: '5m' }), {
			message: `invalid argument "5m" for "--${name}" flag: strconv.ParseInt: parsing "5m": invalid syntax`,
		});
	await t.throwsAsync(apiserverOptions({ 'service-node-port-range': '2-1' }), {
		message: 'invalid argument "2-1" for "--service-node-port-range" flag: end port cannot be less than start port: 2-1',
	});
});

test('how the server stops: spans that are not negative; keys that are followed need a file of them', async (t) => {
	const flags = {
		...{ 'event-ttl': '15s', 'etcd-compaction-interval': '0', 'min-request-timeout': '60' },
		...{ 'etcd-healthcheck-timeout': '5s', 'etcd-readycheck-timeout': '500ms' },
		'shutdown-delay-duration': '20s',
		'shutdown-watch-termination-grace-period': '1m',
		'shutdown-send-retry-after': true,
		'encryption-provider-config-automatic-reload': true,
	};
	t.like(await apiserverOptions(flags, '/keys'), {
		...{ eventTtlMs: 15_000, compactionMs: 0, minWatchMs: 60_000 },
		storeCheckMs: { health: 5000, readiness: 500 },
		...{ shutdownDelayMs: 20_000, shutdownWatchGraceMs: 60_000, shutdownSendsRetryAfter: true },
		configurations: { encryption: { path: '/keys', isFollowed: true } },
	});
	await t.throwsAsync(apiserverOptions(flags), {
		message: '--encryption-provider-config-automatic-reload must be set with --encryption-provider-config',
	});
	for (const name of ['shutdown-delay-duration', 'shutdown-watch-termination-grace-period'])
		await t.throwsAsync(apiserverOptions({ [name]: '-1s' }), { message: `--${name} "-1s" can not be negative` });
});

test('flags as options', async (t) => {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-flags-'));
	const file = async (name: string, text: string): Promise<string> => {
		await writeFile(join(dir, name), text);
		return join(dir, name);
	};
	const policy = await file('policy.yaml', 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n');
	const ca = await file('ca.crt', (await loopbackTls(new VirtualClock(0))).authority.certPem);
	const hook = await file(
		'hook.yaml',
		'clusters: [{name: c, cluster: {server: "https://hook.example/x"}}]\ncontexts: [{name: x, context: {cluster: c, user: ""}}]\ncurrent-context: x\n',
	);
	const made = await apiserverOptions({
		...{ 'oidc-issuer-url': 'https://issuer', 'oidc-client-id': 'k8s', 'oidc-groups-claim': 'groups', 'oidc-required-claim': ['hd=x=y'] },
		...{ 'audit-policy-file': policy, 'audit-log-path': '-', 'audit-webhook-config-file': hook, 'audit-webhook-batch-max-wait': '5s' },
		...{
			'authorization-mode': ['Node', 'Webhook', 'RBAC'],
			'authorization-webhook-config-file': hook,
			'authorization-webhook-version': 'v1',
		},
		...{
			'requestheader-client-ca-file': ca,
			'service-account-issuer': ['https://a', 'https://b'],
			'enable-priority-and-fairness': 'false',
		},
	});
	t.like(made, {
		jwt: [
			{
				claimMappings: { username: { claim: 'sub', prefix: 'https://issuer#' }, groups: { claim: 'groups', prefix: '' } },
				claimValidationRules: [{ claim: 'hd', requiredValue: 'x=y' }],
			},
		],
		audit: {
			log: { path: '-', mode: 'blocking' },
			webhook: { mode: 'batch', batch: { maxWaitMs: 5000, maxSize: 400 }, target: { url: 'https://hook.example/x' } },
		},
		issuers: ['https://a', 'https://b'],
		fairness: undefined,
		maxInFlight: { maxRequests: 400, maxMutatingRequests: 200 },
		frontProxy: { usernameHeaders: ['X-Remote-User'] },
	});
	t.deepEqual(
		made.authorizers?.map((a) => a.type),
		['Node', 'Webhook', 'RBAC'],
	);
	t.is(await kubeletAuthority({}), '', 'kubelets are not verified unless told');
	t.regex(await kubeletAuthority({ 'kubelet-certificate-authority': ca }), /^-----BEGIN CERTIFICATE/);
	await t.throwsAsync(kubeletAuthority({ 'kubelet-certificate-authority': policy }), { message: /--kubelet-certificate-authority/ });
	const unprefixed = { 'oidc-issuer-url': 'https://issuer', 'oidc-client-id': 'k8s', 'oidc-username-prefix': '' };
	t.like(await apiserverOptions({ profiling: 'F', 'shutdown-send-retry-after': '1' }), { profiling: false, shutdownSendsRetryAfter: true });
	t.is((await apiserverOptions(unprefixed)).jwt?.[0]?.claimMappings.username.prefix, 'https://issuer#', 'empty is as good as none');
	for (const [flags, why] of [
		[
			{ 'oidc-issuer-url': 'https://issuer' },
			/oidc-issuer-url and oidc-client-id must be specified together when any oidc-\* flags are set/,
		],
		[{ 'oidc-groups-claim': 'groups' }, /oidc-issuer-url and oidc-client-id must be specified together/],
		[
			{ 'authentication-config': policy, 'oidc-required-claim': ['hd=x'] },
			/authentication-config file and oidc-\* flags are mutually exclusive/,
		],
		[{ 'oidc-issuer-url': 'http://issuer', 'oidc-client-id': 'k' }, /must begin with https/],
		[{ 'audit-log-mode': 'often', 'audit-policy-file': policy, 'audit-log-path': '-' }, /invalid audit log mode often/],
		[{ 'audit-policy-file': join(dir, 'none'), 'audit-log-path': '-' }, /--audit-policy-file ".*none" cannot be read/],
		[{ 'authorization-mode': ['ABAC'] }, /authorization-mode ABAC needs authorization-policy-file/],
		[{ 'max-requests-inflight': 'many' }, /--max-requests-inflight "many" is not a number/],
		[{ 'max-requests-inflight': '1.5' }, /--max-requests-inflight "1.5" is not a whole number/],
		[{ 'max-requests-inflight': '-1' }, /--max-requests-inflight "-1" can not be negative/],
		[{ 'max-requests-inflight': 0, 'max-mutating-requests-inflight': 0 }, /must add up to something positive/],
		[{ 'shutdown-delay-duration': 'soon' }, /--shutdown-delay-duration "soon" is not a span of time/],
		[{ 'anonymous-auth': 'maybe' }, /--anonymous-auth "maybe" is neither true nor false/],
	] as const)
		await t.throwsAsync(apiserverOptions(flags), { message: why });
	await rm(dir, { recursive: true });
});

test("the certificate for aggregated servers: both files or the cluster's own", (t) => {
	t.is(proxyClientFiles({}), undefined);
	t.deepEqual(proxyClientFiles({ 'proxy-client-cert-file': '/c', 'proxy-client-key-file': '/k' }), { certFile: '/c', keyFile: '/k' });
	t.throws(() => proxyClientFiles({ 'proxy-client-cert-file': '/c' }), { message: /need each other/ });
});

test('from the command line: paths are made absolute, lists are split', (t) => {
	t.deepEqual(
		apiserverFlagsOf({ auditLogPath: '-', auditPolicyFile: '/a/b', authorizationMode: 'Node,RBAC', anonymousAuth: true, other: 'x' }),
		{
			'authorization-mode': ['Node', 'RBAC'],
			'anonymous-auth': 'true',
			'audit-policy-file': '/a/b',
			'audit-log-path': '-',
		},
	);
});
