import test from 'ava';
import { attributesOf } from './attributes.ts';
import { requestInfo } from './request-info.ts';

const info = (method: string, path: string, query = '') => requestInfo(method, path, new URLSearchParams(query));

for (const [what, method, path, want] of [
	['a collection of all namespaces', 'GET', '/api/v1/pods', { verb: 'list', resource: 'pods', namespace: '', name: '' }],
	['one object', 'DELETE', '/api/v1/namespaces/n/pods/p', { verb: 'delete', resource: 'pods', namespace: 'n', name: 'p' }],
	['a namespace itself', 'GET', '/api/v1/namespaces/n', { verb: 'get', resource: 'namespaces', namespace: 'n', name: 'n' }],
	['its status', 'PUT', '/api/v1/namespaces/n/status', { verb: 'update', resource: 'namespaces', name: 'n', subresource: 'status' }],
	['below its status', 'GET', '/api/v1/namespaces/n/status/x', { resource: 'namespaces', name: 'n', subresource: 'status', rest: 'x' }],
	[
		'the old path of watches, by any method',
		'POST',
		'/api/v1/watch/namespaces/n/pods',
		{ verb: 'watch', resource: 'pods', namespace: 'n' },
	],
	['the old path of proxies', 'POST', '/apis/g/v1/proxy/foos/f/x', { verb: 'proxy', resource: 'foos', name: 'f', subresource: '' }],
	['a watch whose first word is encoded', 'GET', '/apis/g/v1/%77atch/foos', { verb: 'watch', resource: 'foos', name: '' }],
	['a method without a verb', 'OPTIONS', '/api/v1/pods', { verb: '', resource: 'pods' }],
	['a path of no resource', 'HEAD', '/healthz', { type: 'path', verb: 'head' }],
	['a word for a verb, and nothing to it', 'GET', '/apis/g/v1/proxy/', { type: 'path', verb: 'get', unreadable: true }],
] as const)
	test(`requestInfo(): ${what}`, (t) => t.like(info(method, path), want));

for (const [query, verb] of [
	['watch=1', 'watch'],
	['watch', 'watch'],
	['watch=f', 'watch'],
	['watch=0', 'list'],
	['watch=fAlse', 'list'],
	['watch=false&watch=true', 'list'],
] as const)
	test(`requestInfo(): ?${query}`, (t) => t.like(info('GET', '/api/v1/pods', query), { verb }));

for (const [method, query, name] of [
	['GET', 'fieldSelector=metadata.name%3Da', 'a'],
	['GET', 'watch=1&fieldSelector=metadata.name%3Da', 'a'],
	['GET', 'fieldSelector=metadata.namespace%3Dn,metadata.name%3D%3Da', 'a'],
	['GET', 'fieldSelector=metadata.name%21%3Da', ''],
	['GET', 'fieldSelector=metadata.name%3Da%2Fb', ''],
	['GET', 'fieldSelector=metadata.name%3D..', ''],
	['GET', 'fieldSelector=metadata.name%3Da,b', ''],
	['DELETE', 'fieldSelector=metadata.name%3Da', ''],
] as const)
	test(`attributesOf(): ${method} ?${query}`, (t) => {
		const asked = new URLSearchParams(query);
		const user = { name: 'u', uid: '', groups: [], extra: {} };
		t.like(attributesOf(user, requestInfo(method, '/api/v1/namespaces/n/pods', asked), asked), { name });
	});

for (const [path, want] of [
	['/api/v1/namespaces//pods', { resource: 'pods', namespace: '', name: '' }],
	['/apis/c.io/v1/watch/namespaces//things/a', { resource: 'things', namespace: '', name: 'a', verb: 'watch' }],
	['/api/v1/namespaces///pods', { resource: 'namespaces', namespace: 'pods', name: 'pods' }],
] as const)
	test(`requestInfo(): ${path}`, (t) => t.like(info('GET', path), want));

test('requestInfo(): what is kept of a request is no other', (t) => {
	t.like(info('watch GET', '/api/v1/nodes'), { verb: '' });
	t.like(info('GET', '/api/v1/nodes', 'watch=1'), { verb: 'watch' });
});

for (const [what, method, path, isKept] of [
	['a path that clients ask for', 'GET', '/api/v1/nodes', true],
	['a path longer than any of them', 'GET', `/api/v1/nodes/${'n'.repeat(1000)}`, false],
	['a method that somebody made up', 'FETCH', '/api/v1/nodes', false],
] as const)
	test(`requestInfo(): what is kept: ${what}`, (t) => t.is(info(method, path) === info(method, path), isKept));
