/** [sig-api-machinery] AdmissionWebhook: what webhooks may refuse and change. */
import { AdmissionregistrationV1Api, ApiextensionsV1Api, CoreV1Api, PatchStrategy, setHeaderOptions } from '@kubernetes/client-node';
import { definition } from '../crd.ts';
import { refusal } from '../refusals.ts';
import { deny, patch, rule, startHooks, webhook, type Reply } from '../hooks.ts';
import { conformance } from '../suite.ts';
import { sleeper } from '../pods.ts';
import { configured, configMap } from '../webhook-configurations.ts';

const merge = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);
const later = (ms: number): Promise<object> => new Promise((resolve) => setTimeout(() => resolve({}), ms));
/** No to what carries the word "no". */
const unlessNo: Reply = ({ object, name }) =>
	JSON.stringify([object?.data, object?.metadata?.labels, name]).includes('disallow') ? deny('this is disallowed') : {};

conformance(
	'[sig-api-machinery] AdmissionWebhook [Privileged:ClusterAdmin] should include webhook resources in discovery documents [Conformance]',
	async ({ t, raw }) => {
		const { resources } = (await raw('GET', '/apis/admissionregistration.k8s.io/v1')).json<{ resources: { name: string }[] }>();
		const names = resources.map((r) => r.name);
		t.true(names.includes('mutatingwebhookconfigurations') && names.includes('validatingwebhookconfigurations'));
	},
);

conformance(
	'[sig-api-machinery] AdmissionWebhook [Privileged:ClusterAdmin] should be able to deny pod and configmap creation [Conformance]',
	async (world) => {
		const { t, api, namespace, image } = world;
		const core = api(CoreV1Api);
		const hooks = await startHooks(world, { '/no': unlessNo, '/hang': () => later(30_000) });
		const free = { matchExpressions: [{ key: 'skip-webhook-admission', operator: 'NotIn', values: ['yes'] }] };
		await configured(
			world,
			'validating',
			webhook(world, hooks, '/no', [rule('pods'), rule('configmaps', ['CREATE', 'UPDATE', 'DELETE'])], {
				objectSelector: free,
			}),
			webhook(world, hooks, '/hang', [rule('pods')], { timeoutSeconds: 1, objectSelector: { matchLabels: { hang: 'yes' } } }),
		);
		const pod = (name: string, labels: Record<string, string>): Promise<unknown> =>
			core.createNamespacedPod({ namespace, body: sleeper(image, name, { metadata: { name, labels } }) });
		const disallowed = /denied the request: this is disallowed/;
		t.regex((await refusal(pod('x', { it: 'disallowed' }))).message, disallowed);
		t.regex((await refusal(pod('x', { hang: 'yes' }))).message, /context deadline exceeded/);
		t.regex((await refusal(configMap(world, 'x', { data: { it: 'disallowed' } }))).message, disallowed);
		await configMap(world, 'y', { data: { it: 'allowed' } });
		const body = { data: { it: 'disallowed' } };
		t.regex((await refusal(core.patchNamespacedConfigMap({ namespace, name: 'y', body }, merge))).message, disallowed);
		const whole = { metadata: { name: 'y' }, ...body };
		t.regex((await refusal(core.replaceNamespacedConfigMap({ namespace, name: 'y', body: whole }))).message, disallowed);
		await configMap(world, 'z', { metadata: { name: 'z', labels: { 'skip-webhook-admission': 'yes' } }, ...body });
	},
);

