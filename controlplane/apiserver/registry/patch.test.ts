import test from 'ava';
import type { KubeObject } from '../../../api/resource.ts';
import { writeOptions } from '../request/options.ts';
import { decodedApplied, patched } from './patch.ts';
import { readPatchDocument } from './patch-document.ts';
import type { AskedPatch } from './patch-request.ts';

const CONFIG_MAP = { group: '', version: 'v1', kind: 'ConfigMap' };
const live = {
	apiVersion: 'v1',
	kind: 'ConfigMap',
	metadata: { name: 'a', namespace: 'n' },
	data: { a: '1' },
} as unknown as KubeObject;

function asked(type: AskedPatch['type'], patch: unknown, validation = ''): AskedPatch {
	const options = writeOptions('PatchOptions', new URLSearchParams(validation === '' ? {} : { fieldValidation: validation }));
	return { type, bytes: Buffer.from(typeof patch === 'string' ? patch : JSON.stringify(patch)), options };
}

const KIND_ONE = 'Go value of type';
for (const [type, text, validation, message] of [
	['merge', '[]', 'Strict', `error decoding patch: json: cannot unmarshal array into ${KIND_ONE} map[string]interface {}`],
	['merge', 'null', 'Strict', 'Invalid JSON Patch'],
	['merge', '5', 'Ignore', 'Invalid JSON Patch'],
	['merge', '{', 'Ignore', 'Invalid JSON Patch'],
	['merge', '{', 'Warn', 'error decoding patch: unexpected end of JSON input'],
	['strategic', '"x"', 'Warn', `json: cannot unmarshal string into ${KIND_ONE} map[string]interface {}`],
	['strategic', '{', 'Warn', 'unexpected end of JSON input'],
	['json', '{}', 'Warn', `error decoding patch: json: cannot unmarshal object into ${KIND_ONE} []handlers.jsonPatchOp`],
	['json', '{}', 'Ignore', `json: cannot unmarshal object into ${KIND_ONE} jsonpatch.Patch`],
	['json', '[1]', 'Warn', `error decoding patch: json: cannot unmarshal number into ${KIND_ONE} handlers.jsonPatchOp`],
	['json', '[1]', 'Ignore', `json: cannot unmarshal number into ${KIND_ONE} jsonpatch.Operation`],
	['json', '[{"op":1}]', 'Warn', 'error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string'],
] as const)
	test(`readPatchDocument(): a ${type} patch ${text}, ${validation}`, (t) => {
		t.throws(() => readPatchDocument(asked(type, text, validation)), { message });
	});

for (const [type, text, want] of [
	['merge', '{"data":{"a":"1","a":"2"}}', ['duplicate field "data.a"']],
	['json', '[{"op":"add","path":"/data/z","foo":1}]', ['json patch unknown field "[0].foo"']],
] as const)
	test(`readPatchDocument(): strict decoding of ${text}`, (t) => {
		t.deepEqual(readPatchDocument(asked(type, text)).strict, want);
		t.deepEqual(readPatchDocument(asked(type, text, 'Ignore')).strict, []);
	});

for (const [rule, type, patch, tail] of [
	['a result of another kind is decoded as that', 'merge', { kind: 'Secret' }, 'illegal base64 data at input byte 0'],
	['a result that no kind fits', 'merge', { kind: 'Pod', data: null }, 'converting (v1.Pod) to (core.ConfigMap): unknown conversion'],
	[
		'a value of the wrong type, after JSON',
		'merge',
		{ data: { a: 1 } },
		'json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
	],
	[
		'a value of the wrong type, without JSON',
		'strategic',
		{ data: { a: 1 } },
		'Invalid value: "map[data:map[a:1]]": cannot convert int64 to string',
	],
	['a list for a struct', 'strategic', { metadata: [] }, 'Invalid value: "map[metadata:[]]": cannot restore struct from: slice'],
	[
		'a list of texts for bytes',
		'strategic',
		{ binaryData: { a: ['x'] } },
		'Invalid value: "map[binaryData:map[a:[x]]]": unrecognized type: uint8',
	],
	[
		'a large fraction for a flag',
		'strategic',
		{ immutable: 1_234_567.5 },
		'Invalid value: "map[immutable:1.2345675e+06]": unrecognized type: bool',
	],
	['a text for a flag', 'strategic', { immutable: 'x' }, 'Invalid value: "map[immutable:x]": unrecognized type: bool'],
	[
		'a map for a flag, without the nulls in it',
		'strategic',
		{ immutable: { a: null, b: { c: null } } },
		'Invalid value: "map[immutable:map[b:map[]]]": unrecognized type: bool',
	],
	[
		'a time that is none',
		'strategic',
		{ metadata: { creationTimestamp: 5 } },
		'json: cannot unmarshal number into Go value of type string',
	],
] as const)
	test(`patched() refuses ${rule}`, (t) => {
		const error = t.throws(() => patched(asked(type, patch), CONFIG_MAP, live, () => {}));
		t.true(error.message.endsWith(tail), error.message);
		t.true(error.message.startsWith(' "" is invalid: patch: Invalid value: '));
	});

