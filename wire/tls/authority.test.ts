import { createPrivateKey, createPublicKey, generateKeyPairSync, X509Certificate, type KeyObject } from 'node:crypto';
import test from 'ava';
import { VirtualClock } from '../../base/virtual-clock.ts';
import {
	createAuthority,
	createSigningRequest,
	ECDSA,
	expiresAt,
	importPrivate,
	issue,
	pem,
	readSigningRequest,
	x509,
	type Authority,
} from './authority.ts';
import { authorityExtensions, certificatePem, keyIdentifier, nameOf } from './certificate.ts';
import { signRequest } from './sign-request.ts';

const clock = new VirtualClock();
const ca = await createAuthority({ commonName: 'test-ca', days: 10 }, clock);

test('a leaf has its names, its issuer and its life', async (t) => {
	const leaf = await issue(
		ca,
		{
			commonName: 'kube-apiserver',
			organizations: ['a', 'b'],
			dnsNames: ['localhost'],
			ipAddresses: ['127.0.0.1', '::1'],
			usages: ['server'],
			days: 2,
		},
		clock,
	);
	const cert = new X509Certificate(leaf.certPem);
	t.true(cert.checkIssued(new X509Certificate(ca.certPem)));
	t.true(cert.verify(new X509Certificate(ca.certPem).publicKey));
	t.true(cert.checkPrivateKey(createPrivateKey(leaf.keyPem)));
	t.is(cert.subject, 'O=a\nO=b\nCN=kube-apiserver');
	t.is(cert.checkHost('localhost'), 'localhost');
	t.is(cert.checkIP('127.0.0.1'), '127.0.0.1');
	t.is(cert.checkHost('other'), undefined);
	t.is(expiresAt(leaf.certPem), clock.now() + 2 * 86_400_000);
	t.false(cert.ca);
	t.true(new X509Certificate(ca.certPem).ca);
});

test('a request is read, checked and signed', async (t) => {
	const { csrPem } = await createSigningRequest({
		commonName: 'system:node:n',
		organizations: ['system:nodes'],
		dnsNames: ['n'],
		ipAddresses: ['10.0.0.1'],
	});
	const request = await readSigningRequest(csrPem);
	t.like(request, { commonName: 'system:node:n', organizations: ['system:nodes'], dnsNames: ['n'], ipAddresses: ['10.0.0.1'] });
	const cert = new X509Certificate(await signRequest(ca, csrPem, { usages: ['client auth'], ttlMs: 86_400_000 }, clock));
	t.is(cert.subject, 'O=system:nodes\nCN=system:node:n');
	await t.throwsAsync(readSigningRequest('nonsense'), { message: /CERTIFICATE REQUEST/ });
});

for (const [rule, names, want] of [
	[
		'names, addresses and URIs that signers look at are signed, no others',
		[
			{ type: 'ip', value: '10.0.0.1' },
			{ type: 'upn', value: 'root@example.com' },
			{ type: 'dn', value: 'CN=root' },
			{ type: 'dns', value: 'n' },
		],
		'DNS:n, IP Address:10.0.0.1',
	],
	['where there are none, there is no extension', [{ type: 'upn', value: 'root@example.com' }], undefined],
] as const)
	test(`requests: ${rule}`, async (t) => {
		const { Pkcs10CertificateRequestGenerator, SubjectAlternativeNameExtension } = await x509();
		const keys = await crypto.subtle.generateKey(ECDSA, true, ['sign', 'verify']);
		const extensions = [new SubjectAlternativeNameExtension([...names])];
		const csr = await Pkcs10CertificateRequestGenerator.create({ name: 'CN=one', keys, signingAlgorithm: ECDSA, extensions });
		const cert = await signRequest(ca, csr.toString('pem'), { usages: ['client auth'], ttlMs: 86_400_000 }, clock);
		t.is(new X509Certificate(cert).subjectAltName, want);
	});