conformance(
	'[sig-api-machinery] AdmissionWebhook [Privileged:ClusterAdmin] should unconditionally reject operations on fail closed webhook [Conformance]',
	async (world) => {
		const hooks = await startHooks(world, {});
		const nowhere = { service: { namespace: world.namespace, name: 'not-there', path: '/x' }, caBundle: hooks.client('/').caBundle };
		await configured(
			world,
			'validating',
			webhook(world, hooks, '/closed', [rule('configmaps')], { clientConfig: nowhere, failurePolicy: 'Fail' }),
		);
		const { code, reason, message } = await refusal(configMap(world, 'x'));
		world.t.deepEqual([code, reason], [500, 'InternalError']);
		world.t.regex(message, /failed calling webhook "closed\..*service "not-there" not found/);
	},
);

conformance('[sig-api-machinery] AdmissionWebhook [Privileged:ClusterAdmin] should mutate configmap [Conformance]', async (world) => {
	const add =
		(stage: string, after: string): Reply =>
		({ object }) =>
			object?.data?.[after] === undefined ? {} : patch({ op: 'add', path: `/data/${stage}`, value: 'yes' });
	const hooks = await startHooks(world, {
		'/1': add('mutation-stage-1', 'mutation-start'),
		'/2': add('mutation-stage-2', 'mutation-stage-1'),
	});
	const webhooks = ['/1', '/2'].map((path) =>
		webhook(world, hooks, path, [rule('configmaps')], { name: `stage${path.slice(1)}.kubeling.test` }),
	);
	await configured(world, 'mutating', ...webhooks);
	const { data } = await configMap(world, 'x', { data: { 'mutation-start': 'yes' } });
	world.t.deepEqual(data, { 'mutation-start': 'yes', 'mutation-stage-1': 'yes', 'mutation-stage-2': 'yes' });
});

conformance(
	"[sig-api-machinery] AdmissionWebhook [Privileged:ClusterAdmin] should mutate everything except 'skip-me' configmaps [Conformance]",
	async (world) => {
		const hooks = await startHooks(world, { '/m': () => patch({ op: 'add', path: '/metadata/labels', value: { mutated: 'yes' } }) });
		const matchConditions = [{ name: 'skip', expression: "object.metadata.name != 'skip-me'" }];
		await configured(world, 'mutating', webhook(world, hooks, '/m', [rule('configmaps')], { matchConditions }));
		world.t.is((await configMap(world, 'skip-me')).metadata?.labels, undefined);
		world.t.deepEqual((await configMap(world, 'other')).metadata?.labels, { mutated: 'yes' });
	},
);

conformance(
	'[sig-api-machinery] AdmissionWebhook [Privileged:ClusterAdmin] should mutate pod and apply defaults after mutation [Conformance]',
	async (world) => {
		const { t, api, namespace, image } = world;
		const added = [{ name: 'added-by-webhook', image, command: ['true'] }];
		const hooks = await startHooks(world, { '/pod': () => patch({ op: 'add', path: '/spec/initContainers', value: added }) });
		await configured(world, 'mutating', webhook(world, hooks, '/pod', [rule('pods')]));
		const { spec } = await api(CoreV1Api).createNamespacedPod({ namespace, body: sleeper(image, 'x') });
		const [init] = spec?.initContainers ?? [];
		t.deepEqual(
			[init?.name, init?.terminationMessagePolicy, init?.terminationMessagePath, init?.imagePullPolicy],
			['added-by-webhook', 'File', '/dev/termination-log', 'IfNotPresent'],
		);
	},
);

conformance(
	'[sig-api-machinery] AdmissionWebhook [Privileged:ClusterAdmin] should not be able to mutate or prevent deletion of webhook configuration objects [Conformance]',
	async (world) => {
		const { t, api, namespace } = world;
		const registration = api(AdmissionregistrationV1Api);
		const hooks = await startHooks(world, {
			'/deny': () => deny('no'),
			'/mutate': () => patch({ op: 'add', path: '/metadata/labels/mutated', value: 'yes' }),
		});
		const all = [rule('*', ['*'], 'admissionregistration.k8s.io', '*')];
		const ours = { namespaceSelector: {}, objectSelector: { matchLabels: { dummy: namespace } } };
		await configured(world, 'validating', webhook(world, hooks, '/deny', all, ours));
		await configured(world, 'mutating', webhook(world, hooks, '/mutate', all, ours));
		const labels = { dummy: namespace };
		const webhooks = [webhook(world, hooks, '/ok', [rule('invalid')])];
		const name = `${namespace}-dummy`;
		const validating = await registration.createValidatingWebhookConfiguration({ body: { metadata: { name, labels }, webhooks } });
		const mutating = await registration.createMutatingWebhookConfiguration({ body: { metadata: { name, labels }, webhooks } });
		t.deepEqual([validating.metadata?.labels, mutating.metadata?.labels], [labels, labels]);
		await registration.deleteValidatingWebhookConfiguration({ name });
		await registration.deleteMutatingWebhookConfiguration({ name });
	},
);

conformance('[sig-api-machinery] AdmissionWebhook [Privileged:ClusterAdmin] should deny crd creation [Conformance]', async (world) => {
	const hooks = await startHooks(world, { '/crd': () => deny('the crd contains unwanted label') });
	const ours = { namespaceSelector: {}, objectSelector: { matchLabels: { 'conformance-test': world.namespace } } };
	const rules = [rule('*', ['CREATE'], 'apiextensions.k8s.io', '*')];
	await configured(world, 'validating', webhook(world, hooks, '/crd', rules, ours));
	const { definition: body } = definition(world);
	const { message } = await refusal(world.api(ApiextensionsV1Api).createCustomResourceDefinition({ body }));
	world.t.regex(message, /denied the request: the crd contains unwanted label/);
});

conformance('[sig-api-machinery] AdmissionWebhook [Privileged:ClusterAdmin] should honor timeout [Conformance]', async (world) => {
	const { t } = world;
	const hooks = await startHooks(world, { '/slow': () => later(2500) });
	for (const [timeoutSeconds, failurePolicy, code] of [
		[1, 'Fail', 500],
		[1, 'Ignore', 200],
		[10, 'Fail', 200],
		[undefined, 'Fail', 200],
	] as const) {
		const slow = webhook(world, hooks, '/slow', [rule('configmaps')], { failurePolicy });
		if (timeoutSeconds === undefined) delete slow.timeoutSeconds;
		else slow.timeoutSeconds = timeoutSeconds;
		const remove = await configured(world, 'validating', slow);
		const refused = await refusal(configMap(world, `t-${timeoutSeconds ?? 'default'}-${failurePolicy.toLowerCase()}`));
		t.is(refused.code, code, `${timeoutSeconds} ${failurePolicy}`);
		if (code === 500) t.regex(refused.message, /timeout=1s/);
		await remove();
	}
});
