/** Which rule of a policy is meant, and policies that are refused. */
import test from 'ava';
import type { Attributes } from '../contracts.ts';
import { parsePolicy, verdictOf, type AuditPolicy, type PolicyRule } from './policy.ts';

const user = (name: string, ...groups: string[]) => ({ name, uid: '', groups, extra: {} });
const pods = (verb: string, more: object = {}): Attributes =>
	({
		type: 'resource',
		user: user('u', 'g'),
		verb,
		group: '',
		version: 'v1',
		resource: 'pods',
		subresource: '',
		namespace: 'n',
		name: 'p',
		...more,
	}) as Attributes;
const path = (url: string): Attributes => ({ type: 'path', user: user('u'), verb: 'get', path: url });

for (const [name, rule, asked, want] of [
	['no conditions', {}, pods('get'), true],
	['a user', { users: ['u'] }, pods('get'), true],
	['another user', { users: ['v'] }, pods('get'), false],
	['a group', { userGroups: ['g'] }, pods('get'), true],
	['a verb', { verbs: ['list'] }, pods('get'), false],
	['a namespace', { namespaces: ['n'] }, pods('get'), true],
	['no namespace', { namespaces: [''] }, pods('get', { namespace: '' }), true],
	['a namespace says nothing of paths', { namespaces: ['n'] }, path('/livez'), false],
	['the core group', { resources: [{ group: '' }] }, pods('get'), true],
	['any group', { resources: [{ group: '*', resources: ['pods'] }] }, pods('get'), true],
	['a resource is not its subresource', { resources: [{ resources: ['pods'] }] }, pods('get', { subresource: 'log' }), false],
	['a subresource', { resources: [{ resources: ['pods/log'] }] }, pods('get', { subresource: 'log' }), true],
	['all subresources of a resource', { resources: [{ resources: ['pods/*'] }] }, pods('get', { subresource: 'log' }), true],
	['a subresource of all', { resources: [{ resources: ['*/log'] }] }, pods('get', { subresource: 'log' }), true],
	['a name', { resources: [{ resources: ['pods'], resourceNames: ['q'] }] }, pods('get'), false],
	['a path', { nonResourceURLs: ['/livez*'] }, path('/livez/etcd'), true],
	['another path', { nonResourceURLs: ['/livez'] }, path('/livez/etcd'), false],
	['a path says nothing of resources', { nonResourceURLs: ['*'] }, pods('get'), false],
] as const)
	test(`policy: ${name}`, (t) => {
		const policy: AuditPolicy = { rules: [{ level: 'Metadata', ...rule } as PolicyRule] };
		t.is(verdictOf(policy, asked).level, want ? 'Metadata' : 'None');
	});

for (const [name, text, want] of [
	['not one', 'a: b', /^loading audit policy file: failed decoding: no kind "" .*: from file p\.yaml$/],
	['no rules', 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: []', /loaded illegal policy with 0 rules/],
	['no level', 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: null}]', /rules\[0\]\.level: Required value/],
	[
		'a text for a list',
		'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: None, users: admin}]',
		/failed decoding: rules\[0\]\.users: Invalid value: "admin": must be a list/,
	],
	[
		'a group with its version',
		'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: None, resources: [{group: apps/v1}]}]',
		/rules\[0\]\.resources\.group: Invalid value: "apps\/v1": a lowercase RFC 1123 subdomain must/,
	],
	[
		'a level',
		'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: All}]',
		/rules\[0\]\.level: Unsupported value: "All": supported values: "Metadata", "None", "Request", "RequestResponse"/,
	],
	[
		'a stage',
		'apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [End]\nrules: [{level: None}]',
		/omitStages\[0\]: Invalid value: "End": allowed stages are RequestReceived,ResponseStarted,ResponseComplete,Panic/,
	],
	[
		'both kinds of rule',
		'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: None, namespaces: [a], nonResourceURLs: ["/a"]}]',
		/both regular resources/,
	],
	[
		'names of nothing',
		'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: None, resources: [{resourceNames: [a]}]}]',
		/requires at least one resource/,
	],
] as const)
	test(`a wrong policy is refused: ${name}`, (t) => {
		t.throws(() => parsePolicy(text, 'p.yaml'), { message: want });
	});

test('fields of a policy that are null or unknown are not there', (t) => {
	const text =
		'apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: null\nextra: 1\nrules: [{level: Metadata, users: null, namespaces: null, resources: [{group: null, resources: null}]}]';
	t.is(verdictOf(parsePolicy(text, 'p.yaml'), pods('get')).level, 'Metadata');
});
