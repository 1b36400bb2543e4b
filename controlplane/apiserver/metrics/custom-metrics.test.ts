import test from 'ava';
import { featureMetrics } from '../../../api/feature-metrics.ts';
import type { CustomResourceDefinition } from '../../../api/gen/types.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { createMetrics } from '../../../base/metrics.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { converterOf } from '../custom/conversion-webhook.ts';
import { customKinds } from '../custom/custom-kinds.ts';
import type { WebhookCaller } from '../webhook/caller.ts';
import { CustomMetrics } from './custom-metrics.ts';
import { ServiceAccountMetrics } from './service-account-metrics.ts';

const { signal } = new AbortController();
const schema = {
	openAPIV3Schema: {
		type: 'object',
		properties: { n: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self < 10' }] } },
	},
};
const version = (name: string): object => ({ name, served: true, storage: name === 'v1', schema });
const definition = {
	metadata: { name: 'as.x.io' },
	spec: {
		group: 'x.io',
		scope: 'Cluster',
		names: { plural: 'as', kind: 'A' },
		conversion: { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: 'https://x' } } },
		versions: [version('v1'), version('v2')],
	},
	status: { acceptedNames: { plural: 'as', kind: 'A', listKind: 'AList' } },
} as unknown as CustomResourceDefinition;
const object = { apiVersion: 'x.io/v1', kind: 'A', metadata: { name: 'a' }, n: 3 } as KubeObject;

interface Request {
	readonly uid: string;
	readonly objects: readonly KubeObject[];
}
const of = (response: (request: Request) => object) => (request: Request) => ({
	...{ kind: 'ConversionReview', apiVersion: 'apiextensions.k8s.io/v1' },
	response: { uid: request.uid, ...response(request) },
});
const success = { result: { status: 'Success' } };
const converted = ({ objects }: Request): readonly object[] => objects.map((one) => ({ ...one, apiVersion: 'x.io/v2' }));

for (const [what, answer, failure, message] of [
	['works', of((request) => ({ ...success, convertedObjects: converted(request) })), '', undefined],
	['says no', of(() => ({ result: { status: 'Failed', message: 'no' } })), 'malformed_response', 'failed: no'],
	['leaves objects out', of(() => ({ ...success, convertedObjects: [] })), 'partial_response', 'returned 0 objects, expected 1'],
	[
		'converts to something else',
		of(({ objects }) => ({ ...success, convertedObjects: objects })),
		'invalid_converted_object',
		'returned invalid object at index 0: invalid groupVersion (expected x.io/v2, received x.io/v1)',
	],
	[
		'gives another name',
		of((request) => ({ ...success, convertedObjects: converted(request).map((one) => ({ ...one, metadata: { name: 'b' } })) })),
		'invalid_converted_object',
		'returned invalid object: must have the same name: a != b',
	],
	['cannot be asked', () => Promise.reject(new Error('refused')), 'call', 'failed: refused'],
] as const)
	test(`a conversion whose webhook ${what} is counted`, async (t) => {
		const registry = createMetrics();
		const clock = new VirtualClock();
		const post = async (_config: unknown, body: object): Promise<unknown> => answer((body as { readonly request: Request }).request);
		const caller = { post } as unknown as WebhookCaller;
		const converter = converterOf(definition, { caller, clock, metrics: new CustomMetrics(registry, clock) });
		const asked = converter.review?.([object], 'x.io/v2', signal);
		if (message === undefined) t.is((await asked)?.[0]?.apiVersion, 'x.io/v2');
		else await t.throwsAsync(async () => asked, { message: `conversion webhook for x.io/v1, Kind=A ${message}` });
		const text = await registry.metrics();
		const labels =
			failure === '' ? 'failure_type="",result="success"' : `failure_type="conversion_webhook_${failure}_failure",result="failure"`;
		t.true(text.includes(`apiserver_conversion_webhook_request_total{${labels}} 1`), text);
		t.true(text.includes(`apiserver_conversion_webhook_duration_seconds_count{${labels}} 1`));
		const which = `crd_name="as.x.io",from_version="v1",succeeded="${failure === ''}",to_version="v2"`;
		t.true(text.includes(`apiserver_crd_conversion_webhook_duration_seconds_count{${which}} 1`));
	});

test('expressions of schemas: compiled once, evaluated with each object', async (t) => {
	const registry = createMetrics();
	const { rules } = new CustomMetrics(registry, new VirtualClock());
	const [kind] = customKinds(definition, { review: undefined }, signal, rules);
	t.deepEqual(
		kind?.custom?.validateCreate(object, () => {}),
		[],
	);
	t.is(kind?.custom?.validateCreate({ ...object, n: 10 } as KubeObject, () => {}).length, 1);
	const text = await registry.metrics();
	t.true(text.includes('apiserver_cel_compilation_duration_seconds_count 1'), text);
	t.true(text.includes('apiserver_cel_evaluation_duration_seconds_count 2'));
});

test('features are told with their stage', async (t) => {
	const registry = createMetrics();
	featureMetrics(registry);
	featureMetrics(registry);
	const text = await registry.metrics();
	t.true(text.includes('kubernetes_feature_enabled{name="BtreeWatchCache",stage=""} 1\n'));
	t.true(text.includes('kubernetes_feature_enabled{name="CBORServingAndStorage",stage="ALPHA"} 0\n'));
	t.true(text.includes('kubernetes_feature_enabled{name="ConcurrentWatchObjectDecode",stage="BETA"} 0\n'));
});

test('tokens of service accounts are counted by their sort', async (t) => {
	const registry = createMetrics();
	const metrics = new ServiceAccountMetrics(registry);
	metrics.used('stale');
	metrics.used('valid');
	metrics.used('valid');
	const text = await registry.metrics();
	for (const [use, count] of Object.entries({ legacy_tokens: 0, stale_tokens: 1, valid_tokens: 2, legacy_manual_token_uses: 0 }))
		t.true(text.includes(`serviceaccount_${use}_total ${count}\n`), text);
});
