import test from 'ava';
import { proxiedLink } from './proxied-links.ts';

const place = { prefix: '/proxy/to/service', backend: '10.0.0.1:8080', client: 'cluster.example:6443' };

for (const [name, link, want] of [
	['a path', '/a?b=1#c', '/proxy/to/service/a?b=1#c'],
	['the root', '/', '/proxy/to/service/'],
	['a folder', '/a/', '/proxy/to/service/a/'],
	['a path with steps', '/a/../b//c', '/proxy/to/service/b/c'],
	['an escaped path', '/a%2Fb%20c', '/proxy/to/service/a/b%20c'],
	['a path with what needs an escape', '/a b(1)', '/proxy/to/service/a%20b%281%29'],
	['the same through the proxy already', '/proxy/to/service/a%2Fb c(1)', '/proxy/to/service/a%2Fb%20c(1)'],
	['the server behind', 'http://10.0.0.1:8080/a', '/proxy/to/service/a'],
	['the server behind, without a scheme', '//10.0.0.1:8080/a', '/proxy/to/service/a'],
	['the name that the client used', 'https://cluster.example:6443/a', 'https://cluster.example:6443/proxy/to/service/a'],
	['another host', 'http://other.example/a', 'http://other.example/a'],
	['another port', 'http://10.0.0.1:9090/a', 'http://10.0.0.1:9090/a'],
	['a relative path', 'a/b', 'a/b'],
	['a fragment', '#a', '#a'],
	['mail', 'mailto:a@b', 'mailto:a@b'],
	['a path through the proxy already', '/proxy/to/service/a', '/proxy/to/service/a'],
] as const)
	test(`proxied links: ${name}: ${JSON.stringify(link)}`, (t) => t.is(proxiedLink(link, place), want));
