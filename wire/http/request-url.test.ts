/** Request lines, those too that no client of good will sends. */
import test from 'ava';
import { requestUrl } from './request-url.ts';

for (const [url, want] of [
	['/', '/'],
	['/a/b?c=d&c=e', '/a/b?c=d&c=e'],
	['//', '//'],
	['//a:b/c', '//a:b/c'],
	['/[', '/['],
	['/%', '/%'],
	['/a?%', '/a?%'],
	['http://host/a?b', '/a?b'],
	['https://host:1/a', '/a'],
	[undefined, '/'],
	['', undefined],
	['*', undefined],
	['http://[', undefined],
	['http://a:99999/', undefined],
	['host:443', undefined],
	['file:///etc/passwd', undefined],
] as const)
	test(`requestUrl(): ${url}`, (t) => {
		const found = requestUrl(url === undefined ? {} : { url });
		t.is(found && `${found.pathname}${found.search}`, want);
	});
