import test from 'ava';
import { described } from './descriptions.ts';
import { columnsOf, isShownByDefault, rowOf } from './table.ts';

test('described(): texts of a kind, common ones, and none for what is not known', (t) => {
	const [columns] = [described('Pod', columnsOf('Pod'))];
	t.is(columns.find(({ name }) => name === 'Ready')?.description, 'The aggregate readiness state of this pod for accepting traffic.');
	t.is(described('Pod', [{ name: 'Zork', type: 'string', format: '', description: '', priority: 0 }])[0]?.description, '');
});

test('a kind without a printer has a date column and no rows for nothing', (t) => {
	t.true(isShownByDefault('LimitRange'));
	t.false(isShownByDefault('Pod'));
	t.deepEqual(
		columnsOf('LimitRange').map(({ name, type }) => `${name} ${type}`),
		['Name string', 'Created At date'],
	);
});

const target = (extra: object): object => ({ target: extra, name: 'cpu' });
for (const [want, metric, current] of [
	['<unknown>/5', { type: 'Pods', pods: target({ averageValue: '5' }) }, undefined],
	['2/5 (avg)', { type: 'External', external: target({ averageValue: '5' }) }, { external: { current: { averageValue: '2' } } }],
	['2/5', { type: 'Object', object: target({ value: '5' }) }, { object: { current: { value: '2' } } }],
	[
		'cpu: 30%/<auto>',
		{ type: 'ContainerResource', containerResource: target({}) },
		{ containerResource: { current: { averageUtilization: 30 } } },
	],
] as const)
	test(`an autoscaler's metric is shown as ${want}`, (t) => {
		const object = {
			metadata: { name: 'a' },
			spec: { metrics: [metric] },
			status: { currentMetrics: current === undefined ? [] : [current] },
		};
		t.is(rowOf('HorizontalPodAutoscaler', object as never, 0).cells[2], want);
	});
