/** What is refused, and in which words: single requests against a whole server, in process. */
import { buffer } from 'node:stream/consumers';
import test from 'ava';
import { noLog } from '../../../base/log.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { testApiServer, type TestApiServer } from '../../../test/fakes/api-server.ts';

type Answer = { readonly code: number; readonly body: Record<string, unknown> };
type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
type Ask = (method: Method, path: string, body?: unknown) => Promise<Answer>;

const stop = new AbortController();
let server: TestApiServer;
const ask: Ask = async (method, path, body) => {
	const { transport } = server.client;
	const sent = body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) };
	const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
	const headers = {
		'content-type': type,
		...(path.includes('includeObject') ? { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } : {}),
	};
	const answer = await transport.request({ method, path, headers, ...sent }, stop.signal);
	return { code: answer.status, body: JSON.parse((await buffer(answer.body)).toString()) as Answer['body'] };
};

test.before(async () => {
	server = await testApiServer({ clock: new VirtualClock(Date.parse('2026-01-01T00:00:00Z')), log: noLog }, stop.signal);
	for (const [name, labels] of [
		['a', { x: '1' }],
		['b', { x: '2' }],
		['c', {}],
	] as const)
		await ask('POST', CONFIG_MAPS, { metadata: { name, labels } });
});
test.after.always(async () => {
	stop.abort();
	await server.stopped;
});

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const CORE = '/api/v1';
const METHOD = 'the server does not allow this method on the requested resource';
const create = (metadata: object): readonly ['POST', string, unknown] => ['POST', CONFIG_MAPS, { metadata }];

