import test from 'ava';
import { aborted } from '../../../base/abort.ts';
import { realClock } from '../../../base/clock.ts';
import { noLog } from '../../../base/log.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import type { ApiRequest, ApiResponse, Handler } from '../contracts.ts';
import type { BodyCodec } from '../request/body-codec.ts';
import { CLUSTER_ROLE_TEXT } from '../bootstrap/cluster-roles.ts';
import { CONTROLLER_ROLE_TEXT } from '../bootstrap/controller-roles.ts';
import { parseBindings, parseRoles } from '../bootstrap/rbac-text.ts';
import { CLUSTER_ROLE_BINDING_TEXT, ROLE_BINDING_TEXT } from '../bootstrap/role-bindings.ts';
import { refuseUnlisted } from '../answer/accept.ts';
import { wantedForm } from './accept.ts';
import { servedResources } from './served-resources.ts';
import { groupPriority, versionPriority } from '../aggregation/local-services.ts';
import { Discovery } from './discovery.ts';
import { storageVersionHash } from './documents.ts';
import type { Store } from '../../storage/store.ts';
import { Health } from './health.ts';
import { nonResourceRoutes } from './routes.ts';
import { standardChecks, Startup } from './standard-checks.ts';
import { compareVersions } from './source.ts';
import { openApiRoutes } from '../openapi/routes.ts';
import { flagzHandler, statuszHandler } from './zpages.ts';

const NEVER = new AbortController().signal;
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

const request = (path: string, headers: Record<string, string> = {}, query = ''): ApiRequest => ({
	method: 'GET',
	path,
	query: new URLSearchParams(query),
	headers,
	user: { name: 'u', uid: '', groups: [], extra: {} },
	remoteAddress: '',
	body: () => Promise.resolve(new Uint8Array()),
	signal: NEVER,
	warn: () => {},
});
const codec: BodyCodec = {
	read: () => Promise.reject(new Error('nothing is posted here')),
	write: (_, status, object) => ({
		type: 'bytes',
		status,
		headers: { 'content-type': 'application/json' },
		body: Buffer.from(JSON.stringify(object)),
	}),
};
const textOf = (answer: ApiResponse | undefined): string => (answer?.type === 'bytes' ? Buffer.from(answer.body).toString() : '');

const served = servedResources();
const aggregated = {
	revision: 0,
	remoteVersions: () => [],
	groupPriority: (group: string) => groupPriority(group, []),
	versionPriority: (group: string, version: string) => versionPriority(group, version, []),
};
let aggregations = 0;
const aggregates = (): number => aggregations++;
const discovery = new Discovery({ source: { resources: () => served }, aggregated, codec, serverAddress: 'h:1', aggregates });
const get = async (path: string, headers: Record<string, string> = {}): Promise<ApiResponse | undefined> =>
	discovery.route(path)?.(request(path, headers));

test('plain documents', async (t) => {
	t.deepEqual(JSON.parse(textOf(await get('/api'))), {
		kind: 'APIVersions',
		versions: ['v1'],
		serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: 'h:1' }],
	});
	t.deepEqual(JSON.parse(textOf(await get('/apis/autoscaling/'))), {
		kind: 'APIGroup',
		apiVersion: 'v1',
		name: 'autoscaling',
		versions: [
			{ groupVersion: 'autoscaling/v2', version: 'v2' },
			{ groupVersion: 'autoscaling/v1', version: 'v1' },
		],
		preferredVersion: { groupVersion: 'autoscaling/v2', version: 'v2' },
	});
	t.is(await get('/apis/zork.io'), undefined);
});

test('the group of aggregation is served by a framework that knows GET alone, and one form of refusal', async (t) => {
	const path = '/apis/apiregistration.k8s.io';
	await t.throwsAsync(get(path, { accept: 'text/xml' }), { message: /^406: Not Acceptable/ });
	await t.throwsAsync(get('/apis/autoscaling', { accept: 'text/xml' }), { message: /^only the following media types are accepted/ });
	const posted = { ...request(path, {}), method: 'POST' as const };
	await t.throwsAsync(async () => discovery.route(path)?.(posted), { message: /does not allow this method/ });
});

