import test from 'ava';
import { forgetReturned, timeTaints } from './devices.ts';

const NOW = '2026-01-01T00:00:00Z';
const device = (name: string): object => ({ driver: 'd', pool: 'p', device: name });
const claim = (given: readonly string[], told: readonly string[]) => ({
	metadata: { name: 'c' },
	status: { allocation: { devices: { results: given.map(device) } }, devices: told.map(device) },
});

for (const [what, given, before, left] of [
	['all of them', [], ['a', 'b'], undefined],
	['one of two', ['b'], ['a', 'b'], ['b']],
	['none', ['a', 'b'], ['a', 'b'], ['a', 'b']],
] as const)
	test(`what is told of devices goes with those that are given back: ${what}`, (t) => {
		const draft = claim(given, ['a', 'b']);
		forgetReturned(draft, claim(before, ['a', 'b']));
		t.deepEqual(draft.status.devices, left?.map(device) as object[]);
	});

test('a taint gets the time at which it came, and keeps one that it has', (t) => {
	const slice = {
		metadata: {},
		spec: { devices: [{ name: 'a', taints: [{ key: 'x' }, { key: 'y', timeAdded: 'then' }] }, { name: 'b' }] },
	};
	timeTaints(slice, NOW);
	timeTaints({ metadata: {} }, NOW);
	t.deepEqual(slice.spec.devices[0]?.taints, [
		{ key: 'x', timeAdded: NOW },
		{ key: 'y', timeAdded: 'then' },
	]);
});
