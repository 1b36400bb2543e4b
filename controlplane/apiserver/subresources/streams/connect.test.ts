import test from 'ava';
import type { Deployment } from '../../../../api/gen/types.ts';
import {
	DEPLOYMENTS,
	MUTATING_ADMISSION_POLICIES,
	MUTATING_ADMISSION_POLICY_BINDINGS,
	MUTATING_WEBHOOK_CONFIGURATIONS,
	NAMESPACES,
	PODS,
	SERVICE_ACCOUNTS,
	VALIDATING_ADMISSION_POLICIES,
	VALIDATING_ADMISSION_POLICY_BINDINGS,
} from '../../../../api/resources.ts';
import { realClock } from '../../../../base/clock.ts';
import { createLog } from '../../../../base/log.ts';
import { testApiServer } from '../../../../test/fakes/api-server.ts';
import { fakeWebhook, patched } from '../../../../test/fakes/webhook.ts';
import type { ApiRequest } from '../../contracts.ts';
import { attachOptions, execOptions, portForwardOptions, proxyOptions } from './connect-options.ts';

const stop = new AbortController();
const { client, server, stopped } = await testApiServer({ clock: realClock, log: createLog({ level: 'error' }) }, stop.signal);
let patch: readonly object[] = [];
const hook = await fakeWebhook(() => (patch.length === 0 ? { allowed: true } : patched(...patch)));
const { questions, clientConfig } = hook;
test.after.always(async () => {
	hook[Symbol.dispose]();
	stop.abort();
	await stopped;
});

const asked = (path: string): ApiRequest => {
	const url = new URL(path, 'http://x');
	return { path: url.pathname, query: url.searchParams } as ApiRequest;
};

for (const [what, options, path, want] of [
	['exec', execOptions, '/?command=a&command=b&stdin=true&tty=0&container=c', { stdin: true, container: 'c', command: ['a', 'b'] }],
	['attach', attachOptions, '/?stdout=1&stderr=&tty=false', { stdout: true, stderr: true }],
	['portforward', portForwardOptions, '/?ports=80&ports=81', { ports: [80, 81] }],
	['portforward with ports in one', portForwardOptions, '/?ports=80,81&ports=82', { ports: [80, 81, 82] }],
	['portforward without ports', portForwardOptions, '/', {}],
	['a proxy', proxyOptions('PodProxyOptions'), '/api/v1/namespaces/proxy/pods/proxy:80/proxy/a%20b/', { path: '/a b/' }],
	['a proxy to nothing', proxyOptions('ServiceProxyOptions'), '/api/v1/namespaces/n/services/p/proxy', {}],
	['a proxy to the root', proxyOptions('NodeProxyOptions'), '/api/v1/nodes/n/proxy/', { path: '/' }],
] as const)
	test(`the options of ${what}`, (t) => {
		const { kind, apiVersion, ...rest } = options(asked(path));
		t.regex(kind, /^(Pod|Service|Node)(Exec|Attach|PortForward|Proxy)Options$/);
		t.is(apiVersion, 'v1');
		t.deepEqual(rest, want);
	});

for (const [port, why] of [
	['x', 'invalid syntax'],
	['', 'invalid syntax'],
	['-1', 'invalid syntax'],
	['65536', 'value out of range'],
] as const)
	test(`a port to forward is a number of 16 bits: ${JSON.stringify(port)}`, (t) => {
		t.throws(() => portForwardOptions(asked(`/?ports=${port}`)), {
			message: `cannot convert to []int32: strconv.ParseUint: parsing "${port}": ${why}`,
		});
	});

const ADMIN = { name: 'admin', uid: '', groups: ['system:masters', 'system:authenticated'], extra: {} };

