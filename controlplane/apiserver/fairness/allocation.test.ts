/** Seats are shared out among levels as upstream does. */
import test from 'ava';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { FLOW_SCHEMA_DATA, PRIORITY_LEVELS } from '../bootstrap/flow-control.ts';
import { allocate } from './allocation.ts';
import { Levels } from './levels.ts';

test('the seats of each level, as upstream divides 600', (t) => {
	const levels = new Levels(new VirtualClock(), 600);
	levels.configure(PRIORITY_LEVELS, FLOW_SCHEMA_DATA);
	t.deepEqual(Object.fromEntries([...levels.all()].map((l) => [l.name, [l.nominal, l.lower, l.current]])), {
		exempt: [0, 0, 0],
		'catch-all': [13, 13, 30],
		'global-default': [49, 24, 56],
		'leader-election': [25, 25, 58],
		'node-high': [98, 73, 170],
		system: [74, 50, 117],
		'workload-high': [98, 49, 114],
		'workload-low': [245, 24, 56],
	});
});

for (const [name, sum, claims, want] of [
	[
		'nobody is bound',
		10,
		[
			[0, 100, 1],
			[0, 100, 4],
		],
		[2, 8],
	],
	[
		'a lower bound',
		10,
		[
			[5, 100, 5],
			[0, 100, 20],
		],
		[5, 5],
	],
	[
		'an upper bound',
		10,
		[
			[0, 2, 5],
			[0, 100, 5],
		],
		[2, 8],
	],
	[
		'nothing wanted: by tiny targets',
		10,
		[
			[0, 100, 0],
			[0, 100, 0],
		],
		[5, 5],
	],
	[
		'too little for all',
		3,
		[
			[2, 4, 2],
			[2, 4, 2],
		],
		undefined,
	],
	[
		'more than all may have',
		9,
		[
			[2, 4, 2],
			[2, 4, 2],
		],
		undefined,
	],
] as const)
	test(`allocate(): ${name}`, (t) => {
		const got = allocate(
			sum,
			claims.map(([lower, upper, target]) => ({ lower, upper, target })),
		);
		t.deepEqual(
			got?.seats.map((seats) => Math.round(seats * 1000) / 1000),
			want === undefined ? undefined : [...want],
		);
	});
