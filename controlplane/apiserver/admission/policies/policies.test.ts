import test from 'ava';
import type { KubeObject, Resource } from '../../../../api/resource.ts';
import {
	CONFIG_MAPS,
	CUSTOM_RESOURCE_DEFINITIONS,
	NAMESPACES,
	PODS,
	SERVICE_ACCOUNTS,
	VALIDATING_WEBHOOK_CONFIGURATIONS,
} from '../../../../api/resources.ts';
import { policedServer, said } from '../../../../test/fakes/policed-server.ts';
import { fakeWebhook } from '../../../../test/fakes/webhook.ts';
import { eventually } from '../../../../test/tools/eventually.ts';

const { client, bound } = await policedServer(test);

/** What the server says of a config map. */
const saidOf = (namespace: string): Promise<string> =>
	said(client.create(CONFIG_MAPS, { metadata: { name: 'a', namespace, labels: {} }, data: { k: 'v', n: '5' } }));

const check = (expression: string, more: object = {}): object => ({ validations: [{ expression, ...more }] });

for (const [what, spec, want] of [
	['what holds', check("object.data.k == 'v' && int(object.data.n) > 4"), 'ok'],
	[
		'the request',
		check("request.operation == 'CREATE' && request.resource.resource == 'configmaps' && request.userInfo.username == 'admin'"),
		'ok',
	],
	['the namespace', check("namespaceObject.metadata.labels['kubernetes.io/metadata.name'] == request.namespace"), 'ok'],
	['rights of the caller', check("authorizer.group('').resource('secrets').namespace('x').check('get').allowed()"), 'ok'],
	['rights on what is written', check("authorizer.requestResource.check('delete').allowed()"), 'ok'],
	['rights of an account that has none', check("!authorizer.serviceAccount('a', 'b').path('/metrics').check('get').allowed()"), 'ok'],
	[
		'rights in conditions, variables and audit annotations',
		{
			matchConditions: [{ name: 'c', expression: "authorizer.requestResource.check('create').allowed()" }],
			variables: [{ name: 'v', expression: "authorizer.path('/healthz').check('get').allowed()" }],
			auditAnnotations: [{ key: 'a', valueExpression: "authorizer.path('/healthz').check('get').allowed() ? 'may' : 'not'" }],
			...check('!variables.v', { message: 'reached' }),
		},
		/denied request: reached$/,
	],
	[
		'why the caller has a right, and what could not be decided',
		check("authorizer.requestResource.check('create').reason() != 'x' && !authorizer.requestResource.check('create').errored()"),
		'ok',
	],
	[
		'variables, each with those before it',
		{
			variables: [
				{ name: 'a', expression: 'int(object.data.n)' },
				{ name: 'b', expression: 'variables.a * 2' },
			],
			...check('variables.b == 10'),
		},
		'ok',
	],
	[
		'what does not hold, by its message',
		check('false', { message: 'never' }),
		"422 configmaps \"a\" is forbidden: ValidatingAdmissionPolicy 'P' with binding 'P' denied request: never",
	],
	[
		'its reason',
		check('false', { reason: 'Forbidden' }),
		"403 configmaps \"a\" is forbidden: ValidatingAdmissionPolicy 'P' with binding 'P' denied request: failed expression: false",
	],
	[
		'a message that is computed',
		check('false', { messageExpression: "'no ' + object.metadata.name" }),
		"422 configmaps \"a\" is forbidden: ValidatingAdmissionPolicy 'P' with binding 'P' denied request: no a",
	],
	[
		'an error',
		check('object.data.zork == "x"'),
		"422 configmaps \"a\" is forbidden: ValidatingAdmissionPolicy 'P' with binding 'P' denied request: expression 'object.data.zork == \"x\"' resulted in error: no such key: zork",
	],
	['an error that is let pass', { failurePolicy: 'Ignore', ...check('object.data.zork == "x"') }, 'ok'],
	['a condition that is not met', { matchConditions: [{ name: 'c', expression: "object.data.k == 'other'" }], ...check('false') }, 'ok'],
	[
		'a condition that fails',
		{ matchConditions: [{ name: 'c', expression: 'object.data.zork == "x"' }], ...check('false') },
		"422 configmaps \"a\" is forbidden: ValidatingAdmissionPolicy 'P' with binding 'P' denied request: expression 'object.data.zork == \"x\"' resulted in error: no such key: zork",
	],
	['no namespace in conditions', { matchConditions: [{ name: 'c', expression: 'namespaceObject != null' }], ...check('false') }, 'ok'],
	['options as they were given', check("!has(request.options.fieldValidation) && request.options.kind == 'CreateOptions'"), 'ok'],
	[
		'rights of an account that cannot be',
		check("authorizer.serviceAccount('a', 'B b').path('/x').check('get').allowed()"),
		/resulted in error: Invalid service account name$/,
	],
	[
		'rights in a namespace that cannot be',
		check("authorizer.serviceAccount('a.b', 'b').path('/x').check('get').allowed()"),
		/resulted in error: Invalid service account namespace$/,
	],
	[
		'rights on nothing',
		check("authorizer.group('').resource(' ').check('get').allowed()"),
		/resulted in error: resource must not be empty$/,
	],
	[
		'an expression that costs too much',
		check(
			"'abcdefghijklmnopqrstuvwxyz'.split('').all(a, 'abcdefghijklmnopqrstuvwxyz'.split('').all(b, 'abcdefghijklmnopqrstuvwxyz'.split('').all(c, 'abcdefghijklmnopqrstuvwxyz'.split('').all(d, a != b || c != d || true))))",
		),
		/resulted in error: operation cancelled: actual cost limit exceeded$/,
	],
] as const)
	test.serial(`a validating policy and ${what}`, async (t) => {
		const namespace = await bound('validating', spec);
		const answer = (await saidOf(namespace)).replaceAll(namespace, 'P');
		if (want instanceof RegExp) t.regex(answer, want);
		else t.is(answer, want);
	});

