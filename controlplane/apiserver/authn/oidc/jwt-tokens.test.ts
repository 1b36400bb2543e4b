/** Tokens of an OpenID provider of the test's own, over TLS: its keys, what tokens claim, and issuers that come and go. */
import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer } from 'node:https';
import test from 'ava';
import { exportJWK, SignJWT } from 'jose';
import { createMetrics } from '../../../../base/metrics.ts';
import { VirtualClock } from '../../../../base/virtual-clock.ts';
import { listening, loopbackTls } from '../../../../test/fakes/loopback-tls.ts';
import { eventually } from '../../../../test/tools/eventually.ts';
import { parseAuthenticationConfiguration } from './configuration.ts';
import type { JwtAuthenticator } from './jwt-authenticator.ts';
import { JwtIssuers } from './jwt-issuers.ts';
import { JwtMetrics } from './jwt-metrics.ts';
import { JwtTokens } from './jwt-tokens.ts';
import { issuerOf } from './verify-token.ts';

const NEVER = new AbortController().signal;
const NOW = Date.now();
/** Sockets keep real time, tokens that of the test. */
const clock = new VirtualClock(NOW);
const { authority, cert, key } = await loopbackTls(clock);

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
		['without an end that is a time', { exp: 'never' }, {}, /json: invalid number literal, trying to unmarshal "\\"never\\"" into Number/],
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
			/failed to unmarshal claims: json: cannot unmarshal number into Go struct field idToken.sub of type string$/,
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
	for (const [claims, message] of [
		[{}, `error evaluating username claim expression: expression 'claims.sub + "@corp"' resulted in error: no such key: sub`],
		[
			{ sub: 5 },
			'verify token: oidc: failed to unmarshal claims: json: cannot unmarshal number into Go struct field idToken.sub of type string',
		],
		[
			{ sub: 'jane', tenant: 5 },
			'error evaluating extra claim expression: claims.tenant: expression must return a string or a list of strings',
		],
	] as const)
		await t.throwsAsync(ask(claims), { message: `oidc: ${message}` });
	provider.close();
});

test('keys are fetched before the first token comes, and tried again until they are there', async (t) => {
	const own = new VirtualClock(NOW);
	const provider = await openIdProvider();
	let asked = 0;
	const tried = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
	const server = createServer({ cert, key }, (_, response) => {
		response.writeHead(503).end('later');
		tried[asked++]?.resolve();
	});
	const url = await listening(server);
	using issuers = new JwtIssuers([plain(provider.url), plain(url)], own);
	issuers.begin();
	await tried[0]?.promise;
	await eventually('the keys are there', () => Promise.resolve(provider.fetches === 2));
	await eventually('the other is asked again', async () => {
		await own.advance(10_000);
		return asked >= 2;
	});
	const token = await provider.sign({ sub: 'jane', hd: 'example.org' });
	t.is((await issuers.authenticateToken(token, [], NEVER))?.user.name, 'oidc:jane');
	t.is(provider.fetches, 2, 'nobody had to wait for them');
	for (const one of [provider, server]) one.close();
	server.closeAllConnections();
});
