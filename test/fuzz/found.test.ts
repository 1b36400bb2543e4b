/** Inputs that once broke something, and what is said of them now. */
import test from 'ava';
import { decodeBody, PROTOBUF } from '../../api/codec/codec.ts';
import { MAX_DEPTH } from '../../api/codec/depth.ts';
import { MAX_YAML_BYTES, parseYaml } from '../../api/codec/yaml.ts';
import type { KubeObject } from '../../api/resource.ts';
import type { Schema } from '../../api/structural/schema.ts';
import { setDefaults } from '../../api/structural/defaults.ts';
import { checkRules } from '../../api/structural/cel-check.ts';
import { validateValue } from '../../api/structural/validate.ts';
import { validateCreate } from '../../api/validation/validation.ts';
import { decodeContinue } from '../../controlplane/apiserver/request/continue-token.ts';

const KIND = { group: '', version: 'v1', kind: 'ConfigMap' };
const decode = (text: string): unknown => decodeBody(Buffer.from(text), 'application/json', KIND, { strictness: 'Strict', warn: () => {} });

for (const [what, text, message] of [
	['lists in lists', '['.repeat(3_000_000), /invalid character '\[' exceeded max depth/],
	['objects in objects', '{"a":'.repeat(10_001) + '1' + '}'.repeat(10_001), /invalid character '\{' exceeded max depth/],
	['closing brackets in texts', '{"]]":['.repeat(6000), /exceeded max depth/],
	[
		'metadata that is kept',
		`{"metadata":{"managedFields":[{"fieldsV1":${'{"f:a":'.repeat(600)}{}${'}'.repeat(600)}}]}}`,
		/exceeded max depth/,
	],
	['what is no JSON either', '{"a":'.repeat(9000), /exceeded max depth/],
	['escaped quotes', `{"\\"]": ${'['.repeat(600)}`, /exceeded max depth/],
] as const)
	test(`JSON that nests too deep: ${what}`, (t) => t.regex(t.throws(() => decode(text)).message, message));

for (const [what, text] of [
	['objects', `{"x":${'{"a":'.repeat(9998)}"\\ud800"${'}'.repeat(9998)}}`],
	['lists', `{"x":${'['.repeat(9998)}{}${']'.repeat(9998)}}`],
	['long keys that stand twice', `{"x":${`{"b":1,"b":2,"${'a'.repeat(200)}":`.repeat(9998)}{}${'}'.repeat(9998)}}`],
] as const)
	test(`fields that nobody knows nest as deep as Go's reader goes: ${what}`, (t) => {
		const warnings: string[] = [];
		const decoding = { strictness: 'Warn', warn: (text: string) => void warnings.push(text) } as const;
		t.deepEqual(decodeBody(Buffer.from(text), 'application/json', KIND, decoding), { kind: 'ConfigMap', apiVersion: 'v1', metadata: {} });
		t.true(warnings.includes('unknown field "x"'), warnings[0]);
		t.throws(() => decode(text), { message: /strict decoding error: .*unknown field "x"/ });
	});

test('brackets in texts are no depth', (t) => t.notThrows(() => decode(JSON.stringify({ data: { a: '[{"'.repeat(2000) } }))));

const rows = (count: number, row: (i: number) => string): string => Array.from({ length: count }, (_, i) => row(i)).join('\n');
const ALIASES = rows(12, (i) =>
	i === 0
		? 'a0: &a0 [x]'
		: `a${i}: &a${i} [${Array(9)
				.fill(`*a${i - 1}`)
				.join()}]`,
);

for (const [what, text, message] of [
	['brackets', '['.repeat(200_000), /exceeded max depth/],
	['braces', '{a: '.repeat(2000), /exceeded max depth/],
	['closing brackets in texts', '["]",'.repeat(2000), /exceeded max depth/],
	['lists in one line', '- '.repeat(100_000), /exceeded max depth/],
	['keys in one line', '? '.repeat(100_000), /exceeded max depth/],
	['anchors between', '- &a '.repeat(10_000), /exceeded max depth/],
	['an anchor that holds itself', 'a: &a [*a]', /exceeded max depth/],
	['a merge of what is no map', '<<:\n- 0\n', /map merge requires map or sequence of maps as the value/],
	['aliases of aliases', ALIASES, /document contains excessive aliasing/],
	['more than is read', 'a: 1\n'.repeat(MAX_YAML_BYTES / 5 + 1), /Request entity too large: limit is 262144/],
] as const)
	test(`YAML, ${what}`, (t) => t.regex(t.throws(() => parseYaml(text)).message, message));

test('YAML: one line of a long list, deep enough nesting and later documents are fine', (t) => {
	t.deepEqual(parseYaml(`[${Array(1000).fill('{a: [1]}').join()}]`).value, Array(1000).fill({ a: [1] }));
	t.notThrows(() => parseYaml('['.repeat(MAX_DEPTH) + ']'.repeat(MAX_DEPTH)));
	t.deepEqual(parseYaml('a: 1\n---\n'.repeat(20_000)).value, { a: 1 });
	t.deepEqual(parseYaml('a: "- - -"\nb: |\n  - - [[[[\n').value, { a: '- - -', b: '- - [[[[\n' });
});

test('protobuf whose JSON nests too deep', (t) => {
	const json = Buffer.from('['.repeat(2000));
	const raw = Buffer.concat([Buffer.from([0x0a, ...varint(json.length)]), json]);
	const data = Buffer.concat([Buffer.from([0x12, ...varint(raw.length)]), raw]);
	const unknown = Buffer.concat([Buffer.from('k8s\0'), Buffer.from([0x12, ...varint(data.length)]), data]);
	const kind = { group: 'apps', version: 'v1', kind: 'ControllerRevision' };
	t.regex(t.throws(() => decodeBody(unknown, PROTOBUF, kind, { strictness: 'Ignore', warn: () => {} })).message, /raw field is no JSON/);
});

function varint(value: number): number[] {
	return value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)];
}

