/** The authenticators that others have a part in: a webhook and a proxy of the test's own, over TLS, and tokens that stand in secrets. */
import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { createServer } from 'node:https';
import { json } from 'node:stream/consumers';
import test from 'ava';
import { SignJWT } from 'jose';
import type { Secret } from '../../../api/gen/types.ts';
import { abortable } from '../../../base/abort.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { listening, loopbackTls } from '../../../test/fakes/loopback-tls.ts';
import { createAuthority, issue } from '../../../wire/tls/authority.ts';
import type { ObjectReader } from '../contracts.ts';
import { Remote } from '../webhook/remote.ts';
import { audienceAgnostic } from './agnostic.ts';
import { userOf as bootstrapUser } from './bootstrap-tokens.ts';
import { FrontProxy, remoteUser } from './front-proxy.ts';
import { serviceAccountKeys } from './service-account-keys.ts';
import { ServiceAccountTokens } from './service-account-tokens.ts';
import { staticTokens } from './static-tokens.ts';
import { WebhookTokens } from './webhook-tokens.ts';

const NEVER = new AbortController().signal;
const NOW = Date.now();
/** Sockets keep real time, tokens that of the test. */
const clock = new VirtualClock(NOW);
const { authority, cert, key } = await loopbackTls(clock);

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
	['an expiry that is a day', secret({ expiration: day(1).slice(0, 10) }), '0123456789abcdef', undefined],
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
	t.deepEqual(await audiences('own', 'api'), ['own', 'api']);
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
	let objects: Readonly<Record<string, object | undefined>> = { Secret: stored, ServiceAccount: account };
	const reader = { get: ({ kind }: { kind: string }) => objects[kind] } as unknown as ObjectReader;
	const tokens = new ServiceAccountTokens({ keys, issuers: ['https://issuer'], audiences: ['api'], objects: reader, clock });
	t.deepEqual((await tokens.authenticateToken(token, ['api']))?.audiences, ['api']);
	await t.throwsAsync(tokens.authenticateToken(token, ['https://issuer']), { message: /token audiences \["api"\] is invalid/ });
	const deletionTimestamp = new Date(clock.now()).toISOString();
	for (const [changed, message] of [
		[{ Secret: undefined }, 'Token has been invalidated'],
		[{ Secret: { ...stored, metadata: { ...stored.metadata, deletionTimestamp } } }, 'Token has been invalidated'],
		[{ Secret: { ...stored, data: { token: 'b3RoZXI=' } } }, "Token does not match server's copy"],
		[{ ServiceAccount: undefined }, 'serviceaccounts "a" not found'],
		[{ ServiceAccount: { metadata: { ...account.metadata, deletionTimestamp } } }, 'ServiceAccount n/a has been deleted'],
		[{ ServiceAccount: { metadata: { ...account.metadata, uid: '2' } } }, 'ServiceAccount UID (2) does not match claim (1)'],
	] as const) {
		objects = { Secret: stored, ServiceAccount: account, ...changed };
		await t.throwsAsync(tokens.authenticateToken(token, ['api']), { message });
	}
	const nameless = await keys.sign({ iss: 'kubernetes/serviceaccount', sub: 'system:serviceaccount:n:a', [claim('namespace')]: 'n' });
	await t.throwsAsync(tokens.authenticateToken(nameless, ['api']), { message: 'secretName claim is missing' });
});

test('a token that names no key is verified with each of them', async (t) => {
	const pems = [1, 2].map(() =>
		generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
	);
	const [own = '', former = ''] = pems;
	const sign = (pem: string, header: { readonly kid?: string }): Promise<string> =>
		new SignJWT({
			...{ iss: 'https://issuer', sub: 'system:serviceaccount:n:a', aud: ['api'], exp: clock.now() / 1000 + 60 },
			'kubernetes.io': { namespace: 'n', serviceaccount: { name: 'a', uid: '1' } },
		})
			.setProtectedHeader({ alg: 'ES256', ...header })
			.sign(createPrivateKey(pem));
	const objects = { get: () => ({ metadata: { namespace: 'n', name: 'a', uid: '1' } }) } as unknown as ObjectReader;
	const keys = await serviceAccountKeys(own, [former]);
	const tokens = new ServiceAccountTokens({ keys, issuers: ['https://issuer'], audiences: ['api'], objects, clock });
	t.is((await tokens.authenticateToken(await sign(former, {}), ['api']))?.user.name, 'system:serviceaccount:n:a');
	await t.throwsAsync(tokens.authenticateToken(await sign(former, { kid: 'x' }), ['api']), { message: 'invalid signature, no keys found' });
	const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
	await t.throwsAsync(tokens.authenticateToken(await sign(stranger, {}), ['api']), {
		message: 'go-jose/go-jose: error in cryptographic primitive',
	});
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
	t.is(await ask('good', 'others'), undefined, 'kept, too');
	t.is(await ask('bad'), undefined);
	t.is(await ask('bad'), undefined);
	t.is(asked.length, 3);
	await t.throwsAsync(() => ask('odd', 'own'), { message: 'not today' });
	t.is(await ask('odd'), undefined, 'of a token for others no error is told');
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
