/** JSON patch and merge patch as upstream applies them. */
import test from 'ava';
import type { StatusError } from '../status.ts';
import { applyJsonPatch } from './json.ts';
import { mergePatch } from './merge.ts';

const before = { data: { a: '1', b: '2' }, list: ['x', 'y'] };

const applied: readonly (readonly [rule: string, patch: readonly object[], want: unknown])[] = [
	['add', [{ op: 'add', path: '/data/z', value: '9' }], { data: { a: '1', b: '2', z: '9' }, list: ['x', 'y'] }],
	[
		'add into a list, at its end, remove from it',
		[
			{ op: 'add', path: '/list/0', value: 'w' },
			{ op: 'add', path: '/list/-', value: 'z' },
			{ op: 'remove', path: '/list/1' },
		],
		{ data: before.data, list: ['w', 'y', 'z'] },
	],
	['a negative index counts from the end', [{ op: 'replace', path: '/list/-1', value: 'z' }], { data: before.data, list: ['x', 'z'] }],
	['escapes', [{ op: 'add', path: '/data/a.io~1b~0c', value: '' }], { data: { a: '1', 'a.io/b~c': '', b: '2' }, list: before.list }],
	[
		'what stands before the first slash is ignored',
		[{ op: 'add', path: 'data/q', value: 1 }],
		{ data: before.data, list: before.list, q: 1 },
	],
	[
		'replace accepts a missing key',
		[{ op: 'replace', path: '/data/z', value: '9' }],
		{ data: { a: '1', b: '2', z: '9' }, list: before.list },
	],
	[
		'copy accepts a missing key',
		[{ op: 'copy', from: '/data/q', path: '/data/z' }],
		{ data: { a: '1', b: '2', z: null }, list: before.list },
	],
	['move', [{ op: 'move', from: '/data/a', path: '/data/z' }], { data: { b: '2', z: '1' }, list: before.list }],
	['test null accepts a missing key', [{ op: 'test', path: '/data/q', value: null }], before],
	['a test that holds', [{ op: 'test', path: '/list', value: ['x', 'y'] }], before],
];
for (const [rule, patch, want] of applied)
	test(`JSON patch: ${rule}`, (t) => {
		t.deepEqual(applyJsonPatch(before, patch), want);
		t.deepEqual(before, { data: { a: '1', b: '2' }, list: ['x', 'y'] });
	});

const GENERIC = 'the server rejected our request due to an error in our request';
const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);
const refused: readonly (readonly [rule: string, patch: unknown, code: number, message: string])[] = [
	['an unknown operation', [{ op: 'frob', path: '/data/a' }], 422, GENERIC],
	['an index beyond the end', [{ op: 'add', path: '/list/5', value: 'z' }], 422, GENERIC],
	['no index', [{ op: 'add', path: '/list/x', value: 'z' }], 422, GENERIC],
	['remove of a missing key', [{ op: 'remove', path: '/data/q' }], 422, GENERIC],
	['move of a missing key', [{ op: 'move', from: '/data/q', path: '/data/c' }], 422, GENERIC],
	['a test that fails', [{ op: 'test', path: '/data/a', value: '2' }], 422, GENERIC],
	['no path', [{ op: 'add', value: 1 }], 422, GENERIC],
	[
		'copies that double again and again',
		Array.from({ length: 40 }, (_, i) => ({ op: 'copy', from: '/data', path: `/data/k${i}` })),
		422,
		GENERIC,
	],
	['what nests too deep', [{ op: 'add', path: '/data/x', value: nested(600) }], 422, GENERIC],
	['no list', 'x', 400, 'error decoding patch: json: cannot unmarshal string into Go value of type []handlers.jsonPatchOp'],
];
for (const [rule, patch, code, message] of refused)
	test(`JSON patch refuses ${rule}`, (t) => {
		const error = t.throws(() => applyJsonPatch(before, patch)) as StatusError;
		t.is(error.httpCode, code);
		t.is(error.message, message);
	});

test('a JSON patch cannot reach the prototype', (t) => {
	const out = applyJsonPatch({}, [{ op: 'add', path: '/__proto__', value: { polluted: true } }]) as object;
	t.true(Object.hasOwn(out, '__proto__'));
	t.is((out as { polluted?: unknown }).polluted, undefined);
});

test('a merge patch cannot reach the prototype', (t) => {
	const patch: unknown = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"a":1}}');
	const out = mergePatch({}, patch) as object;
	t.is(JSON.stringify(out), '{"__proto__":{"polluted":true},"constructor":{"a":1}}');
	t.is((out as { polluted?: unknown }).polluted, undefined);
});

const merged: readonly (readonly [rule: string, current: unknown, patch: unknown, want: string])[] = [
	['objects merge, null removes, keys come sorted', { b: 1, a: { x: 1, y: 2 } }, { a: { x: null, z: 3 } }, '{"a":{"y":2,"z":3},"b":1}'],
	['lists are replaced', { a: [1, 2] }, { a: [3] }, '{"a":[3]}'],
	['what is new keeps no nulls', {}, { a: { b: null, c: [null, { d: null }] } }, '{"a":{"c":[null,{}]}}'],
	['a list in the place of a list keeps no nulls in its objects', { a: [1] }, { a: [{ b: null }] }, '{"a":[{}]}'],
	['a list in the place of an object keeps them', { a: {} }, { a: [{ b: null }] }, '{"a":[{"b":null}]}'],
	['a scalar gives way to an object', { a: 1 }, { a: { b: 1 } }, '{"a":{"b":1}}'],
	['null for what is not there', { a: 1 }, { b: null }, '{"a":1}'],
];
for (const [rule, current, patch, want] of merged)
	test(`merge patch: ${rule}`, (t) => t.is(JSON.stringify(mergePatch(current, patch)), want));
