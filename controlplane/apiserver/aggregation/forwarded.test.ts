import test from 'ava';
import { targetOf } from '../serving/request-target.ts';
import { forwardedHeaders, forwardedUri } from './forwarded.ts';

for (const [asked, path, forwarded] of [
	['/apis/a.io/v1/bs', '/apis/a.io/v1/bs', '/apis/a.io/v1/bs'],
	['/apis/a.io/v1/bs/c%2Fd', '/apis/a.io/v1/bs/c/d', '/apis/a.io/v1/bs/c/d'],
	['/apis/a.io/v1/bs/c//d/../e/', '/apis/a.io/v1/bs/c//d/../e/', '/apis/a.io/v1/bs/c/e/'],
	[
		'/apis/a.io/v1/bs?x=%20y&limit=5&labelSelector=a%3Db&x=*',
		'/apis/a.io/v1/bs?labelSelector=a%3Db&limit=5&x=+y&x=%2A',
		'/apis/a.io/v1/bs',
	],
	['/apis/a.io/v1/bs?a;b=c', '/apis/a.io/v1/bs', '/apis/a.io/v1/bs'],
	['/apis/a.io/v1/bs?a=%zz&b=%20', '/apis/a.io/v1/bs?b=+', '/apis/a.io/v1/bs'],
	['/apis/a.io/v1/bs?a=b&?c=d', '/apis/a.io/v1/bs?%3Fc=d&a=b', '/apis/a.io/v1/bs'],
	['/apis/a.io/v1/bs?watch', '/apis/a.io/v1/bs?watch=', '/apis/a.io/v1/bs'],
] as const)
	test(`a request for ${asked} is passed on as ${path}`, (t) => {
		const uri = forwardedUri(targetOf(asked));
		t.is(uri, path);
		t.is(forwardedHeaders(uri, 'h:1')['x-forwarded-uri'], forwarded);
	});
