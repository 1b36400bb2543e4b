/** [sig-api-machinery] AdmissionWebhook: configurations listed, changed, and their match conditions. */
import {
	AdmissionregistrationV1Api,
	PatchStrategy,
	setHeaderOptions,
	type V1MatchCondition,
	type V1MutatingWebhook,
	type V1MutatingWebhookConfiguration,
	type V1ValidatingWebhook,
	type V1ValidatingWebhookConfiguration,
} from '@kubernetes/client-node';
import { refusal } from '../refusals.ts';
import { deny, patch, rule, startHooks, webhook, type Hooks } from '../hooks.ts';
import { conformance, type World } from '../suite.ts';
import { configMap, type WebhookType } from '../webhook-configurations.ts';

const json = setHeaderOptions('Content-Type', PatchStrategy.JsonPatch);

type Configuration = V1MutatingWebhookConfiguration & V1ValidatingWebhookConfiguration;

interface Configurations {
	create(body: Configuration): Promise<Configuration>;
	read(name: string): Promise<Configuration>;
	replace(name: string, body: Configuration): Promise<Configuration>;
	patch(name: string, body: object[]): Promise<Configuration>;
	list(labelSelector: string): Promise<number>;
	deleteAll(labelSelector: string): Promise<unknown>;
}

function of({ api }: World, type: WebhookType): Configurations {
	const a = api(AdmissionregistrationV1Api);
	return type === 'mutating'
		? {
				create: (body) => a.createMutatingWebhookConfiguration({ body }) as Promise<Configuration>,
				read: (name) => a.readMutatingWebhookConfiguration({ name }) as Promise<Configuration>,
				replace: (name, body) => a.replaceMutatingWebhookConfiguration({ name, body }) as Promise<Configuration>,
				patch: (name, body) => a.patchMutatingWebhookConfiguration({ name, body }, json) as Promise<Configuration>,
				list: async (labelSelector) => (await a.listMutatingWebhookConfiguration({ labelSelector })).items.length,
				deleteAll: (labelSelector) => a.deleteCollectionMutatingWebhookConfiguration({ labelSelector }),
			}
		: {
				create: (body) => a.createValidatingWebhookConfiguration({ body }) as Promise<Configuration>,
				read: (name) => a.readValidatingWebhookConfiguration({ name }) as Promise<Configuration>,
				replace: (name, body) => a.replaceValidatingWebhookConfiguration({ name, body }) as Promise<Configuration>,
				patch: (name, body) => a.patchValidatingWebhookConfiguration({ name, body }, json) as Promise<Configuration>,
				list: async (labelSelector) => (await a.listValidatingWebhookConfiguration({ labelSelector })).items.length,
				deleteAll: (labelSelector) => a.deleteCollectionValidatingWebhookConfiguration({ labelSelector }),
			};
}

interface Prepared {
	readonly configurations: Configurations;
	readonly labels: Record<string, string>;
	readonly selector: string;
	readonly hooks: Hooks;
	/** Whether the webhook had its way with a new config map. */
	acts(): Promise<boolean>;
}

async function prepared(world: World, type: WebhookType): Promise<Prepared> {
	const label = { op: 'add', path: '/metadata/labels', value: { mutated: 'yes' } };
	const hooks = await startHooks(world, { '/m': () => patch(label), '/v': () => deny('no') });
	const configurations = of(world, type);
	const selector = `conformance-test=${world.namespace}`;
	world.t.teardown(() => configurations.deleteAll(selector).catch(() => undefined));
	let n = 0;
	const acts = async (): Promise<boolean> => {
		const made = configMap(world, `m${++n}`);
		if (type === 'mutating') return (await made).metadata?.labels?.['mutated'] === 'yes';
		const { code, message } = await refusal(made);
		if (code !== 200) world.t.regex(message, /denied the request: no/);
		return code !== 200;
	};
	return { configurations, labels: { 'conformance-test': world.namespace }, selector, hooks, acts };
}

type Both = V1MutatingWebhook & V1ValidatingWebhook;
const own = (world: World, type: WebhookType, hooks: Hooks, more: Partial<Both> = {}): Both =>
	webhook(world, hooks, type === 'mutating' ? '/m' : '/v', [rule('configmaps')], more);

