/** Admission webhooks as an operator has them: a real HTTPS server with its own CA, called by the running API server, driven by the official JavaScript client. */
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { json } from 'node:stream/consumers';
import test from 'ava';
import {
	KubeConfig,
	CoreV1Api,
	AdmissionregistrationV1Api,
	DiscoveryV1Api,
	ApiException,
	type V1MutatingWebhook,
	type V1ValidatingWebhook,
} from '@kubernetes/client-node';
import { realClock } from '../../base/clock.ts';
import { createLog } from '../../base/log.ts';
import { createAuthority, issue } from '../../wire/tls/authority.ts';
import { testApiServer } from '../fakes/api-server.ts';

interface Question {
	readonly uid: string;
	readonly name?: string;
	readonly namespace: string;
	readonly operation: string;
	readonly dryRun: boolean;
	readonly kind: object;
	readonly object: {
		readonly metadata: { readonly labels?: Record<string, string>; readonly name?: string; readonly uid?: string };
		readonly data?: Record<string, string>;
	} | null;
	readonly oldObject: object | null;
	readonly options: { readonly kind: string };
	readonly userInfo: { readonly username: string };
}
type Answer = (question: Question) => object | Promise<object>;

const stop = new AbortController();
const asked: { readonly path: string; readonly question: Question }[] = [];
let answers: Record<string, Answer> = {};
const authority = await createAuthority({ commonName: 'webhook-ca', days: 1 }, realClock);
const caBundle = Buffer.from(authority.certPem).toString('base64');
const leaf = {
	commonName: 'hook',
	dnsNames: ['hook.hooks.svc', 'localhost'],
	ipAddresses: ['127.0.0.1'],
	usages: ['server'],
	days: 1,
} as const;
const { certPem, keyPem } = await issue(authority, leaf, realClock);
const hooks: Server = createServer({ cert: certPem, key: keyPem }, (request, response) => {
	answered(request.url ?? '', request)
		.then((answer) => response.setHeader('content-type', 'application/json').end(JSON.stringify(answer)))
		.catch((error: unknown) => response.writeHead(500).end(String(error)));
});

async function answered(path: string, body: NodeJS.ReadableStream): Promise<object> {
	const review = (await json(body)) as { readonly request: Question };
	asked.push({ path, question: review.request });
	const answer = await answers[path.split('?')[0] ?? '']?.(review.request);
	const response = { uid: review.request.uid, allowed: true, ...answer };
	return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response };
}

await new Promise<void>((resolve) => hooks.listen(0, '0.0.0.0', resolve));
const { port } = hooks.address() as AddressInfo;
const api = await testApiServer({ port: 0, clock: realClock, log: createLog({ level: 'error' }) }, stop.signal);
const config = new KubeConfig();
config.loadFromClusterAndUser(
	{ name: 'c', server: api.url, caData: Buffer.from(api.ca).toString('base64'), skipTLSVerify: false },
	{ name: 'admin', token: api.token },
);
const core = config.makeApiClient(CoreV1Api);
const registration = config.makeApiClient(AdmissionregistrationV1Api);

test.after.always(async () => {
	stop.abort();
	hooks.closeAllConnections();
	hooks.close();
	await api.stopped;
});

/** Endpoints may not be loopback addresses. */
function ownAddress(): string {
	const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
	return addresses.find((a) => a.family === 'IPv4' && !a.internal)?.address ?? '';
}

let serial = 0;

/** A namespace of its own, with the answers and webhooks of one test. */
async function prepared(given: Record<string, Answer>): Promise<string> {
	const namespace = `hooked-${++serial}`;
	answers = given;
	asked.length = 0;
	await core.createNamespace({ body: { metadata: { name: namespace } } });
	return namespace;
}

const basic = (namespace: string, path: string, more: object = {}): V1MutatingWebhook & V1ValidatingWebhook => ({
	name: `${path.slice(1)}.kubeling.test`,
	admissionReviewVersions: ['v1'],
	sideEffects: 'None',
	clientConfig: { url: `https://127.0.0.1:${port}${path}`, caBundle },
	namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
	rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE', 'DELETE'], resources: ['configmaps'] }],
	...more,
});

