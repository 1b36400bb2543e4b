/** Configuration files that change under a server: the real parsers and authorizers, files in a folder of the test's own. */
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { noLog } from '../../../base/log.ts';
import { createMetrics } from '../../../base/metrics.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import type { JwtAuthenticator } from '../authn/oidc/jwt-authenticator.ts';
import { createAuthorization } from '../authz/authorizer.ts';
import { parseAuthorizationConfiguration } from '../authz/configuration.ts';
import { LiveSealing } from '../../storage/encryption/live-sealing.ts';
import { sealingOf } from '../../storage/encryption/read.ts';
import { abac, parsePolicies } from '../authz/abac.ts';
import type { Attributes, ObjectReader, UserInfo } from '../contracts.ts';
import { followConfigurations } from './configuration-files.ts';

const NEVER = new AbortController().signal;
const HEAD = 'apiVersion: apiserver.config.k8s.io/v1\nkind: ';
const authorizing = (...types: string[]): string =>
	`${HEAD}AuthorizationConfiguration\nauthorizers: [${types.map((type) => `{type: ${type}, name: ${type.toLowerCase()}}`).join(', ')}]\n`;
const issuing = (...urls: string[]): string =>
	`${HEAD}AuthenticationConfiguration\njwt: [${urls.map((url) => `{issuer: {url: '${url}', audiences: [a]}, claimMappings: {username: {claim: sub, prefix: ''}}}`).join(', ')}]\n`;
/** A cluster without any objects. */
const objects = {
	list: () => [],
	get: () => undefined,
	onChange: () => ({ [Symbol.dispose]: () => {} }),
} as unknown as ObjectReader;
const user: UserInfo = { name: 'u', uid: '', groups: ['system:authenticated', 'dev'], extra: {} };
const path = (verb: string, at: string, who = user): Attributes => ({ type: 'path', user: who, verb, path: at });
const resource = (verb: string, name: string, namespace = 'n', group = ''): Attributes => ({
	...{ type: 'resource', user, verb, group, version: 'v1', resource: name, subresource: '', namespace, name: '' },
});

async function setUp(authentication: string, authorization: string) {
	const folder = await mkdtemp(join(tmpdir(), 'kubeling-reload-'));
	const files = { authentication: join(folder, 'authentication.yaml'), authorization: join(folder, 'authorization.yaml') };
	await writeFile(files.authentication, authentication);
	await writeFile(files.authorization, authorization);
	const clock = new VirtualClock();
	const metrics = createMetrics();
	const believed: (readonly string[])[] = [];
	const reachable = { now: true };
	const modes = await parseAuthorizationConfiguration(authorization, files.authorization);
	const made = createAuthorization(objects, modes, { clock, log: noLog });
	const [first, second] = followConfigurations(
		{
			authentication: { path: files.authentication, text: authentication },
			authorization: { path: files.authorization, text: authorization },
		},
		{
			authentication: {
				reload(jwt: readonly JwtAuthenticator[]) {
					if (!reachable.now) return Promise.reject(new Error('not reachable'));
					believed.push(jwt.map(({ issuer }) => issuer.url));
					return Promise.resolve();
				},
			},
			authorization: made,
			anonymous: { enabled: true },
			sealing: undefined,
			...{ metrics, clock, log: noLog },
		},
	);
	if (first === undefined || second === undefined) throw new Error('both files are followed');
	const counted = async (what: string, status: string): Promise<number> => {
		const pattern = new RegExp(`^apiserver_${what}_config_controller_automatic_reloads_total\\{status="${status}",.*\\} (\\d+)$`, 'm');
		return Number(pattern.exec(await metrics.metrics())?.[1] ?? 0);
	};
	const close = () => rm(folder, { recursive: true });
	return { files, authentication: first, authorization: second, authorizer: made.authorizer, believed, reachable, counted, close, metrics };
}

test('authorization: a changed file is taken up, a wrong one changes nothing, and what watches the cluster must have been there', async (t) => {
	const { files, authorization, authorizer, counted, close, metrics } = await setUp(issuing(), authorizing('AlwaysDeny'));
	const allowed = (): boolean | undefined => authorizer.decide?.(path('get', '/x')).allowed;
	t.false(allowed());
	await writeFile(files.authorization, authorizing('AlwaysAllow', 'AlwaysDeny'));
	await authorization.check(NEVER);
	t.true(allowed());
	for (const wrong of ['{', authorizing(), authorizing('Zork'), authorizing('AlwaysDeny', 'RBAC'), authorizing('AlwaysAllow')]) {
		await writeFile(files.authorization, wrong);
		await authorization.check(NEVER);
		t.true(allowed(), wrong);
	}
	await writeFile(files.authorization, authorizing('AlwaysDeny'));
	await authorization.check(NEVER);
	await authorization.check(NEVER);
	t.false(allowed());
	t.is(await counted('authorization', 'success'), 2);
	t.is(await counted('authorization', 'failure'), 5);
	t.regex(
		await metrics.metrics(),
		/^apiserver_authorization_config_controller_last_config_info\{apiserver_id_hash="sha256:.*",hash="sha256:.*"\} 1$/m,
	);
	await close();
});

