/** Bodies to objects and back: canonical form, strictness, error texts, protobuf byte for byte, exact integers. */
import { formatYaml } from './yaml.ts';
import test from 'ava';
import type { KindName } from '../kind-name.ts';
import { schemaOfKind } from '../schema.ts';
import { canonicalObject } from './canonical.ts';
import { decodeBody, decodeOptions, encodeBody, encodeWatchFrame, PROTOBUF, type Decoding } from './codec.ts';
import { decodeEnvelope, encodeEnvelope } from './envelope.ts';
import { jsonSyntaxError } from './json-syntax.ts';
import { parseJson, repeatedKeys } from './json-text.ts';
import { parseYaml } from './yaml.ts';

const CONFIG_MAP: KindName = { group: '', version: 'v1', kind: 'ConfigMap' };
const DEPLOYMENT: KindName = { group: 'apps', version: 'v1', kind: 'Deployment' };
const quiet: Decoding = { strictness: 'Ignore', warn: () => {} };

function decode(
	body: string | object,
	kind: KindName,
	decoding: Decoding = quiet,
	mediaType = 'application/json',
): Record<string, unknown> {
	return decodeBody(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)), mediaType, kind, decoding);
}

/** Go's own bytes for these objects. */
const BYTES: readonly (readonly [object: Record<string, unknown>, base64: string])[] = [
	[
		{
			kind: 'ConfigMap',
			apiVersion: 'v1',
			metadata: { name: 'a', namespace: 'n', creationTimestamp: '2026-01-02T03:04:05Z', labels: { a: '1', b: '2' } },
			data: { k: 'v' },
			binaryData: { z: 'AAE=' },
		},
		'azhzAAoPCgJ2MRIJQ29uZmlnTWFwEj0KKgoBYRIAGgFuIgAqADIAOABCCAil69zKBhAAWgYKAWESATFaBgoBYhIBMhIGCgFrEgF2GgcKAXoSAgABGgAiAA==',
	],
	[
		{
			kind: 'Lease',
			apiVersion: 'coordination.k8s.io/v1',
			metadata: { name: 'l' },
			spec: { holderIdentity: 'h', leaseDurationSeconds: 15, renewTime: '2026-01-02T03:04:05.000006Z' },
		},
		'azhzAAofChZjb29yZGluYXRpb24uazhzLmlvL3YxEgVMZWFzZRIlChEKAWwSABoAIgAqADIAOABCABIQCgFoEA8iCQil69zKBhDwLhoAIgA=',
	],
	[
		{
			kind: 'Service',
			apiVersion: 'v1',
			metadata: { name: 's' },
			spec: {
				ports: [
					{ port: 80, targetPort: 'http' },
					{ port: 81, targetPort: 8081 },
				],
			},
			status: { loadBalancer: {} },
		},
		'azhzAAoNCgJ2MRIHU2VydmljZRJSChEKAXMSABoAIgAqADIAOABCABI5ChQKABIAGFAiCggBEAAaBGh0dHAoAAoRCgASABhRIgcIABCRPxoAKAAaACIAOgBCAFIAWgBgAGgAGgIKABoAIgA=',
	],
	[
		{
			kind: 'Pod',
			apiVersion: 'v1',
			metadata: { name: 'p' },
			spec: {
				volumes: [{ name: 'v', emptyDir: { sizeLimit: '1Gi' } }],
				containers: [
					{ name: 'c', image: 'i', resources: { requests: { cpu: '100m' } }, livenessProbe: { httpGet: { port: 80 }, periodSeconds: 10 } },
				],
				terminationGracePeriodSeconds: 30,
			},
			status: {},
		},
		'azhzAAoJCgJ2MRIDUG9kEqMBChEKAXASABoAIgAqADIAOABCABJ5ChAKAXYSCxIJCgASBQoDMUdpEkcKAWMSAWkqAEIPEg0KA2NwdRIGCgQxMDBtUhwKEBIOCgASBggAEFAaABoAIgAQABgAIAooADAAagByAIABAIgBAJABAKIBABoAIB4yAEIASgBSAFgAYABoAIIBAIoBAJoBAMIBABoTCgAaACIAKgAyAEoAWgByAIgBABoAIgA=',
	],
];
for (const [object, base64] of BYTES)
	test(`protobuf of a ${String(object['kind'])} is Go's`, (t) => {
		t.is(encodeEnvelope(object)?.toString('base64'), base64);
		const [group = '', version = ''] = String(object['apiVersion']).includes('/')
			? String(object['apiVersion']).split('/')
			: ['', object['apiVersion'] as string];
		const type = schemaOfKind(group, version, String(object['kind']));
		const back = decodeEnvelope(Buffer.from(base64, 'base64'));
		t.is(JSON.stringify(type && canonicalObject(type, back, { unknown: (path) => t.fail(path) })), JSON.stringify(object));
	});

