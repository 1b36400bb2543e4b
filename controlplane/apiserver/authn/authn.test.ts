import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import test from 'ava';
import type { KubeObject } from '../../../api/resource.ts';
import { StatusError } from '../../../api/status.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { createAuthority, issue } from '../../../wire/tls/authority.ts';
import type { ObjectReader } from '../contracts.ts';
import { createAuthentication } from './authentication.ts';
import { secretRemarks } from './credential-remarks.ts';
import { reviewToken } from './bearer.ts';
import { withGroup } from './chain.ts';
import { splitServiceAccount } from './service-account-claims.ts';
import { X509Authenticator } from './x509.ts';

const NEVER = new AbortController().signal;
const ISSUER = 'https://kubernetes.default.svc';

function setUp(objects: Record<string, KubeObject> = {}) {
	const clock = new VirtualClock();
	const reader: ObjectReader = {
		get: (resource, key) => objects[`${resource.plural} ${key}`] as never,
		list: () => [],
		onChange: () => ({ [Symbol.dispose]: () => {} }),
	};
	const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
	const serviceAccountKey = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
	const made = createAuthentication({
		objects: reader,
		clock,
		clientCa: '',
		tokens: [{ token: 'secret', user: 'admin', groups: ['system:masters'] }],
		serviceAccountKey,
		issuers: [ISSUER],
	});
	return { clock, made };
}

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` }, clientCertificate: undefined });
const account = { metadata: { namespace: 'n', name: 's', uid: 'u1' } };
const bound = { namespace: 'n', serviceaccount: { name: 's', uid: 'u1' } };

test('static tokens name their user; nobody is anonymous; a bad token is refused', async (t) => {
	const { authenticator } = await setUp().made;
	t.deepEqual(await authenticator.authenticate(bearer('secret'), NEVER), {
		name: 'admin',
		uid: '',
		groups: ['system:masters', 'system:authenticated'],
		extra: {},
	});
	t.deepEqual((await authenticator.authenticate({ headers: {}, clientCertificate: undefined }, NEVER)).groups, ['system:unauthenticated']);
	await t.throwsAsync(authenticator.authenticate(bearer('nope'), NEVER), { instanceOf: StatusError, message: 'Unauthorized' });
});

test('whoever is of the group of those who were not found out about is not of the other, too', (t) => {
	const groups = (name: string, ...own: string[]) => withGroup({ name, uid: '', groups: own, extra: {} }).groups;
	t.deepEqual(groups('u', 'g'), ['g', 'system:authenticated']);
	t.deepEqual(groups('u', 'system:authenticated'), ['system:authenticated']);
	t.deepEqual(groups('u', 'system:unauthenticated'), ['system:unauthenticated']);
	t.deepEqual(groups('system:anonymous'), []);
});

test('a service-account token stands for its account until it expires or the account goes', async (t) => {
	const objects: Record<string, KubeObject> = { 'serviceaccounts n/s': account };
	const { clock, made } = setUp(objects);
	const { authenticator, serviceAccounts } = await made;
	const { token } = await serviceAccounts.sign(bound, [ISSUER], 600);
	const user = await authenticator.authenticate(bearer(token), NEVER);
	t.is(user.name, 'system:serviceaccount:n:s');
	t.deepEqual(user.groups, ['system:serviceaccounts', 'system:serviceaccounts:n', 'system:authenticated']);
	t.deepEqual(Object.keys(user.extra), ['authentication.kubernetes.io/credential-id']);
	objects['serviceaccounts n/s'] = { metadata: { ...account.metadata, uid: 'u2' } };
	await t.throwsAsync(authenticator.authenticate(bearer(token), NEVER), { message: 'Unauthorized' });
	objects['serviceaccounts n/s'] = account;
	await clock.advance(660_000);
	t.is((await authenticator.authenticate(bearer(token), NEVER)).name, user.name, 'clocks may be a minute apart');
	await clock.advance(1000);
	await t.throwsAsync(authenticator.authenticate(bearer(token), NEVER), { message: 'Unauthorized' });
});

test('a token seen before is known at once, for as long as it is good', async (t) => {
	const objects: Record<string, KubeObject> = { 'serviceaccounts n/s': account };
	const { clock, made } = setUp(objects);
	const { authenticator, serviceAccounts } = await made;
	const { token } = await serviceAccounts.sign(bound, [ISSUER], 600);
	t.is(authenticator.recall(bearer(token)), undefined);
	const user = await authenticator.authenticate(bearer(token), NEVER);
	t.is(authenticator.recall(bearer(token)), user);
	t.is(authenticator.recall({ ...bearer(token), clientCertificate: new Uint8Array(1) }), undefined, 'the certificate comes first');
	delete objects['serviceaccounts n/s'];
	t.is(authenticator.recall(bearer(token)), undefined);
	objects['serviceaccounts n/s'] = account;
	await clock.advance(661_000);
	t.is(authenticator.recall(bearer(token)), undefined);
});

test('a token that clients should have replaced is remarked on, and one of a secret', async (t) => {
	const { clock, made } = setUp({ 'serviceaccounts n/s': account });
	const { authenticator, serviceAccounts } = await made;
	const { token } = await serviceAccounts.sign({ ...bound, warnafter: serviceAccounts.nowSeconds() + 60 }, [ISSUER], 6000);
	const remarks = async (): Promise<unknown> => (await authenticator.authenticate(bearer(token), NEVER)).remarks?.();
	t.deepEqual(await remarks(), { notes: [], warnings: [] });
	await clock.advance(90_000);
	const stale = 'subject: system:serviceaccount:n:s, seconds after warning threshold: 30';
	t.deepEqual(await remarks(), { notes: [['authentication.k8s.io/stale-token', stale]], warnings: [] });
	const { token: plain } = await serviceAccounts.sign(bound, [ISSUER], 600);
	t.false('remarks' in (await authenticator.authenticate(bearer(plain), NEVER)));
	const subject = 'system:serviceaccount:n:s';
	t.deepEqual(secretRemarks(subject, 'own', { ...account, secrets: [{ name: 'made' }] }), {
		notes: [
			['authentication.k8s.io/legacy-token', subject],
			['authentication.k8s.io/legacy-token-manual-secret', 'own'],
		],
		warnings: [],
	});
	t.deepEqual(secretRemarks(subject, 'made', { ...account, secrets: [{ name: 'made' }] }), {
		notes: [
			['authentication.k8s.io/legacy-token', subject],
			['authentication.k8s.io/legacy-token-autogenerated-secret', 'made'],
		],
		warnings: [
			'Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated secret-based tokens.',
		],
	});
});

test('TokenReview says what is wrong with what a token is bound to', async (t) => {
	const objects: Record<string, KubeObject> = { 'serviceaccounts n/s': account };
	const { clock, made } = setUp(objects);
	const { serviceAccounts, tokenAuthenticators } = await made;
	const { token } = await serviceAccounts.sign({ ...bound, pod: { name: 'p', uid: 'p1' } }, [ISSUER], 600);
	const pod = (metadata: object): KubeObject => ({ metadata: { namespace: 'n', name: 'p', ...metadata } });
	const deletionTimestamp = new Date(clock.now() - 61_000).toISOString();
	for (const [stored, want] of [
		[{ 'pods n/p': pod({ uid: 'p1' }) }, undefined],
		[{ 'pods n/p': pod({ uid: 'p2' }) }, 'pod UID (p2) does not match service account pod ref claim (p1)'],
		[{ 'pods n/p': undefined }, 'service account token has been invalidated'],
		[{ 'pods n/p': pod({ uid: 'p1', deletionTimestamp }) }, 'service account token has been invalidated'],
		[{ 'serviceaccounts n/s': { metadata: { ...account.metadata, uid: 'u2' } } }, 'service account UID (u2) does not match claim (u1)'],
		[{ 'serviceaccounts n/s': { metadata: { ...account.metadata, deletionTimestamp } } }, 'service account n/s has been deleted'],
		[{ 'serviceaccounts n/s': undefined }, 'serviceaccounts "s" not found'],
	] as const) {
		Object.assign(objects, stored);
		const verdict = await reviewToken(tokenAuthenticators, token, [ISSUER], NEVER);
		t.is(verdict.good ? undefined : verdict.errors.at(-1), want);
	}
});

test('a token for another audience is refused, and TokenReview says why', async (t) => {
	const { made } = setUp({ 'serviceaccounts n/s': account });
	const { authenticator, serviceAccounts, tokenAuthenticators } = await made;
	const { token } = await serviceAccounts.sign(bound, ['zork'], 600);
	await t.throwsAsync(authenticator.authenticate(bearer(token), NEVER), { message: 'Unauthorized' });
	const verdict = await reviewToken(tokenAuthenticators, token, ['other'], NEVER);
	t.deepEqual(verdict, {
		good: false,
		errors: ['invalid bearer token', 'token audiences ["zork"] is invalid for the target audiences ["other"]'],
	});
	const good = await reviewToken(tokenAuthenticators, token, ['zork', 'other'], NEVER);
	t.true(good.good && good.identity.audiences.join() === 'zork');
});

test('a token with a broken signature is nobody’s', async (t) => {
	const { made } = setUp({ 'serviceaccounts n/s': account });
	const { authenticator, serviceAccounts } = await made;
	const { token } = await serviceAccounts.sign(bound, [ISSUER], 600);
	const [head, body, signature = ''] = token.split('.');
	const broken = `${head}.${body}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;
	await t.throwsAsync(authenticator.authenticate(bearer(broken), NEVER), { message: 'Unauthorized' });
});

