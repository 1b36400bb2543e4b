/** Definitions of custom resources as tables: each row is what upstream's validation says of one change to a good one. */
import test from 'ava';
import { names, object, root, told } from '../../../test/fakes/told-of-definition.ts';
import type { KubeObject } from '../../resource.ts';
import { validateUpdate } from '../validation.ts';

const STATUS = { subresources: { status: {} } };
const AT_ROOT =
	'$: only [Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations] fields are allowed at the root of the schema if the status subresource is enabled';
const rules = (...all: object[]): object => ({ 'x-kubernetes-validations': all });
const text = { type: 'string' };

for (const [what, schema, refused] of [
	['alternatives', root({}, { anyOf: [{ required: ['a'] }] }), true],
	['fewest properties', root({}, { minProperties: 1 }), true],
	['a kind of map', root({}, { 'x-kubernetes-map-type': 'atomic' }), true],
	['rules, and lists of what must be there', root({ a: text }, { required: ['a'], ...rules({ rule: 'true' }) }), false],
] as const)
	test(`validateCreate(): at the root of a schema with a status of its own: ${what}`, (t) => {
		t.is(told(schema, STATUS).includes(AT_ROOT), refused);
		t.false(told(schema).includes(AT_ROOT));
	});

const embedded = (metadata: object): object =>
	object({ apiVersion: text, kind: text, metadata }, { 'x-kubernetes-embedded-resource': true });
for (const [what, schema, want] of [
	['properties beside a free map', root({ a: object({ b: text }, { additionalProperties: true }) }), []],
	[
		'properties beside none else',
		root({ a: object({ b: text }, { additionalProperties: false }) }),
		['$.properties[a].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive'],
	],
	[
		'rules of a part that speak of what it does not declare',
		root({ a: object({}, { anyOf: [{ properties: { b: { minimum: 1 } } }] }), l: { type: 'string', allOf: [{ items: { minimum: 1 } }] } }),
		[],
	],
	[
		'rules of the root that do',
		root({ a: text }, { not: { properties: { b: { minimum: 1 }, a: { items: {} } } } }),
		[
			'$.properties[a].items: Required value: because it is defined in $.not.properties[a].items',
			'$.properties[b]: Required value: because it is defined in $.not.properties[b]',
		],
	],
	[
		'what has no structural form is not judged by it, and its paths are taken',
		{ type: 'integer', 'x-kubernetes-preserve-unknown-fields': false, ...rules({ rule: 'true', fieldPath: '.zz' }) },
		['$.x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined'],
	],
	[
		'the first of all may name types as an integer or a string does, nothing else',
		root({ a: { 'x-kubernetes-int-or-string': true, allOf: [{ title: 't', anyOf: [{ type: 'integer' }, { type: 'string' }] }] } }),
		['$.properties[a].allOf[0].title: Forbidden: must be empty to be structural'],
	],
	[
		'a type that is null',
		root({ a: { type: 'null' } }),
		[
			'$.properties[a].type: Unsupported value: "null": supported values: "array", "boolean", "integer", "number", "object", "string"',
			'$.properties[a].type: Forbidden: type cannot be set to null, use nullable as an alternative',
		],
	],
	['metadata of what is embedded is free', root({ a: embedded(object({ labels: object({}, { additionalProperties: text }) })) }), []],
	['and has defaults', root({ a: embedded(object({ name: { type: 'string', default: 'x' } })) }), []],
	[
		'metadata with a description',
		root({ metadata: { type: 'object', description: 'd' } }),
		['$.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified'],
	],
	[
		'a default of a kind',
		root({ kind: { type: 'string', default: 'A' } }),
		['$.properties[kind].default: Forbidden: must not be set in top-level kind'],
	],
	[
		'an integer or a text without the marker',
		root({ a: { 'x-kubernetes-preserve-unknown-fields': true, anyOf: [{ type: 'integer' }, text] } }),
		[],
	],
	[
		'a set of objects that are no units',
		root({ a: { type: 'array', 'x-kubernetes-list-type': 'set', items: object({}, { 'x-kubernetes-map-type': 'granular' }) } }),
		['$.properties[a].items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set'],
	],
	[
		'a rule of two lines needs a message, an expression for it is none',
		root({}, rules({ rule: 'true ||\ntrue', messageExpression: "'m'" })),
		['$.x-kubernetes-validations[0].message: Required value: message must be specified if rule contains line breaks'],
	],
	[
		'texts of rules',
		root({}, rules({ rule: 'true', message: ' ' }, { rule: 'true', message: 'a\nb' }, { rule: 'true', fieldPath: ' ' })),
		[
			'$.x-kubernetes-validations[0].message: Invalid value: " ": must be non-empty if specified',
			'$.x-kubernetes-validations[1].message: Invalid value: "a\\nb": must not contain line breaks',
			'$.x-kubernetes-validations[2].fieldPath: Invalid value: " ": must be non-empty if specified',
			'$.x-kubernetes-validations[2].fieldPath: Invalid value: " ": must be a valid path',
		],
	],
] as const)
	test(`validateCreate(): ${what}`, (t) => t.deepEqual(told(schema), [...want]));