const mutating = (namespace: string, ...webhooks: V1MutatingWebhook[]): Promise<unknown> =>
	registration.createMutatingWebhookConfiguration({ body: { metadata: { name: namespace }, webhooks } });
const validating = (namespace: string, ...webhooks: V1ValidatingWebhook[]): Promise<unknown> =>
	registration.createValidatingWebhookConfiguration({ body: { metadata: { name: namespace }, webhooks } });

const patch = (...operations: object[]): object => ({
	patchType: 'JSONPatch',
	patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
});
const label =
	(key: string, value: string): Answer =>
	({ object }) =>
		patch(...(object?.metadata.labels === undefined ? [{ op: 'add', path: '/metadata/labels', value: {} }] : []), {
			op: 'add',
			path: `/metadata/labels/${key}`,
			value,
		});

async function refusal(call: Promise<unknown>): Promise<{ readonly code: number; readonly message: string }> {
	try {
		await call;
	} catch (error) {
		if (!(error instanceof ApiException)) throw error;
		const { message } = JSON.parse(error.body as string) as { readonly message: string };
		return { code: error.code, message };
	}
	return { code: 200, message: '' };
}

const create = (
	namespace: string,
	name: string,
	more: object = {},
	dryRun?: string,
): Promise<{ metadata?: { labels?: Record<string, string> } }> =>
	core.createNamespacedConfigMap({ namespace, body: { metadata: { name }, ...more }, ...(dryRun === undefined ? {} : { dryRun }) });

test.serial('a patch changes the object, and the next webhook sees it changed', async (t) => {
	const namespace = await prepared({ '/a': label('a', '1'), '/b': label('b', '2') });
	await mutating(namespace, basic(namespace, '/a'), basic(namespace, '/b'));
	const { metadata } = await create(namespace, 'x', { data: { k: 'v' } });
	t.deepEqual(metadata?.labels, { a: '1', b: '2' });
	t.deepEqual(
		asked.map(({ path, question }) => [path, question.object?.metadata.labels]),
		[
			['/a?timeout=10s', undefined],
			['/b?timeout=10s', { a: '1' }],
		],
	);
	const { question } = asked[0] as (typeof asked)[number];
	t.deepEqual(
		[question.operation, question.name, question.namespace, question.kind, question.dryRun, question.oldObject, question.userInfo.username],
		['CREATE', 'x', namespace, { group: '', version: 'v1', kind: 'ConfigMap' }, false, null, 'admin'],
	);
	t.is(question.object?.metadata.uid, undefined);
	t.is(question.options.kind, 'CreateOptions');
});

test.serial('a webhook that allows it is asked again when a later one changed the object', async (t) => {
	const namespace = await prepared({
		'/a': ({ object }) => label(`seen${Object.keys(object?.metadata.labels ?? {}).length}`, 'y')({ object } as Question),
		'/b': ({ object }) => (object?.metadata.labels?.['b'] === undefined ? label('b', '2')({ object } as Question) : {}),
	});
	await mutating(namespace, basic(namespace, '/a', { reinvocationPolicy: 'IfNeeded' }), basic(namespace, '/b'));
	const { metadata } = await create(namespace, 'x');
	t.deepEqual(metadata?.labels, { seen0: 'y', b: '2', seen2: 'y' });
	t.deepEqual(
		asked.map(({ path }) => path.split('?')[0]),
		['/a', '/b', '/a'],
	);
});

test.serial('a no carries the webhook, its message and its code', async (t) => {
	const namespace = await prepared({
		'/no': () => ({ allowed: false, status: { message: 'not today', code: 402 } }),
		'/mute': () => ({ allowed: false }),
	});
	await validating(namespace, basic(namespace, '/no'));
	t.deepEqual(await refusal(create(namespace, 'x')), {
		code: 402,
		message: 'admission webhook "no.kubeling.test" denied the request: not today',
	});
	await registration.deleteValidatingWebhookConfiguration({ name: namespace });
	await validating(namespace, basic(namespace, '/mute'));
	t.deepEqual(await refusal(create(namespace, 'x')), {
		code: 400,
		message: 'admission webhook "mute.kubeling.test" denied the request without explanation',
	});
});