test('the aggregated document has an ETag, and is not sent twice', async (t) => {
	const first = await get('/apis', { accept: AGGREGATED });
	if (first?.type !== 'bytes') return t.fail();
	t.is(first.headers['content-type'], AGGREGATED);
	const again = await get('/apis', { accept: AGGREGATED, 'if-none-match': first.headers['etag'] ?? '' });
	t.is(again?.type === 'bytes' ? again.status : 0, 304);
	t.deepEqual(again?.type === 'bytes' ? Object.keys(again.headers) : [], ['vary', 'etag', 'cache-control']);
	await t.throwsAsync(get('/apis/', { accept: AGGREGATED }), { message: /^only the following media types are accepted/ });
	await t.throwsAsync(get('/apis/apps', { accept: AGGREGATED }), { message: /^only the following media types are accepted/ });
});

const BETA = AGGREGATED.replace('v2', 'v2beta1');
const json = (version: 'v2' | 'v2beta1') => ({ form: 'aggregated', version, mediaType: 'application/json' }) as const;

for (const [accept, want] of [
	[undefined, { form: 'plain' }],
	['application/json', { form: 'plain' }],
	[AGGREGATED, json('v2')],
	[`${BETA},application/json`, json('v2beta1')],
	[`${AGGREGATED},${BETA},application/json`, json('v2')],
	[`application/json, ${AGGREGATED}`, json('v2')],
	['application/vnd.kubernetes.protobuf, application/json', { form: 'plain' }],
	[AGGREGATED.replace('json', 'yaml'), { form: 'aggregated', version: 'v2', mediaType: 'application/yaml' }],
] as const)
	test(`wantedForm(): ${accept}`, (t) => t.deepEqual(wantedForm(accept), want));

for (const accept of [BETA, 'text/html', 'application/json;v=v2', 'application/json;as=Table;v=v1;g=meta.k8s.io'])
	test(`wantedForm(): ${accept} is not acceptable`, (t) => {
		const message = 'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf';
		t.is(t.throws(() => wantedForm(accept))?.message, message);
	});

for (const [accept, refused] of [
	['application/json;as=Table', false],
	['text/html, */*;q=0.1', false],
	['application/*', true],
	['application/cbor', true],
] as const)
	test(`refuseUnlisted(): ${accept}`, (t) => {
		if (refused) t.regex(t.throws(() => refuseUnlisted(accept))?.message ?? '', /^406: Not Acceptable\n\nAvailable representations: /);
		else t.notThrows(() => refuseUnlisted(accept));
	});

test('versions in order of preference; the storage hash of upstream', (t) => {
	t.deepEqual(['v1beta1', 'v2', 'x', 'v1', 'v1alpha3', 'v1beta2'].sort(compareVersions), [
		'v2',
		'v1',
		'v1beta2',
		'v1beta1',
		'v1alpha3',
		'x',
	]);
	t.is(storageVersionHash({ group: '', version: 'v1', kind: 'Pod' }), 'xPOwRZ+Yhw8=');
});

test('health: short, verbose, excluded, failing, and each check alone', async (t) => {
	let healthy = true;
	const health = new Health([{ name: 'etcd', check: () => (healthy ? Promise.resolve() : Promise.reject(new Error('down'))) }], noLog);
	const ask = async (path: string, query = ''): Promise<string> => textOf(await health.route(path)?.(request(path, {}, query)));
	t.is(await ask('/livez'), 'ok');
	t.is(await ask('/readyz', 'verbose'), '[+]ping ok\n[+]etcd ok\nreadyz check passed\n');
	healthy = false;
	t.is(await ask('/healthz'), '[+]ping ok\n[-]etcd failed: reason withheld\nhealthz check failed\n');
	t.is(await ask('/healthz', 'exclude=etcd'), 'ok');
	const unknown = 'warn: some health checks cannot be excluded: no matches for "also","nope"';
	t.is(
		await ask('/healthz', 'exclude=nope&exclude=also&exclude=etcd&verbose'),
		`[+]ping ok\n[+]etcd excluded: ok\n${unknown}\nhealthz check passed\n`,
	);
	t.is(await ask('/healthz/ping'), 'ok');
	t.is(health.route('/healthz/zork'), undefined);
	t.is(health.route('/api'), undefined);
});

