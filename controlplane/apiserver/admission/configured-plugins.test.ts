import test from 'ava';
import { StatusError } from '../../../api/status.ts';
import { AppError } from '../../../base/errors.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../contracts.ts';
import { attributesOf, reader } from '../../../test/fakes/admission.ts';
import { alwaysDeny } from './always-deny.ts';
import { eventRateLimit, type EventLimit } from './event-rate-limit.ts';
import { imagePolicy } from './pods/image-policy.ts';
import { podNodeSelector } from './pods/pod-node-selector.ts';
import { RuntimeClassAdmission } from './pods/runtime-class.ts';
import type { Exemptions } from './pod-security/exemptions.ts';
import { PodSecurity } from './pod-security/pod-security.ts';
import { podTolerationRestriction, type ClusterTolerations } from './pods/pod-tolerations.ts';
import { ResourceQuotaAdmission } from './quota/resource-quota.ts';

const NEVER = new AbortController().signal;

/** The refusal as "code reason: message"; undefined where there is none. */
async function refusalOf(plugin: AdmissionPlugin, attributes: AdmissionAttributes): Promise<string | undefined> {
	if (!plugin.handles(attributes)) return 'not its business';
	try {
		await plugin.mutate?.(attributes, NEVER);
		await plugin.validate?.(attributes, NEVER);
	} catch (error) {
		if (!(error instanceof StatusError)) throw error;
		return `${error.httpCode} ${error.status.reason ?? '-'}: ${error.message}`;
	}
	return undefined;
}

