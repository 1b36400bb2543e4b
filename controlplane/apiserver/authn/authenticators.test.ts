/** The authenticators that others have a part in: an OpenID provider, a webhook and a proxy of the test's own, over TLS. */
import { createHash, generateKeyPairSync, X509Certificate, type KeyObject } from 'node:crypto';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import test from 'ava';
import { exportJWK, SignJWT } from 'jose';
import type { Secret } from '../../../api/gen/types.ts';
import { abortable } from '../../../base/abort.ts';
import { createMetrics } from '../../../base/metrics.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { createAuthority, issue } from '../../../wire/tls/authority.ts';
import type { ObjectReader } from '../contracts.ts';
import { Remote } from '../webhook/remote.ts';
import { audienceAgnostic } from './agnostic.ts';
import { userOf as bootstrapUser } from './bootstrap-tokens.ts';
import { FrontProxy, remoteUser } from './front-proxy.ts';
import { parseAuthenticationConfiguration } from './oidc/configuration.ts';
import type { JwtAuthenticator } from './oidc/jwt-authenticator.ts';
import { JwtIssuers } from './oidc/jwt-issuers.ts';
import { JwtMetrics } from './oidc/jwt-metrics.ts';
import { JwtTokens } from './oidc/jwt-tokens.ts';
import { issuerOf } from './oidc/verify-token.ts';
import { serviceAccountKeys } from './service-account-keys.ts';
import { ServiceAccountTokens } from './service-account-tokens.ts';
import { staticTokens } from './static-tokens.ts';
import { WebhookTokens } from './webhook-tokens.ts';

