/** A webhook of the test's own over TLS, called as the users of a kubeconfig. */
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { realClock } from '../../../base/clock.ts';
import { createAuthority, issue } from '../../../wire/tls/authority.ts';
import { WebhookCaller } from './caller.ts';
import { namesFor, readWebhookUsers } from './users.ts';

for (const [target, want] of [
	['h.n.svc:443', ['h.n.svc:443', '*.n.svc:443', '*.svc:443', 'h.n.svc', '*.n.svc', '*.svc', '*']],
	['h.n.svc:8443', ['h.n.svc:8443', '*.n.svc:8443', '*.svc:8443', '*']],
	['h:443', ['h:443', 'h', '*']],
] as const)
	test(`users for ${target}`, (t) => t.deepEqual(namesFor(target), [...want]));

test('a webhook sees who calls: certificate, token, or nobody', async (t) => {
	const folder = await mkdtemp(join(tmpdir(), 'webhook-users-'));
	t.teardown(() => rm(folder, { recursive: true }));
	const authority = await createAuthority({ commonName: 'ca', days: 1 }, realClock);
	const leaf = { commonName: 'hook', dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'], usages: ['server'], days: 1 } as const;
	const served = await issue(authority, leaf, realClock);
	const shown = await issue(authority, { commonName: 'caller', usages: ['client'], days: 1 }, realClock);
	const seen: string[] = [];
	const server = createServer(
		{ cert: served.certPem, key: served.keyPem, ca: authority.certPem, requestCert: true, rejectUnauthorized: false },
		(request, response) => {
			const { subject } = (request.socket as TLSSocket).getPeerCertificate() as { subject?: { CN?: string } };
			seen.push(`${subject?.CN ?? '-'} ${request.headers.authorization ?? '-'} ${String(request.headers['impersonate-user'] ?? '-')}`);
			response.end('{}');
		},
	);
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	t.teardown(() => server.close());
	const { port } = server.address() as AddressInfo;
	const base64 = (text: string): string => Buffer.from(text).toString('base64');
	const caBundle = base64(authority.certPem);
	const users = [
		{
			name: `127.0.0.1:${port}`,
			user: { 'client-certificate-data': base64(shown.certPem), 'client-key-data': base64(shown.keyPem), as: 'jane' },
		},
		{ name: `localhost:${port}`, user: { tokenFile: 'token' } },
	];
	await writeFile(join(folder, 'token'), 'first\n');
	await writeFile(join(folder, 'config'), JSON.stringify({ users }));
	using caller = new WebhookCaller({
		objects: undefined as never,
		clock: realClock,
		users: await readWebhookUsers(join(folder, 'config')),
	});
	const post = (host: string): Promise<unknown> =>
		caller.post({ caBundle, url: `https://${host}:${port}/` }, {}, 10_000, new AbortController().signal);
	await post('127.0.0.1');
	await post('localhost');
	await writeFile(join(folder, 'token'), 'second');
	await post('localhost');
	using nobody = new WebhookCaller({ objects: undefined as never, clock: realClock });
	await nobody.post({ caBundle, url: `https://127.0.0.1:${port}/` }, {}, 10_000, new AbortController().signal);
	t.deepEqual(seen, ['caller - jane', '- Bearer first -', '- Bearer second -', '- - -']);
});

for (const [name, user, want] of [
	['nobody', {}, {}],
	['a user', { as: 'jane' }, { 'impersonate-user': 'jane' }],
	[
		'all of a user',
		{ as: 'jane', 'as-uid': '7', 'as-groups': ['a', 'b'], 'as-user-extra': { 'example.com/Team': ['x', 'y'], none: [] } },
		{
			'impersonate-user': 'jane',
			'impersonate-uid': '7',
			'impersonate-group': ['a', 'b'],
			'impersonate-extra-example.com%2fteam': ['x', 'y'],
		},
	],
	['nothing without a name', { as: '', 'as-uid': '7', 'as-groups': ['a'], 'as-user-extra': { k: ['v'] } }, {}],
	['a name alone', { as: 'jane', 'as-uid': '', 'as-groups': [], 'as-user-extra': {} }, { 'impersonate-user': 'jane' }],
] as const)
	test(`a webhook is called in the name of: ${name}`, async (t) => {
		const folder = await mkdtemp(join(tmpdir(), 'webhook-users-'));
		t.teardown(() => rm(folder, { recursive: true }));
		await writeFile(join(folder, 'config'), JSON.stringify({ users: [{ name: '*', user }] }));
		t.deepEqual(await (await readWebhookUsers(join(folder, 'config')))('h:443')?.headers(realClock), want);
	});
