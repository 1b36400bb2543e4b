/** Authorization by a service of the test's own, over TLS; and which authorizers are asked in which order. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import test from 'ava';
import { createLog } from '../../../base/log.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { createAuthority, issue } from '../../../wire/tls/authority.ts';
import type { Attributes, Authorizer } from '../contracts.ts';
import { Remote } from '../webhook/remote.ts';
import { authorizerChain } from './chain.ts';
import { always } from './always.ts';
import { parseAuthorizationConfiguration, parseModes } from './configuration.ts';
import { compileConditions } from './match-conditions.ts';
import { selectorsOf } from './selectors.ts';
import { matchedSpec, specOf, WebhookAuthorizer } from './webhook.ts';

const NEVER = new AbortController().signal;
const clock = new VirtualClock(Date.now());
const log = createLog({ level: 'error', write: () => undefined });
const user = { name: 'u', uid: '', groups: ['g'], extra: {} };
const asked = (verb: string, resource = 'pods', more: object = {}): Attributes =>
	({ type: 'resource', user, verb, group: '', version: 'v1', resource, subresource: '', namespace: 'n', name: '', ...more }) as Attributes;

test('the question as authorization/v1 writes it', (t) => {
	const selectors = () => selectorsOf('spec.nodeName=n1,status.phase!=Failed', 'app in (a,b),!old,tier,x!=y,n>1');
	t.deepEqual(specOf(asked('list', 'pods', { selectors })), {
		resourceAttributes: {
			...{ namespace: 'n', verb: 'list', version: 'v1', resource: 'pods' },
			fieldSelector: {
				requirements: [
					{ key: 'spec.nodeName', operator: 'In', values: ['n1'] },
					{ key: 'status.phase', operator: 'NotIn', values: ['Failed'] },
				],
			},
			labelSelector: {
				requirements: [
					{ key: 'app', operator: 'In', values: ['a', 'b'] },
					{ key: 'old', operator: 'DoesNotExist' },
					{ key: 'tier', operator: 'Exists' },
					{ key: 'x', operator: 'NotIn', values: ['y'] },
				],
			},
		},
		user: 'u',
		groups: ['g'],
	});
	t.deepEqual(specOf({ type: 'path', user, verb: 'get', path: '/x' }), {
		nonResourceAttributes: { path: '/x', verb: 'get' },
		user: 'u',
		groups: ['g'],
	});
});

test('conditions see every text, empty ones too, and selectors where there are some', (t) => {
	const holds = (expression: string, more: object = {}) =>
		compileConditions([expression])[0]?.holds(matchedSpec(asked('list', 'pods', more)));
	t.true(holds("request.resourceAttributes.subresource == '' && request.uid == '' && size(request.extra) == 0"));
	t.false(holds('has(request.resourceAttributes.labelSelector)'));
	t.true(holds("request.resourceAttributes.labelSelector.requirements[0].key == 'a'", { selectors: () => selectorsOf('', 'a=b') }));
	t.deepEqual(selectorsOf('no', 'a==!'), { fields: [], labels: [] });
});

test('a webhook decides; what it said is kept; what counts when it fails is configured', async (t) => {
	const authority = await createAuthority({ commonName: 'ca', days: 2 }, clock);
	const leaf = { commonName: 'server', dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'], usages: ['server'], days: 2 } as const;
	const { certPem: cert, keyPem: key } = await issue(authority, leaf, clock);
	const reviews: { apiVersion: string; spec: { resourceAttributes: { verb: string }; group?: string[] } }[] = [];
	const answers: Record<string, object> = {
		get: { allowed: true, reason: 'because' },
		list: { allowed: false, denied: true, reason: 'never' },
		watch: { allowed: false },
	};
	const server = createServer({ cert, key }, (request, response) => {
		json(request).then(
			(review) => {
				reviews.push(review as (typeof reviews)[number]);
				const status = answers[(review as (typeof reviews)[number]).spec.resourceAttributes.verb];
				if (status === undefined) response.writeHead(400).end('no');
				else response.end(JSON.stringify({ status }));
			},
			() => response.destroy(),
		);
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	using remote = new Remote({ url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/authorize`, ca: authority.certPem }, clock);
	const options = {
		version: 'v1',
		timeoutMs: 3000,
		authorizedMs: 300_000,
		unauthorizedMs: 30_000,
		failurePolicy: 'NoOpinion',
		conditions: [],
	} as const;
	const webhook = new WebhookAuthorizer(options, remote, clock, log);
	const ask = (verb: string) => webhook.authorize(asked(verb), NEVER);
	t.deepEqual(await ask('get'), { allowed: true, denied: false, reason: 'because' });
	t.deepEqual(await ask('list'), { allowed: false, denied: true, reason: 'never' });
	t.deepEqual(await ask('watch'), { allowed: false, denied: false, reason: '' });
	await ask('get');
	await ask('list');
	t.is(reviews.length, 3);
	await clock.advance(30_000);
	await ask('get');
	await ask('list');
	t.is(reviews.length, 4);
	t.like(await ask('patch'), { allowed: false, denied: false, error: 'the server rejected our request for an unknown reason' });
	const closed = new WebhookAuthorizer({ ...options, failurePolicy: 'Deny', version: 'v1beta1', authorizedMs: 0 }, remote, clock, log);
	t.like(await closed.authorize(asked('patch'), NEVER), { denied: true });
	t.deepEqual(reviews.at(-1)?.spec.group, ['g']);
	const chosen = new WebhookAuthorizer(
		{ ...options, conditions: compileConditions(['has(request.resourceAttributes)', "request.resourceAttributes.namespace == 'other'"]) },
		remote,
		clock,
		log,
	);
	const before = reviews.length;
	t.deepEqual(await chosen.authorize(asked('get'), NEVER), { allowed: false, denied: false, reason: '' });
	t.is(reviews.length, before);
	t.true((await chosen.authorize(asked('get', 'pods', { namespace: 'other' }), NEVER)).allowed);
	server.close();
	server.closeAllConnections();
});

test('the first opinion counts; reasons and errors of those without one are gathered', async (t) => {
	const failing: Authorizer = { authorize: () => Promise.resolve({ allowed: false, denied: false, reason: 'r', error: 'e' }) };
	const denying: Authorizer = { authorize: () => Promise.resolve({ allowed: false, denied: true, reason: 'no' }) };
	const ask = (...chain: readonly Authorizer[]) => authorizerChain(chain).authorize(asked('get'), NEVER);
	t.deepEqual(await ask(failing, always(false)), { allowed: false, denied: false, reason: 'r\nEverything is forbidden.', error: 'e' });
	t.true((await ask(failing, always(true))).allowed);
	t.deepEqual(await ask(denying, always(true)), { allowed: false, denied: true, reason: 'no' });
	t.is(authorizerChain([failing]).decide, undefined);
	t.true(authorizerChain([always(true)]).decide?.(asked('get')).allowed);
});

test('modes and AuthorizationConfigurations: what is wrong is named', async (t) => {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-authz-'));
	const file = join(dir, 'webhook.yaml');
	await writeFile(
		file,
		'apiVersion: v1\nkind: Config\ncurrent-context: a\nclusters: [{name: c, cluster: {server: "https://127.0.0.1:1/x"}}]\nusers: [{name: u, user: {token: t}}]\ncontexts: [{name: a, context: {cluster: c, user: u}}]\n',
	);
	const webhook = (more: object = {}) => ({
		...{ timeout: '3s', authorizedTTL: '5m', unauthorizedTTL: '30s', subjectAccessReviewVersion: 'v1', failurePolicy: 'Deny' },
		connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: file },
		...more,
	});
	const configuration = (authorizers: readonly object[]) =>
		parseAuthorizationConfiguration(
			JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AuthorizationConfiguration', authorizers }),
			'f',
		);
	t.like(
		(
			await configuration([
				{ type: 'Webhook', name: 'w', webhook: webhook({ matchConditions: null, authorizedTTL: null, unauthorizedTTL: '0s' }) },
				{ type: 'RBAC', name: 'rbac', webhook: null },
			])
		)[0],
		{
			type: 'Webhook',
			name: 'w',
			webhook: {
				timeoutMs: 3000,
				authorizedMs: 300_000,
				unauthorizedMs: 30_000,
				failurePolicy: 'Deny',
				target: { url: 'https://127.0.0.1:1/x', token: 't' },
			},
		},
	);
	for (const [authorizers, want] of [
		[[], /at least one authorization mode must be defined/],
		[[{ type: 'ACL', name: 'a' }], /authorizers\[0\].type: Unsupported value: "ACL"/],
		[
			[
				{ type: 'RBAC', name: 'a' },
				{ type: 'RBAC', name: 'a' },
			],
			/authorizers\[1\].type: Duplicate value: "RBAC"$/,
		],
		[[{ type: 'RBAC', name: 'roles' }], /expected name rbac for authorizer RBAC instead of roles/],
		[
			[
				{ type: 'AlwaysDeny', name: 'w' },
				{ type: 'Webhook', name: 'w', webhook: webhook() },
			],
			/authorizers\[1\]\.name: Duplicate value: "w"/,
		],
		[
			[{ type: 'Webhook', name: 'W_', webhook: webhook() }],
			/authorizers\[0\]\.name: Invalid value: "W_": authorizer name is invalid: a lowercase RFC 1123/,
		],
		[[{ type: 'Webhook', name: 'w', webhook: webhook({ timeout: null }) }], /authorizers\[0\]\.timeout: Required value/],
		[
			[
				{
					type: 'Webhook',
					name: 'w',
					webhook: webhook({
						authorizedTTL: '-1s',
						failurePolicy: 'Maybe',
						connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: 'a' },
					}),
				},
			],
			/authorizedTTL: Invalid value: "-1s": must be > 0s; .*failurePolicy: Unsupported value: "Maybe": supported values: "NoOpinion", "Deny"; .*kubeConfigFile: Invalid value: "a": must be an absolute path/,
		],
		[[{ type: 'Webhook', name: 'w' }], /required when type=Webhook/],
		[
			[{ type: 'Webhook', name: 'w', webhook: webhook({ matchCondition: [] }) }],
			/strict decoding error: unknown field "authorizers\[0\]\.webhook\.matchCondition"/,
		],
		[
			[
				{
					type: 'Webhook',
					name: 'w',
					webhook: webhook({
						matchConditionSubjectAccessReviewVersion: 'v1',
						matchConditions: [{ expression: 'true' }, { expression: ' ' }, { expression: 'true' }],
					}),
				},
			],
			/matchConditions\[1\]\.expression: Required value; .*matchConditions\[2\]\.expression: Duplicate value: "true"/,
		],
		[[{ type: 'Webhook', name: 'w', webhook: webhook({ timeout: '31s' }) }], /must be > 0s and <= 30s/],
		[
			[{ type: 'Webhook', name: 'w', webhook: webhook({ matchConditions: [{ expression: 'request.' }] }) }],
			/required if match conditions are specified; .*Syntax error/,
		],
	] as const)
		await t.throwsAsync(configuration(authorizers), { message: want });
	t.deepEqual(parseModes(['Node', 'RBAC'], undefined), [{ type: 'Node' }, { type: 'RBAC' }]);
	t.throws(() => parseModes(['Webhook'], undefined), { message: /needs authorization-webhook-config-file/ });
	t.throws(() => parseModes(['Nodes'], undefined), { message: /"Nodes" is none of/ });
	await rm(dir, { recursive: true });
});
