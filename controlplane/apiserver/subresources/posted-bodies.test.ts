/** What is posted to subresources and reviews is read as strictly as any other body, and refused in upstream's words; asked over real sockets. */
import { request, Agent } from 'node:https';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import test from 'ava';
import { realClock } from '../../../base/clock.ts';
import { noLog } from '../../../base/log.ts';
import { testApiServer } from '../../../test/fakes/api-server.ts';

const stop = new AbortController();
const { url, ca, token, stopped } = await testApiServer({ clock: realClock, log: noLog, port: 0 }, stop.signal);
const agent = new Agent({ ca, keepAlive: true });
test.after.always(async () => {
	agent.destroy();
	stop.abort();
	await stopped;
});

interface Answer {
	readonly code: number;
	readonly kind?: string;
	readonly message?: string;
	readonly metadata?: object;
	readonly status?: object;
	readonly warnings: string;
}

async function send(method: 'POST' | 'PATCH' | 'GET', path: string, body: unknown, accept?: string): Promise<Answer> {
	const headers = {
		authorization: `Bearer ${token}`,
		...(accept === undefined ? {} : { accept }),
		'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
	};
	const sent = request(`${url}${path}`, { agent, method, headers });
	sent.end(body === undefined || typeof body === 'string' ? body : JSON.stringify(body));
	const [answer] = (await once(sent, 'response')) as [IncomingMessage];
	const { statusCode: code = 0, headers: answered } = answer;
	return { ...(JSON.parse(await text(answer)) as Answer), code, warnings: String(answered['warning'] ?? '') };
}

const NAMESPACE = '/api/v1/namespaces/default';
const PODS = `${NAMESPACE}/pods`;
const ACCOUNT = `${NAMESPACE}/serviceaccounts/here`;
const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
const spec = { resourceAttributes: { verb: 'get', resource: 'pods' } };

async function aPod(name: string, status: object = {}): Promise<void> {
	const pod = { metadata: { name, labels: { of: name } }, spec: { serviceAccountName: 'here', containers: [{ name: 'c', image: 'i' }] } };
	await send('POST', PODS, { apiVersion: 'v1', kind: 'Pod', ...pod });
	await send('PATCH', `${PODS}/${name}/status`, { status });
}

