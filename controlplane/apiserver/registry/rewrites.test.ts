/** Writes over what is there, or is not: versions, uids and names that do not fit, and what of metadata they keep. */
import { buffer } from 'node:stream/consumers';
import test from 'ava';
import { noLog } from '../../../base/log.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { eventually } from '../../../test/tools/eventually.ts';
import { testApiServer, type TestApiServer } from '../../../test/fakes/api-server.ts';

interface Body {
	readonly message?: string;
	readonly metadata?: Readonly<Record<string, unknown>>;
	readonly details?: Readonly<Record<string, unknown>>;
}

const stop = new AbortController();
let server: TestApiServer;
const ask = async (method: string, path: string, body?: object): Promise<{ readonly code: number; readonly body: Body }> => {
	const { transport } = server.client;
	const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
	const sent = body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) };
	const answer = await transport.request({ method: method as 'PUT', path, headers: { 'content-type': type }, ...sent }, stop.signal);
	return { code: answer.status, body: JSON.parse((await buffer(answer.body)).toString()) as Body };
};

const codeOf = async (method: string, path: string): Promise<number> =>
	(await server.client.transport.request({ method: method as 'PUT', path }, stop.signal)).status;

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const FLOWS = '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas';
const SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';
const ADMISSION = '/apis/admissionregistration.k8s.io/v1';
const NETWORK = '/apis/networking.k8s.io/v1/namespaces/default';
const APPS = '/apis/apps/v1/namespaces/default';
const DEPLOYMENT = {
	selector: { matchLabels: { a: 'b' } },
	template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
};

test.before(async () => {
	server = await testApiServer({ clock: new VirtualClock(Date.parse('2026-01-01T00:00:00Z')), log: noLog }, stop.signal);
	await ask('POST', CONFIG_MAPS, { metadata: { name: 'a' } });
});
test.after.always(async () => {
	stop.abort();
	await server.stopped;
});

test('POST: a dry run answers the version that was sent', async (t) => {
	for (const resourceVersion of ['0', '5']) {
		const { body } = await ask('POST', `${CONFIG_MAPS}?dryRun=All`, { metadata: { name: 'dry', resourceVersion } });
		t.is(body.metadata?.['resourceVersion'], resourceVersion);
	}
});

const EXISTS = 'configmaps "a" already exists';
const UNIQUE = `${EXISTS}, the server was not able to generate a unique name for the object`;
const PRECONDITION =
	'Operation cannot be fulfilled on leases.coordination.k8s.io "b": StorageError: invalid object, Code: 4, Key: /registry/leases/default/b, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: u, UID in object meta: ';

for (const [what, method, path, metadata, code, message] of [
	[
		'a version is refused before the name',
		'POST',
		CONFIG_MAPS,
		{ name: 'a', resourceVersion: '5' },
		500,
		'resourceVersion should not be set on objects to be created',
	],
	['a dry run sees the name alone', 'POST', `${CONFIG_MAPS}?dryRun=All`, { name: 'a', resourceVersion: '5' }, 409, EXISTS],
	['who wanted a generated name is told so', 'POST', CONFIG_MAPS, { name: 'a', generateName: 'b-' }, 409, UNIQUE],
	['a uid is a precondition of what is not there', 'PUT', `${LEASES}/b`, { name: 'b', uid: 'u' }, 409, PRECONDITION],
	['a version is none', 'PUT', `${LEASES}/c`, { name: 'c', resourceVersion: '5' }, 201, undefined],
	[
		'the name must fit, also of what is not there',
		'PUT',
		`${CONFIG_MAPS}/d`,
		{ name: 'e' },
		400,
		'the name of the object (e) does not match the name on the URL (d)',
	],
	[
		'the namespace must fit before the name',
		'PUT',
		`${CONFIG_MAPS}/d`,
		{ name: 'e', namespace: 'x' },
		400,
		'the namespace of the provided object does not match the namespace sent on the request',
	],
	['what an update does not create is not found', 'PUT', `${CONFIG_MAPS}/d`, { name: 'd', uid: 'u' }, 404, 'configmaps "d" not found'],
] as const)
	test(`${method}: ${what}`, async (t) => {
		const answer = await ask(method, path, { metadata });
		t.deepEqual([answer.code, answer.body.message], [code, message]);
		t.is(answer.body.details?.['retryAfterSeconds'], message === UNIQUE ? 1 : undefined);
	});