const token = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

test('continue tokens: no object, a revision that is no whole number, a key beyond ASCII', (t) => {
	t.regex(t.throws(() => decodeContinue(token(null))).message, /does not recognize this encoded version/);
	t.regex(t.throws(() => decodeContinue(token({ v: 'meta.k8s.io/v1', rv: 1.5, start: 'a\0' }))).message, /cannot unmarshal number 1.5/);
	t.is(decodeContinue(token({ v: 'meta.k8s.io/v1', rv: 1, start: 'é\0' })).after, 'é');
});

test('a continue token stays below its list', (t) => {
	for (const start of ['../secrets/a\0', 'a//b\0', './a\0'])
		t.regex(t.throws(() => decodeContinue(token({ v: 'meta.k8s.io/v1', rv: 1, start }))).message, /continue key is not valid/);
});

test('half a character is U+FFFD, in keys too', (t) => {
	const { data } = decode('{"data":{"a\\ud800":"\\udc00 \\ud83d\\ude00"}}') as { data: object };
	t.deepEqual(data, { 'a\ufffd': '\ufffd \u{1f600}' });
});

test("a JSON schema's alternatives are what they may be, or nothing", (t) => {
	const kind = { group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition' };
	const read = (schema: object): unknown => {
		const spec = { versions: [{ name: 'v1', schema: { openAPIV3Schema: schema } }] };
		const object = decodeBody(Buffer.from(JSON.stringify({ spec })), 'application/json', kind, { strictness: 'Ignore', warn: () => {} });
		return (object as { spec: typeof spec }).spec.versions[0]?.schema.openAPIV3Schema;
	};
	t.deepEqual(read({ items: '' }), {});
	t.deepEqual(read({ items: [null, { type: 'string' }] }), { items: [{}, { type: 'string' }] });
	t.regex(t.throws(() => read({ additionalProperties: 'x' })).message, /boolean or JSON schema expected/);
	t.throws(() => read({ items: ['x'] }));
});

for (const [given, want] of [
	['YQ==', 'YQ=='],
	['YR==', 'YQ=='],
	['YWJj\nYQ==\n', 'YWJjYQ=='],
	['', ''],
	['YQ==null', 4],
	['YQ==YQ==', 4],
	['YWI=YWI=', 4],
	['Y===', 1],
	['YQ=a', 2],
	['YQ=', 3],
	['YQ', 0],
	['YWJj*', 4],
	['====', 0],
] as const)
	test(`bytes: ${JSON.stringify(given)}`, (t) => {
		const read = (): unknown => (decode(JSON.stringify({ binaryData: { a: given } })) as { binaryData?: { a: unknown } }).binaryData?.a;
		if (typeof want === 'string') t.is(read(), want);
		else t.regex(t.throws(read).message, new RegExp(`illegal base64 data at input byte ${want}$`));
	});

test('an empty time is none, as for upstream', (t) =>
	t.regex(t.throws(() => decode('{"metadata":{"deletionTimestamp":""}}')).message, /parsing time "" as .*: cannot parse "" as "2006"/));

test('names of what every object has are no types', (t) => {
	for (const type of ['__proto__', 'constructor'])
		t.deepEqual(
			validateCreate('', 'v1', 'Secret', { metadata: { name: 'a', namespace: 'b' }, type } as unknown as KubeObject, true).map(
				(e) => e.message,
			),
			[],
		);
});

test('an invalid value that an update leaves as it was fails only the rules that use it', (t) => {
	const rules = [{ rule: 'true' }, { rule: 'self == self', message: 'used' }];
	const schema: Schema = { type: 'object', properties: { at: { type: 'string', format: 'date', 'x-kubernetes-validations': rules } } };
	const errors = checkRules({ at: 'a' }, schema, { value: { at: 'a' } });
	t.deepEqual(
		errors.map(({ message }) => message),
		[
			'Invalid value: "string": Invalid date formatted string a: parsing time "a" as "2006-01-02": cannot parse "a" as "2006" evaluating rule: used',
		],
	);
});

test('a pattern that is none is told where a default is checked', (t) => {
	const [error] = validateValue('a', { type: 'string', pattern: '[' } as Schema, 'a');
	t.regex(error?.message ?? '', /should match '\[, but pattern is invalid: error parsing regexp: missing closing \]/);
});

const POD = { group: '', version: 'v1', kind: 'Pod' };
const decodeAs = (kind: typeof KIND, object: object | string): Record<string, unknown> =>
	decodeBody(Buffer.from(typeof object === 'string' ? object : JSON.stringify(object)), 'application/json', kind, {
		strictness: 'Strict',
		warn: () => {},
	});

for (const [what, kind, text, message] of [
	['the end is one more space', POD, '{"a":t', /invalid character ' ' in literal true \(expecting 'r'\)/],
	['the end within an escape', POD, '{"a\\', /invalid character ' ' in string escape code/],
	['the first of two wrong names', POD, '{"kind":{},"apiVersion":{}}', /Go struct field \.kind of type string/],
	['the first mismatch of a document', POD, '{"spec":{"containers":7},"metadata":{"name":7}}', /PodSpec\.spec\.containers/],
	['a type with a reader of its own ends it', POD, '{"metadata":{"name":7,"creationTimestamp":"x"}}', /parsing time "x"/],
	['named strings', POD, '{"status":{"qosClass":{}}}', /PodStatus\.status\.qosClass of type v1\.PodQOSClass/],
	['a key that is empty', POD, '{"":{"b":1},"a":1}', /strict decoding error: unknown field "", unknown field "a"$/],
	['what stands twice in what is unknown', POD, '{"x":1,"x":{"y":1,"y":2}}', /strict decoding error: unknown field "x"$/],
	['unknown fields are quoted by Go', POD, '{"a\\u2028\\u0000":1}', /unknown field "a\\u2028\\x00"$/],
] as const)
	test(`decoding errors: ${what}`, (t) => t.regex(t.throws(() => decodeAs(kind, text)).message, message));

test('the zero time is none', (t) => {
	const { metadata } = decodeAs(POD, {
		metadata: { creationTimestamp: '0001-01-01T00:00:00Z', deletionTimestamp: '0001-01-01T00:00:00Z' },
	});
	t.deepEqual(metadata, {});
});

test("a body's group version may leave out what is served", (t) => {
	for (const apiVersion of ['', '/', '/v1', 'v1']) t.is(decodeAs(POD, { apiVersion })['apiVersion'], 'v1');
});

test('a quantity may be a number that no double holds', (t) => {
	const kind = { group: 'storage.k8s.io', version: 'v1', kind: 'CSIStorageCapacity' };
	t.is(decodeAs(kind, '{"storageClassName":"a","capacity":9007199254740993}')['capacity'], '9007199254740993');
});

test("a stateful set's claims say what they are", (t) => {
	const kind = { group: 'apps', version: 'v1', kind: 'StatefulSet' };
	const { spec } = decodeAs(kind, { spec: { volumeClaimTemplates: [{ apiVersion: 'x' }] } }) as {
		spec: { volumeClaimTemplates: object[] };
	};
	t.like(spec.volumeClaimTemplates[0], { kind: 'PersistentVolumeClaim', apiVersion: 'v1' });
});

for (const [text, want] of [
	['.', '.'],
	['.5', 0.5],
	['-.5', -0.5],
	['+1_000', 1000],
	['_1', '_1'],
	['017', 15],
	['08', 8],
	['0o17', 15],
	['0X_f', 15],
	['-0b11', -3],
	['0x', '0x'],
	['1.e3', 1000],
	['1e400', '1e400'],
	['12:30', '12:30'],
	['9007199254740993', 9007199254740993n],
	['18446744073709551615', 18446744073709551615n],
	['18446744073709551616', 18446744073709551616],
	['!!float 1', 1],
	['!!str 1', '1'],
	['"1"', '1'],
] as const)
	test(`YAML scalar ${text}`, (t) => t.deepEqual(parseYaml(`a: ${text}`).value, { a: want }));

test('YAML keys that are no texts', (t) => {
	t.deepEqual(parseYaml('f:labels:\n  .: {}\n  1: a\n  yes: b\n  .inf: c').value, {
		'f:labels': { '.': {}, 1: 'a', true: 'b', '.inf': 'c' },
	});
	for (const [text, message] of [
		['? [a, 1]\n: 1', /^yaml: invalid map key/],
		['~: 1', /^unsupported map key of type/],
		['a: [-.inf]', /^json: unsupported value: -Inf$/],
	] as const)
		t.regex(t.throws(() => parseYaml(text)).message, message);
});

for (const [what, hex, message] of [
	['nothing', '', /^the object .*: empty data /],
	['nothing but the prefix', '6b387300', /: empty body /],
	['the end of a group', '6b3873000c', /: proto: Unknown: wiretype end group for non-group /],
	['field 0', '6b3873000a020200', /: proto: TypeMeta: illegal tag 0 \(wire type 2\) /],
	['a number for a message', '6b3873000800', /: proto: wrong wireType = 0 for field TypeMeta /],
	['field 0 of a message', '6b38730012020200', / cannot be handled as a ConfigMap: proto: ConfigMap: illegal tag 0 \(wire type 2\)$/],
] as const)
	test(`protobuf: ${what}`, (t) => {
		const read = (): unknown => decodeBody(Buffer.from(hex, 'hex'), PROTOBUF, KIND, { strictness: 'Ignore', warn: () => {} });
		t.regex(t.throws(read).message, message);
	});

test('protobuf: a group that nobody knows is passed over', (t) => {
	const bytes = Buffer.from('6b387300120d7b0a01617b08017c7c0a020a00', 'hex');
	t.notThrows(() => decodeBody(bytes, PROTOBUF, KIND, { strictness: 'Ignore', warn: () => {} }));
});

test('a default for a field named as what every object has', (t) => {
	const schema = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"integer","default":7}}}') as Schema;
	const value = {};
	setDefaults(value, schema);
	t.is(JSON.stringify(value), '{"__proto__":7}');
});

test('what is an integer or a text is no object', (t) => {
	const schema = {
		type: 'object',
		properties: { a: { 'x-kubernetes-int-or-string': true, 'x-kubernetes-preserve-unknown-fields': true } },
	};
	const names = { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' };
	const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }];
	const spec = { group: 'example.com', names, scope: 'Namespaced', versions, conversion: { strategy: 'None' } };
	const crd = { metadata: { name: 'widgets.example.com' }, spec } as unknown as KubeObject;
	const messages = validateCreate('apiextensions.k8s.io', 'v1', 'CustomResourceDefinition', crd, false).map(({ message }) => message);
	t.true(messages.includes('Invalid value: true: must be false if x-kubernetes-int-or-string is true'));
});
