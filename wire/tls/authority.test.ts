import { createPrivateKey, X509Certificate } from 'node:crypto';
import test from 'ava';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { createAuthority, createSigningRequest, expiresAt, issue, readSigningRequest, sign } from './authority.ts';

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
	const cert = new X509Certificate(await sign(ca, { ...request, usages: ['client'], days: 1 }, clock));
	t.is(cert.subject, 'O=system:nodes\nCN=system:node:n');
	await t.throwsAsync(readSigningRequest('nonsense'), { message: /CERTIFICATE REQUEST/ });
});

test('an address that is none is refused by value', async (t) => {
	await t.throwsAsync(issue(ca, { commonName: 'x', ipAddresses: ['300.1.1.1'], usages: ['server'], days: 1 }, clock), {
		message: '"300.1.1.1" is not an IP address',
	});
});
