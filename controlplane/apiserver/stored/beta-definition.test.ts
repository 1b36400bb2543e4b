import test from 'ava';
import type { CustomResourceDefinition } from '../../../api/gen/types.ts';
import { makeKind } from '../registry/kinds.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../../api/resources.ts';
import { BETA_DEFINITION, fromBeta } from './beta-definition.ts';
import { upstreamForm } from './upstream-form.ts';

const schema = { openAPIV3Schema: { type: 'object' } };
const versions = [
	{ name: 'v1', served: true, storage: true },
	{ name: 'v2', served: true, storage: false },
];
const beta = (spec: object): object => ({
	kind: 'CustomResourceDefinition',
	apiVersion: 'apiextensions.k8s.io/v1beta1',
	metadata: {},
	spec,
});

for (const [what, spec, want] of [
	[
		'of their own',
		{ version: 'v1', versions: [{ ...versions[0], schema, additionalPrinterColumns: [{ name: 'A', type: 'string', JSONPath: '.a' }] }] },
		{ versions: [{ ...versions[0], schema, additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: '.a' }] }] },
	],
	[
		'in common',
		{ versions, validation: schema, subresources: { status: {} }, selectableFields: [{ jsonPath: '.a' }] },
		{ versions: versions.map((one) => ({ ...one, schema, subresources: { status: {} }, selectableFields: [{ jsonPath: '.a' }] })) },
	],
	['of a single one', { version: 'v1', validation: schema }, { versions: [{ ...versions[0], schema }] }],
	[
		'that a webhook converts',
		{ versions, conversion: { strategy: 'Webhook', webhookClientConfig: { url: 'u' }, conversionReviewVersions: ['v1'] } },
		{ versions, conversion: { strategy: 'Webhook', webhook: { clientConfig: { url: 'u' }, conversionReviewVersions: ['v1'] } } },
	],
	['that keep unknown fields', { versions, preserveUnknownFields: undefined }, { versions, preserveUnknownFields: true }],
] as const)
	test(`a definition of v1beta1 in v1: versions ${what}`, (t) => {
		t.deepEqual(fromBeta(beta({ group: 'a.io', preserveUnknownFields: false, ...spec }) as Record<string, unknown>)['spec'], {
			group: 'a.io',
			scope: 'Namespaced',
			conversion: { strategy: 'None' },
			...want,
		});
	});

test('a definition that another server stored in v1beta1 is read', (t) => {
	const names = { plural: 'foos', kind: 'Foo', singular: 'foo', listKind: 'FooList' };
	const object = {
		...beta({ group: 'a.io', scope: 'Cluster', names, version: 'v1', versions, validation: schema, preserveUnknownFields: false }),
	};
	t.is(BETA_DEFINITION, 'apiextensions.k8s.io/v1beta1/CustomResourceDefinition');
	const { prefix } = makeKind(CUSTOM_RESOURCE_DEFINITIONS);
	const read = upstreamForm().fromValue(`${prefix}foos.a.io`, Buffer.from(JSON.stringify(object)));
	const { apiVersion, spec } = JSON.parse(Buffer.from(read.bytes).toString()) as CustomResourceDefinition;
	t.is(apiVersion, 'apiextensions.k8s.io/v1');
	t.deepEqual(
		spec.versions.map((version) => version.schema),
		[schema, schema],
	);
	t.false('version' in spec || 'validation' in spec);
});