for (const [what, [method, path, body], code, message] of [
	['to delete a collection of all namespaces', ['DELETE', `${CORE}/configmaps`], 405, METHOD],
	['a limit that is no number', ['GET', `${CONFIG_MAPS}?limit=x`], 400, 'strconv.ParseInt: parsing "x": invalid syntax'],
	[
		'a limit that is too large',
		['GET', `${CONFIG_MAPS}?limit=9223372036854775808`],
		400,
		'strconv.ParseInt: parsing "9223372036854775808": value out of range',
	],
	[
		'a version that is too large',
		['GET', `${CONFIG_MAPS}?resourceVersion=18446744073709551616`],
		400,
		'invalid resource version: resourceVersion: Invalid value: "18446744073709551616": strconv.ParseUint: parsing "18446744073709551616": value out of range',
	],
	...(['GET', 'DELETE', 'PATCH'] as const).map(
		(method) =>
			[
				`${method} of a name that is no part of a path`,
				[method, `${CONFIG_MAPS}/a%25b`, method === 'PATCH' ? {} : undefined],
				400,
				`Name parameter invalid: "a%b": may not contain '%'`,
			] as const,
	),
	[
		'a deletion of selected objects whose selector is none, whatever else is asked',
		['DELETE', `${CONFIG_MAPS}?labelSelector=a%3D%3D%3Db&dryRun=x`],
		400,
		"unable to parse requirement: found '=', expected: identifier",
	],
	['a timeout that is no number', ['GET', `${CONFIG_MAPS}?timeoutSeconds=1s`], 400, 'strconv.ParseInt: parsing "1s": invalid syntax'],
	[
		'a list at what is no version',
		['GET', `${CONFIG_MAPS}?resourceVersion=x`],
		400,
		'invalid resource version: resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax',
	],
	[
		'a page at a version, from what is no token',
		['GET', `${CONFIG_MAPS}?resourceVersion=5&continue=!`],
		400,
		'invalid continue token: continue key is not valid: illegal base64 data at input byte 0',
	],
	['a delete of another version', ['DELETE', `${CONFIG_MAPS}/a?resourceVersion=1`], 409, /the ResourceVersion in the precondition \(1\)/],
	['a delete of another object', ['DELETE', `${CONFIG_MAPS}/a?uid=x`], 409, /the UID in the precondition \(x\) does not match/],
	['a delete of a collection of another version', ['DELETE', `${CONFIG_MAPS}?resourceVersion=0`], 409, /in the precondition \(0\)/],
	[
		'a watch of one, by the name of another',
		['GET', `${CORE}/watch/namespaces/default/configmaps/a?fieldSelector=metadata.name%3Db`],
		400,
		"fieldSelector metadata.name doesn't match requested name",
	],
	[
		'a watch of what can only be listed',
		['GET', `${CORE}/componentstatuses?watch=1`],
		405,
		'watch is not supported on resources of kind "componentstatuses"',
	],
	['the same by a path of its own', ['GET', `${CORE}/watch/componentstatuses`], 404, 'the server could not find the requested resource'],
	[
		'Events by a field that the other version has',
		['GET', `${CORE}/events?fieldSelector=reportingController%3Dx`],
		400,
		'field label not supported: reportingController',
	],
	[
		'Events of the other version by a field of the first one',
		['GET', '/apis/events.k8s.io/v1/events?fieldSelector=involvedObject.name%3Dx'],
		400,
		'field label not supported: involvedObject.name',
	],
	['an export', ['GET', `${CONFIG_MAPS}/a?export=1`], 400, 'the export parameter, deprecated since v1.14, is no longer supported'],
	[
		'a list whose selector is none, whatever else is wrong with it',
		['GET', `${CONFIG_MAPS}?resourceVersion=1&resourceVersionMatch=Foo&labelSelector=,`],
		400,
		"found ',', expected: !, identifier, or 'end of string'",
	],
	[
		'a token of an account by a name that is no part of a path',
		['POST', `${CORE}/namespaces/default/serviceaccounts/../token`, { spec: {} }],
		400,
		`Name parameter invalid: "..": may not be '..'`,
	],
	[
		'a watch that goes on from a page',
		['GET', `${CONFIG_MAPS}?watch=1&continue=x`],
		422,
		'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided',
	],
	[
		'a table with other objects',
		['GET', `${CONFIG_MAPS}?includeObject=Zork`],
		400,
		`Unable to convert to Table as requested: includeObject: Invalid value: "Zork": must be 'Metadata', 'Object', 'None', or empty`,
	],
	['a path with an empty segment', ['GET', '/api/v1//namespaces'], 404, 'the server could not find the requested resource'],
	[
		'a proxy below the old path of watches',
		['POST', `${CORE}/watch/namespaces/default/pods/p/proxy/x`],
		404,
		'the server could not find the requested resource',
	],
	[
		'an exec below the old path of watches',
		['GET', `${CORE}/watch/namespaces/default/pods/p/exec`],
		404,
		'the server could not find the requested resource',
	],
	['a POST to the old path of watches', ['POST', `${CORE}/watch/configmaps`], 405, METHOD],
	[
		'a POST to the old path of watches that there are none of',
		['POST', '/apis/authorization.k8s.io/v1/watch/subjectaccessreviews'],
		404,
		'the server could not find the requested resource',
	],
	['a PUT to the old path of a watch', ['PUT', `${CORE}/watch/namespaces/default/configmaps/a`], 405, METHOD],
	['a DELETE of the old path of watches', ['DELETE', `${CORE}/watch/namespaces/default/configmaps`], 405, METHOD],
	['the old path of proxies', ['GET', `${CORE}/proxy/namespaces/default/pods/p`], 404, 'the server could not find the requested resource'],
	[
		'a namespace as one of another',
		['GET', `${CORE}/namespaces/default/namespaces/kube-system`],
		404,
		'the server could not find the requested resource',
	],
	[
		'all namespaces as those of one',
		['GET', `${CORE}/namespaces/default/namespaces`],
		404,
		'the server could not find the requested resource',
	],
	['a component that is not there', ['GET', `${CORE}/componentstatuses/zork`], 404, 'componentstatus "zork" not found'],
	['a version on create', create({ name: 'd', resourceVersion: '5' }), 500, 'resourceVersion should not be set on objects to be created'],
	[
		'a duration without a unit',
		['POST', `${CONFIG_MAPS}?timeout=5`, { metadata: {} }],
		400,
		'invalid timeout specified in the request URL - time: missing unit in duration "5"',
	],
	[
		'a duration of an unknown unit',
		['POST', `${CONFIG_MAPS}?timeout=1x`, { metadata: {} }],
		400,
		'invalid timeout specified in the request URL - time: unknown unit "x" in duration "1x"',
	],
] as const)
	test(`refused: ${what}`, async (t) => {
		const answer = await ask(method, path, body);
		t.is(answer.code, code);
		if (message instanceof RegExp) t.regex(String(answer.body['message']), message);
		else t.is(answer.body['message'], message);
	});

test('a lease is updated only by who says what it was, be it known by its uid', async (t) => {
	const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
	const { body } = await ask('POST', leases, { metadata: { name: 'l' } });
	const { uid, resourceVersion } = body['metadata'] as Record<string, string>;
	const refused = await ask('PUT', `${leases}/l`, { metadata: { name: 'l', uid } });
	t.is(refused.code, 422);
	t.is(
		refused.body.message,
		'leases.coordination.k8s.io "l" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
	);
	t.is((await ask('PUT', `${leases}/l`, { metadata: { name: 'l', uid, resourceVersion } })).code, 200);
});