test.serial('deletes are asked about with the old object, updates with both', async (t) => {
	const namespace = await prepared({});
	await validating(namespace, basic(namespace, '/ok'));
	await create(namespace, 'x', { data: { k: 'v' } });
	await core.replaceNamespacedConfigMap({ namespace, name: 'x', body: { metadata: { name: 'x' }, data: { k: 'w' } } });
	await core.deleteNamespacedConfigMap({ namespace, name: 'x' });
	t.deepEqual(
		asked.map(({ question }) => [
			question.operation,
			question.object?.data,
			(question.oldObject as Question['object'])?.data,
			question.options.kind,
		]),
		[
			['CREATE', { k: 'v' }, undefined, 'CreateOptions'],
			['UPDATE', { k: 'w' }, { k: 'v' }, 'UpdateOptions'],
			['DELETE', undefined, { k: 'w' }, 'DeleteOptions'],
		],
	);
});

test.serial('selectors and rules decide who is asked', async (t) => {
	const namespace = await prepared({});
	await validating(
		namespace,
		basic(namespace, '/labelled', { objectSelector: { matchLabels: { app: 'x' } } }),
		basic(namespace, '/secrets', { rules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['secrets'] }] }),
	);
	await create(namespace, 'plain');
	t.is(asked.length, 0);
	await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'labelled', labels: { app: 'x' } } } });
	t.deepEqual(
		asked.map(({ path }) => path),
		['/labelled?timeout=10s'],
	);
});

test.serial('a webhook that cannot be called refuses, unless its policy ignores that', async (t) => {
	const namespace = await prepared({ '/slow': () => new Promise((resolve) => setTimeout(() => resolve({}), 3000)) });
	const stranger = Buffer.from((await createAuthority({ commonName: 'stranger', days: 1 }, realClock)).certPem).toString('base64');
	for (const [webhook, why] of [
		[
			basic(namespace, '/x', { clientConfig: { url: 'https://127.0.0.1:1/x', caBundle } }),
			'Post "https://127.0.0.1:1/x?timeout=10s": dial tcp 127.0.0.1:1: connect: connection refused',
		],
		[
			basic(namespace, '/x', { clientConfig: { url: `https://127.0.0.1:${port}/x`, caBundle: stranger } }),
			`Post "https://127.0.0.1:${port}/x?timeout=10s": tls: failed to verify certificate: x509: certificate signed by unknown authority`,
		],
		[basic(namespace, '/slow', { timeoutSeconds: 1 }), `Post "https://127.0.0.1:${port}/slow?timeout=1s": context deadline exceeded`],
		[
			basic(namespace, '/x', { clientConfig: { service: { namespace: 'hooks', name: 'none' }, caBundle } }),
			'Post "https://none.hooks.svc:443/?timeout=10s": service "none" not found',
		],
	] as const) {
		await validating(namespace, webhook);
		t.deepEqual(await refusal(create(namespace, 'x')), {
			code: 500,
			message: `Internal error occurred: failed calling webhook "${webhook.name}": failed to call webhook: ${why}`,
		});
		await registration.deleteValidatingWebhookConfiguration({ name: namespace });
		await validating(namespace, { ...webhook, failurePolicy: 'Ignore' });
		t.deepEqual(await refusal(create(namespace, 'x', {}, 'All')), { code: 200, message: '' });
		await registration.deleteValidatingWebhookConfiguration({ name: namespace });
	}
});

