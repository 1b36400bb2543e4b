/** How slices get from what they hold to what they should: upstream's reconcileByPortMapping and finalize. */
import test from 'ava';
import type { Endpoint, EndpointSlice, Service } from '../../../api/gen/types.ts';
import type { SlicePorts } from './ports.ts';
import { planSlices } from './plan.ts';

const service = (more: object = {}): Service => ({ metadata: { name: 's', namespace: 'n', uid: 'su', ...more }, spec: {} });
const http: SlicePorts = [{ name: 'http', port: 80, protocol: 'TCP' }];
const other: SlicePorts = [{ name: 'http', port: 81, protocol: 'TCP' }];
const labels = { 'kubernetes.io/service-name': 's', 'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io' };
/** Endpoints from one number on, up to another. */
const range = (from: number, to: number): Endpoint[] =>
	Array.from({ length: to - from }, (_, i) => ({ addresses: [`10.0.0.${from + i}`], targetRef: { uid: String(from + i) } }));
const slice = (name: string, endpoints: Endpoint[], ports: SlicePorts = http, uid = 'su'): EndpointSlice => ({
	metadata: { name, namespace: 'n', labels, ownerReferences: [{ apiVersion: 'v1', kind: 'Service', name: 's', uid, controller: true }] },
	addressType: 'IPv4',
	endpoints,
	ports: [...ports],
});
const sizes = (slices: readonly EndpointSlice[]): readonly string[] =>
	slices.map(({ metadata, endpoints }) => `${metadata.name ?? 'new'}:${endpoints?.length}`).toSorted();

for (const [rule, wanted, ports, existing, want] of [
	['nothing yet: one empty slice', [], http, [], { create: ['new:0'] }],
	['an empty slice stays', [], http, [slice('a', [], [])], {}],
	['at most 100 endpoints a slice', range(0, 150), http, [], { create: ['new:100', 'new:50'] }],
	['room is used before a new slice is made', range(0, 3), http, [slice('a', range(0, 2))], { update: ['a:3'] }],
	['nothing changed', range(0, 2), http, [slice('a', range(0, 2))], {}],
	['the last endpoint goes, the slice stays', [], http, [slice('a', range(0, 1))], { update: ['a:0'] }],
	['slices that become empty go', range(0, 1), http, [slice('a', range(0, 1)), slice('b', range(7, 8))], { delete: ['b:1'] }],
	['with other ports the slice is the same one', range(0, 2), other, [slice('a', range(0, 2))], { update: ['a:2'] }],
	[
		'slices that changed are filled, the fullest first',
		[...range(0, 90), ...range(100, 103), ...range(200, 205)],
		http,
		[slice('a', range(0, 91)), slice('b', range(100, 104)), slice('c', range(200, 202))],
		{ update: ['a:93', 'b:3'] },
	],
	[
		'one that did not change is written only if it has room for all',
		range(0, 197),
		http,
		[slice('a', range(0, 90)), slice('b', range(90, 185))],
		{ create: ['new:12'] },
	],
	[
		'of those that have, the one that becomes fullest',
		range(0, 189),
		http,
		[slice('a', range(0, 90)), slice('b', range(90, 185))],
		{ update: ['b:99'] },
	],
	[
		'a slice of a service of the same name that is gone goes',
		[],
		http,
		[slice('old', [], [], 'before')],
		{ create: ['new:0'], delete: ['old:0'] },
	],
	[
		"one that has no owner is not the service's",
		[],
		http,
		[{ ...slice('x', [], []), metadata: { name: 'x', namespace: 'n', labels } }],
		{ create: ['new:0'], delete: ['x:0'] },
	],
] as const)
	test(`planSlices(): ${rule}`, (t) => {
		const groups = wanted.length === 0 ? [] : [{ ports, endpoints: [...wanted] }];
		const plan = planSlices(service(), 'IPv4', groups, existing);
		t.deepEqual({ create: sizes(plan.create), update: sizes(plan.update), delete: sizes(plan.delete) }, {
			create: [],
			update: [],
			delete: [],
			...want,
		} as never);
		for (const { ports: now, endpoints } of plan.update) t.deepEqual(now, endpoints?.length === 0 ? [] : [...ports]);
	});

test('planSlices(): a service that is going gets no new slices; those that it has are kept up to date', (t) => {
	const plan = planSlices(
		service({ deletionTimestamp: '2026-01-01T00:00:00Z' }),
		'IPv4',
		[{ ports: http, endpoints: range(0, 150) }],
		[slice('a', range(0, 2))],
	);
	t.deepEqual([sizes(plan.create), sizes(plan.update)], [[], ['a:50']]);
	const less = planSlices(
		service({ deletionTimestamp: '2026-01-01T00:00:00Z' }),
		'IPv4',
		[{ ports: http, endpoints: range(0, 1) }],
		[slice('a', range(0, 2))],
	);
	t.deepEqual(sizes(less.update), ['a:1']);
});
