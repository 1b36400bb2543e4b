/** What the API server is given in files and flags: each one that is wrong is refused at the start, by its name and its file. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { loopbackTls } from '../../test/fakes/loopback-tls.ts';
import { authenticationOf } from './authentication-options.ts';
import { authorizersOf } from './authorization-options.ts';
import { readCertificates, readSigningKey, readTokenKeys } from './credential-files.ts';
import { Flags } from './flags.ts';
import { KeyPair } from './key-pair.ts';
import { parse } from './token-file.ts';
import { tokensOf } from './token-options.ts';

const dir = await mkdtemp(join(tmpdir(), 'kubeling-given-'));
const { authority, cert, key } = await loopbackTls(new VirtualClock(0));
const ed25519 = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' });
const CONFIG = 'apiVersion: apiserver.config.k8s.io/v1\nkind: ';
const FILES = {
	...{ ca: authority.certPem, cert, key, ec: String(ec), ed25519: String(ed25519) },
	...{ nothing: '', garbage: 'garbage', broken: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n' },
	anonymous: `${CONFIG}AuthenticationConfiguration\nanonymous: {enabled: true}\n`,
	authorizers: `${CONFIG}AuthorizationConfiguration\nauthorizers: [{type: RBAC, name: rbac}]\n`,
	hook: 'clusters: [{name: c, cluster: {server: "https://h"}}]\ncontexts: [{name: x, context: {cluster: c, user: ""}}]\ncurrent-context: x\n',
	elsewhere:
		'clusters: [{name: c, cluster: {server: "https://h"}}]\ncontexts: [{name: x, context: {cluster: c, user: ""}}]\ncurrent-context: z\n',
	nowhere: 'clusters: [{name: c, cluster: {server: "https://h"}}]\ncontexts: [{name: x, context: {cluster: c, user: ""}}]\n',
} as const;
for (const [name, text] of Object.entries(FILES)) await writeFile(join(dir, name), text);
await mkdir(join(dir, 'folder'));
test.after(() => rm(dir, { recursive: true }));
const at = (name: string): string => join(dir, name);

for (const [what, read, file, why] of [
	['certificates', readCertificates, 'ca', undefined],
	['certificates', readCertificates, 'none', 'cannot be read: ENOENT'],
	['certificates', readCertificates, 'folder', 'cannot be read: EISDIR'],
	['certificates', readCertificates, 'nothing', 'does not contain any valid certificate'],
	['certificates', readCertificates, 'garbage', 'does not contain any valid certificate'],
	['certificates', readCertificates, 'broken', 'does not contain any valid certificate'],
	['certificates', readCertificates, 'key', 'does not contain any valid certificate'],
	['a signing key', readSigningKey, 'ec', undefined],
	['a signing key', readSigningKey, 'none', 'cannot be read: ENOENT'],
	['a signing key', readSigningKey, 'garbage', 'does not contain a valid RSA or ECDSA private key'],
	['a signing key', readSigningKey, 'ed25519', 'does not contain a valid RSA or ECDSA private key'],
	['a signing key', readSigningKey, 'ca', 'does not contain a valid RSA or ECDSA private key'],
	['keys of tokens', readTokenKeys, 'ec', undefined],
	['keys of tokens', readTokenKeys, 'ca', undefined],
	['keys of tokens', readTokenKeys, 'nothing', 'does not contain any valid RSA or ECDSA public keys'],
	['keys of tokens', readTokenKeys, 'garbage', 'does not contain any valid RSA or ECDSA public keys'],
] as const)
	test(`${what} in ${file}`, async (t) => {
		if (why === undefined) await t.notThrowsAsync(read('--flag', at(file)));
		else t.true((await t.throwsAsync(read('--flag', at(file)))).message.startsWith(`--flag "${at(file)}" ${why}`));
	});

for (const [certFile, keyFile, why] of [
	['cert', 'key', undefined],
	['none', 'key', /^a "\S+none" cannot be read: ENOENT/],
	['cert', 'none', /^b "\S+none" cannot be read: ENOENT/],
	['garbage', 'key', /^a "\S+garbage" does not contain any valid certificate$/],
	['cert', 'garbage', /^b "\S+garbage" does not contain a valid private key$/],
	['cert', 'ec', /^b "\S+ec" is not the private key of a "\S+cert"$/],
] as const)
	test(`a certificate of ${certFile} with the key of ${keyFile}`, async (t) => {
		const opened = KeyPair.open({ certFile: at(certFile), keyFile: at(keyFile) }, ['a', 'b']);
		if (why === undefined) await t.notThrowsAsync(opened);
		else await t.throwsAsync(opened, { message: why });
	});

const OIDC = { 'oidc-issuer-url': 'https://i', 'oidc-client-id': 'c' };
const WEBHOOK = { 'authorization-mode': ['Webhook'] };
const BOTH = /^--authorization-config can not be specified when --authorization-mode or --authorization-webhook-\* flags are defined$/;
for (const [flags, read, why] of [
	[{ ...OIDC, 'oidc-ca-file': at('garbage') }, authenticationOf, /^--oidc-ca-file "\S+" does not contain any valid certificate$/],
	[{ 'authentication-config': at('anonymous') }, authenticationOf, undefined],
	[{ 'authentication-config': at('anonymous'), 'anonymous-auth': true }, authenticationOf, /^anonymous: Forbidden: --anonymous-auth flag/],
	[{ 'authorization-mode': ['RBAC', 'RBAC'] }, authorizersOf, /^authorization-mode \["RBAC" "RBAC"\] has mode specified more than once$/],
	[{ 'authorization-policy-file': at('nothing') }, authorizersOf, /^cannot specify --authorization-policy-file without mode ABAC$/],
	[
		{ 'authorization-mode': ['RBAC'], 'authorization-webhook-config-file': at('hook') },
		authorizersOf,
		/^cannot specify --authorization-webhook-config-file without mode Webhook$/,
	],
	[{ ...WEBHOOK, 'authorization-webhook-config-file': at('hook') }, authorizersOf, undefined],
	[
		{ ...WEBHOOK, 'authorization-webhook-config-file': at('none') },
		authorizersOf,
		/^--authorization-webhook-config-file: .*"\S+none": ENOENT/,
	],
	[{ ...WEBHOOK, 'authorization-webhook-config-file': at('elsewhere') }, authorizersOf, /context was not found for specified context: z$/],
	[{ ...WEBHOOK, 'authorization-webhook-config-file': at('nowhere') }, authorizersOf, /context was not found for specified context: ""$/],
	[{ 'authorization-config': at('authorizers') }, authorizersOf, undefined],
	[{ 'authorization-config': at('authorizers'), 'authorization-mode': ['RBAC'] }, authorizersOf, BOTH],
	[{ 'authorization-config': at('authorizers'), 'authorization-webhook-cache-authorized-ttl': '1m' }, authorizersOf, BOTH],
	[{ 'service-account-issuer': ['https://i', 'plain'] }, tokensOf, undefined],
	[{ 'service-account-issuer': [''] }, tokensOf, /^--service-account-issuer should not be an empty string$/],
	[{ 'service-account-issuer': [':foo'] }, tokensOf, /^--service-account-issuer ":foo" contained a ':' but was not a valid URL$/],
	[{ 'service-account-jwks-uri': 'http://x' }, tokensOf, /^--service-account-jwks-uri requires https scheme, parsed as: http:\/\/x$/],
	[{ 'service-account-key-file': [at('garbage')] }, tokensOf, /^--service-account-key-file "\S+garbage" does not contain any valid/],
] as const)
	test(`flags: ${JSON.stringify(flags).replaceAll(dir, '')}`, async (t) => {
		const made = read(new Flags(flags));
		if (why === undefined) await t.notThrowsAsync(made);
		else await t.throwsAsync(made, { message: why });
	});

test('token files', (t) => {
	t.deepEqual(parse('# who\nt1,jane,1,"dev, ops"\nt2,bob,\n\n,nobody,x\n"t""3", "ann, b" ,3,one\r\n', 'f'), [
		{ token: 't1', user: 'jane', uid: '1', groups: ['dev', 'ops'] },
		{ token: 't2', user: 'bob', uid: '', groups: [] },
		{ token: 't"3', user: 'ann, b', uid: '3', groups: ['one'] },
	]);
	for (const [line, why] of [
		['lonely', 'must have at least 3 columns (token, user name, user uid), found 1'],
		['t1,u,1\nt2,v', 'must have at least 3 columns (token, user name, user uid), found 2'],
		['t,u,1,"g1,g2', 'has a quote that is not closed, or not around a whole field'],
		['"t,u,1', 'has a quote that is not closed, or not around a whole field'],
		['t"x",u,1', 'has a quote that is not closed, or not around a whole field'],
	] as const)
		t.throws(() => parse(line, 'f'), { message: `--token-auth-file "f": line ${line.split('\n').length} ${why}` });
});