test('not refused: what is no version, on create; a set of no values; pages of what the cache has', async (t) => {
	t.is((await ask(...create({ name: 'e', resourceVersion: '0' }))).code, 201);
	t.is((await ask(...create({ name: 'f', resourceVersion: 'x' }))).code, 201);
	t.is((await ask('GET', `${CONFIG_MAPS}?labelSelector=x%20in%20()`)).code, 200);
	const whole = await ask('GET', `${CONFIG_MAPS}?limit=1&resourceVersion=0&labelSelector=x`);
	t.is((whole.body['items'] as unknown[]).length, 2);
	const first = await ask('GET', `${CONFIG_MAPS}?limit=1&labelSelector=x`);
	const { continue: rest } = first.body['metadata'] as Record<string, string>;
	const later = await ask('GET', `${CONFIG_MAPS}?limit=1&resourceVersion=0&continue=${rest}`);
	t.is((later.body['metadata'] as Record<string, string>)['continue'], undefined);
});

test('views are made of what is stored: without the annotation that a version adds', async (t) => {
	const daemonSets = '/apis/apps/v1/namespaces/default/daemonsets';
	const labels = { a: 'b' };
	const spec = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } } };
	const { body } = await ask('POST', daemonSets, { metadata: { name: 'd' }, spec });
	const GENERATION = { 'deprecated.daemonset.template.generation': '1' };
	type Shown = { readonly metadata: { readonly annotations?: object } };
	t.deepEqual((body as unknown as Shown).metadata.annotations, GENERATION);
	const row = async (include: string): Promise<Shown> => {
		const table = await ask('GET', `${daemonSets}/d?includeObject=${include}`);
		return (table.body['rows'] as readonly { readonly object: Shown }[])[0]?.object as Shown;
	};
	t.is((await row('Metadata')).metadata.annotations, undefined);
	t.deepEqual((await row('Object')).metadata.annotations, GENERATION);
});

test('a page of selected objects goes on while there are objects, selected or not', async (t) => {
	const page = await ask('GET', `${CONFIG_MAPS}?limit=2&labelSelector=x`);
	const next = (page.body['metadata'] as { continue?: string }).continue ?? '';
	t.not(next, '');
	const rest = await ask('GET', `${CONFIG_MAPS}?limit=2&labelSelector=x&continue=${next}`);
	t.deepEqual(rest.body['items'], []);
});

test('a generated name may begin with anything that ends well', async (t) => {
	const { body } = await ask(...create({ generateName: 'B-' }));
	const { causes } = body['details'] as { causes: readonly { field: string }[] };
	t.deepEqual(
		causes.map(({ field }) => field),
		['metadata.name'],
	);
});

test('owners: the second controller is named with its kind', async (t) => {
	const owner = (name: string) => ({ apiVersion: 'v1', kind: 'Pod', name, uid: name, controller: true });
	const { body } = await ask(...create({ name: 'g', ownerReferences: [owner('p'), owner('q')] }));
	t.regex(String(body['message']), /in references for Pod\/p and Pod\/q$/);
});

test('a local review: metadata, namespace and paths, in this order', async (t) => {
	const path = '/apis/authorization.k8s.io/v1/namespaces/default/localsubjectaccessreviews';
	const spec = { user: 'u', resourceAttributes: { verb: 'get' }, nonResourceAttributes: { path: '/x' } };
	const { body } = await ask('POST', path, { metadata: { name: 'n', namespace: 'default' }, spec });
	const { causes } = body['details'] as { causes: readonly { field: string; message: string }[] };
	t.deepEqual(
		causes.map(({ field, message }) => `${field}: ${message.replace(/^.*: /, '')}`),
		[
			'spec.nonResourceAttributes: cannot be specified in combination with resourceAttributes',
			'metadata: must be empty except for namespace',
			'spec.resourceAttributes.namespace: must match metadata.namespace',
			'spec.nonResourceAttributes: disallowed on this kind of request',
		],
	);
});

test('DELETE answers the object of these kinds', async (t) => {
	const path = '/api/v1/namespaces/default/podtemplates';
	await ask('POST', path, { metadata: { name: 'a' }, template: { spec: { containers: [{ name: 'c', image: 'i' }] } } });
	t.is((await ask('DELETE', `${path}/a`)).body['kind'], 'PodTemplate');
});

