/** The authenticators that others have a part in: an OpenID provider, a webhook and a proxy of the test's own, over TLS. */
import { generateKeyPairSync, X509Certificate, type KeyObject } from 'node:crypto';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import test from 'ava';
import { exportJWK, SignJWT } from 'jose';
import type { Secret } from '../../../api/gen/types.ts';
import { abortable } from '../../../base/abort.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { createAuthority, issue } from '../../../wire/tls/authority.ts';
import { Remote } from '../webhook/remote.ts';
import { userOf as bootstrapUser } from './bootstrap-tokens.ts';
import { FrontProxy, remoteUser } from './front-proxy.ts';
import { parseAuthenticationConfiguration } from './oidc/configuration.ts';
import type { JwtAuthenticator } from './oidc/jwt-authenticator.ts';
import { JwtIssuers } from './oidc/jwt-issuers.ts';
import { JwtTokens } from './oidc/jwt-tokens.ts';
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
						: spec.token === 'odd'
							? { error: 'not today' }
							: {};
				return response.end(JSON.stringify({ kind: 'TokenReview', apiVersion: 'authentication.k8s.io/v1', status: known }));
			},
			() => response.destroy(),
		);
	});
	using remote = new Remote({ url: `${await listening(server)}/tokens`, ca: authority.certPem }, clock);
	const tokens = new WebhookTokens({ version: 'v1', cacheMs: 60_000 }, remote, clock);
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
	const tokens = new WebhookTokens({ version: 'v1', cacheMs: 60_000 }, { post } as unknown as Remote, alone);
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
	sign(claims: object, over?: { readonly expiresIn?: number; readonly key?: KeyObject }): Promise<string>;
	fetches: number;
	close(): void;
}

async function openIdProvider(): Promise<Provider> {
	let kid = 0;
	let pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
	const made = { fetches: 0 };
	const server = createServer({ cert, key }, (request, response) => {
		made.fetches++;
		const answer = async (): Promise<string> =>
			request.url === '/.well-known/openid-configuration'
				? JSON.stringify({ issuer: url, jwks_uri: `${url}/keys` })
				: JSON.stringify({ keys: [{ ...(await exportJWK(pair.publicKey)), kid: `k${kid}`, alg: 'ES256', use: 'sig' }] });
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
		sign: (claims: object, { expiresIn = 600, key: by = pair.privateKey } = {}) =>
			new SignJWT({ iss: url, aud: 'kubernetes', ...claims, exp: Math.floor(clock.now() / 1000) + expiresIn } as never)
				.setProtectedHeader({ alg: 'ES256', kid: `k${kid}` })
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
	await t.throwsAsync(ask(at('/other')), { message: /^oidc: could not expand distributed claims: / });
	await t.throwsAsync(ask({ _claim_names: { groups: 'src' } }), { message: /oidc: no claim sources/ });
	await t.throwsAsync(ask({ _claim_names: { groups: 'src' }, _claim_sources: {} }), { message: /a source src missing in _claims_sources/ });
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
	await t.throwsAsync(issuers.replace([plain(second.url), plain('https://127.0.0.1:1')], NEVER), { message: /is not initialized/ });
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
	t.is(await ask({ iss: 'https://other' }), undefined);
	for (const [name, claims, over, why] of [
		['expired', {}, { expiresIn: -10 }, /"exp" claim timestamp check failed/],
		['for others', { aud: 'others' }, {}, /unexpected "aud" claim value/],
		['another value of a required claim', { hd: 'x' }, {}, /required claim hd value does not match. Got = x, want = example.org/],
		['without a required claim', { hd: undefined }, {}, /required claim hd not present in ID token/],
		['groups that are none', { groups: { a: 1 } }, {}, /parse groups claim "groups"/],
		['signed by another', {}, { key: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey }, /verify token/],
	] as const)
		await t.throwsAsync(ask(claims, over), { message: why }, name);
	await provider.rotate();
	await t.throwsAsync(ask({}), { message: /no applicable key found/ }, 'keys have just been fetched');
	await clock.advance(10_000);
	t.is((await ask({}))?.user.name, 'oidc:jane');
	provider.close();
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
    userValidationRules:
      - {expression: "!user.username.startsWith('system:')", message: "system: is reserved"}
`,
		'test',
	);
	t.deepEqual(anonymous, { enabled: true, conditions: [{ path: '/livez' }] });
	using tokens = new JwtTokens(jwt[0] as JwtAuthenticator, clock);
	const ask = async (claims: object) =>
		tokens.authenticateToken(await provider.sign({ hd: 'example.org', roles: 'a,b', tenant: 't', ...claims }), [], NEVER);
	t.deepEqual((await ask({ sub: 'jane' }))?.user, {
		name: 'jane@corp',
		uid: 'jane',
		groups: ['a', 'b'],
		extra: { 'example.org/tenant': ['t'] },
	});
	await t.throwsAsync(ask({ sub: 'jane', hd: 'x' }), { message: /failed: the hd claim must be example.org/ });
	await t.throwsAsync(ask({ sub: 'system:admin' }), { message: /system: is reserved/ });
	provider.close();
});
