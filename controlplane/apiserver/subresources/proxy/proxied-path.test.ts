import test from 'ava';
import { escapedPath, proxiedPath } from './proxied-path.ts';

const PROXY = '/api/v1/namespaces/n/pods/p/proxy';

for (const [rest, sent, forwarded, prefix = PROXY] of [
	['', '', `${PROXY}/`],
	['/', '/', `${PROXY}/`],
	['/a', '/a', `${PROXY}/a`],
	['/a/', '/a/', `${PROXY}/a/`],
	['/a b', '/a%20b', `${PROXY}/a%20b`],
	["/a'b(c)*!$&,=", '/a%27b%28c%29%2A%21$&,=', `${PROXY}/a%27b%28c%29%2A%21$&,=`],
	['//a', '/a', `${PROXY}/a`, `${PROXY}/`],
	// The backend is told of both where its path is not what was asked for.
	['/a//b', '/a/b', `${PROXY}/a/b/a/b`, `${PROXY}/a//b`],
	['/../a', '/a', `${PROXY.slice(0, -'/proxy'.length)}/a`, `${PROXY}/..`],
] as const)
	test(`the path ${JSON.stringify(rest)} through a proxy`, (t) => {
		t.deepEqual(proxiedPath(`${PROXY}${rest}`, rest), { sent, prefix, forwarded });
	});

test('a path that admission chose is another one', (t) => {
	t.deepEqual(proxiedPath(`${PROXY}/a`, 'b'), { sent: '/b', prefix: `${PROXY}/a`, forwarded: `${PROXY}/a/b` });
});

for (const [path, want] of [
	["/-_.~$&+,/:;=@'()*!?#[]%", '/-_.~$&+,/:;=@%27%28%29%2A%21%3F%23%5B%5D%25'],
	['/é', '/%C3%A9'],
] as const)
	test(`escapes in a path: ${path}`, (t) => t.is(escapedPath(path), want));