for (const [jsonPath, want] of [
	['.a', undefined],
	['a.b', 'expected [ or . but got: a'],
	['.', 'unexpected end of JSON path'],
	[".['a']", 'does not refer to a valid field'],
	['.a[0]', 'array notation is not allowed'],
	['.b', 'does not refer to a valid field'],
] as const)
	test(`validateCreate(): the field ${jsonPath} can be selected by: ${want ?? 'yes'}`, (t) => {
		const why = `spec.selectableFields[0].jsonPath: Invalid value: "${jsonPath}": is an invalid path: ${want}`;
		t.deepEqual(told(root({ a: text }), { selectableFields: [{ jsonPath }] }), want === undefined ? [] : [why]);
	});

for (const [deprecated, deprecationWarning, want] of [
	[false, '', 'can only be set for deprecated versions'],
	[true, 'é\u{a0}x', 'must only contain printable UTF-8 characters; non-printable character found at index 2'],
	[true, 'ok 😀', undefined],
] as const)
	test(`validateCreate(): a warning ${JSON.stringify(deprecationWarning)} of deprecation`, (t) => {
		const found = told(root({}), { deprecated, deprecationWarning });
		t.deepEqual(
			found.map((line) => line.replace(/^spec.versions\[0\].deprecationWarning: Invalid value: ".*": /s, '')),
			want === undefined ? [] : [want],
		);
	});

test('validateCreate(): a webhook that converts is checked as other webhooks are', (t) => {
	const conversion = (clientConfig: object): object => ({
		preserveUnknownFields: true,
		conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } },
	});
	const at = 'spec.conversion.webhookClientConfig';
	const preserved = [
		'spec.conversion.strategy: Invalid value: "Webhook": must be None if spec.preserveUnknownFields is true',
		'spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
	] as const;
	t.deepEqual(told(root({}), {}, conversion({ url: 'http://a/?b#c' })), [
		preserved[0],
		`${at}.url: Invalid value: "http": 'https' is the only allowed URL scheme; desired format: https://host[/path]`,
		`${at}.url: Invalid value: "c": fragments are not permitted in the URL`,
		`${at}.url: Invalid value: "b": query parameters are not permitted in the URL`,
		preserved[1],
	]);
	t.deepEqual(told(root({}), {}, conversion({ url: 'https://a:b/' })), [
		preserved[0],
		`${at}.url: Required value: url must be a valid URL: parse "https://a:b/": invalid port ":b" after host; desired format: https://host[/path]`,
		preserved[1],
	]);
	t.deepEqual(told(root({}), {}, conversion({ service: { namespace: 'n', name: '', path: '/a//B/' } })), [
		preserved[0],
		`${at}.service.namespace: Required value`,
		`${at}.service.path: Invalid value: "/a//B/": segment[1] may not be empty`,
		`${at}.service.path: Invalid value: "/a//B/": segment[2]: a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
		preserved[1],
	]);
});

test('validateUpdate(): a missing approval may stay away, but not become a wrong one', (t) => {
	const definition = (approved?: string): KubeObject =>
		({
			metadata: {
				name: 'as.x.k8s.io',
				resourceVersion: '1',
				...(approved === undefined ? {} : { annotations: { 'api-approved.kubernetes.io': approved } }),
			},
			spec: {
				group: 'x.k8s.io',
				scope: 'Cluster',
				names,
				conversion: { strategy: 'None' },
				versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: root({}) } }],
			},
			status: { storedVersions: ['v1'], acceptedNames: names },
		}) as unknown as KubeObject;
	const found = (from: KubeObject, to: KubeObject): readonly string[] =>
		validateUpdate('apiextensions.k8s.io', 'v1', 'CustomResourceDefinition', to, from, false).map(({ field }) => field);
	t.deepEqual(found(definition(), definition()), []);
	t.deepEqual(found(definition(), definition('perhaps')), ['metadata.annotations[api-approved.kubernetes.io]']);
	t.deepEqual(found(definition('perhaps'), definition('perhaps not')), []);
	t.deepEqual(found(definition(), definition('https://a/%zz')), ['metadata.annotations[api-approved.kubernetes.io]']);
	t.deepEqual(found(definition(), definition('//a/b')), ['metadata.annotations[api-approved.kubernetes.io]']);
	t.deepEqual(found(definition(), definition('foo://x:80/z')), []);
});