const listing =
	(type: WebhookType) =>
	async (world: World): Promise<void> => {
		const { configurations, labels, selector, hooks, acts } = await prepared(world, type);
		for (const n of [1, 2, 3])
			await configurations.create({ metadata: { name: `${world.namespace}-${n}`, labels }, webhooks: [own(world, type, hooks)] });
		world.t.is(await configurations.list(selector), 3);
		world.t.true(await acts());
		await configurations.deleteAll(selector);
		world.t.is(await configurations.list(selector), 0);
		world.t.false(await acts());
	};

const changing =
	(type: WebhookType) =>
	async (world: World): Promise<void> => {
		const { configurations, labels, hooks, acts } = await prepared(world, type);
		const name = world.namespace;
		const made = await configurations.create({ metadata: { name, labels }, webhooks: [own(world, type, hooks)] });
		world.t.true(await acts());
		const [changed] = made.webhooks as [Both];
		changed.rules = [rule('configmaps', ['UPDATE'])];
		await configurations.replace(name, made);
		world.t.false(await acts());
		await configurations.patch(name, [{ op: 'replace', path: '/webhooks/0/rules/0/operations', value: ['CREATE'] }]);
		world.t.true(await acts());
	};

const conditions: V1MatchCondition[] = [
	{ name: 'expression-1', expression: "object.metadata.namespace == 'production'" },
	{ name: 'expression-2', expression: "object.metadata.namespace == 'staging'" },
];

const matching =
	(type: WebhookType) =>
	async (world: World): Promise<void> => {
		const { configurations, labels, hooks, acts } = await prepared(world, type);
		const name = world.namespace;
		const [first] = conditions as [V1MatchCondition];
		const webhooks = [own(world, type, hooks, { matchConditions: [first] })];
		const made = await configurations.create({ metadata: { name, labels }, webhooks });
		world.t.like((await configurations.read(name)).webhooks?.[0]?.matchConditions, [first]);
		world.t.false(await acts());
		const [changed] = made.webhooks as [Both];
		changed.matchConditions = conditions;
		await configurations.replace(name, made);
		world.t.like((await configurations.read(name)).webhooks?.[0]?.matchConditions, conditions);
		await configurations.patch(name, [
			{ op: 'replace', path: '/webhooks/0/matchConditions', value: [{ name: 'all', expression: 'true' }] },
		]);
		world.t.true(await acts());
	};

const invalid =
	(type: WebhookType) =>
	async (world: World): Promise<void> => {
		const { configurations, labels, hooks } = await prepared(world, type);
		const matchConditions = [{ name: 'invalid-expression-1', expression: "... [] bad expression'" }];
		const webhooks = [own(world, type, hooks, { matchConditions })];
		const { code, message } = await refusal(configurations.create({ metadata: { name: world.namespace, labels }, webhooks }));
		world.t.is(code, 422);
		world.t.regex(message, /webhooks\[0\]\.matchConditions\[0\]\.expression: Invalid value: .*compilation failed/);
	};

conformance(
	'[sig-api-machinery] AdmissionWebhook [Privileged:ClusterAdmin] listing mutating webhooks should work [Conformance]',
	listing('mutating'),
);
conformance(
	'[sig-api-machinery] AdmissionWebhook [Privileged:ClusterAdmin] listing validating webhooks should work [Conformance]',
	listing('validating'),
);
conformance(
	'[sig-api-machinery] AdmissionWebhook [Privileged:ClusterAdmin] patching/updating a mutating webhook should work [Conformance]',
	changing('mutating'),
);
conformance(
	'[sig-api-machinery] AdmissionWebhook [Privileged:ClusterAdmin] patching/updating a validating webhook should work [Conformance]',
	changing('validating'),
);
conformance(
	'[sig-api-machinery] AdmissionWebhook [Privileged:ClusterAdmin] should be able to create and update mutating webhook configurations with match conditions [Conformance]',
	matching('mutating'),
);
conformance(
	'[sig-api-machinery] AdmissionWebhook [Privileged:ClusterAdmin] should be able to create and update validating webhook configurations with match conditions [Conformance]',
	matching('validating'),
);
conformance(
	'[sig-api-machinery] AdmissionWebhook [Privileged:ClusterAdmin] should reject mutating webhook configurations with invalid match conditions [Conformance]',
	invalid('mutating'),
);
conformance(
	'[sig-api-machinery] AdmissionWebhook [Privileged:ClusterAdmin] should reject validating webhook configurations with invalid match conditions [Conformance]',
	invalid('validating'),
);
