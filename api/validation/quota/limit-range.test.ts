import test from 'ava';
import type { KubeObject } from '../../resource.ts';
import { validateCreate } from '../validation.ts';

for (const [name, limit, want] of [
	['an extended resource that is asked for as it is limited', { default: { 'x.io/g': '1' }, defaultRequest: { 'x.io/g': '1' } }, []],
	[
		'an extended resource that is asked for otherwise than it is limited',
		{ default: { 'x.io/g': '2' }, defaultRequest: { 'x.io/g': '1' } },
		['spec.limits[0].defaultRequest[x.io/g]: Invalid value: "1": default value 2 must equal to defaultRequest value 1 in x.io/g'],
	],
	['cpu that is asked for otherwise', { default: { cpu: '2' }, defaultRequest: { cpu: '1' } }, []],
	['a ratio as far as least and most are apart', { min: { cpu: '500m' }, max: { cpu: '1' }, maxLimitRequestRatio: { cpu: '2' } }, []],
	[
		'a ratio beyond them',
		{ min: { cpu: '300m' }, max: { cpu: '1' }, maxLimitRequestRatio: { cpu: '4' } },
		['spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "4": ratio 4 is greater than max/min = 3.333333'],
	],
	[
		'a default above the most, which is what is shown',
		{ max: { memory: '1Gi' }, default: { memory: '2Gi' }, defaultRequest: { memory: '1Gi' } },
		['spec.limits[0].default[memory]: Invalid value: "1Gi": default value 2Gi is greater than max value 1Gi'],
	],
	['a ratio where the least is nothing', { min: { cpu: '0' }, max: { cpu: '1' }, maxLimitRequestRatio: { cpu: '4' } }, []],
] as const)
	test(`limits: ${name}`, (t) => {
		const object = { metadata: { name: 'a', namespace: 'n' }, spec: { limits: [{ type: 'Container', ...limit }] } };
		const errors = validateCreate('', 'v1', 'LimitRange', object as unknown as KubeObject, true);
		t.deepEqual(
			errors.map(({ field, message }) => `${field}: ${message}`),
			want,
		);
	});