test('of several common names of a request the last one is the name, as of a certificate', async (t) => {
	const { Pkcs10CertificateRequestGenerator } = await x509();
	const keys = await crypto.subtle.generateKey(ECDSA, true, ['sign', 'verify']);
	const csr = await Pkcs10CertificateRequestGenerator.create({ name: 'CN=one, CN=two', keys, signingAlgorithm: ECDSA });
	t.is((await readSigningRequest(csr.toString('pem'))).commonName, 'two');
});

test('an address that is none is refused by value', async (t) => {
	await t.throwsAsync(issue(ca, { commonName: 'x', ipAddresses: ['300.1.1.1'], usages: ['server'], days: 1 }, clock), {
		message: '"300.1.1.1" is not an IP address',
	});
});

test('a certificate says what the library that reads certificates understands', async (t) => {
	const lib = await x509();
	const far = await createAuthority({ commonName: 'hüte & co@1', days: 40 * 365 }, clock);
	const leaf = await issue(
		far,
		{
			commonName: 'kubernetes-admin',
			organizations: ['system:masters', 'o_2'],
			dnsNames: ['a.b', 'a.b', '*.c'],
			ipAddresses: ['10.0.0.1', '::1', '2001:db8::8:800:200c:417a', '1:2:3:4:5:6:7:8', '::ffff:1.2.3.4', 'fe80::'],
			usages: ['server', 'client'],
			days: 30,
		},
		clock,
	);
	const [authority, cert] = [new lib.X509Certificate(far.certPem), new lib.X509Certificate(leaf.certPem)];
	t.is(authority.subject, 'CN=hüte & co@1');
	t.true(await authority.isSelfSigned());
	t.is(authority.notAfter.getTime(), clock.now() + 40 * 365 * 86_400_000, 'beyond 2049 the year has four digits');
	t.is(authority.getExtension(lib.BasicConstraintsExtension)?.ca, true);
	t.is(
		authority.getExtension(lib.KeyUsagesExtension)?.usages,
		lib.KeyUsageFlags.digitalSignature | lib.KeyUsageFlags.keyEncipherment | lib.KeyUsageFlags.keyCertSign,
	);
	const identifier = Buffer.from(await authority.publicKey.getKeyIdentifier()).toString('hex');
	t.is(authority.getExtension(lib.SubjectKeyIdentifierExtension)?.keyId, identifier);
	t.is(cert.getExtension(lib.AuthorityKeyIdentifierExtension)?.keyId, identifier);
	t.is(cert.issuer, authority.subject);
	t.deepEqual(cert.subjectName.toJSON(), [{ O: ['system:masters'] }, { O: ['o_2'] }, { CN: ['kubernetes-admin'] }]);
	t.true(await cert.verify({ publicKey: authority.publicKey, date: new Date(clock.now()) }));
	t.true(cert.getExtension('2.5.29.15')?.critical);
	t.is(cert.getExtension(lib.KeyUsagesExtension)?.usages, lib.KeyUsageFlags.digitalSignature | lib.KeyUsageFlags.keyEncipherment);
	t.deepEqual([...(cert.getExtension(lib.ExtendedKeyUsageExtension)?.usages ?? [])], ['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2']);
	t.deepEqual(
		cert
			.getExtension(lib.SubjectAlternativeNameExtension)
			?.names.toJSON()
			.map(({ type, value }) => `${type} ${value}`),
		['dns a.b', 'dns *.c', 'ip 10.0.0.1', 'ip ::1', 'ip 2001:db8::8:800:200c:417a', 'ip 1:2:3:4:5:6:7:8', 'ip 1.2.3.4', 'ip fe80::'],
	);
	t.true(new X509Certificate(leaf.certPem).checkIssued(new X509Certificate(far.certPem)));
});

test('what an authority calls its key is what its certificates call it, by whatever method', async (t) => {
	const lib = await x509();
	const others = await othersAuthority('0a0b0c');
	const { csrPem } = await createSigningRequest({ commonName: 'n' });
	const certificates = [
		(await issue(others, { commonName: 'n', usages: ['client'], days: 1 }, clock)).certPem,
		await signRequest(others, csrPem, { usages: ['client auth'], ttlMs: 86_400_000 }, clock),
	];
	for (const certPem of certificates) {
		t.is(new lib.X509Certificate(certPem).getExtension(lib.AuthorityKeyIdentifierExtension)?.keyId, '0a0b0c');
		t.true(new X509Certificate(certPem).checkIssued(new X509Certificate(others.certPem)));
	}
});

const rsaKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
for (const [kind, key, form, algorithm] of [
	['RSA', rsaKey, 'pkcs1', 'sha256WithRSAEncryption'],
	['RSA in PKCS #8', rsaKey, 'pkcs8', 'sha256WithRSAEncryption'],
	['P-256 as OpenSSL writes it', generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey, 'sec1', 'ecdsa-with-SHA256'],
	['P-384', generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey, 'pkcs8', 'ecdsa-with-SHA384'],
	['P-521', generateKeyPairSync('ec', { namedCurve: 'P-521' }).privateKey, 'pkcs8', 'ecdsa-with-SHA512'],
] as const)
	test(`an authority signs with its own kind of key: ${kind}`, async (t) => {
		const others = selfSigned(key, form);
		const { csrPem } = await createSigningRequest({ commonName: 'n' });
		const issuer = new X509Certificate(others.certPem);
		for (const certPem of [
			(await issue(others, { commonName: 'n', usages: ['client'], days: 1 }, clock)).certPem,
			await signRequest(others, csrPem, { usages: ['client auth'], ttlMs: 86_400_000 }, clock),
		]) {
			const leaf = new X509Certificate(certPem);
			t.true(leaf.checkIssued(issuer));
			t.true(leaf.verify(issuer.publicKey));
			t.is(leaf.signatureAlgorithm, algorithm);
		}
	});

test('an authority whose key cannot sign certificates that all read is refused', async (t) => {
	for (const [key, message] of [
		[generateKeyPairSync('ed25519').privateKey, /type "ed25519"/],
		[generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey, /"ec" on the curve "secp256k1"/],
	] as const) {
		const keyPem = key.export({ type: 'pkcs8', format: 'pem' }).toString();
		const refused = { code: 'InvalidArgument', message } as const;
		await t.throwsAsync(issue({ ...ca, keyPem }, { commonName: 'x', usages: ['server'], days: 1 }, clock), refused);
		const { csrPem } = await createSigningRequest({ commonName: 'n' });
		await t.throwsAsync(signRequest({ ...ca, keyPem }, csrPem, { usages: ['client auth'], ttlMs: 86_400_000 }, clock), refused);
	}
});

/** An authority of that key, as other programs keep it. */
function selfSigned(key: KeyObject, form: 'pkcs1' | 'pkcs8' | 'sec1'): Authority {
	const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' });
	const name = nameOf('others', []);
	const extensions = authorityExtensions(keyIdentifier(publicKey));
	const validity = { notBefore: clock.now(), notAfter: clock.now() + 864_000_000 };
	const certPem = certificatePem({ serial: Buffer.from([1]), issuer: name, subject: name, ...validity, publicKey, extensions }, key);
	return { certPem, keyPem: key.export({ type: form as 'pkcs8', format: 'pem' }).toString() };
}

/** As other programs make one: the identifier of its key is not the SHA-1 of its bits. */
async function othersAuthority(keyId: string): Promise<Authority> {
	const lib = await x509();
	const { keyPem, certPem } = ca;
	const { publicKey } = new lib.X509Certificate(certPem);
	const certificate = await lib.X509CertificateGenerator.createSelfSigned({
		serialNumber: '01',
		name: 'CN=others',
		notBefore: new Date(clock.now()),
		notAfter: new Date(clock.now() + 864_000_000),
		keys: { privateKey: await importPrivate(keyPem), publicKey: await publicKey.export() },
		signingAlgorithm: ECDSA,
		extensions: [new lib.BasicConstraintsExtension(true, undefined, true), new lib.SubjectKeyIdentifierExtension(keyId)],
	});
	return { certPem: pem(certificate), keyPem };
}
