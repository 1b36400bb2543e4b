import test from 'ava';
import { labelText } from './column.ts';

for (const [labels, want] of [
	[undefined, '<none>'],
	[{}, '<none>'],
	[{ b: '2', a: '1' }, 'a=1,b=2'],
	[{ 'node-role.kubernetes.io/x': '' }, 'node-role.kubernetes.io/x='],
] as const)
	test(`labels in a cell: ${want}, of ${JSON.stringify(labels)}`, (t) => t.is(labelText(labels), want));
