/** Aggregated APIs: what availability says, what headers carry, and a real server with a small aggregated one behind it over TLS. */
import { connect } from 'node:net';
import { connect as tlsConnect } from 'node:tls';
import test from 'ava';
import type { APIService, EndpointSlice, Service } from '../../../api/gen/types.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { API_SERVICES, CUSTOM_RESOURCE_DEFINITIONS, ENDPOINT_SLICES, SERVICES } from '../../../api/resources.ts';
import { realClock } from '../../../base/clock.ts';
import { noLog } from '../../../base/log.ts';
import { createAuthority, issue, type Authority } from '../../../wire/tls/authority.ts';
import { aggregatedServer, RESOURCES, type Aggregated } from '../../../test/fakes/aggregated-server.ts';
import { testApiServer, type TestApiServer } from '../../../test/fakes/api-server.ts';
import { eventually } from '../../../test/tools/eventually.ts';
import { beforeAsking, PASSED, withAvailability } from './availability.ts';
import { groupVersionOf } from './group-version.ts';
import { builtInServices, customServices } from './local-services.ts';
import { fromPlain } from './remote-discovery.ts';
import { remoteHeaders } from './remote-headers.ts';

const remote: APIService = {
	metadata: { name: 'v1.r.io' },
	spec: { group: 'r.io', version: 'v1', groupPriorityMinimum: 1, versionPriority: 1, service: { namespace: 'ns', name: 's', port: 443 } },
};
const service = (spec: Service['spec']): Service => ({ metadata: { name: 's', namespace: 'ns' }, spec });
const slice = (ready: boolean, portName = ''): EndpointSlice => ({
	metadata: {},
	addressType: 'IPv4',
	ports: [{ name: portName, port: 8443 }],
	endpoints: [{ addresses: ['10.1.1.1'], conditions: { ready } }],
});

for (const [name, found, slices, reason, message] of [
	['no service', undefined, [], 'ServiceNotFound', 'service/s in "ns" is not present'],
	['another port', service({ ports: [{ port: 80 }] }), [], 'ServicePortError', 'service/s in "ns" is not listening on port 443'],
	['no slices', service({ ports: [{ port: 443 }] }), [], 'EndpointsNotFound', 'cannot find endpointslices for service/s in "ns"'],
	[
		'nobody ready',
		service({ ports: [{ port: 443 }] }),
		[slice(false)],
		'MissingEndpoints',
		'endpointslices for service/s in "ns" have no addresses with port name ""',
	],
	[
		'ready under another port name',
		service({ ports: [{ port: 443, name: 'https' }] }),
		[slice(true, 'x')],
		'MissingEndpoints',
		'endpointslices for service/s in "ns" have no addresses with port name "https"',
	],
] as const)
	test(`availability: ${name}`, (t) => {
		t.deepEqual(beforeAsking(remote, found, slices), { status: 'False', reason, message });
	});

test('availability: what has endpoints is asked, as is a name of another network; a local one is always there', (t) => {
	t.is(beforeAsking(remote, service({ ports: [{ port: 443 }] }), [slice(true)]), undefined);
	t.is(beforeAsking(remote, service({ type: 'ExternalName', externalName: 'x' }), []), undefined);
	t.is(beforeAsking({ metadata: {}, spec: { groupPriorityMinimum: 1, versionPriority: 1 } }, undefined, [])?.reason, 'Local');
});

test('a condition keeps its time until its status changes', (t) => {
	const passed = withAvailability(remote, PASSED, 0);
	t.is(withAvailability(passed, PASSED, 5000), passed);
	const failed = withAvailability(passed, { status: 'False', reason: 'x', message: 'a' }, 5000);
	const again = withAvailability(failed, { status: 'False', reason: 'x', message: 'b' }, 9000);
	t.is(again.status?.conditions?.[0]?.lastTransitionTime, '1970-01-01T00:00:05Z');
	t.is(again.status?.conditions?.[0]?.message, 'b');
});