test('a watch frame is a length and a WatchEvent around the enveloped object', (t) => {
	const [object, base64] = BYTES[0] ?? t.fail();
	const frame = Buffer.from(encodeWatchFrame('ADDED', object as object));
	t.is(frame.readUInt32BE(), frame.length - 4);
	t.is(frame.subarray(4, 11).toString(), '\n\u0005ADDED');
	t.true(frame.includes(Buffer.from(base64 as string, 'base64')));
});

test('broken protobuf is refused in words, never thrown as something else', (t) => {
	const whole = Buffer.from(BYTES[3]?.[1] ?? '', 'base64');
	for (let length = 0; length < whole.length; length++) {
		try {
			decodeEnvelope(whole.subarray(0, length));
		} catch (error) {
			t.is((error as { code?: string }).code, 'InvalidArgument', `at ${length}: ${String(error)}`);
		}
	}
	const error = t.throws(() => decodeBody(Buffer.from('{}'), PROTOBUF, CONFIG_MAP, quiet));
	t.regex(
		error.message,
		/^the object provided is unrecognized \(must be of type ConfigMap\): provided data does not appear to be a protobuf message/,
	);
});

const EMPTY_STRUCTS =
	'{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"a"},"spec":{"replicas":0,"selector":{"matchLabels":{"a":"1","b":"2"}},"template":{"metadata":{},"spec":{"containers":null}},"strategy":{}},"status":{}}';
test("canonical: Go's order, sorted maps, structs that are always there, zeros that are not", (t) => {
	const given = {
		spec: { selector: { matchLabels: { b: '2', a: '1' } }, minReadySeconds: 0, paused: false, replicas: 0, template: {} },
		metadata: { name: 'a', labels: {} },
		apiVersion: 'apps/v1',
		kind: 'Deployment',
	};
	const type = schemaOfKind('apps', 'v1', 'Deployment') ?? t.fail();
	t.is(JSON.stringify(canonicalObject(type as never, given, { unknown: (path) => t.fail(path) })), EMPTY_STRUCTS);
});

const unknownFields = {
	apiVersion: 'apps/v1',
	kind: 'Deployment',
	metadata: { name: 'a', zork: 1 },
	spec: { foo: 1, selector: {}, template: { spec: { containers: [{ name: 'c', bar: 2, ports: [{ containerPort: 1, baz: 1 }] }] } } },
};
const repeatedFields = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","name":"b"},"data":{"x":"1","x":"2"}}';
const repeatedYaml = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  x: '1'\n  x: '2'\nfoo: 1\n";
const strictness: readonly (readonly [
	rule: string,
	body: string | object,
	kind: KindName,
	mediaType: string,
	warnings: readonly string[],
	strict: string,
])[] = [
	[
		'unknown fields, in the order of the document',
		unknownFields,
		DEPLOYMENT,
		'application/json',
		[
			'unknown field "metadata.zork"',
			'unknown field "spec.foo"',
			'unknown field "spec.template.spec.containers[0].bar"',
			'unknown field "spec.template.spec.containers[0].ports[0].baz"',
		],
		'unknown field "metadata.zork", unknown field "spec.foo", unknown field "spec.template.spec.containers[0].bar", unknown field "spec.template.spec.containers[0].ports[0].baz"',
	],
	[
		'repeated fields',
		repeatedFields,
		CONFIG_MAP,
		'application/json',
		['duplicate field "metadata.name"', 'duplicate field "data.x"'],
		'duplicate field "metadata.name", duplicate field "data.x"',
	],
	[
		'unknown and repeated fields, as a reader comes to them: at the second of two',
		'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","zork":1,"name":"b","zork":2},"data":{"x":"1"},"foo":{"y":1,"y":2},"data":{"x":"2"}}',
		CONFIG_MAP,
		'application/json',
		['unknown field "metadata.zork"', 'duplicate field "metadata.name"', 'unknown field "foo"', 'duplicate field "data"'],
		'unknown field "metadata.zork", duplicate field "metadata.name", unknown field "foo", duplicate field "data"',
	],
	['names are case-sensitive', { Data: {} }, CONFIG_MAP, 'application/json', ['unknown field "Data"'], 'unknown field "Data"'],
	[
		'YAML',
		repeatedYaml,
		CONFIG_MAP,
		'application/yaml',
		['line 7: key "x" already set in map', 'unknown field "foo"'],
		'yaml: unmarshal errors:\n  line 7: key "x" already set in map, unknown field "foo"',
	],
];
const hundred = Array.from({ length: 100 }, (_, i) => `unknown field "f${i}"`);
const bounded: typeof strictness = [
	['a hundred fields are told', manyFields(''), CONFIG_MAP, 'application/json', hundred, hundred.join(', ')],
	[
		'a hundred fields are told, with a repeated one',
		manyFields('"kind":"ConfigMap",'),
		CONFIG_MAP,
		'application/json',
		['duplicate field "kind"', ...hundred.slice(0, 99)],
		['duplicate field "kind"', ...hundred.slice(0, 99)].join(', '),
	],
];

