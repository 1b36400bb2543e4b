import test from 'ava';
import { schemaOfKind } from '../schema.ts';
import { strategicMergePatch } from './strategic.ts';

const type = schemaOfKind('', 'v1', 'Pod');
const pod = {
	spec: {
		containers: [
			{ name: 'a', image: 'i', env: [{ name: 'A', value: '1' }] },
			{ name: 'b', image: 'i' },
		],
		nodeSelector: { x: 'y' },
	},
};
const meta = { metadata: { finalizers: ['a', 'b'] } };

for (const [name, original, patch, want] of [
	[
		'items merge by their key',
		pod,
		{ spec: { containers: [{ name: 'a', image: 'j' }] } },
		{
			spec: {
				...pod.spec,
				containers: [
					{ name: 'a', image: 'j', env: [{ name: 'A', value: '1' }] },
					{ name: 'b', image: 'i' },
				],
			},
		},
	],
	[
		'$patch: delete takes an item out',
		pod,
		{ spec: { containers: [{ name: 'a', $patch: 'delete' }] } },
		{ spec: { ...pod.spec, containers: [{ name: 'b', image: 'i' }] } },
	],
	[
		'$patch: replace replaces the list',
		pod,
		{ spec: { containers: [{ $patch: 'replace' }, { name: 'c', image: 'k' }] } },
		{ spec: { ...pod.spec, containers: [{ name: 'c', image: 'k' }] } },
	],
	['null removes a key', pod, { spec: { nodeSelector: null } }, { spec: { containers: pod.spec.containers } }],
	['$retainKeys keeps only those', pod, { spec: { $retainKeys: ['nodeSelector'] } }, { spec: { nodeSelector: { x: 'y' } } }],
	[
		'$setElementOrder orders the list',
		pod,
		{ spec: { '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }] } },
		{ spec: { ...pod.spec, containers: [pod.spec.containers[1], pod.spec.containers[0]] } },
	],
	[
		'values of a primitive list are added once',
		meta,
		{ metadata: { finalizers: ['b', 'c'] } },
		{ metadata: { finalizers: ['a', 'b', 'c'] } },
	],
	[
		'$deleteFromPrimitiveList takes values out',
		meta,
		{ metadata: { '$deleteFromPrimitiveList/finalizers': ['a'] } },
		{ metadata: { finalizers: ['b'] } },
	],
] as const)
	test(`strategicMergePatch(): ${name}`, (t) => t.deepEqual(strategicMergePatch(type, original, patch) as unknown, want as unknown));

for (const [patch, want] of [
	[{ spec: { containers: [{ name: 'a', $patch: 'explode' }] } }, 'unknown patch type: explode in map: map[$patch:explode name:a]'],
	[{ spec: { $retainKeys: ['x'], hostname: 'h' } }, 'invalid patch format of retainKeys'],
	[{ $patch: 'merge' }, 'unknown patch type: merge in map: map[$patch:merge]'],
	[{ $patch: 5 }, 'unknown patch type: %!s(int64=5) in map: map[$patch:5]'],
	[{ $patch: ['a', { b: 1 }] }, 'unknown patch type: [a map[b:%!s(int64=1)]] in map: map[$patch:[a map[b:1]]]'],
	[{ spec: { nodeSelector: { '$setElementOrder/z': [] } } }, 'merging an object in json but data type is not struct, instead is: map'],
	[{ spec: { '$setElementOrder/zork': ['x'] } }, 'unable to find api field in struct PodSpec for the json field "zork"'],
	[{ spec: { '$setElementOrder/containers': 'x' } }, 'expected a []interface {}, but received a string'],
	[{ spec: { '$setElementOrder/containers': ['a'] } }, 'value for key 0 is not a map'],
	[{ spec: { containers: [{ image: 'q' }] } }, 'map: map[image:q] does not contain declared merge key: name'],
] as const)
	test(`strategicMergePatch() refuses: ${want}`, (t) => {
		t.throws(() => strategicMergePatch(type, pod, patch), { message: want });
	});

test('strategicMergePatch() takes no map with a directive into a place that is empty', (t) => {
	t.deepEqual(strategicMergePatch(type, {}, { spec: { nodeSelector: { a: 'b', $patch: 'replace' }, hostname: null } }), { spec: {} });
});