test('authentication: issuers change, those without credentials do not; who cannot be reached is tried again', async (t) => {
	const { files, authentication, believed, reachable, counted, close } = await setUp(issuing('https://a'), authorizing('AlwaysAllow'));
	await authentication.check(NEVER);
	t.deepEqual(believed, []);
	await writeFile(files.authentication, issuing('https://a', 'https://b'));
	reachable.now = false;
	await authentication.check(NEVER);
	t.deepEqual(believed, []);
	reachable.now = true;
	await authentication.check(NEVER);
	t.deepEqual(believed, [['https://a', 'https://b']]);
	await writeFile(files.authentication, `${issuing('https://c')}anonymous: {enabled: false}\n`);
	await authentication.check(NEVER);
	await authentication.check(NEVER);
	t.is(believed.length, 1);
	t.is(await counted('authentication', 'success'), 1);
	t.is(await counted('authentication', 'failure'), 2);
	await close();
});

const sealedWith = (key: string): string =>
	`${HEAD}EncryptionConfiguration\nresources: [{resources: [secrets], providers: [{secretbox: {keys: [{name: ${key}, secret: "${Buffer.alloc(32, key).toString('base64')}"}]}}]}]\n`;

test('encryption: changed keys are taken up by the store, wrong ones change nothing, and the metrics tell', async (t) => {
	const folder = await mkdtemp(join(tmpdir(), 'kubeling-reload-'));
	const path = join(folder, 'encryption.yaml');
	await writeFile(path, sealedWith('one'));
	const live = new LiveSealing(await sealingOf(sealedWith('one')), sealedWith('one'));
	const form = (): string | undefined => live.of('/core/secrets/n/a')?.form.replace(/:[^:]*$/, '');
	const metrics = createMetrics();
	const deps = { sealing: live, metrics, clock: new VirtualClock(), log: noLog } as unknown as Parameters<typeof followConfigurations>[1];
	const [file, ...others] = followConfigurations({ encryption: { path, isFollowed: true } }, deps);
	if (file === undefined || others.length > 0) return t.fail('one file is followed');
	await file.check(NEVER);
	t.is(form(), 'k8s:enc:secretbox:v1:one');
	for (const wrong of ['{', sealedWith('two').replace('secretbox', 'rot13')]) {
		await writeFile(path, wrong);
		await file.check(NEVER);
		await file.check(NEVER);
		t.is(form(), 'k8s:enc:secretbox:v1:one', wrong);
	}
	await writeFile(path, sealedWith('two'));
	await file.check(NEVER);
	await file.check(NEVER);
	t.is(form(), 'k8s:enc:secretbox:v1:two');
	const text = await metrics.metrics();
	const name = 'apiserver_encryption_config_controller_';
	t.regex(text, new RegExp(`^${name}automatic_reloads_total\\{status="success",.*\\} 1$`, 'm'));
	t.regex(text, new RegExp(`^${name}automatic_reloads_total\\{status="failure",.*\\} 4$`, 'm'), 'as long as it is wrong');
	const hash = createHash('sha256').update(sealedWith('two')).digest('hex');
	t.regex(text, new RegExp(`^${name}last_config_info\\{apiserver_id_hash="sha256:.*",hash="sha256:${hash}"\\} 1$`, 'm'));
	t.false(text.includes('secretbox'));
	await rm(folder, { recursive: true });
});

test('encryption that is not followed: the metrics tell what it is, nothing is read again', async (t) => {
	const live = new LiveSealing(await sealingOf(sealedWith('one')), sealedWith('one'));
	const metrics = createMetrics();
	const deps = { sealing: live, metrics, clock: new VirtualClock(), log: noLog } as unknown as Parameters<typeof followConfigurations>[1];
	t.deepEqual(followConfigurations({ encryption: { path: '/nowhere', isFollowed: false } }, deps), []);
	t.regex(await metrics.metrics(), /^apiserver_encryption_config_controller_last_config_info\{.*\} 1$/m);
});

const POLICIES = `
# who may what
{"apiVersion": "abac.authorization.kubernetes.io/v1beta1", "kind": "Policy", "spec": {"user": "u", "namespace": "n", "resource": "pods", "apiGroup": "*", "readonly": true}}
{"apiVersion": "abac.authorization.kubernetes.io/v1beta1", "kind": "Policy", "spec": {"group": "dev", "namespace": "*", "resource": "*", "apiGroup": "apps"}}
{"apiVersion": "abac.authorization.kubernetes.io/v1beta1", "kind": "Policy", "spec": {"user": "*", "nonResourcePath": "/health*", "readonly": true}}
{"user": "u", "namespace": "old", "resource": "secrets"}
`;

for (const [what, asked, allowed] of [
	['reading in the namespace', resource('list', 'pods'), true],
	['writing', resource('create', 'pods'), false],
	['another namespace', resource('list', 'pods', 'other'), false],
	['by a group', resource('delete', 'deployments', 'any', 'apps'), true],
	['a path that begins so', path('get', '/healthz'), true],
	['another path', path('get', '/metrics'), false],
	['a path, by nobody', path('get', '/healthz', { ...user, groups: ['system:unauthenticated'] }), false],
	['the form without a version', resource('create', 'secrets', 'old', 'x.io'), true],
] as const)
	test(`ABAC: ${what} is ${allowed ? 'allowed' : 'no matter of a policy'}`, (t) => {
		t.is(abac(parsePolicies(POLICIES, 'file')).decide?.(asked).allowed, allowed);
	});

test('ABAC: a line that is wrong is named', (t) => {
	t.throws(() => parsePolicies('\n{"kind": "Zork"}', 'p.jsonl'), {
		message: /^The policy file "p.jsonl" is wrong in line 2: it is no Policy of/,
	});
});