function manyFields(more: string): string {
	const fields = Array.from({ length: 120 }, (_, i) => `"f${i}":1`);
	return `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},${more}${fields.join()}}`;
}

for (const [rule, body, kind, mediaType, warnings, strict] of [...strictness, ...bounded])
	test(`strictness: ${rule}`, (t) => {
		const warned: string[] = [];
		decode(body, kind, { strictness: 'Warn', warn: (text) => warned.push(text) }, mediaType);
		t.deepEqual(warned, warnings);
		const error = t.throws(() => decode(body, kind, { ...quiet, strictness: 'Strict' }, mediaType));
		t.is(error.message, `${kind.kind} in version "v1" cannot be handled as a ${kind.kind}: strict decoding error: ${strict}`);
		t.notThrows(() => decode(body, kind, quiet, mediaType));
	});

const TYPE_META = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
const unrecognized = (why: string): string => `the object provided is unrecognized (must be of type ConfigMap): ${why}`;
const unfit = (why: string, kind = 'ConfigMap'): string => `${kind} in version "v1" cannot be handled as a ${kind}: ${why}`;
const refused: readonly (readonly [body: string | object, message: string, kind?: KindName])[] = [
	['', unrecognized("couldn't get version/kind; json parse error: unexpected end of JSON input (<empty>)")],
	['{', unrecognized("couldn't get version/kind; json parse error: unexpected end of JSON input ({)")],
	[
		'[]',
		unrecognized(`couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type ${TYPE_META} (5b5d)`),
	],
	['5', unrecognized(`couldn't get version/kind; json parse error: json: cannot unmarshal number into Go value of type ${TYPE_META} (35)`)],
	[
		'{"apiVersion": 1, "kind": "ConfigMap"}',
		unrecognized(
			'couldn\'t get version/kind; json parse error: json: cannot unmarshal number into Go struct field .apiVersion of type string ({"apiVersion": 1, "kind": "Con ...)',
		),
	],
	[
		{ kind: 'ConfigMap', apiVersion: '__internal' },
		'the API version in the data (__internal) does not match the expected API version (v1)',
	],
	[{ metadata: 'x' }, unfit('json: cannot unmarshal string into Go struct field ConfigMap.metadata of type v1.ObjectMeta')],
	[
		{ metadata: { labels: { a: 1 } } },
		unfit('json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string'),
	],
	[
		{ metadata: { annotations: ['a'] } },
		unfit('json: cannot unmarshal array into Go struct field ObjectMeta.metadata.annotations of type map[string]string'),
	],
	[
		{ metadata: { creationTimestamp: 'yesterday' } },
		unfit('parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"'),
	],
	[{ binaryData: { z: '!' } }, unfit('illegal base64 data at input byte 0')],
	// The break counts, and the end is where the last four begin.
	[{ binaryData: { z: 'x\ny' } }, unfit('illegal base64 data at input byte 1')],
	[{ binaryData: { z: [1, 'x'] } }, unfit('json: cannot unmarshal string into Go struct field ConfigMap.binaryData of type uint8')],
	[{ binaryData: { z: [256] } }, unfit('json: cannot unmarshal number 256 into Go struct field ConfigMap.binaryData of type uint8')],
	[
		{ spec: { replicas: 'x' } },
		unfit('json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32', 'Deployment'),
		DEPLOYMENT,
	],
];
for (const [body, message, kind = CONFIG_MAP] of refused)
	test(`refused: ${JSON.stringify(body)}`, (t) => t.is(t.throws(() => decode(body, kind)).message, message));