for (const [name, want] of [
	['system:serviceaccount:n:s', { namespace: 'n', name: 's' }],
	['system:serviceaccount:bad', undefined],
	['system:serviceaccount::s', undefined],
	['system:serviceaccount:N:s', undefined],
	['system:serviceaccount:n:s_', undefined],
	['system:node:n', undefined],
	['u', undefined],
] as const)
	test(`splitServiceAccount(): ${name}`, (t) => t.deepEqual(splitServiceAccount(name), want));

test('a client certificate of the CA names user and groups, until it ends; others are refused', async (t) => {
	const clock = new VirtualClock();
	const ca = await createAuthority({ commonName: 'ca', days: 100 }, clock);
	const other = await createAuthority({ commonName: 'ca', days: 100 }, clock);
	const authenticator = new X509Authenticator(() => [new X509Certificate(ca.certPem)], clock);
	const shown = async (authority: typeof ca, usages: readonly ('client' | 'server')[]) => {
		const { certPem } = await issue(authority, { commonName: 'u', organizations: ['g1', 'g2'], usages, days: 10 }, clock);
		return { headers: {}, clientCertificate: new X509Certificate(certPem).raw };
	};
	const good = await shown(ca, ['client']);
	const user = await authenticator.authenticate(good);
	t.is(user?.name, 'u');
	t.deepEqual(user?.groups, ['g1', 'g2']);
	t.is(await authenticator.authenticate({ headers: {}, clientCertificate: undefined }), undefined);
	await t.throwsAsync(authenticator.authenticate(await shown(other, ['client'])), { message: 'Unauthorized' });
	await t.throwsAsync(authenticator.authenticate(await shown(ca, ['server'])), { message: 'Unauthorized' });
	t.is(authenticator.recall(good), user);
	t.is(authenticator.recall(await shown(ca, ['client'])), undefined);
	t.is(authenticator.recall({ headers: {}, clientCertificate: undefined }), 'not mine');
	await clock.advance(11 * 86_400_000);
	t.is(authenticator.recall(good), undefined);
	await t.throwsAsync(authenticator.authenticate(good), { message: 'Unauthorized' });
});
