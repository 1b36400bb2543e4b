/** Cells of a definition's own columns, as upstream's table convertor prints them. */
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
	['number', 2.7, 2.7],
	['boolean', 'true', null],
	['date', '2026-01-01T00:00:00Z', '60s'],
	['date', '2026-01-01', '<invalid>'],
	['date', '', '<unknown>'],
	['date', 5, null],
	['date', null, null],
] as const)
	test(`a column of type ${type} shows ${JSON.stringify(value)} as ${JSON.stringify(want)}`, (t) => {
		const { cells } = customColumns([{ name: 'X', type, jsonPath: '.spec.x' }]);
		t.deepEqual(cells({ metadata: { name: 'a' }, spec: { x: value } } as KubeObject, NOW), ['a', want]);
	});

test('of several values that a path finds, a column shows the first', (t) => {
	const { cells } = customColumns([{ name: 'X', type: 'string', jsonPath: '.spec.xs[*].y' }]);
	t.deepEqual(cells({ metadata: { name: 'a' }, spec: { xs: [{ y: 'b' }, { y: 'c' }] } } as KubeObject, NOW), ['a', 'b']);
});