test.serial('a service is dialled through its endpoints, under its own name', async (t) => {
	const namespace = await prepared({ '/v': () => ({ allowed: false, status: { message: 'seen' } }) });
	await core.createNamespace({ body: { metadata: { name: 'hooks' } } });
	await core.createNamespacedService({
		namespace: 'hooks',
		body: { metadata: { name: 'hook' }, spec: { ports: [{ port: 8443, targetPort: port }] } },
	});
	await config.makeApiClient(DiscoveryV1Api).createNamespacedEndpointSlice({
		namespace: 'hooks',
		body: {
			metadata: { name: 'hook-1', labels: { 'kubernetes.io/service-name': 'hook' } },
			addressType: 'IPv4',
			ports: [{ name: '', port }],
			endpoints: [{ addresses: [ownAddress()] }],
		},
	});
	await validating(
		namespace,
		basic(namespace, '/v', { clientConfig: { service: { namespace: 'hooks', name: 'hook', path: '/v', port: 8443 }, caBundle } }),
	);
	t.deepEqual(await refusal(create(namespace, 'x')), {
		code: 400,
		message: 'admission webhook "v.kubeling.test" denied the request: seen',
	});
});

test.serial('a dry run asks only webhooks without side effects', async (t) => {
	const namespace = await prepared({});
	await validating(namespace, basic(namespace, '/quiet'));
	await create(namespace, 'x', {}, 'All');
	t.true(asked[0]?.question.dryRun);
	await registration.deleteValidatingWebhookConfiguration({ name: namespace });
	await validating(namespace, basic(namespace, '/loud', { sideEffects: 'NoneOnDryRun' }));
	await create(namespace, 'x', {}, 'All');
	t.is(asked.length, 2);
});

for (const [what, answer, why] of [
	['another uid', { uid: 'zork' }, /^expected response.uid="[0-9a-f-]{36}", got "zork"$/],
	['a patch without its type', { patch: 'W10=' }, /^webhook returned response.patch but not response.patchType$/],
	['a type without a patch', { patchType: 'JSONPatch' }, /^webhook returned response.patchType but not response.patch$/],
] as const)
	test.serial(`an answer with ${what} counts as no answer`, async (t) => {
		const namespace = await prepared({ '/odd': () => answer });
		await mutating(namespace, basic(namespace, '/odd'));
		const { code, message } = await refusal(create(namespace, 'x'));
		t.is(code, 500);
		const start = 'Internal error occurred: failed calling webhook "odd.kubeling.test": received invalid webhook response: ';
		t.is(message.slice(0, start.length), start);
		t.regex(message.slice(start.length), why);
	});

test.serial('the configuration of webhooks is subject to none', async (t) => {
	const namespace = await prepared({ '/all': () => ({ allowed: false }) });
	const rules = [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*'] }];
	const { namespaceSelector: _, ...everywhere } = basic(namespace, '/all', { rules });
	await validating(namespace, everywhere);
	t.is((await refusal(create(namespace, 'x'))).code, 400);
	t.is((await refusal(registration.deleteValidatingWebhookConfiguration({ name: namespace }))).code, 200);
	t.is((await refusal(create(namespace, 'x'))).code, 200);
});

test.serial('an equivalent version is shown in the version the rule names', async (t) => {
	const namespace = await prepared({
		'/hpa': ({ kind, object }) => ({
			allowed: false,
			status: { message: JSON.stringify([kind, (object as { spec?: object } | null)?.spec]) },
		}),
	});
	await validating(
		namespace,
		basic(namespace, '/hpa', {
			rules: [{ apiGroups: ['autoscaling'], apiVersions: ['v2'], operations: ['CREATE'], resources: ['horizontalpodautoscalers'] }],
		}),
	);
	const { AutoscalingV1Api } = await import('@kubernetes/client-node');
	const create = config.makeApiClient(AutoscalingV1Api).createNamespacedHorizontalPodAutoscaler({
		namespace,
		body: {
			metadata: { name: 'h' },
			spec: {
				maxReplicas: 3,
				targetCPUUtilizationPercentage: 50,
				scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
			},
		},
	});
	const { message } = await refusal(create);
	t.regex(message, /"group":"autoscaling","version":"v2","kind":"HorizontalPodAutoscaler"/);
	t.regex(message, /"averageUtilization":50/);
});