test('headers: groups and extra values one a line, keys escaped', (t) => {
	t.deepEqual(remoteHeaders({ name: 'ann', uid: 'u1', groups: ['a', 'b'], extra: { 'x.io/y z': ['1', '2'] } }), {
		'X-Remote-User': 'ann',
		'X-Remote-Uid': 'u1',
		'X-Remote-Group': ['a', 'b'],
		'X-Remote-Extra-x.io%2Fy%20z': ['1', '2'],
	});
});

test('paths', (t) => {
	t.is(groupVersionOf('/apis/a.io/v1/namespaces/x'), 'a.io/v1');
	t.is(groupVersionOf('/apis/a.io/v1'), 'a.io/v1');
	t.is(groupVersionOf('/apis/a.io'), undefined);
	t.is(groupVersionOf('/api/v1/pods'), undefined);
});

test('local APIServices: built-in ones by upstream priorities, those of definitions last', (t) => {
	const core = builtInServices().find(({ metadata }) => metadata.name === 'v1.');
	t.deepEqual(core?.spec, { version: 'v1', groupPriorityMinimum: 18_000, versionPriority: 1 });
	t.false(builtInServices().some(({ spec }) => spec?.group === 'apiregistration.k8s.io'));
	const established = {
		conditions: [{ type: 'Established', status: 'True' }],
		acceptedNames: { plural: 'a', kind: 'A' },
		storedVersions: [],
	};
	const spec = {
		group: 'c.io',
		scope: 'Cluster',
		names: { plural: 'a', kind: 'A' },
		versions: [
			{ name: 'v1', served: true, storage: true },
			{ name: 'v0', served: false, storage: false },
		],
	};
	t.deepEqual(
		customServices([{ metadata: {}, spec, status: established }]).map(({ metadata, spec: made }) => [
			metadata.name,
			metadata.labels,
			made?.groupPriorityMinimum,
			made?.versionPriority,
		]),
		[['v1.c.io', { 'kube-aggregator.kubernetes.io/automanaged': 'true' }, 1000, 100]],
	);
});

test('a plain document becomes aggregated discovery; a subresource without its parent is kept', (t) => {
	const resource = { singularName: 'a', namespaced: true, kind: 'A', verbs: ['get'] };
	const list = {
		groupVersion: 'r.io/v1',
		resources: [
			{ name: 'as', ...resource },
			{ name: 'as/scale', ...resource, group: 'autoscaling', version: 'v1', kind: 'Scale' },
			{ name: 'pods/x', ...resource },
		],
	};
	const made = fromPlain(list);
	t.deepEqual(
		made.map((one) => [one.resource, one.responseKind?.kind, one.subresources?.map((sub) => [sub.subresource, sub.responseKind?.group])]),
		[
			['as', 'A', [['scale', 'autoscaling']]],
			['pods', '', [['x', '']]],
		],
	);
});

interface World {
	readonly api: TestApiServer;
	readonly aggregated: Aggregated;
	readonly serving: Authority;
	readonly stop: AbortController;
}

async function world(): Promise<World> {
	const [serving, front] = await Promise.all([
		createAuthority({ commonName: 'aggregated-ca', days: 1 }, realClock),
		createAuthority({ commonName: 'front-proxy-ca', days: 1 }, realClock),
	]);
	const leaf = await issue(serving, { commonName: 'r', dnsNames: ['r.default.svc'], usages: ['server'], days: 1 }, realClock);
	const proxy = await issue(front, { commonName: 'front-proxy-client', usages: ['client'], days: 1 }, realClock);
	const aggregated = await aggregatedServer({ cert: leaf.certPem, key: leaf.keyPem }, front.certPem);
	const stop = new AbortController();
	const standard = { proxyClient: () => ({ cert: proxy.certPem, key: proxy.keyPem }) };
	const api = await testApiServer({ port: 0, clock: realClock, log: noLog, standard }, stop.signal);
	await api.client.create(SERVICES, { metadata: { name: 'r', namespace: 'default' }, spec: { ports: [{ port: 443, targetPort: 8443 }] } });
	await api.client.create(ENDPOINT_SLICES, {
		metadata: { name: 'r-1', namespace: 'default', labels: { 'kubernetes.io/service-name': 'r' } },
		addressType: 'IPv4',
		ports: [{ name: '', port: aggregated.port }],
		endpoints: [{ addresses: ['10.1.1.1'], conditions: { ready: true } }],
	});
	// Endpoints on loopback are refused, so this one moves there behind the validation's back.
	const moved = { endpoints: [{ addresses: ['127.0.0.1'], conditions: { ready: true } }] };
	await api.server.writer.change(ENDPOINT_SLICES, 'default/r-1', (live) => ({ ...live, ...moved }), { dryRun: false, signal: stop.signal });
	return { api, aggregated, serving, stop };
}

