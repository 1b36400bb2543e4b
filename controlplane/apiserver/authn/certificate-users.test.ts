/** Whom client certificates and the headers behind them name, over real connections and as single certificates. */
import { X509Certificate, webcrypto } from 'node:crypto';
import { request as http1 } from 'node:https';
import { connect } from 'node:http2';
import { text } from 'node:stream/consumers';
import { once } from 'node:events';
import test from 'ava';
import { realClock } from '../../../base/clock.ts';
import { noLog } from '../../../base/log.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { testApiServer } from '../../../test/fakes/api-server.ts';
import { ECDSA, x509 } from '../../../wire/tls/authority.ts';
import { BearerAuthenticator } from './bearer.ts';
import { authenticatorChain } from './chain.ts';
import { X509Authenticator } from './x509.ts';

type Subject = Record<string, string[]>[];

/** A certificate of the subject, signed by the issuer or by itself. */
async function certified(subject: Subject, isCa: boolean, issuer?: Signed, critical: readonly string[] = []): Promise<Signed> {
	const lib = await x509();
	const keys = await webcrypto.subtle.generateKey(ECDSA, true, ['sign', 'verify']);
	const notBefore = new Date(new VirtualClock().now());
	const certificate = await lib.X509CertificateGenerator.create({
		serialNumber: '01',
		subject,
		issuer: issuer?.certificate.subjectName ?? new lib.Name(subject),
		...{ notBefore, notAfter: new Date(notBefore.getTime() + 10 * 86_400_000) },
		publicKey: keys.publicKey,
		signingKey: issuer?.keys.privateKey ?? keys.privateKey,
		signingAlgorithm: ECDSA,
		extensions: [
			new lib.BasicConstraintsExtension(isCa, undefined, true),
			...critical.map((id) => new lib.Extension(id, true, Buffer.from('0500', 'hex'))),
		],
	});
	return { certificate, keys, node: new X509Certificate(Buffer.from(certificate.rawData)) };
}

interface Signed {
	readonly certificate: InstanceType<Awaited<ReturnType<typeof x509>>['X509Certificate']>;
	readonly keys: webcrypto.CryptoKeyPair;
	readonly node: X509Certificate;
}

const UID = '1.3.6.1.4.1.57683.2';

for (const [what, subject, want] of [
	['a uid', [{ [UID]: ['u-1'] }, { CN: ['jane'] }], { name: 'jane', uid: 'u-1' }],
	['none', [{ CN: ['jane'] }], { name: 'jane', uid: '' }],
	['two names', [{ CN: ['first'] }, { CN: ['last'] }], { name: 'last', uid: '' }],
	['two uids', [{ [UID]: ['a'] }, { [UID]: ['b'] }, { CN: ['jane'] }], undefined],
] as readonly (readonly [string, Subject, object | undefined])[])
	test(`a certificate with ${what}`, async (t) => {
		const ca = await certified([{ CN: ['ca'] }], true);
		const { node } = await certified(subject, false, ca);
		const authenticator = new X509Authenticator(() => [ca.node], new VirtualClock());
		const asked = authenticator.authenticate({ headers: {}, clientCertificate: node.raw });
		if (want === undefined) await t.throwsAsync(asked, { message: 'Unauthorized' });
		else t.like(await asked, want);
	});

test('a certificate of an intermediate is good with what came between it and the CA, as long as the CA is', async (t) => {
	const clock = new VirtualClock();
	const ca = await certified([{ CN: ['ca'] }], true);
	const between = await certified([{ CN: ['between'] }], true, ca);
	const { node } = await certified([{ CN: ['jane'] }], false, between);
	const noCa = await certified([{ CN: ['jane'] }], false, await certified([{ CN: ['leaf'] }], false, ca));
	const show = (leaf: X509Certificate, ...more: X509Certificate[]) =>
		new X509Authenticator(() => [ca.node], clock).authenticate({
			...{ headers: {}, clientCertificate: leaf.raw, intermediates: () => more.map(({ raw }) => raw) },
		});
	t.is((await show(node, between.node))?.name, 'jane');
	await t.throwsAsync(show(node), { message: 'Unauthorized' });
	await t.throwsAsync(show(noCa.node), { message: 'Unauthorized' });
	await clock.advance(11 * 86_400_000);
	await t.throwsAsync(show(node, between.node), { message: 'Unauthorized' });
});

