/** Cells of a definition's own columns, as upstream's table convertor prints them. */
import { inspect } from 'node:util';
import test from 'ava';
import type { KubeObject } from '../../../api/resource.ts';
import { customColumns } from './columns.ts';

const NOW = Date.parse('2026-01-01T00:01:00Z');
for (const [type, value, want] of [
	['string', [{ b: 1, a: '<' }], String.raw`[{"b":1,"a":"\u003c"}]`],
	['string', 3, '3'],
	['string', null, '<no value>'],
	['string', undefined, null],
	['integer', 2.7, 2],
	['integer', '2', null],
	['integer', 1e30, -(2n ** 63n)],
	['number', 2.7, 2.7],
	['boolean', 'true', null],
	['date', '2026-01-01T00:00:00Z', '60s'],
	['date', '2026-01-01', '<invalid>'],
	['date', '', '<unknown>'],
	['date', 5, null],
	['date', null, null],
] as const)
	test(`a column of type ${type} shows ${JSON.stringify(value)} as ${inspect(want)}`, (t) => {
		const { cells } = customColumns([{ name: 'X', type, jsonPath: '.spec.x' }]);
		t.deepEqual(cells({ metadata: { name: 'a' }, spec: { x: value } } as KubeObject, NOW), ['a', want]);
	});

test('of several values that a path finds, a column shows the first', (t) => {
	const { cells } = customColumns([{ name: 'X', type: 'string', jsonPath: '.spec.xs[*].y' }]);
	t.deepEqual(cells({ metadata: { name: 'a' }, spec: { xs: [{ y: 'b' }, { y: 'c' }] } } as KubeObject, NOW), ['a', 'b']);
});

test('a path may have dots in a name, escaped; columns after one whose path cannot be read are left out', (t) => {
	const column = (jsonPath: string) => ({ name: 'X', type: 'string', jsonPath });
	const object = { metadata: { name: 'a', labels: { 'x.io/y': 'z' } } } as KubeObject;
	const escaped = [String.raw`.metadata.labels.x\.io/y`, String.raw`.metadata.labels['x\.io/y']`, ".metadata.labels['x.io/y']"];
	t.deepEqual(customColumns(escaped.map(column)).cells(object, NOW), ['a', 'z', 'z', null]);
	const broken = customColumns([column('.metadata.name'), column('.metadata["name"]'), column('.metadata.name')]);
	t.deepEqual(broken.cells(object, NOW), ['a', 'a']);
	t.is(broken.columns.length, 2);
});

test('a path may name several keys or places at once', (t) => {
	const shown = (jsonPath: string) =>
		customColumns([{ name: 'X', type: 'string', jsonPath }]).cells(
			{ metadata: { name: 'a' }, spec: { x: 'b', y: 'c', z: ['d', 'e'] } } as KubeObject,
			NOW,
		);
	t.deepEqual(shown(".spec['y', 'x']"), ['a', 'c']);
	t.deepEqual(shown(".spec['none','x']"), ['a', 'b']);
	t.deepEqual(shown('.spec.z[1,0]'), ['a', 'e']);
	t.is(customColumns([{ name: 'X', type: 'string', jsonPath: '.spec[\'x\',"y"]' }]).columns.length, 1);
});