/** What the server says of a connection: "403 message". Nothing of ours listens behind it. */
async function said(path: string, posted?: string): Promise<string> {
	const { status, body } = await server
		.transport(ADMIN)
		.request(
			{ method: 'POST', path, ...(posted === undefined ? {} : { body: posted, headers: { 'content-type': 'application/json' } }) },
			AbortSignal.timeout(60_000),
		);
	const chunks: Uint8Array[] = [];
	for await (const chunk of body) chunks.push(chunk);
	return `${status} ${(JSON.parse(Buffer.concat(chunks).toString()) as { readonly message: string }).message}`;
}

let serial = 0;

async function podIn(): Promise<string> {
	const name = `connect-${++serial}`;
	await client.create(NAMESPACES, { metadata: { name } });
	await client.create(SERVICE_ACCOUNTS, { metadata: { name: 'default', namespace: name } });
	const containers = ['a', 'b'].map((container) => ({ name: container, image: 'i' }));
	await client.create(PODS, { metadata: { name: 'p', namespace: name }, spec: { containers } });
	return name;
}

const ours = (namespace: string): object => ({ matchLabels: { 'kubernetes.io/metadata.name': namespace } });
const rule = (...resources: string[]) => ({ apiGroups: [''], apiVersions: ['v1'], operations: ['CONNECT'], resources });

async function hooked(resources: string[], operation = 'CONNECT', group = ''): Promise<string> {
	const name = await podIn();
	questions.length = 0;
	await client.create(MUTATING_WEBHOOK_CONFIGURATIONS, {
		metadata: { name },
		webhooks: [
			{
				...{
					name: 'connect.example.com',
					sideEffects: 'None',
					admissionReviewVersions: ['v1'],
					rules: [{ ...rule(...resources), operations: [operation], apiGroups: [group] }],
				},
				namespaceSelector: ours(name),
				clientConfig,
			},
		],
	});
	return name;
}

for (const [subresource, query, kind, rest] of [
	['exec', '?command=sh&container=a', 'PodExecOptions', { container: 'a', command: ['sh'] }],
	['attach', '?container=a', 'PodAttachOptions', { container: 'a' }],
	['portforward', '', 'PodPortForwardOptions', {}],
	['proxy', '/x', 'PodProxyOptions', { path: '/x' }],
] as const)
	test.serial(`webhooks are asked about pods/${subresource}`, async (t) => {
		patch = [];
		const namespace = await hooked([`pods/${subresource}`]);
		await said(`/api/v1/namespaces/${namespace}/pods/p/${subresource}${query}`);
		const group = { group: '', version: 'v1' };
		t.is(questions.length, 1);
		t.like(questions[0], {
			...{ operation: 'CONNECT', name: 'p', namespace, subResource: subresource, requestSubResource: subresource },
			...{ kind: { ...group, kind }, requestKind: { ...group, kind }, resource: { ...group, resource: 'pods' } },
			...{ dryRun: false, options: null, oldObject: null, object: { kind, apiVersion: 'v1', ...rest } },
		});
	});

const post = (path: string, body: object): Promise<string> => said(path, JSON.stringify(body));