test('a certificate that demands what nobody here knows is refused', async (t) => {
	const ca = await certified([{ CN: ['ca'] }], true);
	const show = async (...critical: string[]) => {
		const { node } = await certified([{ CN: ['jane'] }], false, ca, critical);
		return new X509Authenticator(() => [ca.node], new VirtualClock()).authenticate({ headers: {}, clientCertificate: node.raw });
	};
	t.is((await show())?.name, 'jane');
	await t.throwsAsync(show('1.2.3.4'), { message: 'Unauthorized' });
});

test('intermediates that all sign each other keep nobody busy', async (t) => {
	const [ca, stranger] = await Promise.all([certified([{ CN: ['ca'] }], true), certified([{ CN: ['stranger'] }], true)]);
	const { node } = await certified([{ CN: ['jane'] }], false, stranger);
	const intermediates = (): readonly Uint8Array[] => Array.from({ length: 30 }, () => stranger.node.raw);
	const authenticator = new X509Authenticator(() => [ca.node], new VirtualClock());
	await t.throwsAsync(authenticator.authenticate({ headers: {}, clientCertificate: node.raw, intermediates }), { message: 'Unauthorized' });
});

test('groups with commas are one each, over HTTP/1.1 and HTTP/2', async (t) => {
	const stop = new AbortController();
	const server = await testApiServer({ port: 0, clock: realClock, log: noLog }, stop.signal);
	t.teardown(async () => {
		stop.abort();
		await server.stopped;
	});
	const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
	const body = JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' });
	const headers = {
		...{ authorization: `Bearer ${server.token}`, 'content-type': 'application/json', 'impersonate-user': 'jane' },
		...{ 'impersonate-group': ['cn=admins,ou=x', 'devs'], 'impersonate-extra-scopes': ['a, b'] },
	};
	const answers = [
		async (): Promise<string> => {
			const asked = http1(`${server.url}${path}`, { method: 'POST', ca: server.ca, headers, agent: false });
			asked.end(body);
			const [answer] = (await once(asked, 'response')) as [NodeJS.ReadableStream];
			return text(answer);
		},
		async (): Promise<string> => {
			const session = connect(server.url, { ca: server.ca });
			const stream = session.request({ ':method': 'POST', ':path': path, ...headers });
			stream.end(body);
			const answer = await text(stream);
			session.close();
			return answer;
		},
	];
	for (const answer of answers) {
		const { status } = JSON.parse(await answer()) as { status: { userInfo: object } };
		t.like(status.userInfo, {
			...{ username: 'jane', groups: ['cn=admins,ou=x', 'devs', 'system:authenticated'], extra: { scopes: ['a, b'] } },
		});
	}
});

test('a bearer token follows one space', async (t) => {
	const anyone = {
		authenticateToken: (token: string) => Promise.resolve({ user: { name: token, uid: '', groups: [], extra: {} }, audiences: [] }),
	};
	const authenticator = new BearerAuthenticator([anyone], []);
	const named = async (authorization: string) =>
		(await authenticator.authenticate({ headers: { authorization }, clientCertificate: undefined }, new AbortController().signal))?.name;
	t.deepEqual(await Promise.all(['Bearer x', 'bearer  x', ' Bearer x y', 'Bearer ', 'Basic x'].map(named)), [
		'x',
		undefined,
		'x',
		undefined,
		undefined,
	]);
	const anonymous = authenticatorChain([authenticator]);
	const warnings = async (authorization: string) =>
		(await anonymous.authenticate({ headers: { authorization }, clientCertificate: undefined }, new AbortController().signal)).remarks?.()
			.warnings;
	t.deepEqual(await warnings('bearer  x'), [
		'the provided Authorization header contains extra space before the bearer token, and is ignored',
	]);
	for (const authorization of ['Bearer ', 'Bearer', 'Basic  x']) t.is(await warnings(authorization), undefined, authorization);
});
