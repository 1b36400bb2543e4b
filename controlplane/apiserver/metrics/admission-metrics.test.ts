import test from 'ava';
import {
	CONFIG_MAPS,
	MUTATING_ADMISSION_POLICIES,
	MUTATING_ADMISSION_POLICY_BINDINGS,
	NAMESPACES,
	VALIDATING_ADMISSION_POLICIES,
	VALIDATING_ADMISSION_POLICY_BINDINGS,
	VALIDATING_WEBHOOK_CONFIGURATIONS,
} from '../../../api/resources.ts';
import { realClock } from '../../../base/clock.ts';
import { readText } from '../../../base/lines.ts';
import { noLog } from '../../../base/log.ts';
import { testApiServer } from '../../../test/fakes/api-server.ts';
import { fakeWebhook } from '../../../test/fakes/webhook.ts';

const stop = new AbortController();
const { client, stopped } = await testApiServer({ clock: realClock, log: noLog }, stop.signal);
const hook = await fakeWebhook(({ name }) => (name === 'bad' ? { allowed: false, status: { code: 418 } } : { allowed: true }));
test.after.always(async () => {
	hook[Symbol.dispose]();
	stop.abort();
	await stopped;
});

/** "labels value" of each sample of the name whose labels say so. */
async function samples(name: string, ...labels: readonly string[]): Promise<readonly string[]> {
	const { body } = await client.transport.request({ method: 'GET', path: '/metrics' }, stop.signal);
	return (await readText(body))
		.split('\n')
		.filter((line) => line.startsWith(`${name}{`) && labels.every((label) => line.includes(label)))
		.map((line) => sorted(line.slice(name.length)));
}

/** `{b="1",a="2"} 3` with its labels in order. */
function sorted(sample: string): string {
	const [labels = '', value] = sample.slice(1).split('} ');
	return `{${labels
		.split(/,(?=\w+=")/)
		.sort()
		.join(',')}} ${value}`;
}

const matching = (name: string): object => ({ matchLabels: { 'kubernetes.io/metadata.name': name } });
const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] };

async function hooked(name: string, more: object): Promise<void> {
	await client.create(NAMESPACES, { metadata: { name } });
	const webhook = { name: `${name}.example.com`, sideEffects: 'None', admissionReviewVersions: ['v1'], rules: [rule], timeoutSeconds: 30 };
	await client.create(VALIDATING_WEBHOOK_CONFIGURATIONS, {
		metadata: { name },
		webhooks: [{ ...webhook, namespaceSelector: matching(name), clientConfig: hook.clientConfig, ...more }],
	});
}

const write = (namespace: string, name: string): Promise<unknown> =>
	client.create(CONFIG_MAPS, { metadata: { name, namespace } }).catch(() => undefined);

const nowhere = { clientConfig: { url: 'https://127.0.0.1:1/' } };
for (const [name, more, object, request, rejection] of [
	['allowed', {}, 'good', 'code="200",name="allowed.example.com",operation="CREATE",rejected="false",type="validating"', undefined],
	['refused', {}, 'bad', 'code="418",name="refused.example.com",operation="CREATE",rejected="true",type="validating"', 'no_error'],
	[
		'gone',
		nowhere,
		'good',
		'code="503",name="gone.example.com",operation="CREATE",rejected="true",type="validating"',
		'calling_webhook_error',
	],
	[
		'let-pass',
		{ ...nowhere, failurePolicy: 'Ignore' },
		'good',
		'code="503",name="let-pass.example.com",operation="CREATE",rejected="false",type="validating"',
		undefined,
	],
] as const)
	test(`a webhook's call is counted: ${name}`, async (t) => {
		await hooked(name, more);
		await write(name, object);
		const label = `name="${name}.example.com"`;
		t.deepEqual(await samples('apiserver_admission_webhook_request_total', label), [`{${request}} 1`]);
		t.is((await samples('apiserver_admission_webhook_admission_duration_seconds_count', label)).length, 1);
		const rejections = await samples('apiserver_admission_webhook_rejection_count', label);
		t.is(rejections[0]?.match(/error_type="(.*?)"/)?.[1], rejection);
		const open = await samples('apiserver_admission_webhook_fail_open_count', label);
		t.deepEqual(open, name === 'let-pass' ? [`{${label},type="validating"} 1`] : []);
	});

for (const [name, expression, metric] of [
	['excluded', 'false', 'exclusions_total'],
	['broken', 'object.data.x == 1', 'evaluation_errors_total'],
	['matched', 'true', 'evaluation_seconds_count'],
] as const)
	test(`match conditions are counted: ${name}`, async (t) => {
		const namespace = `conditions-${name}`;
		await hooked(namespace, { matchConditions: [{ name: 'c', expression }] });
		await write(namespace, 'good');
		t.deepEqual(await samples(`apiserver_admission_match_condition_${metric}`, `name="${namespace}.`), [
			`{kind="webhook",name="${namespace}.example.com",operation="CREATE",type="validate"} 1`,
		]);
	});

for (const [name, spec, validationActions, want] of [
	['denied', { validations: [{ expression: 'false' }] }, ['Deny'], ['error_type="no_error",enforcement_action="deny"']],
	[
		'warned',
		{ validations: [{ expression: 'false' }] },
		['Warn', 'Audit'],
		['error_type="no_error",enforcement_action="warn"', 'error_type="no_error",enforcement_action="audit"'],
	],
	['failing', { validations: [{ expression: 'object.data.x == 1' }] }, ['Deny'], ['error_type="invalid_error",enforcement_action="deny"']],
	[
		'ignored',
		{ failurePolicy: 'Ignore', validations: [{ expression: 'object.data.x == 1' }] },
		['Deny'],
		['error_type="invalid_error",enforcement_action="allow"'],
	],
	['content', { validations: [{ expression: 'true' }] }, ['Deny'], []],
] as const)
	test(`a validating policy's decisions are counted: ${name}`, async (t) => {
		const policy = `policy-${name}`;
		await client.create(NAMESPACES, { metadata: { name: policy } });
		const matchConstraints = { namespaceSelector: matching(policy), resourceRules: [rule] };
		await client.create(VALIDATING_ADMISSION_POLICIES, { metadata: { name: policy }, spec: { matchConstraints, ...spec } });
		await client.create(VALIDATING_ADMISSION_POLICY_BINDINGS, {
			metadata: { name: policy },
			spec: { policyName: policy, validationActions },
		});
		await write(policy, 'good');
		t.deepEqual(
			await samples('apiserver_validating_admission_policy_check_total', `policy="${policy}"`),
			want.map((labels) => sorted(`{policy="${policy}",policy_binding="${policy}",${labels}} 1`)),
		);
	});

test('mutations of policies are counted', async (t) => {
	const name = 'mutated';
	await client.create(NAMESPACES, { metadata: { name } });
	const expression = 'Object{data: {"a": "b"}}';
	const mutations = [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression } }];
	const matchConstraints = { namespaceSelector: matching(name), resourceRules: [rule] };
	await client.create(MUTATING_ADMISSION_POLICIES, {
		metadata: { name },
		spec: { matchConstraints, reinvocationPolicy: 'Never', mutations },
	});
	await client.create(MUTATING_ADMISSION_POLICY_BINDINGS, { metadata: { name }, spec: { policyName: name } });
	await write(name, 'good');
	t.deepEqual(await samples('apiserver_mutating_admission_policy_check_total'), [
		'{error_type="no_error",policy="mutated",policy_binding="mutated"} 1',
	]);
});