for (const [what, binding, objects, want] of [
	['one by name', { name: 'p', parameterNotFoundAction: 'Deny' }, { p: '3' }, '422 max is 3'],
	['all that a selector chooses', { selector: {}, parameterNotFoundAction: 'Deny' }, { p: '9', q: '4' }, '422 max is 4'],
	['none, where that is fine', { name: 'p', parameterNotFoundAction: 'Allow' }, {}, 'ok'],
	[
		'none, where that is not',
		{ name: 'p', parameterNotFoundAction: 'Deny' },
		{},
		'422 failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction',
	],
] as const)
	test.serial(`a validating policy with parameters: ${what}`, async (t) => {
		const spec = {
			paramKind: { apiVersion: 'v1', kind: 'ServiceAccount' },
			validations: [
				{
					expression: "int(object.data.n) <= int(params.metadata.annotations['max'])",
					messageExpression: "'max is ' + params.metadata.annotations['max']",
				},
			],
		};
		const only: object = binding;
		const paramRef = !('selector' in only) ? binding : { ...binding, selector: { matchLabels: { param: 'y' } } };
		const namespace = await bound('validating', spec, { binding: { paramRef } });
		for (const [name, max] of Object.entries(objects))
			await client.create(SERVICE_ACCOUNTS, { metadata: { name, namespace, annotations: { max }, labels: { param: 'y' } } });
		t.is((await saidOf(namespace)).replace(/configmaps .* denied request: /, ''), want);
	});