test('a uid that does not fit is told of before the version', async (t) => {
	const answer = await ask('PUT', `${CONFIG_MAPS}/a`, { metadata: { name: 'a', uid: 'u', resourceVersion: '1' } });
	t.regex(answer.body.message ?? '', /Precondition failed: UID in precondition: u, UID in object meta: \S+$/);
});

test('the name that was asked for can be changed, and goes with who leaves it out', async (t) => {
	await ask('POST', CONFIG_MAPS, { metadata: { name: 'g', generateName: 'g' } });
	const kept = await ask('PATCH', `${CONFIG_MAPS}/g`, { metadata: { generateName: 'h-' } });
	t.is(kept.body.metadata?.['generateName'], 'h-');
	const gone = await ask('PUT', `${CONFIG_MAPS}/g`, { metadata: { name: 'g' } });
	t.is(gone.body.metadata?.['generateName'], undefined);
});

test("a flow schema's status writes nothing of its metadata, an API service's what is of its end", async (t) => {
	const flow = { name: 'f', annotations: {} };
	const spec = { priorityLevelConfiguration: { name: 'global-default' }, matchingPrecedence: 9000 };
	await ask('POST', FLOWS, { metadata: flow, spec });
	const answer = await ask('PATCH', `${FLOWS}/f/status`, { metadata: { generateName: 'x', deletionGracePeriodSeconds: 5 } });
	t.deepEqual([answer.code, answer.body.metadata?.['generateName']], [200, undefined]);
	const service = { group: 'x.io', version: 'v1', groupPriorityMinimum: 1, versionPriority: 1 };
	await ask('POST', SERVICES, { metadata: { name: 'v1.x.io' }, spec: service });
	const ended = await ask('PATCH', `${SERVICES}/v1.x.io/status`, {
		metadata: { labels: { 'B c': '' }, deletionTimestamp: '2026-01-01T00:00:00Z' },
	});
	t.is(
		ended.body.message,
		'APIService.apiregistration.k8s.io "v1.x.io" is invalid: metadata.deletionTimestamp: Invalid value: "2026-01-01T00:00:00Z": field is immutable',
	);
});

test('custom resources are looked at as all others before their own rules', async (t) => {
	const group = 'c.io';
	const spec = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
	const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
	const names = { kind: 'W', plural: 'ws', singular: 'w', listKind: 'WList' };
	await ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
		metadata: { name: `ws.${group}` },
		spec: { group, names, scope: 'Namespaced', versions: [{ name: 'v1', served: true, storage: true, schema }] },
	});
	const path = `/apis/${group}/v1/namespaces/default/ws`;
	const object = { apiVersion: `${group}/v1`, kind: 'W', metadata: { name: 'a' } };
	await eventually('the kind is served', async () => (await ask('POST', path, object)).code === 201);
	const answer = await ask('PATCH', `${path}/a`, { metadata: { labels: { 'B c': '' } } });
	t.is((answer.body.details?.['causes'] as readonly unknown[] | undefined)?.length, 3);
	t.is((await ask('PATCH', `${path}/a`, { metadata: { finalizers: ['A b/c'] } })).code, 422);
	t.is(await codeOf('DELETE', `/apis/${group}/v1/ws`), 404, 'only lists and watches are there for all namespaces');
	const changed = await ask('PATCH', `${path}/a`, { spec: { a: [] } });
	t.is(changed.body.metadata?.['generation'], 2, 'they are plain JSON, and an empty list is something');
	const strict = await ask('PATCH', `${path}/a?fieldValidation=Strict`, { zork: 1 });
	t.regex(strict.body.message ?? '', /"metadata\\":\{\\"creationTimestamp/, 'in order all through');
	const held = await ask('PATCH', `${path}/a`, { metadata: { finalizers: ['c.io/hold'] } });
	t.is(held.code, 200);
	const marked = await ask('DELETE', `${path}/a`);
	const gone = await ask('PATCH', `${path}/a`, { metadata: { finalizers: null } });
	t.is(gone.body.metadata?.['resourceVersion'], marked.body.metadata?.['resourceVersion'], 'what goes is told in the version that it had');
	const definition = await ask('GET', `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/ws.${group}`);
	const { status } = definition.body as { status?: { conditions?: readonly { observedGeneration?: number }[] } };
	t.deepEqual(
		status?.conditions?.map(({ observedGeneration }) => observedGeneration),
		[undefined, undefined],
	);
});