test('a request goes to the aggregated server with our certificate and its user; discovery and OpenAPI show what it has', async (t) => {
	const { api, aggregated, serving, stop } = await world();
	t.teardown(async () => {
		stop.abort();
		await api.stopped;
		aggregated.server.closeAllConnections();
		await new Promise((resolve) => aggregated.server.close(resolve));
	});
	const get = (path: string, headers: Record<string, string> = {}): Promise<Response> => fetchFrom(api, path, { headers });
	const spec = {
		group: 'r.io',
		version: 'v1',
		groupPriorityMinimum: 100,
		versionPriority: 5,
		service: { namespace: 'default', name: 'r' },
	};
	const caBundle = Buffer.from(serving.certPem).toString('base64');
	// Requests are passed on as soon as it is said to be available, whatever else is still to be asked.
	const discovery = Promise.withResolvers<void>();
	aggregated.discovery = discovery.promise;
	t.teardown(discovery.resolve);
	await api.client.create(API_SERVICES, { metadata: { name: 'v1.r.io' }, spec: { ...spec, caBundle } });
	await eventually('it is available', async () => availableOf(await api.client.get(API_SERVICES, 'v1.r.io'))?.reason === 'Passed');

	aggregated.got.length = 0;
	const impersonated = {
		'impersonate-user': 'ann',
		'impersonate-group': 'devs',
		'impersonate-extra-team%2fa': 'x',
		'x-remote-user': 'mallory',
		'x-remote-group': 'system:masters',
	};
	await api.client.create(
		{
			group: 'rbac.authorization.k8s.io',
			version: 'v1',
			kind: 'ClusterRoleBinding',
			plural: 'clusterrolebindings',
			namespaced: false,
		} as never,
		{
			apiVersion: 'rbac.authorization.k8s.io/v1',
			kind: 'ClusterRoleBinding',
			metadata: { name: 'ann' },
			roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
			subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'ann' }],
		},
	);
	const listed = await get('/apis/r.io/v1/namespaces/default/rs?limit=5&fieldSelector=a%3Db', impersonated);
	t.is(listed.status, 200);
	t.is(((await listed.json()) as { kind: string }).kind, 'RList');
	const [first] = aggregated.got.filter(({ url }) => url.includes('/rs'));
	t.is(first?.url, '/apis/r.io/v1/namespaces/default/rs?fieldSelector=a%3Db&limit=5');
	t.is(first?.headers['x-forwarded-uri'], '/apis/r.io/v1/namespaces/default/rs');
	t.regex(String(first?.headers['audit-id']), /^[\da-f-]{36}$/);
	t.true(first?.isTrusted);
	t.is(first?.subject, 'front-proxy-client');
	t.is(first?.headers['x-remote-user'], 'ann');
	t.is(first?.headers['x-remote-group'], 'devs, system:authenticated');
	t.is(first?.headers['x-remote-extra-team%2fa'], 'x');
	t.is(first?.headers.authorization, undefined);
	t.is(first?.headers['impersonate-user'], undefined);

	const created = await fetchFrom(api, '/apis/r.io/v1/namespaces/default/rs', { method: 'POST', body: '{"kind":"R"}', headers: {} });
	t.is(created.status, 201);
	t.is(aggregated.got.find(({ body }) => body === '{"kind":"R"}')?.headers['x-remote-user'], 'admin');
	// Bodies are passed on as they are: what they mean, and how large they may be, the server behind knows.
	for (const [type, body] of [
		['application/yaml', `# ${'x'.repeat(20_000)}\nkind: R\n`],
		['application/octet-stream', 'y'.repeat(4 << 20)],
	] as const) {
		await fetchFrom(api, '/apis/r.io/v1/namespaces/default/rs', { method: 'POST', body, headers: { 'content-type': type } });
		t.true(aggregated.got.at(-1)?.body === body, type);
	}
	t.is((await get('/apis/r.io/v1/nothing')).status, 404);
	const moved = await get('/apis/r.io/v1/moved');
	t.deepEqual([moved.status, await moved.text()], [502, 'the backend attempted to redirect this request, which is not permitted']);

	const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
	discovery.resolve();
	await eventually('its resources are known', async () => (await (await get('/apis', { accept })).text()).includes('"rs"'));
	const groups = (await (await get('/apis')).json()) as { groups: { name: string; versions: unknown[] }[] };
	t.is(groups.groups.at(-1)?.name, 'r.io');
	t.is(((await (await get('/apis/r.io')).json()) as { kind: string }).kind, 'APIGroup');
	t.deepEqual(await (await get('/apis/r.io/v1')).json(), RESOURCES);
	const discovered = (await (await get('/apis', { accept })).json()) as { items: { metadata: { name: string }; versions: unknown[] }[] };
	t.deepEqual(discovered.items.find(({ metadata }) => metadata.name === 'r.io')?.versions, [
		{
			version: 'v1',
			resources: [
				{
					resource: 'rs',
					responseKind: { group: '', version: '', kind: 'R' },
					scope: 'Namespaced',
					singularResource: 'r',
					verbs: ['get', 'list'],
					shortNames: ['rr'],
				},
			],
			freshness: 'Current',
		},
	]);
	const root = (await (await get('/openapi/v3')).json()) as { paths: Record<string, { serverRelativeURL: string }> };
	t.is(root.paths['apis/r.io/v1']?.serverRelativeURL, '/openapi/v3/apis/r.io/v1?hash=ABC');
	t.is(((await (await get('/openapi/v3/apis/r.io/v1?hash=ABC')).json()) as { openapi: string }).openapi, '3.0.0');
	t.is(root.paths['apis/r.io']?.serverRelativeURL, '/openapi/v3/apis/r.io?hash=ABC', 'the group has a document of its own');
	t.deepEqual(((await (await get('/openapi/v3/apis/r.io?hash=ABC')).json()) as { paths: object }).paths, { '/apis/r.io/': {} });
	t.false(JSON.stringify(root.paths).includes('/version?hash=ABC'), 'what is of the server itself stays its own');
	const published = (await (await get('/openapi/v2')).json()) as { paths: object; definitions: Record<string, unknown> };
	t.true('/apis/r.io/v1/rs' in published.paths && !('/apis/other.io/v1/x' in published.paths));
	t.deepEqual(published.definitions['io.r.v1.R'], { type: 'object', description: 'an R' });
	t.true('io.k8s.api.core.v1.Pod' in published.definitions);
	t.is(await echoed(api, '/apis/r.io/v1/namespaces/default/rs/a/exec'), 'hello');

	await api.client.delete(ENDPOINT_SLICES, 'default/r-1');
	await eventually('it is not available', async () => availableOf(await api.client.get(API_SERVICES, 'v1.r.io'))?.status === 'False');
	t.is(availableOf(await api.client.get(API_SERVICES, 'v1.r.io'))?.reason, 'EndpointsNotFound');
	const refused = await get('/apis/r.io/v1/namespaces/default/rs');
	t.is(refused.status, 503);
	t.is(await refused.text(), 'service unavailable\n');
	const stale = (await (await get('/apis', { accept })).json()) as {
		items: { metadata: { name: string }; versions: object[] }[];
	};
	t.deepEqual(stale.items.find(({ metadata }) => metadata.name === 'r.io')?.versions, [{ version: 'v1', freshness: 'Stale' }]);
	await api.client.delete(API_SERVICES, 'v1.r.io');
	await eventually('its group is gone', async () => (await get('/apis/r.io')).status === 404);
});

