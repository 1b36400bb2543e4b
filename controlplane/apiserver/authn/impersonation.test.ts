import test from 'ava';
import { StatusError } from '../../../api/status.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import type { Attributes, UserInfo } from '../contracts.ts';
import { Refusal } from '../authz/forbidden.ts';
import { remoteUser } from './front-proxy.ts';
import { remoteHeaders } from '../aggregation/remote-headers.ts';
import { askedUser, Impersonation } from './impersonation.ts';
import { refusedExtra } from './impersonated-extra.ts';

const NEVER = new AbortController().signal;
const NODE = 'authentication.kubernetes.io/node-name';
const admin: UserInfo = { name: 'admin', uid: '', groups: [], extra: {} };
const agent: UserInfo = {
	name: 'system:serviceaccount:n:agent',
	uid: '',
	groups: [],
	extra: { [NODE]: ['n1'], 'authentication.kubernetes.io/pod-name': ['p'] },
};
const asking = (user: UserInfo): Attributes => ({
	...{ type: 'resource', user, verb: 'get', group: '', version: 'v1', resource: 'pods', subresource: '', namespace: 'n', name: 'p' },
});

/** "VERB RESOURCE[/SUBRESOURCE] NAMESPACE/NAME" */
const said = (a: Attributes): string =>
	a.type === 'path'
		? `${a.verb} ${a.path}`
		: `${a.verb} ${a.resource}${a.subresource === '' ? '' : `/${a.subresource}`} ${a.namespace}/${a.name}`;

/** Allows what begins with one of these; keeps what was asked. */
function setUp(...allowed: readonly string[]) {
	const log: Attributes[] = [];
	const impersonation = new Impersonation({
		clock: new VirtualClock(),
		authorizer: {
			authorize(asked) {
				log.push(asked);
				return Promise.resolve({ allowed: allowed.some((one) => said(asked).startsWith(one)), denied: false, reason: '' });
			},
		},
	});
	return { log, become: (headers: Record<string, string>, user = admin) => impersonation.become(headers, undefined, asking(user), NEVER) };
}

const OLD = 'impersonate ';
const as = (name: string, more: Record<string, string> = {}): Record<string, string> => ({ 'impersonate-user': name, ...more });
const extra = (key: string, value: string): Record<string, string> => ({ [`impersonate-extra-${key}`]: value });

for (const [what, user, headers, allowed, want] of [
	['the old way', admin, as('u'), [OLD], ['u', undefined]],
	['a user, constrained', admin, as('u'), ['impersonate-on:user-info:get pods n/p', 'impersonate:user-info users /u'], ['u', 'user-info']],
	['a user, but not for this', admin, as('u'), ['impersonate:user-info', 'impersonate-on:user-info:list'], undefined],
	['this for a user, but not this one', admin, as('u'), ['impersonate-on:user-info:get', 'impersonate:user-info users /v'], undefined],
	[
		'a service account, constrained',
		admin,
		as('system:serviceaccount:a:b'),
		['impersonate-on:serviceaccount:get', 'impersonate:serviceaccount serviceaccounts a/b'],
		['system:serviceaccount:a:b', 'serviceaccount'],
	],
	[
		'a service account is no other user',
		admin,
		as('system:serviceaccount:a:b'),
		['impersonate-on:user-info', 'impersonate:user-info'],
		undefined,
	],
	[
		'a service account with groups',
		admin,
		as('system:serviceaccount:a:b', { 'impersonate-group': 'g' }),
		['impersonate-on:serviceaccount', 'impersonate:serviceaccount'],
		undefined,
	],
	[
		'any node',
		admin,
		as('system:node:n1'),
		['impersonate-on:arbitrary-node:get', 'impersonate:arbitrary-node nodes /n1'],
		['system:node:n1', 'arbitrary-node'],
	],
	[
		'its own node',
		agent,
		as('system:node:n1'),
		['impersonate-on:associated-node:get', 'impersonate:associated-node nodes /*'],
		['system:node:n1', 'associated-node'],
	],
	["another one's node", agent, as('system:node:n2'), ['impersonate-on:associated-node', 'impersonate:associated-node'], undefined],
	[
		'a node for who is none of its pods',
		admin,
		as('system:node:n1'),
		['impersonate-on:associated-node', 'impersonate:associated-node'],
		undefined,
	],
	['masters, constrained', admin, as('u', { 'impersonate-group': 'system:masters' }), ['impersonate-on:', 'impersonate:'], undefined],
	['masters, the old way', admin, as('u', { 'impersonate-group': 'system:masters' }), [OLD], ['u', undefined]],
	['extra without a domain, constrained', admin, as('u', extra('scopes', 'a')), ['impersonate-on:', 'impersonate:'], undefined],
	['extra, constrained', admin, as('u', extra('a.io%2fscopes', 'a, b')), ['impersonate-on:', 'impersonate:'], ['u', 'user-info']],
] as const)
	test(`impersonation of ${what} is ${want === undefined ? 'refused' : 'allowed'}`, async (t) => {
		const { become } = setUp(...allowed);
		if (want === undefined) return void (await t.throwsAsync(become(headers, user), { instanceOf: StatusError }));
		const found = await become(headers, user);
		t.deepEqual([found?.user.name, found?.constraint?.replace('impersonate:', '')], [...want]);
	});

