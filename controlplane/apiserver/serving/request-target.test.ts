import test from 'ava';
import { targetOf } from './request-target.ts';

/** Bytes of "é", a character each. */
const LATIN1 = Buffer.from('é').toString('latin1');

for (const [url, path, query, isBad] of [
	['/api/v1/pods?limit=1', '/api/v1/pods', [['limit', '1']], false],
	['/version', '/version', [], false],
	['//version', '//version', [], false],
	['https://host:6443/version?a=b', '/version', [['a', 'b']], false],
	['https://user@host/version', '/version', [], false],
	['http:///version', '/version', [], false],
	['http://host?a=b', '', [['a', 'b']], false],
	['/http://host/version', '/http://host/version', [], false],
	['http://[::1]:6443/version', '/version', [], false],
	['http://[::1/version', '/version', [], true],
	['*', '*', [], false],
	['/%76ersion', '/%76ersion', [], false],
	['/%zz', '/%zz', [], true],
	['/a%', '/a%', [], true],
	['https://host/%2', '/%2', [], true],
	['/a?limit=%zz&b=c', '/a', [['b', 'c']], false],
	['/a?limit=1;x&b=c;&d=%3B', '/a', [['d', ';']], false],
	['/a??b=c', '/a', [['?b', 'c']], false],
	[`/${LATIN1}?a=${LATIN1}`, '/%C3%A9', [['a', 'é']], false],
	['/a?', '/a', [], false],
	[
		'/a?b&c=',
		'/a',
		[
			['b', ''],
			['c', ''],
		],
		false,
	],
] as const)
	test(`targetOf(): ${url}`, (t) => {
		const target = targetOf(url);
		t.is(target.path, path);
		t.deepEqual([...target.query], query as unknown as [string, string][]);
		t.is(target.isBad, isBad);
	});

test('targetOf(): what was asked for goes on without the server that was named', (t) => {
	t.is(targetOf('https://host/a%2Fb?c;d').uri, '/a%2Fb?c;d');
});

test('parameters without values are many and cheap', (t) => {
	const started = performance.now();
	const { query } = targetOf(`/a?x&=y&${'a&'.repeat(300_000)}watch`);
	t.true(performance.now() - started < 1500);
	t.deepEqual([query.get('x'), query.get(''), query.get('watch'), query.getAll('a').length], ['', 'y', '', 300_000]);
});
