import test from 'ava';
import type { KubeObject } from '../resource.ts';
import { mergePatch } from '../patch/merge.ts';
import { applyJsonPatch } from '../patch/json.ts';
import { decodeBody, decodeObject } from './codec.ts';
import { parseTypedJson } from './json-text.ts';

const APPS = { group: 'apps', version: 'v1', kind: 'Deployment' };
const decoding = { strictness: 'Ignore', warn: () => {} } as const;
const read = (text: string, kind = APPS): Record<string, unknown> => decodeBody(Buffer.from(text), 'application/json', kind, decoding);
const deployment = (spec: string): string => `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a"},"spec":${spec}}`;

for (const [text, message] of [
	['2.0', /json: cannot unmarshal number 2\.0 into Go struct field DeploymentSpec\.spec\.replicas of type int32/],
	['2e0', /number 2e0 into Go struct field DeploymentSpec\.spec\.replicas of type int32/],
	['-1.00', /number -1\.00 into/],
	['20E-1', /number 20E-1 into/],
	['2.5', /number 2\.5 into/],
] as const)
	test(`integers written as floats are none: ${text}`, (t) => {
		t.regex(t.throws(() => read(deployment(`{"replicas":${text}}`))).message, message);
		t.regex(t.throws(() => read(deployment(`{\n\t"paused": false, "replicas" : ${text} }`))).message, message);
	});

test('integers written as floats: other types', (t) => {
	t.regex(
		t.throws(() => read(deployment('{"template":{"spec":{"volumes":2.0}}}'))).message,
		/cannot unmarshal number into Go struct field PodSpec\.spec\.template\.spec\.volumes of type \[\]v1\.Volume/,
	);
	t.regex(
		t.throws(() => read(deployment('{"template":2.0}'))).message,
		/cannot unmarshal number into Go struct field .*v1\.PodTemplateSpec/,
	);
	t.regex(
		t.throws(() => read(deployment('{"selector":{"matchLabels":{"a":2.0}}}'))).message,
		/cannot unmarshal number into .* of type string/,
	);
	t.regex(t.throws(() => read(deployment('{"strategy":{"rollingUpdate":{"maxSurge":1.0}}}'))).message, /number 1\.0 into .* of type int32/);
});

test('quantities, raw JSON and texts have their numbers', (t) => {
	const limits = read(
		'{"apiVersion":"v1","kind":"LimitRange","metadata":{"name":"a"},"spec":{"limits":[{"type":"Pod","max":{"cpu":2.0,"memory":1e3}}]}}',
		{ group: '', version: 'v1', kind: 'LimitRange' },
	);
	t.like(limits, { spec: { limits: [{ max: { cpu: '2', memory: '1e3' } }] } });
	const revision = read(
		'{"apiVersion":"apps/v1","kind":"ControllerRevision","metadata":{"name":"a","annotations":{"a":"[1.0,{}]"}},"revision":1,"data":{"a":[1.0,{"b":2e0}]}}',
		{ ...APPS, kind: 'ControllerRevision' },
	);
	t.like(revision, { metadata: { annotations: { a: '[1.0,{}]' } } });
	t.is(JSON.stringify(revision['data']), '{"a":[1,{"b":2}]}');
});

const live = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a' }, spec: { replicas: 2 } } as unknown as KubeObject;

test('patches keep how a number is written', (t) => {
	const wrong = /number 3\.0 into Go struct field DeploymentSpec\.spec\.replicas of type int32/;
	const merged = mergePatch(live, parseTypedJson('{"spec":{"replicas":3.0}}'));
	t.is(JSON.stringify(merged), '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a"},"spec":{"replicas":3.0}}');
	t.regex(t.throws(() => decodeObject(merged, APPS, decoding)).message, wrong);
	for (const op of ['{"op":"replace","path":"/spec/replicas","value":3.0}', '{"op":"replace","path":"/spec","value":{"replicas":3.0}}'])
		t.regex(t.throws(() => decodeObject(applyJsonPatch(live, parseTypedJson(`[${op}]`)), APPS, decoding)).message, wrong);
	const tested = (value: string): unknown =>
		applyJsonPatch(live, parseTypedJson(`[{"op":"test","path":"/spec/replicas","value":${value}}]`));
	t.notThrows(() => tested('2'));
	t.throws(() => tested('2.0'), { message: /the server rejected our request/ });
	t.is(JSON.stringify(mergePatch({ a: {} }, parseTypedJson('{"a":{"b":[1.0],"c":1.0}}'))), '{"a":{"b":[1.0],"c":1.0}}');
});

test('integers beyond what a double holds are floats where floats are asked for', (t) => {
	const crd = { group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition' };
	const spec = '{"versions":[{"name":"v1","schema":{"openAPIV3Schema":{"type":"object","maximum":1000000000000000000}}}]}';
	const text = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"a"},"spec":${spec}}`;
	t.like(read(text, crd), { spec: { versions: [{ schema: { openAPIV3Schema: { maximum: 1e18 } } }] } });
});
