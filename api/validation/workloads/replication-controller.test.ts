import test from 'ava';
import type { KubeObject } from '../../resource.ts';
import { validateUpdate } from '../validation.ts';

const made = (annotations: Record<string, string>, selector: Record<string, string> = { a: 'b' }): KubeObject =>
	({
		metadata: { name: 'a', namespace: 'n', uid: 'u', resourceVersion: '1', annotations },
		spec: {
			selector,
			template: {
				metadata: { labels: { a: 'b', c: 'd' } },
				spec: {
					containers: [{ name: 'c', image: 'i', terminationMessagePolicy: 'File', imagePullPolicy: 'Always' }],
					restartPolicy: 'Always',
					dnsPolicy: 'ClusterFirst',
				},
			},
		},
	}) as unknown as KubeObject;

const UNKNOWN = 'Not found: "x": unknown non-convertible field';
for (const [rule, old, object, want] of [
	['a selector stays', { 'non-convertible.kubernetes.io/selector': 'x' }, made({}), []],
	[
		'a selector that is changed',
		{ 'non-convertible.kubernetes.io/selector': 'x' },
		made({}, { c: 'd' }),
		['spec.selector: Invalid value: {"c":"d"}: cannot update non-convertible selector'],
	],
	['anything else', { 'non-convertible.kubernetes.io/replicas': 'x' }, made({}), [`replicas: ${UNKNOWN}`]],
	['only what names one field', { 'non-convertible.kubernetes.io': 'x' }, made({}), []],
	['only what the old one says', {}, made({ 'non-convertible.kubernetes.io/replicas': 'x' }), []],
] as const)
	test(`an update of a ReplicationController that stands for what it cannot say: ${rule}`, (t) =>
		t.deepEqual(
			validateUpdate('', 'v1', 'ReplicationController', object, made(old), true).map(({ field, message }) => `${field}: ${message}`),
			[...want],
		));