test('patched(): a strategic patch cannot change the kind; its unknown fields are sorted warnings', (t) => {
	const warnings: string[] = [];
	const made = patched(asked('strategic', { kind: 'Secret', zork: 1, abba: 2, data: { b: '2' } }), CONFIG_MAP, live, (text) =>
		warnings.push(text),
	);
	t.deepEqual([made.kind, warnings], ['ConfigMap', ['unknown field "abba"', 'unknown field "zork"']]);
});

for (const [type, path] of [
	['merge', 'spec.devices[0].attributes.x.zork'],
	['strategic', 'spec.devices[0].attributes.zork'],
] as const)
	test(`patched(): unknown fields of a ${type} patch inside of a map are called ${path}`, (t) => {
		const warnings: string[] = [];
		const slice = { apiVersion: 'resource.k8s.io/v1', kind: 'ResourceSlice', metadata: { name: 'a' }, spec: {} } as unknown as KubeObject;
		const body = { spec: { devices: [{ name: 'd', attributes: { x: { zork: 1 } } }] } };
		patched(asked(type, body), { group: 'resource.k8s.io', version: 'v1', kind: 'ResourceSlice' }, slice, (text) => warnings.push(text));
		t.deepEqual(warnings, [`unknown field "${path}"`]);
	});

const HPA = { group: 'autoscaling', kind: 'HorizontalPodAutoscaler' };
const scaler = (apiVersion: string, spec: object): KubeObject =>
	({
		apiVersion,
		kind: HPA.kind,
		metadata: { name: 'a' },
		spec: { scaleTargetRef: { kind: 'X', name: 'x' }, maxReplicas: 3, ...spec },
	}) as KubeObject;
const cpu = (averageUtilization: number): object => ({
	type: 'Resource',
	resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
});

test('patched(): what a patch says is in an older version is read as that, and converted', (t) => {
	const warnings: string[] = [];
	const live = scaler('autoscaling/v2', { metrics: [cpu(60)] });
	const body = { apiVersion: 'autoscaling/v1', spec: { targetCPUUtilizationPercentage: 50 } };
	const made = patched(asked('merge', body), { ...HPA, version: 'v2' }, live, (text) => warnings.push(text));
	t.like(made, { apiVersion: 'autoscaling/v2', spec: { metrics: [cpu(50)], maxReplicas: 3 } });
	t.deepEqual(warnings, ['unknown field "spec.metrics"']);
});

test('patched(): what a patch says is in a newer version is read as that, and converted', (t) => {
	const live = scaler('autoscaling/v1', { targetCPUUtilizationPercentage: 60 });
	const patch = [
		{ op: 'replace', path: '/apiVersion', value: 'autoscaling/v2' },
		{ op: 'add', path: '/spec/metrics', value: [cpu(40)] },
	];
	const made = patched(asked('json', patch, 'Ignore'), { ...HPA, version: 'v1' }, live, () => {});
	t.like(made, { apiVersion: 'autoscaling/v1', spec: { targetCPUUtilizationPercentage: 40, maxReplicas: 3 } });
});

test('patched(): the object that an error shows is as Go writes it', (t) => {
	const error = t.throws(() => patched(asked('merge', { data: { a: '<&>', b: 1 } }), CONFIG_MAP, live, () => {}));
	t.true(error.message.includes(String.raw`\"a\":\"\\u003c\\u0026\\u003e\"`), error.message);
});

for (const [namespace, about] of [
	['n', 'n/a'],
	[undefined, '/a'],
] as const)
	test(`decodedApplied(): what cannot be read is named, ${about}`, (t) => {
		const claim = { apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'a', namespace }, spec: { limits: [{ max: { cpu: 'x' } }] } };
		const kind = { group: '', version: 'v1', kind: 'LimitRange' };
		t.throws(() => decodedApplied(kind, claim as unknown as KubeObject), {
			message: new RegExp(`^failed to convert new object \\(${about}; /v1, Kind=LimitRange\\) to proper version: `),
		});
	});
