import type { IncomingMessage } from 'node:http';
import test from 'ava';
import { Http1Request } from '../../serving/http-requests.ts';
import { answeredHeaders, passedHeaders } from './passed-headers.ts';

/** A request with these headers, as Node tells them. */
function requestWith(lines: readonly (readonly [string, string])[]): { readonly request: Http1Request; readonly looks: () => number } {
	const headers: Record<string, string> = {};
	for (const [name, value] of lines) headers[name.toLowerCase()] = [headers[name.toLowerCase()], value].filter(Boolean).join(', ');
	let looks = 0;
	const rawHeaders = new Proxy(lines.flat(), {
		get: (of, key) => {
			looks++;
			return Reflect.get(of, key) as unknown;
		},
	});
	const incoming = { url: '/', method: 'GET', headers, rawHeaders, socket: { remoteAddress: '10.0.0.1', getPeerCertificate: () => ({}) } };
	return { request: new Http1Request(incoming as unknown as IncomingMessage, {}), looks: () => looks };
}

test('headers go on line by line, but those of the connection', (t) => {
	const { request } = requestWith([
		['X-A', '1, 2'],
		['X-A', '3'],
		['Connection', 'X-B, Keep-Alive'],
		['x-b', '4'],
		['Authorization', 'Bearer t'],
		['Impersonate-User', 'u'],
		['X-Stream-Protocol-Version', 'V4.channel.k8s.io, v3.channel.k8s.io'],
		['X-Forwarded-For', '10.9.9.9'],
	]);
	t.deepEqual(passedHeaders(request, { headers: { host: 'h' } }, false), {
		'x-a': ['1, 2', '3'],
		'x-stream-protocol-version': ['V4.channel.k8s.io', 'v3.channel.k8s.io'],
		host: 'h',
		'x-forwarded-for': '10.9.9.9, 10.0.0.1',
	});
});

test('thousands of headers are each looked at a few times', (t) => {
	const { request, looks } = requestWith(Array.from({ length: 5000 }, (_, i) => [`x-${i}`, 'a'] as const));
	t.is(Object.keys(passedHeaders(request, {}, false)).length, 5001);
	t.true(looks() < 50_000, `${looks()} looks`);
});

test('headers that the backend says are of its connection do not come back', (t) => {
	const headers = { connection: 'close, X-Own', 'x-own': 'a', 'x-other': 'b' };
	t.deepEqual(answeredHeaders({ headers } as unknown as IncomingMessage), { 'x-other': 'b' });
});
