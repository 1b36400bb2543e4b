/** A node's certificates over a real API server with the controllers that approve and sign: joining, renewal, serving, denial; their files. */
import { X509Certificate } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { CertificateSigningRequest } from '../../api/gen/types.ts';
import { CERTIFICATE_SIGNING_REQUESTS, CLUSTER_ROLE_BINDINGS } from '../../api/resources.ts';
import { createLog, noLog } from '../../base/log.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import type { Client } from '../../client/client.ts';
import { controlledCluster, type ControlledCluster } from '../../test/fakes/controlled-cluster.ts';
import { createAuthority, issue } from '../../wire/tls/authority.ts';
import { joinCluster } from './join.ts';
import { clientCertificate, servingCertificate, verdictOf } from './request.ts';
import { RotatedCertificate } from './rotated.ts';
import { selfSigned } from './self-signed.ts';
import { certifiedKey, CertificateStore } from './store.ts';

const MINUTE_MS = 60_000;
const MINUTES_A_DAY = 24 * 60;
const clock = new VirtualClock(Date.UTC(2026, 0, 1));
const authority = await createAuthority({ commonName: 'kubernetes', days: 3650 }, clock);

async function folder(t: ExecutionContext): Promise<string> {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-certificates-'));
	t.teardown(() => rm(dir, { recursive: true, force: true }));
	return dir;
}

/** With the controllers of certificates, and the rights that a joining node is given. */
function cluster(body: (cluster: ControlledCluster & { readonly joining: Client; readonly node: Client }) => Promise<void>): Promise<void> {
	return controlledCluster(
		async (given) => {
			const bind = (name: string, role: string, group: string) =>
				given.client.create(CLUSTER_ROLE_BINDINGS, {
					metadata: { name },
					roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
					subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: group }],
				});
			const prefix = 'system:certificates.k8s.io:certificatesigningrequests';
			await bind('ask', 'system:node-bootstrapper', 'system:bootstrappers');
			await bind('approve', `${prefix}:nodeclient`, 'system:bootstrappers');
			await bind('renew', `${prefix}:selfnodeclient`, 'system:nodes');
			const joining = given.as('system:bootstrap:abcdef', 'system:bootstrappers');
			await body({ ...given, joining, node: given.as('system:node:a', 'system:nodes') });
		},
		{
			only: ['approving', 'signing', 'cleaner'].map((name) => `certificatesigningrequest-${name}-controller`),
			more: { signing: () => Promise.resolve(authority) },
		},
	);
}

const BOOTSTRAP = JSON.stringify({
	clusters: [{ name: 'c', cluster: { server: 'https://x:1', 'certificate-authority-data': 'Y2E=' } }],
	users: [{ name: 'u', user: { token: 'abcdef.0123456789abcdef' } }],
	contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
	'current-context': 'x',
});

test('a node joins by a bootstrap kubeconfig, and writes one of its own that is used from then on', async (t) => {
	const dir = await folder(t);
	const bootstrapFile = join(dir, 'bootstrap.conf');
	const kubeconfigFile = join(dir, 'kubelet.conf');
	await writeFile(bootstrapFile, BOOTSTRAP);
	const store = new CertificateStore(join(dir, 'pki'), 'kubelet-client');
	await cluster(async ({ joining, until, clock: time, client }) => {
		const connected: string[] = [];
		const lines: string[] = [];
		const options = {
			...{ kubeconfigFile, bootstrapFile, nodeName: 'a', store, clock: time },
			log: createLog({ level: 'debug', write: (line) => void lines.push(line) }),
			connect: (file: string) => {
				connected.push(file);
				return Promise.resolve(joining);
			},
		};
		let done = false;
		const joined = joinCluster(options, new AbortController().signal).then(() => (done = true));
		await until(async () => done);
		await joined;
		t.true(lines.length > 0 && !lines.join('').includes('0123456789abcdef'), 'the token is told to nobody');
		t.deepEqual(connected, [bootstrapFile]);
		const pair = await store.read();
		t.is(new X509Certificate(pair?.certPem ?? '').subject, 'O=system:nodes\nCN=system:node:a');
		const text = await readFile(kubeconfigFile, 'utf8');
		t.true(text.includes(`client-certificate: ${store.path}`) && text.includes('server: https://x:1'));
		t.false(text.includes('abcdef'));
		for (const file of [kubeconfigFile, store.path]) t.is((await stat(file)).mode & 0o777, 0o600, file);
		t.deepEqual(
			(await readdir(join(dir, 'pki'))).filter((name) => name.endsWith('.tmp')),
			[],
		);
		await joinCluster(options, new AbortController().signal);
		t.is(connected.length, 1);
		t.is((await client.list(CERTIFICATE_SIGNING_REQUESTS)).items.length, 1);
	});
});

