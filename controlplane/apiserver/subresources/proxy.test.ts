import test from 'ava';
import { realClock } from '../../../base/clock.ts';
import type { ApiRequest, ObjectReader, SubresourceTarget } from '../contracts.ts';
import type { Backend, BackendTarget } from './backend.ts';
import { proxies } from './proxy.ts';

const POD = { metadata: { namespace: 'n', name: 'p' }, spec: { containers: [] }, status: { podIP: '10.0.0.1' } };
const PATH = '/api/v1/namespaces/n/pods/p/proxy';

const passing = {
	pass: (_: ApiRequest, { path }: BackendTarget) =>
		Promise.resolve({ type: 'bytes', status: 200, headers: { path }, body: new Uint8Array() }),
} as unknown as Backend;
const objects = { get: () => POD, list: () => [] } as unknown as ObjectReader;
const handler = proxies({ objects, clock: realClock, kubelets: passing, workloads: passing }).find((h) => h.resource === 'pods');

for (const [method, path, query, headers, want] of [
	['GET', PATH, '', {}, { status: 301, headers: { location: `${PATH}/` } }],
	['HEAD', PATH, 'a=1', {}, { status: 301, headers: { location: `${PATH}/?a=1` } }],
	['GET', `${PATH}/`, 'a=1', {}, { status: 200, headers: { path: '/?a=1' } }],
	['POST', PATH, '', {}, { status: 200, headers: { path: '/' } }],
	['GET', PATH, '', { upgrade: 'websocket' }, { status: 200, headers: { path: '/' } }],
] as const)
	test(`proxy: ${method} ${path}?${query}${'upgrade' in headers ? ' with an upgrade' : ''}`, async (t) => {
		const request = { method, path, query: new URLSearchParams(query), headers } as unknown as ApiRequest;
		const target = { namespace: 'n', name: 'p', options: { path: path.slice(PATH.length) } } as unknown as SubresourceTarget;
		t.like(await handler?.handle(request, target), want);
	});