async function aBudget(pod: string, status: object): Promise<void> {
	const path = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
	const of = { metadata: { name: pod }, spec: { minAvailable: 1, selector: { matchLabels: { of: pod } } } };
	await send('POST', path, { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', ...of });
	await send('PATCH', `${path}/${pod}/status`, { status: { observedGeneration: 1, ...status } });
}

const eviction = (name: string, deleteOptions: object = {}): object => ({ metadata: { name }, deleteOptions });

test.before(async () => {
	for (const name of ['here', 'other']) await send('POST', `${NAMESPACE}/serviceaccounts`, { metadata: { name } });
	await aPod('p');
});

for (const [path, kind] of [
	[`${PODS}/p/eviction`, 'Eviction'],
	[`${PODS}/p/binding`, 'Binding'],
	[`${NAMESPACE}/bindings`, 'Binding'],
	[`${ACCOUNT}/token`, 'TokenRequest'],
	[REVIEWS, 'SelfSubjectAccessReview'],
	['/apis/authentication.k8s.io/v1/selfsubjectreviews', 'SelfSubjectReview'],
	['/apis/authentication.k8s.io/v1/tokenreviews', 'TokenReview'],
	['/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', 'SelfSubjectRulesReview'],
] as const)
	test(`${path}: nothing is no ${kind}, and unknown fields are told`, async (t) => {
		const why = "couldn't get version/kind; json parse error: unexpected end of JSON input (<empty>)";
		t.like(await send('POST', path, ''), { code: 400, message: `the object provided is unrecognized (must be of type ${kind}): ${why}` });
		t.like(await send('POST', `${path}?fieldValidation=Strict`, { zork: 1 }), {
			code: 400,
			message: `${kind} in version "v1" cannot be handled as a ${kind}: strict decoding error: unknown field "zork"`,
		});
		t.regex((await send('POST', path, { zork: 1 })).warnings, /unknown field \\"zork\\"/);
		t.is((await send('POST', `${path}?fieldValidation=Ignore`, { zork: 1 })).warnings, '');
		t.like(await send('POST', `${path}?fieldValidation=zork`, {}), { code: 422 });
	});

test('of a review the metadata alone can be asked for, and none has a name', async (t) => {
	const accept = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
	t.like(await send('POST', REVIEWS, { spec }, accept), { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' });
	t.like(await send('POST', `${ACCOUNT}/token`, { spec: {} }, accept), { kind: 'PartialObjectMetadata', code: 201 });
	t.like(await send('GET', `${REVIEWS}/x`, undefined), { code: 404, message: 'the server could not find the requested resource' });
	const local = 'localsubjectaccessreviews';
	t.like(await send('POST', `/apis/authorization.k8s.io/v1/${local}`, { spec }), { code: 404 });
	const elsewhere = { metadata: { namespace: 'x' }, spec: { user: 'u', ...spec } };
	t.like(await send('POST', `/apis/authorization.k8s.io/v1/namespaces/default/${local}`, elsewhere), {
		code: 400,
		message: 'the namespace of the provided object does not match the namespace sent on the request',
	});
});

test('a review keeps what it was asked', async (t) => {
	t.like(await send('POST', REVIEWS, { spec }), { code: 201, status: { allowed: true } });
});

test('nobody says of a token himself that it is good', async (t) => {
	const status = { authenticated: true, user: { username: 'x' } };
	const answer = await send('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: 'zork' }, status });
	t.deepEqual(answer['status'], { user: { username: 'x' }, error: 'invalid bearer token' });
});

test('what was done is told in the form that was asked for, whatever the view', async (t) => {
	await send('POST', `${NAMESPACE}/configmaps`, { metadata: { name: 'gone' } });
	await aPod('evicted');
	const accept = 'application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
	const headers = { authorization: `Bearer ${token}`, accept };
	for (const [method, path, body] of [
		['DELETE', 'configmaps/gone', ''],
		['POST', 'pods/evicted/eviction', JSON.stringify(eviction('evicted'))],
	] as const) {
		const sent = request(`${url}${NAMESPACE}/${path}`, { agent, method, headers }).end(body);
		const [answer] = (await once(sent, 'response')) as [IncomingMessage];
		answer.resume();
		t.deepEqual(
			[answer.statusCode, answer.headers['content-type']],
			[method === 'POST' ? 201 : 200, 'application/vnd.kubernetes.protobuf'],
		);
	}
});

for (const [rule, path, body, code, message] of [
	['no name at all', `${NAMESPACE}/bindings`, { target: { name: 'n' } }, 400, 'Name parameter required.'],
	[
		'a name that is no part of a path',
		`${NAMESPACE}/bindings`,
		{ metadata: { name: 'a/b%' }, target: { name: 'n' } },
		400,
		`Name parameter invalid: "a/b%": may not contain '/';may not contain '%'`,
	],
	[
		'a wrong target',
		`${PODS}/p/binding`,
		{ metadata: { name: 'p' }, target: { kind: 'X' } },
		500,
		'[target.kind: Unsupported value: "X": supported values: "Node", "<empty>", target.name: Required value]',
	],
	[
		'a name that differs, of an account that is not there',
		`${NAMESPACE}/serviceaccounts/nowhere/token`,
		{ metadata: { name: 'x' } },
		422,
		'TokenRequest.authentication.k8s.io "nowhere" is invalid: metadata.name: Invalid value: "x": must match the service account name if specified',
	],
	[
		'a pod of another account, whatever its uid',
		`${NAMESPACE}/serviceaccounts/other/token`,
		{ spec: { boundObjectRef: { kind: 'Pod', name: 'p', uid: 'x' } } },
		400,
		'cannot bind token for serviceaccount "other" to pod running with different serviceaccount name.',
	],
	[
		'a pod of an API version that is none',
		`${ACCOUNT}/token`,
		{ spec: { boundObjectRef: { apiVersion: 'a/b/c', kind: 'Pod', name: 'none' } } },
		404,
		'pods "none" not found',
	],
	['a pod without a name', `${ACCOUNT}/token`, { spec: { boundObjectRef: { kind: 'Pod' } } }, 400, 'Name parameter required.'],
	[
		'an eviction that ignores errors of the store',
		`${PODS}/p/eviction`,
		eviction('p', { ignoreStoreReadErrorWithClusterBreakingPotential: true }),
		422,
		'Eviction.policy "p" is invalid: deleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: can not be set for pod eviction, try after removing the option',
	],
	[
		'two different dry runs',
		`${PODS}/p/eviction?dryRun=All`,
		eviction('p', { dryRun: ['All', 'All'] }),
		500,
		'Non-matching dry-run options in request and content: [All] and [All All]',
	],
	[
		'a policy of deletion and a dry run that are none',
		`${PODS}/p/eviction`,
		eviction('p', { propagationPolicy: 'Zork', orphanDependents: true, dryRun: ['x'] }),
		422,
		'DeleteOptions.meta.k8s.io "" is invalid: [propagationPolicy: Invalid value: "Zork": orphanDependents and deletionPropagation cannot be both set, propagationPolicy: Unsupported value: "Zork": supported values: "Foreground", "Background", "Orphan", "nil", dryRun: Unsupported value: ["x"]: supported values: "All"]',
	],
] as const)
	test(`refused: ${rule}`, async (t) => t.like(await send('POST', path, body), { code, message }));

test('a token asked for another uid is refused; what is asked stays in the answer', async (t) => {
	const answer = await send('POST', `${ACCOUNT}/token`, { metadata: { uid: 'x' } });
	t.like(answer, { code: 409 });
	t.regex(
		answer.message ?? '',
		/^Operation cannot be fulfilled on TokenRequest\.authentication\.k8s\.io "here": the UID in the token request \(x\) does not match/,
	);
	t.like(await send('POST', `${ACCOUNT}/token`, { metadata: { labels: { a: 'b' } } }), {
		code: 201,
		metadata: { name: 'here', labels: { a: 'b' } },
	});
});

test('an eviction may come as policy/v1beta1, and in no version that never was', async (t) => {
	await aPod('old');
	t.like(await send('POST', `${PODS}/old/eviction`, { apiVersion: 'policy/v1alpha1', kind: 'Eviction', ...eviction('old') }), {
		code: 400,
	});
	t.like(await send('POST', `${PODS}/old/eviction`, { apiVersion: 'policy/v1beta1', kind: 'Eviction', ...eviction('old') }), { code: 201 });
});

test('an eviction may name the version of the pod that it means; an unready pod that has changed is asked for again', async (t) => {
	const versionOf = async (name: string): Promise<string> =>
		((await send('GET', `${PODS}/${name}`, undefined)).metadata as { readonly resourceVersion: string }).resourceVersion;
	const evict = async (name: string, preconditions: object): Promise<Answer> =>
		send('POST', `${PODS}/${name}/eviction`, eviction(name, { preconditions }));
	await aPod('pending', { phase: 'Pending' });
	const resourceVersion = await versionOf('pending');
	t.like(await evict('pending', { resourceVersion: '1' }), {
		code: 409,
		message: `Operation cannot be fulfilled on Pod "pending": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`,
	});
	t.like(await evict('pending', { resourceVersion }), { code: 201 });
	await aPod('running', { phase: 'Running' });
	t.like(await evict('running', { resourceVersion: await versionOf('running') }), { code: 201 });
	await aPod('unready', { phase: 'Running' });
	await aBudget('unready', { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 });
	t.like(await evict('unready', {}), { code: 201 });
});

test('why a budget allows no eviction', async (t) => {
	const ready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
	const condition = (reason: string, message: string): object => ({
		conditions: [{ type: 'DisruptionAllowed', status: 'False', reason, message, lastTransitionTime: '2026-01-01T00:00:00Z' }],
	});
	const of = (name: string): string => `The disruption budget ${name}`;
	for (const [name, status, why] of [
		['few', { currentHealthy: 1, desiredHealthy: 1 }, `${of('few')} needs 1 healthy pods and has 1 currently`],
		['many', { currentHealthy: 3, desiredHealthy: 1 }, `${of('many')} does not allow evicting pods currently`],
		['failed', condition('SyncFailed', 'no'), `${of('failed')} does not allow evicting pods currently because it failed sync: no`],
		[
			'said',
			{ currentHealthy: 3, desiredHealthy: 1, ...condition('Because', 'of it') },
			`${of('said')} does not allow evicting pods currently (Because): of it`,
		],
	] as const) {
		await aPod(name, ready);
		await aBudget(name, { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 1, ...status });
		const { code, details } = (await send('POST', `${PODS}/${name}/eviction`, eviction(name))) as Answer & {
			readonly details: { readonly causes: readonly { readonly message: string }[] };
		};
		t.deepEqual([code, details.causes[0]?.message], [429, why]);
	}
});

test('a bound pod keeps the order of its conditions', async (t) => {
	await aPod('gone', {
		conditions: [
			{ type: 'PodScheduled', status: 'False' },
			{ type: 'Ready', status: 'False' },
		],
	});
	await send('POST', `${PODS}/gone/binding`, { metadata: { name: 'gone' }, target: { name: 'n' } });
	const { status } = (await send('GET', `${PODS}/gone`, undefined)) as {
		readonly status?: { readonly conditions?: readonly { type: string; status: string }[] };
	};
	t.deepEqual(
		status?.conditions?.map(({ type, status: is }) => `${type} ${is}`),
		['PodScheduled True', 'Ready False'],
	);
});

test('what an eviction takes of a budget is of the server itself, in its status', async (t) => {
	await aPod('owned', { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] });
	await aBudget('owned', { disruptionsAllowed: 2, currentHealthy: 3, desiredHealthy: 1, expectedPods: 3 });
	t.is((await send('POST', `${PODS}/owned/eviction`, eviction('owned'))).code, 201);
	const { metadata } = await send('GET', '/apis/policy/v1/namespaces/default/poddisruptionbudgets/owned', undefined);
	// Their order is that of their times, which may be one second or two.
	const managers = (metadata as { managedFields: { manager?: string }[] }).managedFields;
	t.like(
		managers.find(({ manager }) => manager === 'kube-apiserver'),
		{ manager: 'kube-apiserver', operation: 'Update', subresource: 'status' },
	);
});
