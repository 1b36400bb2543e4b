/** Slices that mirror Endpoints. */
import test from 'ava';
import type { Endpoints } from '../../../api/gen/types.ts';
import { planMirror } from './plan.ts';

const endpoints = (ip: string, metadata: object = {}): Endpoints => ({
	metadata: { namespace: 'n', name: 's', uid: 'e', ...metadata },
	subsets: [{ addresses: [{ ip }], ports: [{ port: 80 }] }],
});
const going = { deletionTimestamp: '2026-01-01T00:00:00Z' };
const present = planMirror(endpoints('10.0.0.1'), []).create;

test('Endpoints that are going: nothing is created, what there is follows', (t) => {
	t.is(planMirror(endpoints('10.0.0.1'), []).create.length, 1);
	t.deepEqual(planMirror(endpoints('10.0.0.1', going), []).create, []);
	const { create, update } = planMirror(endpoints('10.0.0.2', going), present);
	t.deepEqual(create, []);
	t.deepEqual(
		update.map((slice) => slice.endpoints?.map((endpoint) => endpoint.addresses)),
		[[['10.0.0.2']]],
	);
});
