import test from 'ava';
import { X509Certificate } from 'node:crypto';
import type { CertificateSigningRequest } from '../../../api/gen/types.ts';
import { CERTIFICATE_SIGNING_REQUESTS, CLUSTER_ROLE_BINDINGS } from '../../../api/resources.ts';
import { timeOf } from '../../../api/time.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import type { Client } from '../../../client/client.ts';
import { controlledCluster } from '../../../test/fakes/controlled-cluster.ts';
import { createAuthority, createSigningRequest, type SigningRequest } from '../../../wire/tls/authority.ts';
import { validity } from '../../../wire/tls/sign-request.ts';
import { CLIENT, KUBELET_CLIENT, KUBELET_SERVING, LEGACY, refusalOf, removableAt } from './rules.ts';
import { ttlMs } from './signing.ts';

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 0, 1);
const request = (more: Partial<SigningRequest> = {}): SigningRequest => ({
	...{
		commonName: 'system:node:a',
		organizations: ['system:nodes'],
		dnsNames: [],
		ipAddresses: [],
		emailAddresses: [],
		uris: [],
		publicPem: '',
	},
	...more,
});
const client = ['digital signature', 'client auth'];
const serving = ['digital signature', 'key encipherment', 'server auth'];

for (const [signer, what, usages, why] of [
	[CLIENT, {}, ['client auth'], undefined],
	[CLIENT, {}, ['server auth', 'client auth'], 'invalid usage for client certificate: server auth'],
	[CLIENT, {}, ['digital signature'], 'missing required usage for client certificate: client auth'],
	[KUBELET_CLIENT, {}, client, undefined],
	[KUBELET_CLIENT, {}, ['key encipherment', ...client], undefined],
	[KUBELET_CLIENT, { organizations: ['system:nodes', 'x'] }, client, 'subject organization is not system:nodes'],
	[KUBELET_CLIENT, { commonName: 'a' }, client, 'subject common name does not begin with system:node:'],
	[KUBELET_CLIENT, { dnsNames: ['a'] }, client, 'DNS subjectAltNames are not allowed'],
	[KUBELET_CLIENT, { ipAddresses: ['1.2.3.4'] }, client, 'IP subjectAltNames are not allowed'],
	[KUBELET_CLIENT, { uris: ['a:b'] }, client, 'URI subjectAltNames are not allowed'],
	[KUBELET_CLIENT, {}, serving, 'usages did not match [client auth digital signature key encipherment]'],
	[KUBELET_SERVING, { dnsNames: ['a'] }, serving, undefined],
	[KUBELET_SERVING, {}, serving, 'DNS or IP subjectAltName is required'],
	[KUBELET_SERVING, { dnsNames: ['a'], emailAddresses: ['a@b'] }, serving, 'Email subjectAltNames are not allowed'],
	[KUBELET_SERVING, { dnsNames: ['a'] }, client, 'usages did not match [digital signature key encipherment server auth]'],
	[LEGACY, { commonName: 'any' }, ['any'], undefined],
] as const)
	test(`${signer}: ${why ?? 'signs'} (${JSON.stringify(what)}, ${usages.join()})`, (t) =>
		t.is(refusalOf(signer, request(what), usages), why));

const condition = (type: string) => ({ type, status: 'True', lastUpdateTime: '2026-01-01T00:00:00Z' });
for (const [name, status, certificateEnds, hours] of [
	['waiting for a day', {}, undefined, 24],
	['denied for an hour', { conditions: [condition('Denied')] }, undefined, 1],
	['failed for an hour', { conditions: [condition('Approved'), condition('Failed')] }, undefined, 1],
	['approved and not issued for a day', { conditions: [condition('Approved')] }, undefined, 24],
	['issued for an hour', { conditions: [condition('Approved')], certificate: 'eA==' }, NOW + 9 * HOUR, 1],
	['expired', { conditions: [condition('Approved')], certificate: 'eA==' }, NOW + HOUR / 2, 0.5],
] as const)
	test(`a request is removable once ${name}`, (t) => {
		const csr = { metadata: { creationTimestamp: '2026-01-01T00:00:00Z' }, spec: { request: '', signerName: CLIENT }, status } as never;
		t.is(removableAt(csr, certificateEnds), NOW + hours * HOUR);
	});