test.serial('what is put together for all at once is counted once', async (t) => {
	const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
	for (const path of ['/apis', '/api', '/apis']) t.is((await get(path, { accept }))?.type, 'bytes');
	t.is(aggregations, 1);
});

test('health: what gives requests their turns is named, or what only counts them', (t) => {
	const named = (isFair: boolean): readonly string[] => {
		const deps = { startup: new Startup(), store: {} as Store, clock: realClock, certificate: undefined, followsKeys: false };
		return standardChecks({ ...deps, isFair, unregistered: () => [] }).flatMap(({ name }) =>
			/fairness|in-flight/.test(name) ? [name.replace('poststarthook/', '')] : [],
		);
	};
	const producer = 'priority-and-fairness-config-producer';
	t.deepEqual(named(true), ['priority-and-fairness-config-consumer', 'priority-and-fairness-filter', producer]);
	t.deepEqual(named(false), ['max-in-flight-filter', producer]);
});

test('health: a store that does not answer is waited for as long as it was said', async (t) => {
	const clock = new VirtualClock(0);
	const stuck = { fresh: (_: unknown, signal: AbortSignal) => aborted(signal).then(() => Promise.reject(signal.reason as Error)) };
	const storeCheckMs = { health: 100, readiness: 3000 };
	const deps = {
		startup: new Startup(),
		store: stuck as unknown as Store,
		clock,
		certificate: undefined,
		followsKeys: false,
		isFair: true,
		unregistered: () => [],
	};
	const failed: string[] = [];
	for (const { name, check } of standardChecks({ ...deps, storeCheckMs }))
		if (name.startsWith('etcd')) check(new AbortController().signal).catch(() => failed.push(name));
	await clock.advance(200);
	t.deepEqual(failed, ['etcd']);
	await clock.advance(3000);
	t.deepEqual(failed, ['etcd', 'etcd-readiness']);
});