test.serial('a validating policy with parameters that a webhook has to convert first', async (t) => {
	using hook = await fakeWebhook(({ objects, desiredAPIVersion }) => ({
		result: { status: 'Success' },
		convertedObjects: (objects as readonly object[]).map((object) => ({ ...object, apiVersion: desiredAPIVersion, spec: { old: 'yes' } })),
	}));
	const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
	const version = (name: string): object => ({ name, served: true, storage: name === 'v1', schema: { openAPIV3Schema } });
	await client.create(CUSTOM_RESOURCE_DEFINITIONS, {
		metadata: { name: 'limits.c.io' },
		spec: {
			...{ group: 'c.io', scope: 'Namespaced', names: { plural: 'limits', kind: 'Limit' }, versions: [version('v1'), version('v1alpha1')] },
			conversion: { strategy: 'Webhook', webhook: { clientConfig: hook.clientConfig, conversionReviewVersions: ['v1'] } },
		},
	} as never);
	const limits: Resource<KubeObject> = {
		...{ group: 'c.io', version: 'v1', kind: 'Limit', plural: 'limits', namespaced: true, subresources: [] },
	};
	await eventually('limits are served', () => client.list(limits).then(Boolean, () => false));
	const spec = { paramKind: { apiVersion: 'c.io/v1alpha1', kind: 'Limit' }, ...check("params.spec.old == 'yes'") };
	const namespace = await bound('validating', spec, { binding: { paramRef: { name: 'p', parameterNotFoundAction: 'Deny' } } });
	const limit = { apiVersion: 'c.io/v1', kind: 'Limit', metadata: { name: 'p', namespace }, spec: { fresh: 'yes' } };
	await client.create(limits, limit as KubeObject);
	t.is(await saidOf(namespace), 'ok');
});

test.serial('policies look at deletes, and at updates with the old object', async (t) => {
	const namespace = await bound('validating', {
		validations: [
			{ expression: "request.operation != 'DELETE' || !has(oldObject.data.keep)", message: 'keep it' },
			{ expression: "request.operation != 'UPDATE' || object.data.k == oldObject.data.k", message: 'k stays' },
		],
	});
	await client.create(CONFIG_MAPS, { metadata: { name: 'a', namespace }, data: { k: 'v', keep: 'y' } });
	await t.throwsAsync(client.delete(CONFIG_MAPS, `${namespace}/a`), { message: /keep it$/ });
	await t.throwsAsync(client.patch(CONFIG_MAPS, `${namespace}/a`, { type: 'merge', body: { data: { k: 'w' } } }), { message: /k stays$/ });
	await client.patch(CONFIG_MAPS, `${namespace}/a`, { type: 'merge', body: { data: { keep: null } } });
	await client.delete(CONFIG_MAPS, `${namespace}/a`);
});

test.serial('a policy may not ask for rights in its messages', async (t) => {
	const messageExpression = "string(authorizer.path('/').check('get').allowed())";
	await t.throwsAsync(bound('validating', check('true', { messageExpression })), {
		message: /undeclared reference to 'authorizer' \(in container ''\)/,
	});
});

for (const [name, expression, want] of [
	[
		'hooked-for-rights',
		"authorizer.group('').resource('configmaps').namespace('x').check('get').allowed()",
		/^500 Internal error occurred: failed calling webhook/,
	],
	['hooked-for-the-object', "!authorizer.requestResource.check('create').allowed()", /^ok$/],
	['hooked-for-an-account', "authorizer.serviceAccount('a', 'b').requestResource.check('get').allowed()", /^undeclared$/],
] as const)
	test.serial(`a webhook's conditions ask for rights: ${expression}`, async (t) => {
		await client.create(NAMESPACES, { metadata: { name } });
		const hook = {
			...{ name: 'a.example.com', sideEffects: 'None', admissionReviewVersions: ['v1'], timeoutSeconds: 30 },
			namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } },
			rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
			clientConfig: { url: 'https://127.0.0.1:1/' },
			matchConditions: [{ name: 'c', expression }],
		};
		const made = client.create(VALIDATING_WEBHOOK_CONFIGURATIONS, { metadata: { name }, webhooks: [hook] });
		const refused = await made.then(
			() => false,
			() => true,
		);
		t.regex(refused ? 'undeclared' : await saidOf(name), want);
		if (!refused) await client.delete(VALIDATING_WEBHOOK_CONFIGURATIONS, name);
	});