test('the old way asks for each header, and adds the groups that authentication would', async (t) => {
	const { log, become } = setUp(OLD);
	const found = await become(as('system:serviceaccount:n:s', extra('scopes%2fx', 'a, b')));
	t.deepEqual(found?.user.groups, ['system:serviceaccounts', 'system:serviceaccounts:n', 'system:authenticated']);
	t.deepEqual(found?.user.extra, { 'scopes/x': ['a', 'b'] });
	const asked = ['impersonate serviceaccounts n/s', 'impersonate userextras/scopes/x /a', 'impersonate userextras/scopes/x /b'];
	t.deepEqual(
		log.map(said).filter((one) => one.startsWith(OLD)),
		asked,
	);
	t.is(await become({}), undefined);
});

test('a node is of the group of nodes; who asks as its pod is known by no more than the kinds of what is known', async (t) => {
	const { log, become } = setUp('impersonate-on:associated-node', 'impersonate:associated-node');
	t.deepEqual((await become(as('system:node:n1'), agent))?.user.groups, ['system:nodes', 'system:authenticated']);
	const keys = { 'authentication.kubernetes.io/associated-node-keys': [NODE, 'authentication.kubernetes.io/pod-name'] };
	for (const { user } of log) t.deepEqual(user.extra, keys);
});

test('many groups are asked about at once first', async (t) => {
	const { log, become } = setUp('impersonate-on:', 'impersonate:user-info users', 'impersonate:user-info groups /*');
	await become(as('u', { 'impersonate-group': 'a, b, c, d' }));
	t.deepEqual(log.map(said).slice(-1), ['impersonate:user-info groups /*']);
});

test('the mode that worked last is tried first', async (t) => {
	const { log, become } = setUp(OLD);
	await become(as('u'));
	const before = log.length;
	await become(as('u'));
	t.deepEqual(log.slice(before).map(said), ['impersonate users /u']);
});

test('impersonation is refused in upstream words', async (t) => {
	const { become } = setUp();
	await t.throwsAsync(become(as('u')), {
		message: 'pods "p" is forbidden: User "admin" cannot impersonate-on:user-info:get resource "pods" in API group "" in the namespace "n"',
	});
	await t.throwsAsync(become({ 'impersonate-group': 'g' }), {
		instanceOf: Refusal,
		message:
			'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"g"}, Extra:map[string][]string(nil)} without impersonating a user name',
	});
	t.is(askedUser({ accept: 'x' }), undefined);
});

for (const [key, values, want] of [
	['a.io/x', ['v'], undefined],
	[
		'x',
		['v'],
		'impersonating an invalid key in extra is not allowed: extra.key: Invalid value: "x": must be a domain-prefixed path (such as "acme.io/foo")',
	],
	['a.io/X', ['v'], 'impersonating a non-lowercase key in extra is not allowed: "a.io/X"'],
	['a.io/x', [''], 'impersonating the empty string value in extra is not allowed'],
] as const)
	test(`refusedExtra(): ${key}=${values.join()}`, (t) => t.is(refusedExtra({ [key]: values }), want));

test('names of users in any script are read as UTF-8 from a connection, and as they are from this process', (t) => {
	const [name, group] = ['jürgen ✓', 'größe'];
	const [sentName, sentGroup] = [name, group].map((text) => Buffer.from(text).toString('latin1')) as [string, string];
	const user = { name, uid: '', groups: [group], extra: {} };
	const sent: Readonly<Record<string, string>> = {
		...{ 'impersonate-user': sentName, 'impersonate-group': sentGroup },
		...{ 'x-remote-user': sentName, 'x-remote-group': sentGroup },
	};
	const lines = {
		lines: (header: string) => [sent[header] ?? '', 'another'].slice(0, header.endsWith('user') ? 2 : 1),
		anyBeginning: () => true,
	};
	t.deepEqual(askedUser({ 'impersonate-user': sentName, 'impersonate-group': sentGroup }, lines), user);
	t.deepEqual(askedUser({ 'impersonate-user': name, 'impersonate-group': group }), user);
	const options = {
		...{ clientCa: '', allowedNames: [], usernameHeaders: ['X-Remote-User'], uidHeaders: [] },
		...{ groupHeaders: ['X-Remote-Group'], extraHeaderPrefixes: [] },
	};
	t.deepEqual(remoteUser(options, { 'x-remote-user': sentName, 'x-remote-group': sentGroup }, lines), user);
	t.deepEqual(remoteHeaders(user), { 'X-Remote-User': sentName, 'X-Remote-Group': [sentGroup] });
});