test('lives: asked for within bounds; short ones are not backdated at their end; none outlives the CA', (t) => {
	t.deepEqual([ttlMs(undefined), ttlMs(1), ttlMs(7200), ttlMs(2 ** 31)], [365 * 24 * HOUR, 600_000, 2 * HOUR, 365 * 24 * HOUR]);
	const ends = (ttl: number, ca = 99 * 365 * 24 * HOUR) => validity(NOW, ttl, NOW + ca).notAfter.getTime() - NOW;
	t.is(ends(HOUR), HOUR);
	t.is(ends(9 * HOUR), 9 * HOUR - 300_000);
	t.is(ends(9 * HOUR, HOUR), HOUR);
	t.throws(() => validity(NOW, HOUR, NOW), { message: /expired in the past/ });
});

test('a joining node gets its certificate, a serving one waits for approval, requests go when they are done', async (t) => {
	const authority = await createAuthority({ commonName: 'kubernetes', days: 3650 }, new VirtualClock());
	await controlledCluster(
		async ({ client: admin, as, pass, until, refusals, clock }) => {
			const joining = as('system:bootstrap:abcdef', 'system:bootstrappers');
			const node = as('system:node:a', 'system:nodes');
			const role = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole' };
			const bind = (name: string, role_: string, group: string) =>
				admin.create(CLUSTER_ROLE_BINDINGS, {
					metadata: { name },
					roleRef: { ...role, name: role_ },
					subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: group }],
				});
			await bind('ask', 'system:node-bootstrapper', 'system:bootstrappers');
			const subject = { commonName: 'system:node:a', organizations: ['system:nodes'] };
			const csr = async (by: Client, name: string, signerName: string, usages: readonly string[], more: object = {}): Promise<void> => {
				const { csrPem } = await createSigningRequest({ ...subject, ...more });
				const spec = { request: Buffer.from(csrPem).toString('base64'), signerName, usages, expirationSeconds: 3600 };
				await by.create(CERTIFICATE_SIGNING_REQUESTS, { metadata: { name }, spec });
				await pass();
			};
			const get = (name: string): Promise<CertificateSigningRequest> => admin.get(CERTIFICATE_SIGNING_REQUESTS, name);
			await csr(joining, 'join', KUBELET_CLIENT, client);
			t.is((await get('join')).status?.conditions, undefined);
			await bind('nodeclient', 'system:certificates.k8s.io:certificatesigningrequests:nodeclient', 'system:bootstrappers');
			await pass(10_000);
			await until(async () => (await get('join')).status?.certificate !== undefined);
			const joined = await get('join');
			t.like(joined.status?.conditions?.[0], { type: 'Approved', reason: 'AutoApproved' });
			const certificate = new X509Certificate(Buffer.from(joined.status?.certificate ?? '', 'base64'));
			t.is(certificate.subject, 'O=system:nodes\nCN=system:node:a');
			t.deepEqual(certificate.keyUsage, ['1.3.6.1.5.5.7.3.2']);
			t.true(certificate.checkIssued(new X509Certificate(authority.certPem)));
			t.true(certificate.verify(new X509Certificate(authority.certPem).publicKey));
			t.true(Math.abs(Date.parse(certificate.validTo) - clock.now() - HOUR) < 20_000);

			await csr(node, 'serve', KUBELET_SERVING, serving, { dnsNames: ['a'], ipAddresses: ['192.0.2.1'] });
			t.is((await get('serve')).status?.conditions, undefined);
			await csr(admin, 'wrong', KUBELET_SERVING, client, { dnsNames: ['a'] });
			for (const name of ['serve', 'wrong']) {
				const one = await get(name);
				const conditions = [{ type: 'Approved', status: 'True', reason: 'Kubectl' }];
				const approved = await admin.update(CERTIFICATE_SIGNING_REQUESTS, { ...one, status: { conditions } }, { subresource: 'approval' });
				// Times that the client leaves out, the server fills in.
				const now = timeOf(clock.now());
				t.like(approved.status?.conditions?.[0], { lastUpdateTime: now, lastTransitionTime: now });
			}
			await until(
				async () => (await get('serve')).status?.certificate !== undefined && (await get('wrong')).status?.conditions?.length === 2,
			);
			const served = new X509Certificate(Buffer.from((await get('serve')).status?.certificate ?? '', 'base64'));
			t.is(served.subjectAltName, 'DNS:a, IP Address:192.0.2.1');
			t.like((await get('wrong')).status?.conditions?.[1], { type: 'Failed', reason: 'SignerValidationFailure' });
			await pass(HOUR + 30_000);
			t.is((await admin.list(CERTIFICATE_SIGNING_REQUESTS)).items.length, 0);
			t.deepEqual(refusals, []);
		},
		{
			only: ['approving', 'signing', 'cleaner'].map((name) => `certificatesigningrequest-${name}-controller`),
			more: { signing: () => Promise.resolve(authority) },
		},
	);
});