for (const [subresource, kind, body, more] of [
	['pods/p/eviction', { group: 'policy', version: 'v1', kind: 'Eviction' }, { metadata: { name: 'p' } }, {}],
	['pods/p/binding', { group: '', version: 'v1', kind: 'Binding' }, { metadata: { name: 'p' }, target: { name: 'n' } }, {}],
	[
		'serviceaccounts/default/token',
		{ group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' },
		{ spec: { audiences: ['a'] } },
		{},
	],
	['serviceaccounts/default/token', { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' }, {}, { dryRun: true }],
] as const)
	test.serial(`webhooks are asked about what is posted to ${subresource} ${JSON.stringify(more)}`, async (t) => {
		patch = [];
		const [resource = '', name, sub = ''] = subresource.split('/');
		const namespace = await hooked([`${resource}/${sub}`], 'CREATE');
		const { group, version } = kind;
		const apiVersion = group === '' ? version : `${group}/${version}`;
		const query = 'dryRun' in more ? '?dryRun=All' : '';
		await post(`/api/v1/namespaces/${namespace}/${subresource}${query}`, { apiVersion, kind: kind.kind, ...body });
		t.is(questions.length, 1);
		t.like(questions[0], {
			...{ operation: 'CREATE', name, namespace, subResource: sub, kind, requestKind: kind, oldObject: null },
			...{ resource: { group: '', version: 'v1', resource }, dryRun: 'dryRun' in more },
			object: { apiVersion, kind: kind.kind },
		});
	});

test.serial('policies see evictions as what they are, and not reviews', async (t) => {
	const name = await podIn();
	const rules = [
		{ ...rule('pods/eviction'), operations: ['CREATE'] },
		{ apiGroups: ['authorization.k8s.io'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['localsubjectaccessreviews'] },
	];
	await client.create(VALIDATING_ADMISSION_POLICIES, {
		metadata: { name },
		spec: {
			matchConstraints: { namespaceSelector: ours(name), resourceRules: rules },
			validations: [{ expression: "request.kind.kind == 'Eviction' && object.deleteOptions.gracePeriodSeconds == 7", message: 'seven' }],
		},
	});
	await client.create(VALIDATING_ADMISSION_POLICY_BINDINGS, {
		metadata: { name },
		spec: { policyName: name, validationActions: ['Deny'] },
	});
	const eviction = (seconds: number): object => ({
		...{ apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' } },
		deleteOptions: { gracePeriodSeconds: seconds },
	});
	t.regex(await post(`/api/v1/namespaces/${name}/pods/p/eviction`, eviction(5)), /denied request: seven$/);
	t.regex(await post(`/api/v1/namespaces/${name}/pods/p/eviction`, eviction(7)), /^201/);
	const review = {
		apiVersion: 'authorization.k8s.io/v1',
		kind: 'LocalSubjectAccessReview',
		metadata: { namespace: name },
		spec: { user: 'u', resourceAttributes: { verb: 'get', resource: 'pods', namespace: name } },
	};
	t.regex(await post(`/apis/authorization.k8s.io/v1/namespaces/${name}/localsubjectaccessreviews`, review), /^201/);
});

test.serial('the scale of a workload is seen as a Scale, before and after', async (t) => {
	patch = [];
	const namespace = await hooked(['deployments/scale'], 'UPDATE', 'apps');
	const name = namespace;
	const labels = { app: 'x' };
	const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
	await client.create(DEPLOYMENTS, {
		metadata: { name: 'd', namespace },
		spec: { replicas: 2, selector: { matchLabels: labels }, template },
	});
	await client.create(VALIDATING_ADMISSION_POLICIES, {
		metadata: { name },
		spec: {
			matchConstraints: {
				namespaceSelector: ours(name),
				resourceRules: [{ ...rule('deployments/scale'), apiGroups: ['apps'], operations: ['UPDATE'] }],
			},
			validations: [
				{ expression: "object.kind == 'Scale' && object.spec.replicas <= oldObject.spec.replicas + 2", message: 'not so fast' },
			],
		},
	});
	await client.create(VALIDATING_ADMISSION_POLICY_BINDINGS, {
		metadata: { name },
		spec: { policyName: name, validationActions: ['Deny'] },
	});
	const scale = (replicas: number): Promise<Deployment> =>
		client.patch(DEPLOYMENTS, `${namespace}/d`, { type: 'merge', body: { spec: { replicas } } }, { subresource: 'scale' });
	await t.throwsAsync(scale(9), { message: /denied request: not so fast$/ });
	await scale(4);
	t.is((await client.get(DEPLOYMENTS, `${namespace}/d`)).spec?.replicas, 4);
	const kind = { group: 'autoscaling', version: 'v1', kind: 'Scale' };
	t.like(questions.at(-1), {
		kind,
		subResource: 'scale',
		object: { kind: 'Scale', spec: { replicas: 4 } },
		oldObject: { spec: { replicas: 2 } },
	});
	patch = [{ op: 'replace', path: '/spec/replicas', value: 5 }];
	await scale(3);
	t.is((await client.get(DEPLOYMENTS, `${namespace}/d`)).spec?.replicas, 5);
});

test.serial('a mutating policy changes a token request', async (t) => {
	const name = await podIn();
	await client.create(MUTATING_ADMISSION_POLICIES, {
		metadata: { name },
		spec: {
			matchConstraints: { namespaceSelector: ours(name), resourceRules: [{ ...rule('serviceaccounts/token'), operations: ['CREATE'] }] },
			reinvocationPolicy: 'Never',
			mutations: [
				{ patchType: 'JSONPatch', jsonPatch: { expression: '[JSONPatch{op: "replace", path: "/spec/expirationSeconds", value: 1200}]' } },
			],
		},
	});
	await client.create(MUTATING_ADMISSION_POLICY_BINDINGS, { metadata: { name }, spec: { policyName: name } });
	const asked = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { audiences: ['a'], expirationSeconds: 600 } };
	const answer = await client.create(SERVICE_ACCOUNTS, asked, { subresource: 'token', key: `${name}/default` });
	t.is((answer as unknown as typeof asked).spec.expirationSeconds, 1200);
});

test.serial('what a webhook changes is what is connected to', async (t) => {
	patch = [{ op: 'replace', path: '/container', value: 'zork' }];
	const namespace = await hooked(['pods/exec']);
	t.is(await said(`/api/v1/namespaces/${namespace}/pods/p/exec?container=a&command=sh`), '400 container zork is not valid for pod p');
});

test.serial('a connection cannot be tried', async (t) => {
	const namespace = await podIn();
	t.is(await said(`/api/v1/namespaces/${namespace}/pods/p/exec?container=a&dryRun=All`), '400 dryRun is not supported');
});

test.serial('validating policies see connections', async (t) => {
	const name = await podIn();
	await client.create(VALIDATING_ADMISSION_POLICIES, {
		metadata: { name },
		spec: {
			matchConstraints: { namespaceSelector: ours(name), resourceRules: [rule('pods/exec')] },
			validations: [{ expression: "request.operation == 'CONNECT' && !('sh' in object.command)", message: 'no shells' }],
		},
	});
	await client.create(VALIDATING_ADMISSION_POLICY_BINDINGS, {
		metadata: { name },
		spec: { policyName: name, validationActions: ['Deny'] },
	});
	const path = `/api/v1/namespaces/${name}/pods/p/exec?container=a`;
	t.is(
		await said(`${path}&command=sh`),
		`422 pods "p" is forbidden: ValidatingAdmissionPolicy '${name}' with binding '${name}' denied request: no shells`,
	);
	t.is(await said(`${path}&command=ls`), '400 pod p does not have a host assigned');
});

for (const [way, mutation] of [
	['a JSON patch', { patchType: 'JSONPatch', jsonPatch: { expression: '[JSONPatch{op: "replace", path: "/container", value: "zork"}]' } }],
	['an apply configuration', { patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{container: "zork"}' } }],
] as const)
	test.serial(`mutating policies change connections by ${way}`, async (t) => {
		const name = await podIn();
		await client.create(MUTATING_ADMISSION_POLICIES, {
			metadata: { name },
			spec: {
				matchConstraints: { namespaceSelector: ours(name), resourceRules: [rule('pods/exec')] },
				reinvocationPolicy: 'Never',
				mutations: [mutation],
			},
		});
		await client.create(MUTATING_ADMISSION_POLICY_BINDINGS, { metadata: { name }, spec: { policyName: name } });
		t.is(await said(`/api/v1/namespaces/${name}/pods/p/exec?container=a&command=ls`), '400 container zork is not valid for pod p');
	});
