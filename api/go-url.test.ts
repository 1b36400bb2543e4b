import test from 'ava';
import { parseUrl } from './go-url.ts';

// What Go 1.26 answers.
for (const [text, want] of [
	['https://host:abc/', 'invalid port ":abc" after host'],
	['https://h:1:2/', 'invalid port ":1:2" after host'],
	['https://exa mple.com/', 'invalid character " " in host name'],
	['https://[::1/', "missing ']' in host"],
	['https://a[::1]/', 'invalid IP-literal'],
	['https://[1.2.3.4]/', 'invalid IP-literal'],
	['https://[x]/', 'invalid host: ParseAddr("x"): unable to parse IP'],
	['https://[fe80::1%en0]/', 'invalid URL escape "%en"'],
	['https://[::1%25<%41%2f]/', 'invalid URL escape "%2f"'],
	['https://a%41/', 'invalid URL escape "%41"'],
	['https://a%4/', 'invalid URL escape "%4"'],
	['https://h/%é', 'invalid URL escape "%é"'],
	['https://h/%aé', String.raw`invalid URL escape "%a\xc3"`],
	['https://[fe80::1%25%C3%A9]/', 'invalid URL escape "%C3"'],
	['/a%zz', 'invalid URL escape "%zz"'],
	['http://[bad', "missing ']' in host"],
	['https://u^@h/', 'net/url: invalid userinfo'],
	['/a\nb', 'net/url: invalid control character in URL'],
	[':80', 'missing protocol scheme'],
	['a b:c', 'first path segment in URL cannot contain colon'],
] as const)
	test(`parseUrl(): ${JSON.stringify(text)} is none`, (t) =>
		t.deepEqual(parseUrl(text), { fault: `parse ${JSON.stringify(text)}: ${want}` }));

test('parseUrl(): a fragment is read last', (t) => {
	t.deepEqual(parseUrl('https://h:x/#%zz'), { fault: 'parse "https://h:x/": invalid port ":x" after host' });
	t.deepEqual(parseUrl('https://h/#%zz'), { fault: 'parse "https://h/#%zz": invalid URL escape "%zz"' });
});

const NOTHING = { scheme: '', host: '', user: undefined, query: '', fragment: '' };
for (const [text, want] of [
	['/a?%zz', { query: '%zz' }],
	['', {}],
	['*', {}],
	['///a:b', {}],
	['HTTPS://u:p%41@[fe80::1%25en%20]:443/p?q#%46', { scheme: 'https', host: '[fe80::1%en ]:443', user: 'u:pA', query: 'q', fragment: 'F' }],
	['https://a"b<c>é%c3%a9:/', { scheme: 'https', host: 'a"b<c>éé:' }],
	['db://h1:1,h2:2/', { scheme: 'db', host: 'h1:1,h2:2' }],
	['https:h@?', { scheme: 'https' }],
	['https://@h', { scheme: 'https', host: 'h', user: '' }],
] as const)
	test(`parseUrl(): ${JSON.stringify(text)}`, (t) => t.deepEqual(parseUrl(text), { ...NOTHING, ...want }));