test('AlwaysDeny refuses whatever is asked', async (t) => {
	for (const operation of ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'] as const)
		t.is(
			await refusalOf(alwaysDeny(), attributesOf({}, { operation })),
			'403 Forbidden: pods "a" is forbidden: admission control is denying all modifications',
		);
});

const event = (name: string, more: Partial<AdmissionAttributes> = {}): AdmissionAttributes =>
	attributesOf(
		{ involvedObject: { kind: 'Pod', namespace: 'n', name, uid: 'u', apiVersion: 'v1' }, source: { component: 'kubelet', host: 'h' } },
		{ kind: 'Event', resource: 'events', ...more },
	);
const limit = (type: EventLimit['type'], burst: number, qps = 1): EventLimit => ({ type, qps, burst, cacheSize: 10 });

test('EventRateLimit: a burst, then so many a second; dry runs and other kinds are not counted', async (t) => {
	const clock = new VirtualClock();
	const plugin = eventRateLimit([limit('Server', 2, 2)], clock);
	const refused = '429 TooManyRequests: Too many requests: limit reached on type Server for key ';
	t.is(await refusalOf(plugin, event('p', { dryRun: true })), 'not its business');
	t.is(await refusalOf(plugin, event('p', { group: 'events.k8s.io' })), 'not its business');
	const requested = { group: 'events.k8s.io', version: 'v1', kind: 'Event', resource: 'events' };
	t.is(await refusalOf(plugin, event('p', { requested })), 'not its business');
	t.is(await refusalOf(plugin, event('p', { operation: 'DELETE' })), 'not its business');
	for (const want of [undefined, undefined, refused]) t.is(await refusalOf(plugin, event('p')), want);
	await clock.advance(500);
	for (const want of [undefined, refused]) t.is(await refusalOf(plugin, event('p', { operation: 'UPDATE' })), want);
	await clock.advance(60_000);
	for (const want of [undefined, undefined, refused]) t.is(await refusalOf(plugin, event('p')), want);
});

test('PodNodeSelector: a selector of the namespace that is none', async (t) => {
	const annotations = { 'scheduler.alpha.kubernetes.io/node-selector': 'a in (b' };
	const plugin = podNodeSelector(reader({ 'namespaces n': { metadata: { name: 'n', annotations } } }));
	t.is(await refusalOf(plugin, attributesOf({ spec: {} })), '500 -: invalid selector: a in (b');
});

test('EventRateLimit: each namespace, user and source has its own bucket, and all limits are told', async (t) => {
	const clock = new VirtualClock();
	const all = eventRateLimit([limit('Namespace', 1), limit('User', 1), limit('SourceAndObject', 1)], clock);
	t.is(await refusalOf(all, event('p')), undefined);
	t.is(
		await refusalOf(all, event('p')),
		'429 TooManyRequests: Too many requests: [limit reached on type Namespace for key n, limit reached on type User for key jane, limit reached on type SourceAndObject for key kubelethPodnpuv1]',
	);
	const other = { namespace: 'm', user: { name: 'joe', uid: '', groups: [], extra: {} } };
	t.is(await refusalOf(all, event('q', other)), undefined);
});

const tolerated = (
	tolerations: readonly object[],
	namespace: Readonly<Record<string, string>>,
	cluster: ClusterTolerations,
	more: Partial<AdmissionAttributes> = {},
	containers: readonly object[] = [{ name: 'c' }],
) => {
	const annotations = Object.fromEntries(Object.entries(namespace).map(([key, value]) => [`scheduler.alpha.kubernetes.io/${key}`, value]));
	const plugin = podTolerationRestriction(reader({ 'namespaces n': { metadata: { name: 'n', annotations } } }), cluster);
	const attributes = attributesOf({ spec: { containers, tolerations } }, more);
	return refusalOf(plugin, attributes).then(
		(refused) => refused ?? (attributes.object as { readonly spec?: { readonly tolerations?: unknown } }).spec?.tolerations,
	);
};
const exists = (key: string) => ({ key, operator: 'Exists', effect: 'NoSchedule' });
const equal = (key: string, value: string) => ({ key, operator: 'Equal', value, effect: 'NoSchedule' });
const conflict = (scope: string): string =>
	`500 -: pod tolerations (possibly merged with namespace default tolerations) conflict with its ${scope} whitelist`;

for (const [name, given, namespace, cluster, want] of [
	['nothing is said', [exists('a')], {}, {}, [exists('a')]],
	['the namespace has defaults', [], { defaultTolerations: JSON.stringify([exists('d')]) }, { default: [exists('c')] }, [exists('d')]],
	['the namespace has none of its own', [], {}, { default: [exists('c')] }, [exists('c')]],
	['the namespace wants none', [exists('a')], { defaultTolerations: '' }, { default: [exists('c')] }, [exists('a')]],
	['a wider one takes the place of a narrow one', [equal('a', 'v')], {}, { default: [exists('a')] }, [exists('a')]],
	['the same one stays once', [exists('a')], {}, { default: [exists('a')] }, [exists('a')]],
	[
		'a list of the namespace that it is in',
		[equal('a', 'v')],
		{ tolerationsWhitelist: JSON.stringify([exists('a')]) },
		{ whitelist: [exists('z')] },
		[equal('a', 'v')],
	],
	[
		'a list of the namespace that it is not in',
		[exists('b')],
		{ tolerationsWhitelist: JSON.stringify([exists('a')]) },
		{},
		conflict('namespace'),
	],
	['a list of the cluster that it is not in', [exists('b')], {}, { whitelist: [exists('a')] }, conflict('cluster')],
	['an empty list of the namespace allows all', [exists('b')], { tolerationsWhitelist: '' }, { whitelist: [exists('a')] }, [exists('b')]],
	[
		'a time longer than the list has',
		[{ key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 9 }],
		{},
		{ whitelist: [{ key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }] },
		conflict('cluster'),
	],
] as const)
	test(`PodTolerationRestriction: ${name}`, async (t) => t.deepEqual(await tolerated(given, namespace, cluster), want as unknown));

test('PodTolerationRestriction: pods that ask for something bear memory pressure; defaults are of new pods only', async (t) => {
	const pressure = exists('node.kubernetes.io/memory-pressure');
	const asking = [{ name: 'c', resources: { requests: { cpu: '1' } } }];
	t.deepEqual(await tolerated([], {}, { default: [exists('d')] }, {}, asking), [exists('d'), pressure]);
	t.deepEqual(await tolerated([], {}, { default: [exists('d')] }, { operation: 'UPDATE' }, asking), [pressure]);
	t.is(await tolerated([], {}, {}, { subresource: 'status' }), 'not its business');
	t.regex(String(await tolerated([], { defaultTolerations: '[' }, {})), /^500 -: /);
});

for (const [name, written, want] of [
	['fields of no toleration are dropped', '[{"key":"d","foo":1,"operator":"Exists","effect":""}]', [{ key: 'd', operator: 'Exists' }]],
	['null is the empty one', '[null]', [{}]],
	['null in place of the list', 'null', undefined],
	['a key that is a number', '[{"key":5}]', '500 -: json: cannot unmarshal number into Go struct field Toleration.key of type string'],
	[
		'seconds that are a text',
		'[{"tolerationSeconds":"5"}]',
		'500 -: json: cannot unmarshal string into Go struct field Toleration.tolerationSeconds of type int64',
	],
	['a toleration that is a text', '["a"]', '500 -: json: cannot unmarshal string into Go value of type v1.Toleration'],
	['a list that is none', '{}', '500 -: json: cannot unmarshal object into Go value of type []v1.Toleration'],
	['no JSON', '[', '500 -: unexpected end of JSON input'],
] as const)
	test(`PodTolerationRestriction: tolerations are read as their type: ${name}`, async (t) => {
		const attributes = attributesOf({ spec: { containers: [{ name: 'c' }] } });
		const annotations = { 'scheduler.alpha.kubernetes.io/defaultTolerations': written };
		const refused = await refusalOf(podTolerationRestriction(reader({ 'namespaces n': { metadata: { annotations } } })), attributes);
		const { spec } = attributes.object as { readonly spec?: { readonly tolerations?: unknown } };
		t.deepEqual(refused ?? spec?.tolerations, want as unknown);
	});

interface Review {
	readonly spec: { readonly containers?: unknown; readonly annotations?: unknown; readonly namespace?: unknown };
}

function policyWith(answers: readonly (object | Error | undefined)[], defaultAllow = false) {
	const clock = new VirtualClock();
	const asked: Review[] = [];
	const remote = {
		post(body: object) {
			asked.push(body as Review);
			const answer = answers[asked.length - 1];
			return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
		},
	};
	const retries = { initialMs: 1, factor: 1, maxMs: 1, jitter: 0, attempts: 1 };
	return { clock, asked, plugin: imagePolicy({ allowMs: 10_000, denyMs: 1000, retries, defaultAllow }, remote, clock) };
}

test('ImagePolicyWebhook: what is asked, what is kept, and for how long', async (t) => {
	const yes = { status: { allowed: true, auditAnnotations: { k: 'v' } } };
	const { clock, asked, plugin } = policyWith([yes, { status: { allowed: false, reason: 'bad' } }, { status: { allowed: false } }, yes]);
	const notes: string[] = [];
	const pod = (image: string, more: Partial<AdmissionAttributes> = {}): AdmissionAttributes =>
		attributesOf(
			{
				metadata: { name: 'a', annotations: { other: '1', 'x.image-policy.k8s.io/y': '2' } },
				spec: { containers: [{ image }], initContainers: [{ image: 'init' }], ephemeralContainers: [{ image: 'debug' }] },
			},
			{ annotate: (key, value) => void notes.push(`${key}=${value}`), ...more },
		);
	for (let i = 0; i < 2; i++) t.is(await refusalOf(plugin, pod('good')), undefined);
	t.deepEqual(asked, [
		{
			kind: 'ImageReview',
			apiVersion: 'imagepolicy.k8s.io/v1alpha1',
			metadata: {},
			spec: { containers: [{ image: 'good' }, { image: 'init' }], annotations: { 'x.image-policy.k8s.io/y': '2' }, namespace: 'n' },
			status: { allowed: false },
		},
	] as unknown as Review[]);
	t.deepEqual(
		notes,
		Array.from({ length: 2 }, () => 'imagepolicywebhook.image-policy.k8s.io/k=v'),
	);
	const denied = '403 Forbidden: pods "a" is forbidden: image policy webhook backend denied one or more images: bad';
	for (let i = 0; i < 2; i++) t.is(await refusalOf(plugin, pod('bad')), denied);
	t.is(asked.length, 2);
	await clock.advance(1000);
	t.is(await refusalOf(plugin, pod('bad')), '403 Forbidden: pods "a" is forbidden: one or more images rejected by webhook backend');
	t.is(await refusalOf(plugin, pod('x', { subresource: 'ephemeralcontainers', operation: 'UPDATE' })), undefined);
	t.deepEqual(asked[3]?.spec.containers, [{ image: 'debug' }]);
	t.is(await refusalOf(plugin, pod('x', { subresource: 'status' })), 'not its business');
});

test('ImagePolicyWebhook: nobody answers', async (t) => {
	const down = new AppError('Unavailable', 'Post "https://h": refused');
	const attributes = attributesOf({ spec: { containers: [{ image: 'i' }] } });
	t.is(await refusalOf(policyWith([down]).plugin, attributes), '403 Forbidden: pods "a" is forbidden: Post "https://h": refused');
	const notes: string[] = [];
	const open = { ...attributes, annotate: (key: string, value: string) => void notes.push(`${key}=${value}`) };
	t.is(await refusalOf(policyWith([down], true).plugin, open), undefined);
	t.deepEqual(notes, ['imagepolicywebhook.image-policy.k8s.io/failed-open=true']);
});

for (const [name, answer, why] of [
	['nothing', undefined, '0-length response'],
	['a list', [], /json: cannot unmarshal array into Go value of type struct /],
	['another kind', { kind: 'Pod', apiVersion: 'v1', status: { allowed: true } }, /converting \(v1\.Pod\) to \(imagepolicy\.ImageReview\)/],
	['a kind that is none', { kind: 'Oops', apiVersion: 'v1', status: { allowed: true } }, /no kind "Oops" is registered for version "v1"/],
	[
		'another version',
		{ apiVersion: 'imagepolicy.k8s.io/v1', status: { allowed: true } },
		/no kind "ImageReview" is registered for version/,
	],
	['a status that is a text', { status: 'yes' }, 'status: Invalid value: "yes": must be a map'],
	['a yes that is a text', { status: { allowed: 'true' } }, 'status.allowed: Invalid value: "true": must be a boolean'],
	['a reason that is a number', { status: { reason: 1 } }, 'status.reason: Invalid value: 1: must be a string'],
	['a note that is a number', { status: { auditAnnotations: { k: 1 } } }, 'status.auditAnnotations.k: Invalid value: 1: must be a string'],
] as const)
	test(`ImagePolicyWebhook: an answer that is no review is none, and not kept: ${name}`, async (t) => {
		const attributes = attributesOf({ spec: { containers: [{ image: 'i' }] } });
		const yes = { kind: 'ImageReview', apiVersion: 'imagepolicy.k8s.io/v1alpha1', status: { allowed: true } };
		const closed = policyWith([answer, yes]);
		const refused = (await refusalOf(closed.plugin, attributes)) ?? '';
		if (typeof why === 'string') t.is(refused, `403 Forbidden: pods "a" is forbidden: ${why}`);
		else t.regex(refused, why);
		t.is(await refusalOf(closed.plugin, attributes), undefined);
		t.is(await refusalOf(policyWith([answer], true).plugin, attributes), undefined);
	});

test('ImagePolicyWebhook: an answer without a kind or a status is a review that says no', async (t) => {
	const attributes = attributesOf({ spec: { containers: [{ image: 'i' }] } });
	const no = '403 Forbidden: pods "a" is forbidden: one or more images rejected by webhook backend';
	for (const answer of [{}, { status: null }, { status: { allowed: null, auditAnnotations: null } }])
		t.is(await refusalOf(policyWith([answer], true).plugin, attributes), no);
});

test('PodNodeSelector: the selector of the cluster, and the labels a namespace may select by', async (t) => {
	const select = async (nodeSelector: object, configured: Readonly<Record<string, string>>, namespace = 'n'): Promise<unknown> => {
		const attributes = { ...attributesOf({ spec: { nodeSelector } }), namespace };
		const objects = reader({ [`namespaces ${namespace}`]: { metadata: { name: namespace } } });
		const refused = await refusalOf(podNodeSelector(objects, configured), attributes);
		return refused ?? (attributes.object as { readonly spec?: { readonly nodeSelector?: unknown } }).spec?.nodeSelector;
	};
	t.deepEqual(await select({ disk: 'ssd' }, { clusterDefaultNodeSelector: 'zone=a' }), { zone: 'a', disk: 'ssd' });
	t.deepEqual(await select({ disk: 'ssd' }, {}, 'constructor'), { disk: 'ssd' });
	t.deepEqual(await select({}, { clusterDefaultNodeSelector: 'constructor=a' }), { constructor: 'a' });
	t.regex(String(await select({ constructor: 'b' }, { n: 'constructor=a' })), /whitelist/);
	t.deepEqual(await select({ disk: 'ssd' }, { n: 'disk=ssd,zone=a' }), { disk: 'ssd' });
	t.is(
		await select({ disk: 'hdd' }, { n: 'disk=ssd' }),
		'403 Forbidden: pods "a" is forbidden: pod node label selector labels conflict with its namespace whitelist',
	);
});

test('PodSecurity: defaults count where a namespace says nothing, and exemptions where it does', async (t) => {
	const latest = (level: 'privileged' | 'baseline' | 'restricted') => ({ level, version: 'latest' });
	const defaults = { enforce: latest('baseline'), audit: latest('restricted'), warn: latest('restricted') };
	const refused = async (labels: object, namespaces: readonly string[] = []): Promise<{ refused: boolean; warnings: number }> => {
		const warnings: string[] = [];
		const plugin = new PodSecurity(reader({ 'namespaces n': { metadata: { name: 'n', labels } } }), { namespaces }, undefined, defaults);
		const attributes = attributesOf({ spec: { hostNetwork: true, containers: [] } }, { warn: (text) => void warnings.push(text) });
		return { refused: (await refusalOf(plugin, attributes)) !== undefined, warnings: warnings.length };
	};
	t.deepEqual(await refused({}), { refused: true, warnings: 0 });
	t.deepEqual(await refused({ 'pod-security.kubernetes.io/enforce': 'privileged' }), { refused: false, warnings: 1 });
	t.deepEqual(await refused({ 'pod-security.kubernetes.io/enforce': 'privileged', 'pod-security.kubernetes.io/warn': 'privileged' }), {
		refused: false,
		warnings: 0,
	});
	t.deepEqual(await refused({}, ['n']), { refused: false, warnings: 0 });
});

test('PodSecurity: audit says which exemption or policy let a pod be', async (t) => {
	const noted = async (labels: object, exemptions: Exemptions, spec: object = {}): Promise<readonly string[]> => {
		const notes: string[] = [];
		const plugin = new PodSecurity(reader({ 'namespaces n': { metadata: { name: 'n', labels } } }), exemptions);
		const annotate = (key: string, value: string): void => void notes.push(`${key}=${value}`);
		await refusalOf(plugin, attributesOf({ spec: { containers: [], ...spec } }, { annotate }));
		return notes;
	};
	const baseline = { 'pod-security.kubernetes.io/enforce': 'baseline' };
	t.deepEqual(await noted({}, {}), ['pod-security.kubernetes.io/enforce-policy=privileged:latest']);
	t.deepEqual(await noted(baseline, { namespaces: ['n'] }), ['pod-security.kubernetes.io/exempt=namespace']);
	t.deepEqual(await noted(baseline, { usernames: [attributesOf({}).user.name] }), ['pod-security.kubernetes.io/exempt=user']);
	const gvisor = { runtimeClassName: 'gvisor' };
	t.deepEqual(await noted(baseline, { runtimeClasses: ['gvisor'] }, gvisor), ['pod-security.kubernetes.io/exempt=runtimeClass']);
	t.deepEqual(await noted({ 'pod-security.kubernetes.io/audit': 'a', 'pod-security.kubernetes.io/warn': 'b' }, {}), [
		'pod-security.kubernetes.io/enforce-policy=privileged:latest',
		'pod-security.kubernetes.io/error=Failed to parse policy: [metadata.labels[pod-security.kubernetes.io/audit]: Invalid value: "a": must be one of privileged, baseline, restricted, metadata.labels[pod-security.kubernetes.io/warn]: Invalid value: "b": must be one of privileged, baseline, restricted]',
	]);
});

test('PodSecurity: labels of a namespace that is exempt are told to be without effect', async (t) => {
	const warned = async (labels: Record<string, string>): Promise<readonly string[]> => {
		const warnings: string[] = [];
		const namespace = { metadata: { name: 'n', labels } };
		const more = { resource: 'namespaces', kind: 'Namespace', namespace: 'n', name: 'n', warn: (text: string) => void warnings.push(text) };
		await refusalOf(new PodSecurity(reader({}), { namespaces: ['n'] }), { ...attributesOf({}, more), object: namespace as never });
		return warnings;
	};
	const P = 'pod-security.kubernetes.io/';
	t.deepEqual(await warned({}), []);
	t.deepEqual(await warned({ [`${P}enforce`]: 'privileged' }), []);
	t.deepEqual(await warned({ [`${P}enforce`]: 'baseline', [`${P}audit-version`]: 'v1.30' }), [
		'namespace "n" is exempt from Pod Security, and the policy (enforce=baseline:latest) will be ignored',
	]);
	t.deepEqual(await warned({ [`${P}audit`]: 'baseline', [`${P}warn`]: 'restricted', [`${P}warn-version`]: 'v1.30' }), [
		'namespace "n" is exempt from Pod Security, and the policy (audit=baseline:latest, warn=restricted:v1.30) will be ignored',
	]);
});

test('RuntimeClass: overhead may be spelled otherwise, and tolerations that others cover are left out', async (t) => {
	const wide = { key: 'k', operator: 'Exists' };
	const narrow = { key: 'k', operator: 'Equal', value: 'v', effect: 'NoSchedule' };
	const made = async (tolerations: readonly object[], overhead: object, given: readonly object[]): Promise<unknown> => {
		const runtimeClass = { metadata: { name: 'r' }, overhead: { podFixed: { cpu: '100m' } }, scheduling: { tolerations } };
		const attributes = attributesOf({ spec: { runtimeClassName: 'r', containers: [], overhead, tolerations: given } });
		const refused = await refusalOf(new RuntimeClassAdmission(reader({ 'runtimeclasses r': runtimeClass })), attributes);
		return refused ?? (attributes.object as unknown as { readonly spec: { readonly tolerations: unknown } }).spec.tolerations;
	};
	t.deepEqual(await made([narrow], { cpu: '0.1' }, [wide]), [wide]);
	t.deepEqual(await made([wide], {}, [narrow]), [wide]);
	t.deepEqual(await made([{ key: 'other' }], {}, [narrow]), [narrow, { key: 'other' }]);
	t.is(
		await made([], { cpu: '200m' }, []),
		"403 Forbidden: pods \"a\" is forbidden: pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
	);
});

test('ResourceQuota: what is limited needs a quota that covers it', async (t) => {
	const quota = (hard: object, spec: object = {}) => ({
		metadata: { name: 'q' },
		spec,
		status: { hard, used: Object.fromEntries(Object.keys(hard).map((key) => [key, '0'])) },
	});
	const refused = (limited: readonly object[], quotas: Readonly<Record<string, object>>, spec: object): Promise<string | undefined> =>
		refusalOf(
			new ResourceQuotaAdmission({
				objects: reader(quotas),
				writer: { change: () => Promise.resolve(undefined) } as never,
				clock: new VirtualClock(),
				limited: limited as never,
			}),
			attributesOf({ spec }),
		);
	const spec = { priorityClassName: 'high', containers: [{ name: 'c', resources: { requests: { cpu: '1' }, limits: { cpu: '1' } } }] };
	const cpu = [{ resource: 'pods', matchContains: ['cpu'] }];
	t.is(await refused(cpu, {}, spec), '403 Forbidden: pods "a" is forbidden: insufficient quota to consume: cpu,limits.cpu,requests.cpu');
	t.is(await refused(cpu, { 'resourcequotas n/q': quota({ cpu: '2', 'limits.cpu': '2', 'requests.cpu': '2' }) }, spec), undefined);
	t.is(await refused([{ resource: 'services', matchContains: ['cpu'] }], {}, spec), undefined);
	const scope = { scopeName: 'PriorityClass', operator: 'In', values: ['high', 'higher'] };
	const scoped = [{ resource: 'pods', matchScopes: [scope] }];
	t.is(await refused(scoped, {}, spec), '500 -: insufficient quota to match these scopes: [{PriorityClass In [high higher]}]');
	t.is(await refused(scoped, {}, { ...spec, priorityClassName: 'low' }), undefined);
	t.is(
		await refused(scoped, { 'resourcequotas n/q': quota({ pods: '5' }, { scopeSelector: { matchExpressions: [scope] } }) }, spec),
		undefined,
	);
});