test('APIServices of our own groups are there and available; definitions bring theirs and take them away', async (t) => {
	const stop = new AbortController();
	const api = await testApiServer({ clock: realClock, log: noLog }, stop.signal);
	t.teardown(async () => {
		stop.abort();
		await api.stopped;
	});
	await eventually('the built-in groups', async () => (await api.client.list(API_SERVICES)).items.length >= 21);
	t.is(availableOf(await api.client.get(API_SERVICES, 'v1.apps'))?.reason, 'Local');
	const schema = { openAPIV3Schema: { type: 'object' } };
	await api.client.create(CUSTOM_RESOURCE_DEFINITIONS, {
		metadata: { name: 'as.c.io' },
		spec: {
			group: 'c.io',
			scope: 'Cluster',
			names: { plural: 'as', kind: 'A' },
			versions: [{ name: 'v1', served: true, storage: true, schema }],
		},
	});
	await eventually('v1.c.io is there', async () =>
		(await api.client.list(API_SERVICES)).items.some(({ metadata }) => metadata.name === 'v1.c.io'),
	);
	await api.client.delete(CUSTOM_RESOURCE_DEFINITIONS, 'as.c.io');
	await eventually(
		'v1.c.io is gone',
		async () => !(await api.client.list(API_SERVICES)).items.some(({ metadata }) => metadata.name === 'v1.c.io'),
	);
	t.pass();
});