const apply = (expression: string): object => ({ mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression } }] });
const patch = (expression: string): object => ({ mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression } }] });

for (const [what, spec, want] of [
	['merges a configuration', apply('Object{data: {"k2": object.data.k + "2"}}'), { k: 'v', k2: 'v2', n: '5' }],
	[
		'applies a JSON patch',
		patch('[JSONPatch{op: "replace", path: "/data/k", value: "w"}, JSONPatch{op: "remove", path: "/data/n"}]'),
		{ k: 'w' },
	],
	[
		'asks for rights',
		apply('Object{data: {"k2": authorizer.requestResource.check("create").allowed() ? "may" : "may not"}}'),
		{ k: 'v', k2: 'may', n: '5' },
	],
	[
		'escapes keys',
		patch('[JSONPatch{op: "add", path: "/data/" + jsonpatch.escapeKey("a~b"), value: "y"}]'),
		"422 ConfigMap \"a\" is invalid: data[a~b]: Invalid value: \"a~b\": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
	],
	[
		'leaves the object when a test fails',
		patch('[JSONPatch{op: "test", path: "/data/k", value: "x"}, JSONPatch{op: "remove", path: "/data/n"}]'),
		{ k: 'v', n: '5' },
	],
	[
		'refuses a field that is none',
		apply('Object{zork: "x"}'),
		"403 policy 'P' with binding 'P' denied request: error applying patch: failed to convert patch object to typed object: .zork: field not declared in schema",
	],
	[
		'refuses an object in the wrong place',
		apply('Object{metadata: Object.data{labels: {"a": "b"}}}'),
		'403 policy \'P\' with binding \'P\' denied request: type mismatch: unexpected type name "Object.data", expected "Object.metadata", which matches field name path from root Object type',
	],
	['ignores errors where it is told to', { failurePolicy: 'Ignore', ...apply('Object{zork: "x"}') }, { k: 'v', n: '5' }],
	[
		'looks only where its conditions hold',
		{ matchConditions: [{ name: 'c', expression: 'false' }], ...apply('Object{data: {"k2": "x"}}') },
		{ k: 'v', n: '5' },
	],
] as const)
	test.serial(`a mutating policy ${what}`, async (t) => {
		const namespace = await bound('mutating', spec);
		const answer = await saidOf(namespace);
		if (typeof want === 'string') t.is(answer.replaceAll(namespace, 'P'), want);
		else t.deepEqual((await client.get(CONFIG_MAPS, `${namespace}/a`)).data, want);
	});

test.serial('a mutating policy may not replace an atomic list', async (t) => {
	const namespace = await bound('mutating', apply('Object{spec: Object.spec{tolerations: [Object.spec.tolerations{key: "a"}]}}'));
	const pod = { metadata: { name: 'p', namespace }, spec: { containers: [{ name: 'c', image: 'i' }] } };
	await t.throwsAsync(client.create(PODS, pod), {
		message: /invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: \.spec\.tolerations$/,
	});
});

test.serial('a sidecar comes in by a mutating policy and gets its defaults', async (t) => {
	const expression =
		'Object{spec: Object.spec{initContainers: [Object.spec.initContainers{name: "m", image: "mesh:1", restartPolicy: "Always"}]}}';
	const namespace = await bound('mutating', apply(expression));
	await client.create(PODS, { metadata: { name: 'p', namespace }, spec: { containers: [{ name: 'c', image: 'i' }] } });
	const { spec } = await client.get(PODS, `${namespace}/p`);
	t.like(spec?.initContainers?.[0], { name: 'm', imagePullPolicy: 'IfNotPresent', terminationMessagePath: '/dev/termination-log' });
	t.is(spec?.initContainers?.[0]?.volumeMounts?.length, 1);
});