test('bootstrap: upstream’s default roles and bindings', (t) => {
	const roles = [...parseRoles(CLUSTER_ROLE_TEXT), ...parseRoles(CONTROLLER_ROLE_TEXT)];
	t.is(roles.length, 69);
	t.deepEqual(roles.find((r) => r.metadata.name === 'cluster-admin')?.rules, [
		{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
		{ verbs: ['*'], nonResourceURLs: ['*'] },
	]);
	t.deepEqual(roles.find((r) => r.metadata.name === 'view')?.aggregationRule, {
		clusterRoleSelectors: [{ matchLabels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' } }],
	});
	t.is(parseBindings(CLUSTER_ROLE_BINDING_TEXT).length, 50);
	const [signer] = parseBindings(ROLE_BINDING_TEXT);
	t.deepEqual(signer?.subjects, [{ kind: 'ServiceAccount', namespace: 'kube-system', name: 'bootstrap-signer' }]);
});

const PROTOBUF = 'application/com.github.proto-openapi.spec';
const nothing = { additions: () => undefined, addresses: () => ({}), document: () => undefined };
const openApi = new Map(openApiRoutes({ custom: nothing, remote: { ...nothing, document: () => Promise.resolve(undefined) } } as never));
for (const [route, path, accept, status, type] of [
	['/openapi/v2', '/openapi/v2', `${PROTOBUF}.v2@v1.0+protobuf`, 200, `${PROTOBUF}.v2.v1.0+protobuf`],
	['/openapi/v3/', '/openapi/v3/version', `${PROTOBUF}.v3@v1.0+protobuf, application/json`, 200, `${PROTOBUF}.v3.v1.0+protobuf`],
	['/openapi/v3/', '/openapi/v3/version', `${PROTOBUF}.v3.v1.0+protobuf`, 200, `${PROTOBUF}.v3.v1.0+protobuf`],
	['/openapi/v3/', '/openapi/v3/version', '*/*', 200, 'application/json'],
	['/openapi/v3/', '/openapi/v3/version', `${PROTOBUF}.v2@v1.0+protobuf`, 406, undefined],
] as const)
	test(`${path} for who accepts ${accept}`, async (t) => {
		const answer = await openApi.get(route)?.(request(path, { accept }));
		if (answer?.type !== 'bytes') return t.fail();
		t.deepEqual([answer.status, answer.headers['content-type']], [status, type]);
	});

test('a folder serves what is below it with a slash at the end, too', async (t) => {
	const none = { route: () => undefined, paths: () => [] };
	const routes = nonResourceRoutes({ discovery: none, health: none, others: [...openApi], clock: realClock, flags: {} } as never);
	const answer = await routes('/openapi/v3/zork/')?.(request('/openapi/v3/zork/', {}));
	t.deepEqual(answer, { type: 'bytes', status: 404, headers: {}, body: new Uint8Array() });
});

const start = Date.parse('2026-11-01T14:05:18Z');
const ticking = new VirtualClock(start);
const paths = ['/api', '/apis/apps', '/healthz/ping', '/livez', '/openapi/v3', '/statusz'];
const page = async (handler: Handler, accept: string): Promise<ApiResponse> => handler(request('/', accept === '' ? {} : { accept }));
const statusz = statuszHandler(ticking, () => paths);
const flagz = flagzHandler({ 'secure-port': '6443', 'api-audiences': '[]' });

test('/statusz: text for people, a document for those who ask for it', async (t) => {
	await ticking.advance(3_723_000);
	const lines = textOf(await page(statusz, '')).split('\n');
	t.deepEqual(lines.slice(1, 2), ['apiserver statusz']);
	t.deepEqual(lines.slice(4, 6), ['Started: Sun Nov  1 14:05:18 UTC 2026', 'Up: 1 hr 02 min 03 sec']);
	t.is(lines.at(-2), 'Paths: /healthz /livez /statusz');
	const document = await page(
		statusz,
		'application/json;as=Table;v=v1;g=meta.k8s.io, application/json;as=Statusz;v=v1beta1;g=config.k8s.io',
	);
	t.is(document.type === 'bytes' ? document.headers['content-type'] : '', 'application/json;g=config.k8s.io;v=v1beta1;as=Statusz');
	const { kind, uptimeSeconds, startTime } = JSON.parse(textOf(document)) as Record<string, unknown>;
	t.deepEqual([kind, uptimeSeconds, startTime], ['Statusz', 3723, '2026-11-01T14:05:18Z']);
});

for (const accept of [
	'application/json',
	'text/html',
	'application/json;as=Statusz;v=v2;g=config.k8s.io',
	'application/vnd.kubernetes.protobuf',
])
	test(`/statusz: ${accept} is not acceptable`, (t) => {
		const error = t.throws(() => void statusz(request('/statusz', { accept })));
		t.is(error?.message, 'only the following media types are accepted: application/json, application/yaml, text/plain');
	});

test('/flagz: the flags by name', async (t) => {
	t.deepEqual(
		textOf(await page(flagz, 'text/*'))
			.split('\n')
			.slice(-3),
		['api-audiences=[]', 'secure-port=6443', ''],
	);
	const { flags } = JSON.parse(textOf(await page(flagz, 'application/json;as=Flagz;v=v1beta1;g=config.k8s.io'))) as Record<string, unknown>;
	t.deepEqual(flags, { 'api-audiences': '[]', 'secure-port': '6443' });
});