function availableOf(found: APIService & KubeObject): { readonly status: string; readonly reason?: string | undefined } | undefined {
	return found.status?.conditions?.find(({ type }) => type === 'Available');
}

async function fetchFrom(
	api: TestApiServer,
	path: string,
	init: { readonly method?: string; readonly body?: string; readonly headers: Record<string, string> },
): Promise<Response> {
	const { Agent, request } = await import('node:https');
	const agent = new Agent({ ca: api.ca });
	return new Promise((resolve, reject) => {
		const headers = { authorization: `Bearer ${api.token}`, 'content-type': 'application/json', ...init.headers };
		const out = request(`${api.url}${path}`, { agent, method: init.method ?? 'GET', headers }, (answer) => {
			const chunks: Buffer[] = [];
			answer.on('data', (chunk: Buffer) => chunks.push(chunk));
			answer.on('end', () => {
				agent.destroy();
				resolve(new Response(Buffer.concat(chunks), { status: answer.statusCode ?? 0 }));
			});
		});
		out.once('error', reject);
		out.end(init.body);
	});
}

/** Upgrades a connection and sends a word; gives what comes back. */
function echoed(api: TestApiServer, path: string): Promise<string> {
	const { port, hostname } = new URL(api.url);
	return new Promise((resolve, reject) => {
		const socket = tlsConnect({ socket: connect(Number(port), hostname), ca: api.ca, servername: 'localhost' });
		socket.once('error', reject);
		let text = '';
		socket.setEncoding('utf8').on('data', (chunk: string) => {
			text += chunk;
			const [head, body] = text.split('\r\n\r\n');
			if (body === '' && head?.startsWith('HTTP/1.1 101') === true) socket.write('hello');
			if (body === 'hello') {
				socket.destroy();
				resolve(body);
			}
			if (head !== undefined && !head.startsWith('HTTP/1.1 101')) reject(new Error(text));
		});
		socket.write(
			`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: echo\r\nAuthorization: Bearer ${api.token}\r\n\r\n`,
		);
	});
}