const REPLICAS = { type: 'object', properties: { n: { type: 'integer' } } };
const RULED = {
	type: 'string',
	'x-kubernetes-validations': [{ rule: "self != 'no'", message: 'not this' }],
};
test('custom resources: without a kind, rules of values, replicas, status, and what is no subresource', async (t) => {
	const properties = { spec: { ...REPLICAS, properties: { ...REPLICAS.properties, s: RULED } }, status: REPLICAS };
	const version = {
		...{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties } } },
		subresources: { status: {}, scale: { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' } },
	};
	await ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
		metadata: { name: 'ws.x.io' },
		spec: { group: 'x.io', scope: 'Cluster', names: { plural: 'ws', kind: 'W' }, versions: [version] },
	});
	const head = { apiVersion: 'x.io/v1', kind: 'W', metadata: { name: 'a' } };
	const messageOf = async (method: Method, path: string, body?: unknown) =>
		(await ask(method, `/apis/x.io/v1/ws${path}`, body)).body['message'];
	t.is(
		await messageOf('POST', '', { spec: {} }),
		`the object provided is unrecognized (must be of type W): Object 'Kind' is missing in '{"spec":{}}' ({"spec":{}})`,
	);
	t.is(await messageOf('POST', '', { ...head, spec: { s: 'no' } }), 'W.x.io "a" is invalid: spec.s: Invalid value: "no": not this');
	t.regex(
		String(await messageOf('POST', '', { ...head, spec: [1] })),
		/\.spec\.n: Invalid value: 0: \.spec\.n accessor error: \[1\] is of the type \[\]interface \{\}, expected map\[string\]interface\{\}/,
	);
	await ask('POST', '/apis/x.io/v1/ws', { ...head, spec: { s: 'yes' } });
	const status = String(await messageOf('PATCH', '/a/status', { status: { n: 'x' } }));
	const wrongType = 'status.n: Invalid value: "string": n in body must be of type integer: "string"';
	const wrongCount = '.status.n: Invalid value: 0: .status.n accessor error: x is of the type string, expected int64';
	t.true(status.startsWith(`W.x.io "a" is invalid: [${wrongType}, ${wrongCount}, `), status);
	t.is(await messageOf('GET', '/a/scale'), 'Internal error occurred: the spec replicas field ".spec.n" does not exist');
	const empty = 'the spec replicas field ".spec.n" cannot be empty';
	t.is(await messageOf('PATCH', '/a/scale', { metadata: { labels: { a: 'b' } } }), empty);
	t.is(await messageOf('DELETE', '/a/scale'), 'delete is not supported on resources of kind "ws.x.io"');
	await ask('PATCH', '/apis/x.io/v1/ws/a', { spec: { n: 1 } });
	const wrongVersion = 'apiVersion: Invalid value: "x.io/v2": must be x.io/v1';
	t.is(await messageOf('PATCH', '/a', { apiVersion: 'x.io/v2' }), `W.x.io "a" is invalid: ${wrongVersion}`);
	t.regex(String(await messageOf('PATCH', '/a', { apiVersion: 'y.io/v1' })), /^W\.y\.io "a" is invalid: apiVersion: /);
	const both = await messageOf('PATCH', '/a', { apiVersion: 'x.io/v2', kind: 'X' });
	t.is(both, `X.x.io "a" is invalid: [kind: Invalid value: "X": must be W, ${wrongVersion}]`);
	const { body: table } = await ask('GET', '/apis/x.io/v1/ws/a/scale?includeObject=None');
	const columns = table['columnDefinitions'] as readonly { readonly format: string; readonly type: string; readonly description: string }[];
	t.deepEqual([columns[0]?.format, columns[1]?.description, columns[3]?.type], ['name', 'Number of desired replicas', 'date']);
	const another = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'a', uid: 'x' }, spec: { replicas: 2 } };
	t.regex(String(await messageOf('PUT', '/a/scale', another)), /Precondition failed: UID in precondition: x, UID in object meta: /);
	t.is(await messageOf('GET', '/a/zork'), 'ws.x.io "a" not found');
	t.is(await messageOf('GET', '?fieldSelector=spec.s%3Da'), 'field label not supported: spec.s');
	const plain = { method: 'POST', path: '/apis/x.io/v1/ws', headers: { 'content-type': 'text/plain' }, body: Buffer.from('{}') } as const;
	const unread = (await buffer((await server.client.transport.request(plain, stop.signal)).body)).toString();
	t.true(unread.includes('accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf'), unread);
});