test('without a kubeconfig and a way to get one a node says so', async (t) => {
	const dir = await folder(t);
	const store = new CertificateStore(dir, 'kubelet-client');
	const options = { kubeconfigFile: join(dir, 'none'), bootstrapFile: undefined, nodeName: 'a', store, clock, log: noLog };
	await t.throwsAsync(joinCluster({ ...options, connect: () => t.fail() as never }, new AbortController().signal), {
		message: /is missing or its certificate has ended/,
	});
});

test('a client certificate is renewed within its last third, again and again', async (t) => {
	const dir = await folder(t);
	await cluster(async ({ node, pass, until, clock: time, refusals }) => {
		const store = new CertificateStore(dir, 'kubelet-client');
		const first = await issue(authority, { commonName: 'system:node:a', usages: ['client'], days: 25 / MINUTES_A_DAY }, time);
		const ages: number[] = [];
		const wanted = clientCertificate('a');
		const certificate = await RotatedCertificate.open({
			...{ client: node, clock: time, log: noLog, store, first, wanted: () => wanted },
			renewed: (age) => ages.push(age / 60),
		});
		const stop = new AbortController();
		const running = certificate.run(stop.signal);
		// It is valid from five minutes ago: for thirty in all.
		await pass(15 * MINUTE_MS);
		t.deepEqual(ages, []);
		await pass(7.5 * MINUTE_MS);
		await until(async () => ages.length === 1);
		t.true((ages[0] ?? 0) >= 21 && (ages[0] ?? 0) < 28, String(ages));
		t.true((certificate.secondsLeft ?? 0) > 300 * 86_400);
		t.deepEqual(await store.read(), certificate.current);
		stop.abort();
		await running;
		t.deepEqual(refusals, []);
	});
});

test('a serving certificate waits for approval, serves, and is asked for anew when addresses change', async (t) => {
	const dir = await folder(t);
	await cluster(async ({ client: admin, node, pass, until, clock: time }) => {
		const store = new CertificateStore(dir, 'kubelet-server');
		let addresses = [{ type: 'InternalIP', address: '192.0.2.1' }];
		const open = () =>
			RotatedCertificate.open({ client: node, clock: time, log: noLog, store, wanted: () => servingCertificate('a', addresses) });
		const approve = async (): Promise<void> => {
			const { items } = await admin.list(CERTIFICATE_SIGNING_REQUESTS);
			for (const one of items.filter((csr) => csr.status?.conditions === undefined)) {
				const status = { conditions: [{ type: 'Approved', status: 'True', reason: 'Kubectl' }] };
				await admin.update(CERTIFICATE_SIGNING_REQUESTS, { ...one, status }, { subresource: 'approval' });
			}
		};
		const stop = new AbortController();
		let certificate = await open();
		let running = certificate.run(stop.signal);
		const requests = async () => (await admin.list(CERTIFICATE_SIGNING_REQUESTS)).items;
		await until(async () => (await requests()).length === 1);
		t.is(certificate.current, undefined);
		// The agent starts again: the same key, hence the same request.
		const again = new AbortController();
		stop.abort();
		await running;
		certificate = await open();
		running = certificate.run(again.signal);
		await pass();
		t.is((await requests()).length, 1);
		await approve();
		await until(async () => certificate.current !== undefined);
		t.is((await requests()).length, 1);
		t.is(new X509Certificate(certificate.current?.certPem ?? '').subjectAltName, 'IP Address:192.0.2.1');
		addresses = [...addresses, { type: 'ExternalIP', address: '203.0.113.7' }];
		await pass(20_000);
		const names = (): string => new X509Certificate(certificate.current?.certPem ?? '').subjectAltName ?? '';
		await until(async () => {
			await approve();
			return names().includes('203.0.113.7');
		});
		t.is(names(), 'IP Address:192.0.2.1, IP Address:203.0.113.7');
		again.abort();
		await running;
	});
});