test('refused: maps and lists of named types, and values of maps, which Go names without their keys', (t) => {
	const slice = (device: object): object => ({ spec: { devices: [device] } });
	for (const [kind, body, message] of [
		[
			{ group: '', version: 'v1', kind: 'ResourceQuota' },
			{ spec: { hard: 5 } },
			'number into Go struct field ResourceQuotaSpec.spec.hard of type v1.ResourceList',
		],
		[
			{ group: 'resource.k8s.io', version: 'v1', kind: 'ResourceSlice' },
			slice({ attributes: [] }),
			'array into Go struct field Device.spec.devices.attributes of type map[v1.QualifiedName]v1.DeviceAttribute',
		],
		[
			{ group: 'resource.k8s.io', version: 'v1', kind: 'ResourceSlice' },
			slice({ attributes: { k: { version: 5 } } }),
			'number into Go struct field DeviceAttribute.spec.devices.attributes.version of type string',
		],
	] as const)
		t.is(t.throws(() => decode(body, kind)).message, unfit(`json: cannot unmarshal ${message}`, kind.kind));
});

test('bytes may come as a list of numbers', (t) => {
	t.like(decode({ binaryData: { z: [104, 105], none: [] } }, CONFIG_MAP), { binaryData: { z: 'aGk=', none: '' } });
});

const syntax: readonly (readonly [text: string, message: string])[] = [
	['{"a":"\u0001"}', "invalid character '\\x01' in string literal"],
	['a: 1', "invalid character 'a' looking for beginning of value"],
	['{a:1}', "invalid character 'a' looking for beginning of object key string"],
	['{"a" 1}', "invalid character '1' after object key"],
	['{"a":1 "b"}', "invalid character '\"' after object key:value pair"],
	['[1 2]', "invalid character '2' after array element"],
	['{} x', "invalid character 'x' after top-level value"],
	['trux', "invalid character 'x' in literal true (expecting 'e')"],
	['1.x', "invalid character 'x' after decimal point in numeric literal"],
	['"\\q"', "invalid character 'q' in string escape code"],
	['Ç', "invalid character 'Ã' looking for beginning of value"],
	['{"a":[', 'unexpected end of JSON input'],
];
for (const [text, message] of syntax) test(`JSON syntax: ${JSON.stringify(text)}`, (t) => t.is(jsonSyntaxError(text), message));

test('integers beyond 2^53 are exact from JSON, through YAML, and back', (t) => {
	const text = '{"a":9007199254740993,"b":-9223372036854775808,"c":1.5,"d":"9007199254740993"}';
	t.is(JSON.stringify(parseJson(text)), text);
	t.is(JSON.stringify(parseYaml('a: 9007199254740993\nb: 3\n').value), '{"a":9007199254740993,"b":3}');
});

test('repeated keys are found at any depth, with escapes and colons in strings', (t) => {
	const text = '{"a":{"x\\"":1,"x\\"":2},"b":[{"k":"\\\\"},{"k":1,"k":": \\"k\\":"}]}';
	t.deepEqual(repeatedKeys(text, JSON.parse(text)), ['a.x"', 'b[1].k']);
	const none = '{"a":"\\"b\\": 1","b":{"a":[{},[],"x"]}}';
	t.deepEqual(repeatedKeys(none, JSON.parse(none)), []);
});

