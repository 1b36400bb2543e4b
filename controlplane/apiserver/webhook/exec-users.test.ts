/** Webhooks that are shown what a program makes: a token and a certificate, others once they were refused. */
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { setImmediate } from 'node:timers/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { realClock } from '../../../base/clock.ts';
import { codeOf } from '../../../base/errors.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { createAuthority, issue } from '../../../wire/tls/authority.ts';
import { WebhookCaller } from './caller.ts';
import { Remote, REMOTE_RETRIES, remoteTarget } from './remote.ts';
import { readWebhookUsers } from './users.ts';

const NEVER = new AbortController().signal;
const EXEC = { command: './login', apiVersion: 'client.authentication.k8s.io/v1', interactiveMode: 'Never' };

/** A service that refuses the first token, and a program that makes the next one, with a certificate, each time it runs. */
async function setUp(t: ExecutionContext) {
	const folder = await mkdtemp(join(tmpdir(), 'webhook-exec-'));
	t.teardown(() => rm(folder, { recursive: true }));
	const authority = await createAuthority({ commonName: 'ca', days: 1 }, realClock);
	const leaf = { commonName: 'hook', dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'], usages: ['server'], days: 1 } as const;
	const served = await issue(authority, leaf, realClock);
	for (const n of [1, 2]) {
		const { certPem, keyPem } = await issue(authority, { commonName: `caller${n}`, usages: ['client'], days: 1 }, realClock);
		const status = { token: `t${n}`, clientCertificateData: certPem, clientKeyData: keyPem };
		await writeFile(join(folder, `answer${n}`), JSON.stringify({ kind: 'ExecCredential', apiVersion: EXEC.apiVersion, status }));
	}
	const script = '#!/bin/sh\ncd "$(dirname "$0")"\nif mkdir once 2>/dev/null; then cat answer1; else cat answer2; fi\n';
	await writeFile(join(folder, 'login'), script, { mode: 0o755 });
	const seen: string[] = [];
	const server = createServer(
		{ cert: served.certPem, key: served.keyPem, ca: authority.certPem, requestCert: true, rejectUnauthorized: false },
		(request, response) => {
			const { subject } = (request.socket as TLSSocket).getPeerCertificate() as { subject?: { CN?: string } };
			const authorization = request.headers.authorization ?? '-';
			seen.push(`${subject?.CN ?? '-'} ${authorization}`);
			response.writeHead(authorization === 'Bearer t1' ? 401 : 200).end('{}');
		},
	);
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	t.teardown(() => server.close());
	const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
	const base64 = Buffer.from(authority.certPem).toString('base64');
	return { folder, seen, url, authority: base64 };
}

const WANTED = ['caller1 Bearer t1', 'caller2 Bearer t2', 'caller2 Bearer t2'];

test('webhooks of admission', async (t) => {
	const { folder, seen, url, authority } = await setUp(t);
	await writeFile(join(folder, 'config'), JSON.stringify({ users: [{ name: '*', user: { exec: EXEC } }] }));
	const users = await readWebhookUsers(join(folder, 'config'));
	using caller = new WebhookCaller({ objects: undefined as never, clock: realClock, users });
	const post = (): Promise<unknown> => caller.post({ caBundle: authority, url }, {}, 10_000, NEVER);
	await t.throwsAsync(post());
	await post();
	await post();
	t.deepEqual(seen, WANTED);
});

test('services with a kubeconfig of their own', async (t) => {
	const { folder, seen, url, authority } = await setUp(t);
	const config = {
		clusters: [{ name: 'c', cluster: { server: url, 'certificate-authority-data': authority } }],
		users: [{ name: 'u', user: { exec: EXEC } }],
		contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
		'current-context': 'x',
	};
	await writeFile(join(folder, 'config'), JSON.stringify(config));
	using remote = new Remote(await remoteTarget(join(folder, 'config')), realClock);
	await t.throwsAsync(remote.post({}, 10_000, NEVER));
	await remote.post({}, 10_000, NEVER);
	await remote.post({}, 10_000, NEVER);
	t.deepEqual(seen, WANTED);
});

/** A program that never says anything, and whose process is gone once the test is over. */
const HANGS = { ...EXEC, command: 'sh', args: ['-c', 'exec sleep 1000'] };

test('a program that hangs is not waited for longer than the webhook', async (t) => {
	const { folder, seen, url, authority } = await setUp(t);
	const user = { exec: HANGS };
	const config = {
		clusters: [{ name: 'c', cluster: { server: url, 'certificate-authority-data': authority } }],
		users: [{ name: '*', user }],
		contexts: [{ name: 'x', context: { cluster: 'c', user: '*' } }],
		'current-context': 'x',
	};
	await writeFile(join(folder, 'config'), JSON.stringify(config));
	const clock = new VirtualClock();
	using caller = new WebhookCaller({ objects: undefined as never, clock, users: await readWebhookUsers(join(folder, 'config')) });
	using remote = new Remote(await remoteTarget(join(folder, 'config')), clock);
	const outcomes = [
		caller.post({ caBundle: authority, url }, {}, 10_000, NEVER),
		remote.post({}, 10_000, NEVER, { ...REMOTE_RETRIES, attempts: 1 }),
	].map((one) =>
		one.then(
			() => 'answered',
			(error: unknown) => codeOf(error),
		),
	);
	await clock.advance(10_000);
	t.deepEqual(await Promise.race([Promise.all(outcomes), setImmediate('nothing')]), ['DeadlineExceeded', 'DeadlineExceeded']);
	await clock.advance(60_000); // the programs are killed
	t.deepEqual([seen, clock.pending], [[], 0]);
});

for (const [what, user, message] of [
	['no version', { exec: { ...EXEC, apiVersion: '' } }, /^"\/.*config": user "u": apiVersion must be specified/],
	['another provider', { 'auth-provider': { name: 'gcp' } }, /auth provider not supported/],
] as const)
	test(`a user is refused: ${what}`, async (t) => {
		const { folder } = await setUp(t);
		await writeFile(join(folder, 'config'), JSON.stringify({ users: [{ name: 'u', user }] }));
		await t.throwsAsync(readWebhookUsers(join(folder, 'config')), { message });
	});
