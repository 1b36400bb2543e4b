import test from 'ava';
import type { FieldError } from '../field-error.ts';
import { nodeAnnotations } from './node-annotations.ts';

const TAINTS = 'scheduler.alpha.kubernetes.io/taints';
const AVOID = 'scheduler.alpha.kubernetes.io/preferAvoidPods';

const said = (key: string, value: string): string[] => {
	const out: FieldError[] = [];
	nodeAnnotations(out, { [key]: value });
	return out.map(({ field, message }) => `${field}: ${message}`);
};
const whole = (key: string, why: string): string =>
	`metadata.annotations${key === AVOID ? '.AvoidPods' : ''}: Invalid value: "${key}": ${why}`;

// As Go 1.26 says it.
for (const [value, why] of [
	['x', "invalid character 'x' looking for beginning of value"],
	['[', 'unexpected end of JSON input'],
	['{}', 'json: cannot unmarshal object into Go value of type []core.Taint'],
	['[1]', 'json: cannot unmarshal number into Go value of type core.Taint'],
	['[{"key":1}]', 'json: cannot unmarshal number into Go struct field Taint.Key of type string'],
	['[{"KEY":"a","effect":2}]', 'json: cannot unmarshal number into Go struct field Taint.Effect of type core.TaintEffect'],
	['[{"key":"a","timeAdded":5}]', 'json: cannot unmarshal number into Go struct field Taint.TimeAdded of type string'],
	['[{"timeAdded":"x"}]', 'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"'],
] as const)
	test(`a node's annotation of taints: ${value}`, (t) => t.deepEqual(said(TAINTS, value), [whole(TAINTS, why)]));

for (const [value, why] of [
	['[]', 'json: cannot unmarshal array into Go value of type v1.AvoidPods'],
	[
		'{"preferAvoidPods":{}}',
		'json: cannot unmarshal object into Go struct field AvoidPods.preferAvoidPods of type []v1.PreferAvoidPodsEntry',
	],
	[
		'{"preferAvoidPods":[1]}',
		'json: cannot unmarshal number into Go struct field AvoidPods.preferAvoidPods of type v1.PreferAvoidPodsEntry',
	],
	[
		'{"preferAvoidPods":[{"podSignature":3}]}',
		'json: cannot unmarshal number into Go struct field PreferAvoidPodsEntry.preferAvoidPods.podSignature of type v1.PodSignature',
	],
	[
		'{"preferAvoidPods":[{"podSignature":{"podController":{"controller":"x"}}}]}',
		'json: cannot unmarshal string into Go struct field OwnerReference.preferAvoidPods.podSignature.podController.controller of type bool',
	],
] as const)
	test(`a node's annotation of pods that avoid it: ${value}`, (t) => t.deepEqual(said(AVOID, value), [whole(AVOID, why)]));

const taintAt = `metadata.annotations.${TAINTS}[0]`;
const avoidAt = `metadata.annotations.${AVOID}[0].PodSignature`;
for (const [key, value, want] of [
	[TAINTS, '', []],
	[TAINTS, 'null', []],
	[TAINTS, '[null]', [`${taintAt}.key: Invalid value: "": name part must be non-empty`]],
	[TAINTS, '[{"Key":"a","effect":"NoSchedule","timeAdded":"2026-01-01T00:00:00Z","x":1}]', []],
	[TAINTS, '[{"key":"a"}]', [`${taintAt}.effect: Required value`]],
	[
		TAINTS,
		'[{"key":"a","effect":"x"}]',
		[`${taintAt}.effect: Unsupported value: "x": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"`],
	],
	[AVOID, '{}', []],
	[AVOID, '{"preferAvoidPods":[{"podSignature":{"podController":{"controller":true}}}]}', []],
	[AVOID, '{"preferAvoidPods":[{}]}', [`${avoidAt}: Required value`]],
	[
		AVOID,
		'{"preferAvoidPods":[{"podSignature":{"podController":{"controller":false}}}]}',
		[`${avoidAt}.PodController.Controller: Invalid value: false: must point to a controller`],
	],
] as const)
	test(`a node's annotation ${key} of ${value}`, (t) => t.deepEqual(said(key, value).slice(0, 1), [...want]));