for (const [yaml, want] of [
	['k: [1\n', "line 1: did not find expected ',' or ']'"],
	['k: [1', "line 1: did not find expected ',' or ']'"],
	['k: {b:', 'line 1: did not find expected node content'],
	['{:', 'did not find expected node content'],
	['k: [,]\n', 'did not find expected node content'],
	['a: b\nk: [b: c: d]\n', "line 1: did not find expected ',' or ']'"],
	['k: "\\x0"\n', 'did not find expected hexdecimal number'],
	['a: b\nk: "\\ud83d\\ude00"\n', 'line 2: found invalid Unicode character escape code'],
	['k: |x\n  b\n', 'did not find expected comment or line break'],
	['k: |0\n  b\n', 'found an indentation indicator equal to 0'],
	['a: b\n- c\n', 'line 1: did not find expected key'],
	['k: ? b\n', 'mapping keys are not allowed in this context'],
	["a: b\nk: 'b' c\n", 'line 1: did not find expected key'],
	['k: & b\n', 'did not find expected alphabetic or numeric character'],
	['k: !<x\n', "did not find the expected '>'"],
	['k: \x01\n', 'control characters are not allowed'],
] as const)
	test(`parseYaml() of ${JSON.stringify(yaml)} says what Go says`, (t) => t.is(t.throws(() => parseYaml(yaml)).message, `yaml: ${want}`));

test("YAML: old line breaks, a comment at a quote's end, and what looks like half a character", (t) => {
	t.deepEqual(parseYaml("a: b\rc: d\u0085e: 'f'#g\n").value, { a: 'b', c: 'd', e: 'f' });
	t.deepEqual(parseYaml('a: \'\\ud83d\'\nb: "\\\\ud83d"\n').value, { a: '\\ud83d', b: '\\ud83d' });
});

test('YAML as Go reads it', (t) => {
	t.deepEqual(parseYaml('time: 12:30\nday: 2020-01-01\nyes: no\nmode: 0777\nb: !!binary aGk=\n---\nsecond: 1\n').value, {
		time: '12:30',
		day: '2020-01-01',
		true: false,
		mode: 511,
		b: 'hi',
	});
	t.is(t.throws(() => parseYaml('a:\n\tb: c\n')).message, 'yaml: line 2: found character that cannot start any token');
	t.is(t.throws(() => parseYaml('a: b: c\n')).message, 'yaml: mapping values are not allowed in this context');
	const yaml = Buffer.from(encodeBody({ kind: 'ConfigMap', apiVersion: 'v1', data: { b: 'yes', a: '1' } }, 'application/yaml')).toString();
	t.is(yaml, 'apiVersion: v1\ndata:\n  a: "1"\n  b: "yes"\nkind: ConfigMap\n');
});

for (const [body, want] of [
	['{', "couldn't get version/kind; json parse error: unexpected end of JSON input"],
	['{"kind":"Pod","apiVersion":"v1"}', 'no kind "Pod" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"'],
	['{"gracePeriodSeconds":"x"}', 'json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64'],
] as const)
	test(`decodeOptions() refuses ${body}`, (t) => {
		t.throws(() => decodeOptions(Buffer.from(body), 'application/json', 'DeleteOptions'), { message: want });
	});

test('YAML answers are written as Go writes them', (t) => {
	const long = 'the first words of a text that is long enough to be folded once it has gone past eighty columns, and no sooner';
	const object = { b: ['x', { c: '1', a: [] }], a: { '.': {}, t: '2026-01-01T00:00:00Z', yes: 'no', m: 'a: b', l: 'one\ntwo\n' }, z: long };
	t.is(
		formatYaml(object),
		[
			'a:',
			'  .: {}',
			'  l: |',
			'    one',
			'    two',
			"  m: 'a: b'",
			'  t: "2026-01-01T00:00:00Z"',
			'  "yes": "no"',
			'b:',
			'- x',
			'- a: []',
			'  c: "1"',
			'z: the first words of a text that is long enough to be folded once it has gone past',
			'  eighty columns, and no sooner',
			'',
		].join('\n'),
	);
});

for (const [kind, field, value] of [
	['Secret', 'data', ''],
	['ConfigMap', 'binaryData', ''],
	['ConfigMap', 'data', ''],
] as const)
	test(`decodeBody(): null among the values of a ${kind}'s ${field} is empty, as what upstream stores of it`, (t) => {
		const sent = { apiVersion: 'v1', kind, metadata: { name: 'a' }, [field]: { k: null } };
		t.deepEqual(decode(sent, { group: '', version: 'v1', kind })[field], { k: value });
	});