test('who writes an older version owns what it reads there, and no mark of a deletion', async (t) => {
	const scalers = '/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers';
	const target = { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' };
	const metadata = { name: 'h', deletionGracePeriodSeconds: 5 };
	const made = await ask('POST', scalers, { metadata, spec: { maxReplicas: 3, scaleTargetRef: target } });
	const owned = ({ body }: { readonly body: Body }): unknown[] =>
		((body.metadata?.['managedFields'] ?? []) as { readonly fieldsV1: Record<string, unknown> }[]).map(
			({ fieldsV1 }) => fieldsV1['f:metadata'],
		);
	t.deepEqual(owned(made), [undefined]);
	const written = await ask('PATCH', `${scalers}/h/status`, { status: { currentCPUUtilizationPercentage: 5 } });
	const annotations = { '.': {}, 'f:autoscaling.alpha.kubernetes.io/current-metrics': {} };
	t.deepEqual(owned(written), [undefined, { 'f:annotations': annotations }]);
});

test('a dry run of a Service asks of its address only that it is in the range', async (t) => {
	const path = '/api/v1/namespaces/default/services';
	const spec = (clusterIP: string): object => ({ clusterIP, ports: [{ port: 80 }] });
	const { body: made } = await ask('POST', path, { metadata: { name: 's' }, spec: { ports: [{ port: 80 }] } });
	const { clusterIP = '' } = (made as { readonly spec?: { readonly clusterIP?: string } }).spec ?? {};
	t.is((await ask('POST', path, { metadata: { name: 'u' }, spec: spec(clusterIP) })).code, 422);
	t.is((await ask('POST', `${path}?dryRun=All`, { metadata: { name: 'u' }, spec: spec(clusterIP) })).code, 201);
	const { body: outside } = await ask('POST', `${path}?dryRun=All`, { metadata: { name: 'u' }, spec: spec('192.0.2.1') });
	t.regex(outside.message ?? '', /: the provided IP \(192\.0\.2\.1\) is not in the valid range\. The range of valid IPs is [\d.]+\/\d+$/);
	const { body: nameless } = await ask('POST', `${path}?dryRun=All`, { spec: { ports: [{ port: 80 }] } });
	t.is(nameless.message, 'Service "" is invalid: metadata.name: Required value: name or generateName is required');
});

test('nothing is said of a kind that goes away where the type of a patch is refused', async (t) => {
	const path = '/api/v1/namespaces/default/endpoints/a';
	const headers = { 'content-type': 'application/json' };
	const answer = await server.client.transport.request({ method: 'PATCH', path, headers, body: Buffer.from('{}') }, stop.signal);
	t.deepEqual([answer.status, answer.headers['warning']], [415, undefined]);
});

for (const [what, path, made, changed, want] of [
	['webhooks', `${ADMISSION}/validatingwebhookconfigurations`, {}, { webhooks: [] }, 2],
	['rules of a network policy', `${NETWORK}/networkpolicies`, { spec: { podSelector: {} } }, { spec: { ingress: [] } }, 2],
	['a deployment’s volumes', `${APPS}/deployments`, { spec: DEPLOYMENT }, { spec: { template: { spec: { volumes: [] } } } }, 1],
] as const)
	test(`an empty list over none: ${what}`, async (t) => {
		t.is((await ask('POST', path, { ...made, metadata: { name: 'empty' } })).code, 201);
		const { body } = await ask('PATCH', `${path}/empty`, changed);
		t.is(body.metadata?.['generation'], want);
	});