const condition = (type: string) => ({ type, status: 'True', reason: 'r', message: 'm' });
for (const [name, status, want] of [
	['waiting', {}, undefined],
	['approved', { conditions: [condition('Approved')] }, undefined],
	['issued', { conditions: [condition('Approved')], certificate: 'eA==' }, 'x'],
	['denied', { conditions: [condition('Denied')] }, 'certificate signing request is denied, reason: r, message: m'],
	['failed', { conditions: [condition('Approved'), condition('Failed')] }, 'certificate signing request failed, reason: r, message: m'],
] as const)
	test(`verdictOf(): ${name}`, (t) => {
		const csr = { metadata: {}, spec: { request: '', signerName: '' }, status } as unknown as CertificateSigningRequest;
		if (name === 'denied' || name === 'failed') t.throws(() => verdictOf(csr), { message: want ?? '' });
		else t.is(verdictOf(csr), want);
	});

for (const [name, addresses, dns, ips] of [
	[
		'names and addresses',
		[
			['Hostname', 'n'],
			['InternalIP', '10.0.0.1'],
			['ExternalIP', '192.0.2.9'],
		],
		['n'],
		['10.0.0.1', '192.0.2.9'],
	],
	[
		'a hostname that is an address',
		[
			['Hostname', '10.0.0.1'],
			['InternalIP', '10.0.0.1'],
		],
		[],
		['10.0.0.1'],
	],
	['IPv6', [['InternalIP', '2001:db8::1']], [], ['2001:db8::1']],
] as const)
	test(`servingCertificate(): ${name}`, (t) => {
		const wanted = servingCertificate(
			'n',
			addresses.map(([type, address]) => ({ type, address })),
		);
		t.deepEqual([wanted?.dnsNames, wanted?.ipAddresses], [[...dns], [...ips]]);
	});

test('servingCertificate(): nothing is asked for while nothing is known', (t) => t.is(servingCertificate('n', []), undefined));

test('a pair of files that do not belong together is none; what another kubelet left is taken up', async (t) => {
	const dir = await folder(t);
	const [one, two] = await Promise.all(
		['a', 'b'].map((commonName) => issue(authority, { commonName, usages: ['client'], days: 1 }, clock)),
	);
	t.is(certifiedKey(`${one?.certPem}${two?.keyPem}`), undefined);
	t.is(certifiedKey('nothing'), undefined);
	await mkdir(join(dir, 'pki'));
	await writeFile(join(dir, 'pki', 'kubelet-client-current.pem'), `${one?.keyPem}${one?.certPem}`);
	t.is((await new CertificateStore(join(dir, 'pki'), 'kubelet-client').read())?.certPem, one?.certPem);
});

test('a self-signed certificate has the names of the node, and stays', async (t) => {
	const dir = await folder(t);
	const names = { hostname: 'a', addresses: ['192.0.2.1'] };
	const made = await selfSigned(dir, names, clock);
	const certificate = new X509Certificate(made.certPem);
	t.is(certificate.checkHost('a'), 'a');
	t.is(certificate.checkIP('192.0.2.1'), '192.0.2.1');
	t.is((await stat(join(dir, 'kubelet.key'))).mode & 0o777, 0o600);
	t.deepEqual((await selfSigned(dir, names, clock)).certPem.trim(), made.certPem.trim());
});
