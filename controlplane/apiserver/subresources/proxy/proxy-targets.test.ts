/** Where proxies lead, beside what an upstream API server answers. */
import test from 'ava';
import type { KubeObject } from '../../../../api/resource.ts';
import { realClock } from '../../../../base/clock.ts';
import type { ObjectReader } from '../../contracts.ts';
import { nodeTarget, podTarget, serviceTarget } from './proxy-targets.ts';

const IP = '10.0.0.1';
const pod = (podIP: string, ...ports: number[]) => ({
	spec: { containers: [{ name: 'a' }, { name: 'b', ports: ports.map((containerPort) => ({ containerPort })) }] },
	status: { podIP, podIPs: [{ ip: podIP }] },
});
const of = (name: string, namespace = 'n') => ({ kind: 'Pod', name, namespace });
const to = (targetRef?: object, ip = IP) => ({ ip, ...(targetRef === undefined ? {} : { targetRef }) });
const unnamed = [{ port: 8080 }];
const node = (address: string) => ({
	status: { addresses: [{ type: 'InternalIP', address }], daemonEndpoints: { kubeletEndpoint: { Port: 10250 } } },
});

const stored: Readonly<Record<string, object>> = {
	'pods n/p': pod(IP, 8080),
	'pods n/none': pod(IP),
	'pods n/here': pod('127.0.0.1', 80),
	'services n/s': { spec: { ports: [{ port: 80 }] } },
	'endpoints n/s': { subsets: [{ addresses: [to(of('p'))], ports: unnamed }] },
	'services n/named': { spec: { ports: [{ name: 'web', port: 80 }] } },
	'endpoints n/named': { subsets: [{ ports: [] }, { addresses: [to(of('p'))], ports: [{ name: 'web', port: 8080 }] }] },
	'services n/bare': { spec: { ports: [{ port: 80 }] } },
	'endpoints n/empty': {},
	'endpoints n/unready': { subsets: [{ notReadyAddresses: [to(of('p'))], ports: unnamed }] },
	'endpoints n/unknown': { subsets: [{ addresses: [to()], ports: unnamed }] },
	'endpoints n/elsewhere': { subsets: [{ addresses: [to(of('p', 'm'))], ports: unnamed }] },
	'endpoints n/gone': { subsets: [{ addresses: [to(of('q'))], ports: unnamed }] },
	'endpoints n/other': { subsets: [{ addresses: [to(of('p'), '10.0.0.2')], ports: unnamed }] },
	'nodes x': node(IP),
	'nodes here': node('127.0.0.1'),
	'nodes lost': { status: {} },
};
const objects = {
	get: ({ plural }: { plural: string }, key: string) => stored[`${plural} ${key}`] as KubeObject | undefined,
} as unknown as ObjectReader;
const deps = { objects, clock: realClock };

const http = (port: number) => ({ scheme: 'http', host: IP, port });
const https = (port: number) => ({ scheme: 'https', host: IP, port });

for (const [kind, id, want] of [
	['pod', 'p', http(8080)],
	['pod', 'p:90', http(90)],
	['pod', 'https:p:90', https(90)],
	['pod', ':p:', http(8080)],
	['pod', 'none', http(80)],
	['pod', 'https:none:', https(443)],
	['pod', 'ftp:p:1', 'invalid pod request "ftp:p:1"'],
	['pod', 'a:b:c:d', 'invalid pod request "a:b:c:d"'],
	['pod', ':', 'invalid pod request ":"'],
	['pod', 'p:web', 'invalid pod request "p:web"'],
	['pod', 'q', 'pods "q" not found'],
	['pod', 'here', 'address not allowed'],
	['service', 's', http(8080)],
	['service', 's:80', http(8080)],
	['service', 's:080', http(8080)],
	['service', 'https:s:', https(8080)],
	['service', 's:81', 'no service port 81 found for service "s"'],
	['service', 's:web', 'no endpoints available for service "s:web"'],
	['service', 'named:web', http(8080)],
	['service', 'named:80', http(8080)],
	['service', 'named', 'no endpoints available for service "named"'],
	['service', 'ftp:named:web', 'invalid service request "ftp:named:web"'],
	['service', 'bare', 'services "bare" not found'],
	['service', 'bare:81', 'no service port 81 found for service "bare"'],
	...(['empty', 'unready', 'unknown', 'elsewhere', 'gone', 'other'] as const).map(
		(id) => ['service', id, `no endpoints available for service "${id}"`] as const,
	),
	['node', 'x', https(10250)],
	['node', 'http:x:10250', https(10250)],
	['node', 'x:80', { ...http(80), tls: {} }],
	['node', 'https:x:81', { ...https(81), tls: {} }],
	['node', 'ftp:x:1', 'invalid node request "ftp:x:1"'],
	['node', 'here', 'address not allowed'],
	['node', 'lost', 'no preferred addresses found; known addresses: []'],
	['node', 'y', 'nodes "y" not found'],
] as const)
	test(`a proxy to the ${kind} ${id}`, async (t) => {
		const find = async (): Promise<object> =>
			kind === 'pod' ? podTarget(deps, id, 'n') : kind === 'service' ? serviceTarget(deps, id, 'n') : nodeTarget(deps, id);
		if (typeof want === 'string') await t.throwsAsync(find(), { message: want });
		else t.deepEqual(await find(), want);
	});

test('a proxy to a node goes to the type of address that is preferred', async (t) => {
	const addresses = [
		{ type: 'InternalIP', address: IP },
		{ type: 'ExternalIP', address: '10.0.0.9' },
	];
	const both = {
		objects: { get: () => ({ metadata: { name: 'x' }, status: { addresses } }) } as unknown as ObjectReader,
		clock: realClock,
	};
	const host = async (kubeletAddressTypes: readonly string[]): Promise<string> =>
		(await nodeTarget({ ...both, kubeletAddressTypes }, 'x')).host;
	t.is(await host(['Hostname', 'ExternalIP', 'InternalIP']), '10.0.0.9');
	t.is(await host(['InternalIP']), IP);
	await t.throwsAsync(host(['Hostname']), { message: 'no preferred addresses found; known addresses: [InternalIP ExternalIP]' });
});
