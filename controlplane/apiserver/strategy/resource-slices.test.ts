/** Slices of devices on their way through a whole server. */
import test from 'ava';
import { MUTATING_ADMISSION_POLICIES, MUTATING_ADMISSION_POLICY_BINDINGS, RESOURCE_SLICES } from '../../../api/resources.ts';
import type { ResourceSlice } from '../../../api/gen/types.ts';
import { policedServer } from '../../../test/fakes/policed-server.ts';

const { client } = await policedServer(test);

const slice = (name: string, device: object): ResourceSlice =>
	({
		metadata: { name },
		spec: {
			...{ driver: 'd.io', nodeName: 'n' },
			pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
			devices: [{ name: 'a', ...device }],
		},
	}) as never;

test('a taint has its time before admission sees it', async (t) => {
	const metadata = { name: 'timed' };
	const rule = { apiGroups: ['resource.k8s.io'], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['resourceslices'] };
	const expression =
		'Object{metadata: Object.metadata{labels: {"timed": object.spec.devices.all(d, d.taints.all(t, has(t.timeAdded))) ? "yes" : "no"}}}';
	await client.create(MUTATING_ADMISSION_POLICIES, {
		metadata,
		spec: {
			reinvocationPolicy: 'Never',
			matchConstraints: { resourceRules: [rule] },
			matchConditions: [{ name: 'tainted', expression: 'has(object.spec.devices[0].taints)' }],
			mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression } }],
		} as never,
	});
	await client.create(MUTATING_ADMISSION_POLICY_BINDINGS, { metadata, spec: { policyName: 'timed' } });
	const made = await client.create(RESOURCE_SLICES, slice('tainted', { taints: [{ key: 'k', effect: 'NoSchedule' }] }));
	t.is(made.metadata.labels?.['timed'], 'yes');
	t.regex(made.spec.devices?.[0]?.taints?.[0]?.timeAdded ?? '', /Z$/);
	const body = { metadata: { labels: null }, spec: { devices: [{ name: 'a', taints: [{ key: 'l', effect: 'NoSchedule' }] }] } };
	const patched = await client.patch(RESOURCE_SLICES, 'tainted', { type: 'merge', body });
	t.is(patched.metadata.labels?.['timed'], 'yes');
});

test('a field that is dropped counts as a change of the spec', async (t) => {
	const made = await client.create(RESOURCE_SLICES, slice('counted', { attributes: { a: { int: 1 } } }));
	t.is(made.metadata.generation, 1);
	const same = await client.update(RESOURCE_SLICES, { ...made });
	t.is(same.metadata.generation, 1);
	const more = { ...made, spec: slice('counted', { attributes: { a: { int: 1, ints: [1] } } }).spec };
	const changed = await client.update(RESOURCE_SLICES, more);
	t.is(changed.metadata.generation, 2);
	t.deepEqual(changed.spec.devices?.[0]?.attributes, { a: { int: 1 } });
});