const NEVER = new AbortController().signal;
const NOW = Date.now();
/** Sockets keep real time, tokens that of the test. */
const clock = new VirtualClock(NOW);
const authority = await createAuthority({ commonName: 'test-ca', days: 2 }, clock);
const leaf = { commonName: 'server', dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'], usages: ['server'], days: 2 } as const;
const { certPem: cert, keyPem: key } = await issue(authority, leaf, clock);

async function listening(server: Server): Promise<string> {
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const day = (offset: number): string => new Date(NOW + offset * 86_400_000).toISOString();
const secret = (over: Record<string, string | undefined> = {}, more: Partial<Secret> = {}): Secret => ({
	apiVersion: 'v1',
	kind: 'Secret',
	metadata: { namespace: 'kube-system', name: 'bootstrap-token-abcdef' },
	type: 'bootstrap.kubernetes.io/token',
	data: Object.fromEntries(
		Object.entries({ 'token-id': 'abcdef', 'token-secret': '0123456789abcdef', 'usage-bootstrap-authentication': 'true', ...over })
			.filter(([, value]) => value !== undefined)
			.map(([name, value]) => [name, Buffer.from(value ?? '').toString('base64')]),
	),
	...more,
});

for (const [name, stored, given, want] of [
	['good', secret(), '0123456789abcdef', ['system:bootstrappers']],
	[
		'with groups',
		secret({ 'auth-extra-groups': 'system:bootstrappers:a,system:bootstrappers:b' }),
		'0123456789abcdef',
		['system:bootstrappers', 'system:bootstrappers:a', 'system:bootstrappers:b'],
	],
	['with a group that is not its own', secret({ 'auth-extra-groups': 'system:masters' }), '0123456789abcdef', undefined],
	['another secret', secret(), '0123456789abcdeF', undefined],
	['not yet expired', secret({ expiration: day(1) }), '0123456789abcdef', ['system:bootstrappers']],
	['expired', secret({ expiration: day(-1) }), '0123456789abcdef', undefined],
	['an expiry that is no time', secret({ expiration: 'soon' }), '0123456789abcdef', undefined],
	['for signing only', secret({ 'usage-bootstrap-authentication': undefined }), '0123456789abcdef', undefined],
	['another type', secret({}, { type: 'Opaque' }), '0123456789abcdef', undefined],
	['on its way out', secret({}, { metadata: { name: 'x', deletionTimestamp: day(0) } }), '0123456789abcdef', undefined],
] as const)
	test(`bootstrap tokens: ${name}`, (t) => {
		t.deepEqual(bootstrapUser(stored, 'abcdef', given, NOW)?.groups, want === undefined ? undefined : [...want]);
	});

const HEADERS = {
	allowedNames: ['front-proxy-client'],
	usernameHeaders: ['X-Remote-User'],
	uidHeaders: ['X-Remote-Uid'],
	groupHeaders: ['X-Remote-Group'],
	extraHeaderPrefixes: ['X-Remote-Extra-'],
	clientCa: authority.certPem,
};

test('a front proxy says who asks; others who send its headers are nobody special', async (t) => {
	t.deepEqual(
		remoteUser(HEADERS, { 'x-remote-user': 'u', 'x-remote-uid': '7', 'x-remote-group': 'a, b', 'x-remote-extra-scopes%2fx': 's' }),
		{
			name: 'u',
			uid: '7',
			groups: ['a', 'b'],
			extra: { 'scopes/x': ['s'] },
		},
	);
	const proxy = new FrontProxy(HEADERS, clock);
	const der = async (commonName: string, by = authority): Promise<Uint8Array> =>
		new X509Certificate((await issue(by, { commonName, usages: ['client'], days: 1 }, clock)).certPem).raw;
	const ask = async (clientCertificate: Uint8Array | undefined, headers: Record<string, string>) =>
		proxy.authenticate({ headers, clientCertificate });
	const remote = { 'x-remote-user': 'u' };
	t.like(await ask(await der('front-proxy-client'), remote), { name: 'u' });
	t.is(await ask(await der('front-proxy-client'), {}), undefined);
	t.is(await ask(undefined, remote), undefined);
	await t.throwsAsync(async () => ask(await der('somebody'), remote));
	const strangers = await createAuthority({ commonName: 'other-ca', days: 2 }, clock);
	t.is(await ask(await der('front-proxy-client', strangers), remote), undefined);
});

test('tokens that know no audiences are good for those of the API server only', async (t) => {
	const tokens = audienceAgnostic(staticTokens([{ token: 'a', user: 'u' }]), ['api', 'own']);
	const audiences = async (...asked: string[]) => (await tokens.authenticateToken('a', asked, NEVER))?.audiences;
	t.deepEqual(await audiences('vault'), undefined);
	t.deepEqual(await audiences('vault', 'own'), ['own']);
	t.deepEqual(await audiences('own', 'api'), ['api', 'own']);
	t.is(await tokens.authenticateToken('b', ['api'], NEVER), undefined);
});

test('tokens of secrets are meant for the audiences of the API server, whoever issues its own tokens', async (t) => {
	const privateKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
	const keys = await serviceAccountKeys(privateKey, []);
	const claim = (name: string): string => `kubernetes.io/serviceaccount/${name}`;
	const token = await keys.sign({
		...{ iss: 'kubernetes/serviceaccount', sub: 'system:serviceaccount:n:a', [claim('namespace')]: 'n', [claim('secret.name')]: 's' },
		...{ [claim('service-account.name')]: 'a', [claim('service-account.uid')]: '1' },
	});
	const account = { metadata: { namespace: 'n', name: 'a', uid: '1' } };
	const stored = { metadata: { namespace: 'n', name: 's' }, data: { token: Buffer.from(token).toString('base64') } };
	const objects = { get: ({ kind }: { kind: string }) => (kind === 'Secret' ? stored : account) } as unknown as ObjectReader;
	const tokens = new ServiceAccountTokens({ keys, issuers: ['https://issuer'], audiences: ['api'], objects, clock });
	t.deepEqual((await tokens.authenticateToken(token, ['api']))?.audiences, ['api']);
	await t.throwsAsync(tokens.authenticateToken(token, ['https://issuer']), { message: /token audiences \["api"\] is invalid/ });
});

test('a webhook is asked once about a token, and again when its answer is old', async (t) => {
	const asked: { spec: { token: string; audiences?: string[] }; apiVersion: string }[] = [];
	let broken = false;
	const server = createServer({ cert, key }, (request, response) => {
		json(request).then(
			(review) => {
				const { spec } = review as (typeof asked)[number];
				asked.push(review as (typeof asked)[number]);
				if (broken) return response.writeHead(400).end('no');
				const known =
					spec.token === 'good'
						? { authenticated: true, user: { username: 'u', uid: '1', groups: ['g'], extra: { k: ['v'] } }, audiences: ['api'] }
						: spec.token === 'any'
							? { authenticated: true, user: { username: 'u' } }
							: spec.token === 'odd'
								? { error: 'not today' }
								: {};
				return response.end(JSON.stringify({ kind: 'TokenReview', apiVersion: 'authentication.k8s.io/v1', status: known }));
			},
			() => response.destroy(),
		);
	});
	using remote = new Remote({ url: `${await listening(server)}/tokens`, ca: authority.certPem }, clock);
	const tokens = new WebhookTokens({ version: 'v1', cacheMs: 60_000, audiences: ['own'] }, remote, clock);
	const ask = (token: string, audience = 'api') => tokens.authenticateToken(token, [audience], NEVER);
	const user = { name: 'u', uid: '1', groups: ['g'], extra: { k: ['v'] } };
	t.deepEqual(await Promise.all([ask('good'), ask('good')]), [
		{ user, audiences: ['api'] },
		{ user, audiences: ['api'] },
	]);
	t.is(asked.length, 1);
	t.like(asked[0], { apiVersion: 'authentication.k8s.io/v1', spec: { token: 'good', audiences: ['api'] } });
	t.deepEqual(tokens.recallToken('good', ['api'])?.user, user);
	t.is(await ask('good', 'others'), undefined);
	t.is(await ask('bad'), undefined);
	t.is(await ask('bad'), undefined);
	t.is(asked.length, 3);
	await t.throwsAsync(() => ask('odd'), { message: 'not today' });
	t.is(await ask('any'), undefined, 'a service that names no audiences speaks for those of the API server only');
	t.deepEqual((await tokens.authenticateToken('any', ['api', 'own'], NEVER))?.audiences, ['own']);
	await clock.advance(60_000);
	t.is(tokens.recallToken('good', ['api']), undefined);
	broken = true;
	await t.throwsAsync(() => ask('good'), { message: /the server rejected our request/ });
	server.close();
	server.closeAllConnections();
});

test('who asks the token service for a token and goes away takes the answer from nobody else', async (t) => {
	const answer = Promise.withResolvers<object>();
	const post = (_review: object, _timeoutMs: number, signal: AbortSignal): Promise<unknown> => abortable(answer.promise, signal);
	const alone = new VirtualClock();
	const tokens = new WebhookTokens({ version: 'v1', cacheMs: 60_000, audiences: ['own'] }, { post } as unknown as Remote, alone);
	const leaving = new AbortController();
	const [first, second] = [leaving.signal, NEVER].map((signal) => tokens.authenticateToken('good', [], signal));
	leaving.abort(new Error('gone'));
	await t.throwsAsync(async () => first, { message: 'gone' });
	answer.resolve({ status: { authenticated: true, user: { username: 'u' } } });
	t.is((await second)?.user.name, 'u');
	t.is(alone.pending, 0);
});

interface Provider {
	readonly url: string;
	/** Replaces the key; `keep`: both are served. */
	rotate(): Promise<void>;
	sign(claims: object, over?: { readonly expiresIn?: number; readonly key?: KeyObject; readonly named?: boolean }): Promise<string>;
	fetches: number;
	close(): void;
}

async function openIdProvider(): Promise<Provider> {
	let kid = 0;
	let pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
	const made = { fetches: 0 };
	const other = { ...(await exportJWK(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey)), kid: 'other' };
	const server = createServer({ cert, key }, (request, response) => {
		made.fetches++;
		const answer = async (): Promise<string> =>
			request.url === '/.well-known/openid-configuration'
				? JSON.stringify({ issuer: url, jwks_uri: `${url}/keys` })
				: JSON.stringify({ keys: [other, { ...(await exportJWK(pair.publicKey)), kid: `k${kid}`, alg: 'ES256', use: 'sig' }] });
		if (request.url === '/moved') {
			response.writeHead(302, { location: '/.well-known/openid-configuration' }).end();
			return;
		}
		answer().then(
			(text) => response.setHeader('content-type', 'application/json').end(text),
			() => response.destroy(),
		);
	});
	const url = await listening(server);
	return Object.assign(made, {
		url,
		rotate(): Promise<void> {
			kid++;
			pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
			return Promise.resolve();
		},
		sign: (claims: object, { expiresIn = 600, key: by = pair.privateKey, named = true } = {}) =>
			new SignJWT({ iss: url, aud: 'kubernetes', exp: Math.floor(clock.now() / 1000) + expiresIn, ...claims } as never)
				.setProtectedHeader({ alg: 'ES256', ...(named ? { kid: `k${kid}` } : {}) })
				.sign(by),
		close() {
			server.close();
			server.closeAllConnections();
		},
	});
}

const plain = (url: string, more: Partial<JwtAuthenticator> = {}): JwtAuthenticator => ({
	issuer: { url, audiences: ['kubernetes'], certificateAuthority: authority.certPem },
	claimMappings: { username: { claim: 'sub', prefix: 'oidc:' }, groups: { claim: 'groups', prefix: 'oidc:' } },
	claimValidationRules: [{ claim: 'hd', requiredValue: 'example.org' }],
	...more,
});

test.serial('groups may be claims that another endpoint has, signed as the token is', async (t) => {
	const provider = await openIdProvider();
	const groups = await provider.sign({ sub: 'jane', groups: ['dev'] });
	const asked: (string | undefined)[] = [];
	const endpoint = createServer({ cert, key }, (request, response) => {
		asked.push(request.headers.authorization);
		response.end(request.url === '/groups' ? groups : 'x');
	});
	const url = await listening(endpoint);
	using tokens = new JwtTokens(plain(provider.url), clock);
	const ask = async (claims: object) =>
		(await tokens.authenticateToken(await provider.sign({ sub: 'jane', hd: 'example.org', ...claims }), ['api'], NEVER))?.user.groups;
	const at = (path: string) => ({
		_claim_names: { groups: 'src' },
		_claim_sources: { src: { endpoint: `${url}${path}`, access_token: 'secret' } },
	});
	t.deepEqual(await ask(at('/groups')), ['oidc:dev']);
	t.deepEqual(asked, ['Bearer secret']);
	t.deepEqual(await ask({ ...at('/groups'), groups: ['own'] }), ['oidc:own']);
	await t.throwsAsync(ask(at('/other')), {
		message: /^oidc: could not expand distributed claims: getting untrusted issuer from endpoint .* failed for claim "groups": /,
	});
	for (const sources of [undefined, {}])
		await t.throwsAsync(ask({ _claim_names: { groups: 'src' }, _claim_sources: sources }), {
			message: 'oidc: verify token: oidc: source does not exist',
		});
	endpoint.close();
	endpoint.closeAllConnections();
	provider.close();
});

test.serial('who answers with ever other issuers of claims keeps nobody else from theirs', async (t) => {
	const provider = await openIdProvider();
	const groups = await provider.sign({ sub: 'jane', groups: ['dev'] });
	const strange = await Promise.all(Array.from({ length: 33 }, (_, i) => provider.sign({ iss: `https://127.0.0.1:1/${i}` })));
	const endpoint = createServer({ cert, key }, (request, response) => {
		response.end(request.url === '/groups' ? groups : strange[Number(request.url?.slice(1))]);
	});
	const url = await listening(endpoint);
	using tokens = new JwtTokens(plain(provider.url), clock);
	const ask = async (path: string) => {
		const sources = { _claim_names: { groups: 'src' }, _claim_sources: { src: { endpoint: `${url}/${path}` } } };
		return (await tokens.authenticateToken(await provider.sign({ sub: 'jane', hd: 'example.org', ...sources }), ['api'], NEVER))?.user
			.groups;
	};
	for (const i of strange.keys()) await t.throwsAsync(ask(String(i)), { message: /authenticator not initialized/ });
	t.deepEqual(await ask('groups'), ['oidc:dev']);
	endpoint.close();
	endpoint.closeAllConnections();
	provider.close();
});

test.serial('issuers take the place of others once they can be reached', async (t) => {
	const [first, second] = [await openIdProvider(), await openIdProvider()];
	using issuers = new JwtIssuers([plain(first.url)], clock);
	const nameFrom = async (provider: Provider): Promise<string | undefined> =>
		(await issuers.authenticateToken(await provider.sign({ sub: 'jane', hd: 'example.org' }), ['api'], NEVER))?.user.name;
	t.is(await nameFrom(first), 'oidc:jane');
	t.is(await nameFrom(second), undefined);
	await t.throwsAsync(issuers.replace([plain(second.url), plain('https://127.0.0.1:1')], NEVER), {
		message: /is not healthy: connect ECONNREFUSED/,
	});
	t.is(await nameFrom(second), undefined);
	await issuers.replace([plain(second.url)], NEVER);
	t.is(await nameFrom(second), 'oidc:jane');
	t.is(await nameFrom(first), undefined);
	first.close();
	second.close();
});

test('tokens of an OpenID provider: verified, checked, mapped, and its keys may change', async (t) => {
	const provider = await openIdProvider();
	using tokens = new JwtTokens(plain(provider.url), clock);
	const ask = async (claims: object, over = {}) =>
		tokens.authenticateToken(await provider.sign({ sub: 'jane', hd: 'example.org', ...claims }, over), ['api'], NEVER);
	t.deepEqual(await ask({ groups: ['dev', 'ops'] }), {
		user: { name: 'oidc:jane', uid: '', groups: ['oidc:dev', 'oidc:ops'], extra: {} },
		audiences: ['api'],
	});
	t.deepEqual((await ask({ groups: 'dev' }))?.user.groups, ['oidc:dev']);
	t.is(provider.fetches, 2);
	t.deepEqual((await ask({ jti: 'x1' }))?.user.extra, { 'authentication.kubernetes.io/credential-id': ['JTI=x1'] });
	t.is((await ask({ nbf: Math.floor(clock.now() / 1000) + 59 }))?.user.name, 'oidc:jane', 'clocks may be a minute apart');
	t.is(await ask({ iss: 'https://other' }), undefined);
	for (const [name, claims, over, why] of [
		[
			'expired',
			{},
			{ expiresIn: -10 },
			/^oidc: verify token: oidc: token is expired \(Token Expiry: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0000 UTC\)$/,
		],
		['without an end', { exp: undefined }, {}, /Token Expiry: 0001-01-01 00:00:00 \+0000 UTC/],
		['without an end that is a time', { exp: 'never' }, {}, /failed to unmarshal claims: "never" is no time/],
		[
			'of later',
			{ nbf: Math.floor(NOW / 1000) + 3600 },
			{},
			/^oidc: verify token: oidc: current time .* before the nbf \(not before\) time: /,
		],
		['for others', { aud: 'others' }, {}, /oidc: expected audience "kubernetes" got \["others"\]/],
		['another value of a required claim', { hd: 'x' }, {}, /required claim hd value does not match. Got = x, want = example.org/],
		['without a required claim', { hd: undefined }, {}, /required claim hd not present in ID token/],
		[
			'groups that are none',
			{ groups: { a: 1 } },
			{},
			/parse groups claim "groups": json: cannot unmarshal object into Go value of type string/,
		],
		[
			'a user that is none',
			{ sub: 7 },
			{},
			/^oidc: parse username claims "sub": json: cannot unmarshal number into Go value of type string$/,
		],
		[
			'signed by another',
			{},
			{ key: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey },
			/failed to verify id token signature/,
		],
	] as const)
		await t.throwsAsync(ask(claims, over), { message: why }, name);
	await provider.rotate();
	await t.throwsAsync(ask({}), { message: /failed to verify id token signature/ }, 'keys have just been fetched');
	await clock.advance(10_000);
	t.is((await ask({}))?.user.name, 'oidc:jane');
	provider.close();
});

test('a token that names no key is good where one of the keys signed it', async (t) => {
	const provider = await openIdProvider();
	using tokens = new JwtTokens(plain(provider.url), clock);
	const token = await provider.sign({ sub: 'jane', hd: 'example.org' }, { named: false });
	t.is((await tokens.authenticateToken(token, [], NEVER))?.user.name, 'oidc:jane');
	provider.close();
});

test('a discovery document may be somewhere else', async (t) => {
	const provider = await openIdProvider();
	const { issuer, ...rest } = plain(provider.url);
	using tokens = new JwtTokens({ ...rest, issuer: { ...issuer, discoveryURL: `${provider.url}/moved` } }, clock);
	const token = await provider.sign({ sub: 'jane', hd: 'example.org' });
	t.is((await tokens.authenticateToken(token, [], NEVER))?.user.name, 'oidc:jane');
	provider.close();
});

test('an issuer that cannot be reached is not asked for each token', async (t) => {
	const gone = new VirtualClock(NOW);
	let asked = 0;
	const server = createServer({ cert, key }, (_, response) => {
		asked++;
		response.writeHead(503).end('later');
	});
	const url = await listening(server);
	const provider = await openIdProvider();
	using tokens = new JwtTokens(plain(url), gone);
	const token = await provider.sign({ iss: url, sub: 'jane' });
	for (let i = 0; i < 3; i++)
		await t.throwsAsync(tokens.authenticateToken(token, [], NEVER), { message: 'oidc: authenticator not initialized' });
	t.is(asked, 1);
	await gone.advance(10_000);
	await t.throwsAsync(tokens.authenticateToken(token, [], NEVER));
	t.is(asked, 2);
	await t.throwsAsync(tokens.ready(NEVER), {
		message: /^oidc: authenticator for issuer ".*" is not healthy: 503 Service Unavailable: later$/,
	});
	for (const one of [provider, server]) one.close();
	server.closeAllConnections();
});

test('what is known of a token is looked at again after ten seconds', async (t) => {
	const own = new VirtualClock(NOW);
	const provider = await openIdProvider();
	using tokens = new JwtTokens(plain(provider.url), own);
	const token = await provider.sign({ sub: 'jane', hd: 'example.org' });
	await tokens.authenticateToken(token, [], NEVER);
	await own.advance(9_999);
	t.is(tokens.recallToken(token, [])?.user.name, 'oidc:jane');
	await own.advance(1);
	t.is(tokens.recallToken(token, []), undefined);
	provider.close();
});

test('issuers of service accounts are nobody else, and algorithms are known ones', (t) => {
	const url = 'https://own.example';
	t.throws(() => new JwtIssuers([plain(url)], clock, { disallowed: [url, 'a'] }), {
		message: `invalid authentication configuration: jwt[0].issuer.url: Invalid value: "${url}": URL must not overlap with disallowed issuers: [a ${url}]`,
	});
	t.throws(() => new JwtIssuers([plain(url, { signingAlgorithms: ['HS256'] })], clock), {
		message: 'oidc: unsupported signing alg: "HS256"',
	});
	t.is(issuerOf('accounts.google.com'), 'https://accounts.google.com');
});

test('tokens and keys of issuers are counted, and forgotten with their issuer', async (t) => {
	const own = new VirtualClock(NOW);
	const registry = createMetrics();
	const [first, second] = [await openIdProvider(), await openIdProvider()];
	using issuers = new JwtIssuers([plain(first.url)], own, { metrics: new JwtMetrics(registry, own) });
	await issuers.authenticateToken(await first.sign({ sub: 'jane', hd: 'example.org' }), [], NEVER);
	await t.throwsAsync(issuers.authenticateToken(await first.sign({ sub: 'jane' }), [], NEVER));
	const hash = (url: string): string => `jwt_issuer_hash="sha256:${createHash('sha256').update(url).digest('hex')}"`;
	const lines = async (url: string): Promise<readonly string[]> =>
		(await registry.metrics()).split('\n').filter((line) => line.includes(hash(url)));
	const counted = await lines(first.url);
	for (const result of ['success', 'failure'])
		t.true(
			counted.some((line) => line.includes('latency_seconds_count') && line.includes(`result="${result}"`) && line.endsWith(' 1')),
			result,
		);
	t.is(counted.filter((line) => /jwks_fetch_last_(timestamp_seconds|key_set_info)/.test(line)).length, 2);
	await issuers.replace([plain(second.url)], NEVER);
	await own.advance(60_000);
	t.is((await lines(first.url)).filter((line) => line.includes('jwks_fetch')).length, 0);
	t.is((await lines(second.url)).filter((line) => line.includes('jwks_fetch')).length, 2);
	for (const one of [first, second]) one.close();
});

test('addresses that a provider has not verified vouch for nobody', async (t) => {
	const provider = await openIdProvider();
	using tokens = new JwtTokens(
		plain(provider.url, { claimMappings: { username: { claim: 'email', prefix: '' } }, claimValidationRules: [] }),
		clock,
	);
	const ask = async (claims: object) => tokens.authenticateToken(await provider.sign({ email: 'a@b', ...claims }), [], NEVER);
	t.is((await ask({}))?.user.name, 'a@b');
	t.is((await ask({ email_verified: true }))?.user.name, 'a@b');
	await t.throwsAsync(ask({ email_verified: false }), { message: 'oidc: email not verified' });
	await t.throwsAsync(ask({ email_verified: 'true' }), {
		message: "oidc: parse 'email_verified' claim: json: cannot unmarshal string into Go value of type bool",
	});
	provider.close();
});

test('an AuthenticationConfiguration with expressions', async (t) => {
	const provider = await openIdProvider();
	const indented = authority.certPem.trim().split('\n').join('\n        ');
	const { jwt = [], anonymous } = parseAuthenticationConfiguration(
		`
apiVersion: apiserver.config.k8s.io/v1
kind: AuthenticationConfiguration
anonymous: {enabled: true, conditions: [{path: /livez}]}
jwt:
  - issuer:
      url: ${provider.url}
      audiences: [kubernetes, other]
      audienceMatchPolicy: MatchAny
      certificateAuthority: |
        ${indented}
    claimValidationRules:
      - {expression: 'claims.hd == "example.org"', message: "the hd claim must be example.org"}
    claimMappings:
      username: {expression: 'claims.sub + "@corp"'}
      groups: {expression: 'claims.roles.split(",")'}
      uid: {claim: sub}
      extra:
        - {key: example.org/tenant, valueExpression: claims.tenant}
        - {key: example.org/dotted, valueExpression: 'claims.a__dot__b.c__dot__d'}
    userValidationRules:
      - {expression: "!user.username.startsWith('system:')", message: "system: is reserved"}
`,
		'test',
	);
	t.deepEqual(anonymous, { enabled: true, conditions: [{ path: '/livez' }] });
	using tokens = new JwtTokens(jwt[0] as JwtAuthenticator, clock);
	const ask = async (claims: object) =>
		tokens.authenticateToken(
			await provider.sign({ hd: 'example.org', roles: 'a,b', tenant: 't', 'a.b': { 'c.d': 'e' }, ...claims }),
			[],
			NEVER,
		);
	t.deepEqual((await ask({ sub: 'jane' }))?.user, {
		name: 'jane@corp',
		uid: 'jane',
		groups: ['a', 'b'],
		extra: { 'example.org/tenant': ['t'], 'example.org/dotted': ['e'] },
	});
	await t.throwsAsync(ask({ sub: 'jane', hd: 'x' }), { message: /failed: the hd claim must be example.org/ });
	await t.throwsAsync(ask({ sub: 'system:admin' }), { message: /system: is reserved/ });
	provider.close();
});
