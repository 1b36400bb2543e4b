import test from 'ava';
import type { CSINode, CSIStorageCapacity, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from '../../../api/gen/types.ts';
import { defaultPlugins, node, noDevices, noStorage, pod } from '../../../test/fakes/scheduling.ts';
import { bound, claim, DONE, DRIVER, on, selected, using, volume, wait } from '../../../test/fakes/waiting-storage.ts';
import { fitMessage } from '../fit-message.ts';
import type { Snapshot } from '../framework.ts';
import { nodeInfo } from '../node-info.ts';
import { podInfo } from '../pod-info.ts';
import { schedule } from '../schedule.ts';
import { bindingProgress } from './binding-progress.ts';
import { capacityEvents, classEvents, csiNodeEvents } from './cluster-events.ts';
import type { StorageView } from './view.ts';

const csi = (handle: string): object => ({ csi: { driver: DRIVER, volumeHandle: handle } });
interface World {
	readonly claims?: readonly PersistentVolumeClaim[];
	readonly volumes?: readonly PersistentVolume[];
	readonly classes?: readonly StorageClass[];
	readonly capacities?: readonly CSIStorageCapacity[];
	readonly csiNodes?: readonly CSINode[];
	readonly storageCapacity?: boolean;
	readonly attached?: Readonly<Record<string, readonly string[]>>;
	readonly pods?: Readonly<Record<string, readonly Pod[]>>;
	readonly labels?: Record<string, string>;
}
const byHand: StorageClass = { ...wait, provisioner: 'kubernetes.io/no-provisioner' };
const now: StorageClass = { metadata: { name: 'now' }, provisioner: DRIVER, volumeBindingMode: 'Immediate' };
const viewOf = (world: World): StorageView => {
	const named = <T extends { metadata: { name?: string | undefined } }>(list: readonly T[] | undefined, name: string): T | undefined =>
		list?.find((one) => one.metadata.name === name);
	return {
		...noStorage,
		claim: (key) => world.claims?.find((one) => `default/${one.metadata.name}` === key),
		volume: (name) => named(world.volumes, name),
		candidates: () => world.volumes ?? [],
		storageClass: (name) => named(world.classes ?? [wait, now], name),
		driver: () => ({ metadata: {}, spec: { storageCapacity: world.storageCapacity ?? false } }),
		csiNode: (name) => named(world.csiNodes, name),
		capacities: () => world.capacities ?? [],
		attachments: (name) =>
			(world.attached?.[name] ?? []).map((v) => ({
				metadata: {},
				spec: { attacher: DRIVER, nodeName: name, source: { persistentVolumeName: v } },
			})),
	};
};
const outcome = (p: Pod, world: World): string => {
	const nodes = ['a', 'b'].map((name) => node(name, world.labels === undefined ? {} : { labels: { ...world.labels, zone: name } }));
	const snapshot: Snapshot = {
		nodes: nodes.map((n) => nodeInfo(n, (world.pods?.[n.metadata.name ?? ''] ?? []).map(podInfo))),
		namespaceLabels: () => ({}),
	};
	const decision = schedule(podInfo(p), snapshot, defaultPlugins(viewOf(world), noDevices), () => 0);
	return 'node' in decision ? decision.node : fitMessage(decision.unfit, 2, undefined);
};
const refused = (why: string): string => `0/2 nodes are available: ${why}.`;
const everywhere = (why: string): string => refused(`2 ${why}`);
const CONFLICT = "node(s) didn't match PersistentVolume's node affinity";
const NOTHING = "node(s) didn't find available persistent volumes to bind";
const room = (size: string, host: string, more: object = {}): CSIStorageCapacity => ({
	metadata: {},
	storageClassName: 'wait',
	capacity: size,
	nodeTopology: { matchLabels: { 'kubernetes.io/hostname': host } },
	...more,
});
const limited = (name: string, count: number): CSINode => ({
	metadata: { name },
	spec: { drivers: [{ name: DRIVER, nodeID: name, allocatable: { count } }] },
});
const twoUsed = { a: [{ ...using('y', 'z') }], b: [using('y')] };
const attachedWorld: World = {
	claims: [bound('x'), bound('y'), bound('z')],
	volumes: [volume('v-x', csi('x')), volume('v-y', csi('y')), volume('v-z', csi('z'))],
};

for (const [name, p, world, want] of [
	['a claim that is not there', using('x'), {}, refused('persistentvolumeclaim "x" not found')],
	[
		'a claim that is going',
		using('x'),
		{ claims: [claim('x', {}, { deletionTimestamp: 'now' })] },
		refused('persistentvolumeclaim "x" is being deleted'),
	],
	[
		'a claim that lost its volume',
		using('x'),
		{ claims: [claim('x', { volumeName: 'v' }, { annotations: DONE }, { phase: 'Lost' })] },
		refused('persistentvolumeclaim "x" bound to non-existent persistentvolume "v"'),
	],
	[
		'an ephemeral claim to come',
		pod('p', { volumes: [{ name: 'e', ephemeral: {} }] }),
		{},
		// NodeVolumeLimits is asked only for nodes; VolumeBinding for the pod.
		refused('waiting for ephemeral volume controller to create the persistentvolumeclaim "p-e"'),
	],
	[
		"an ephemeral claim that is not the pod's",
		pod('p', { volumes: [{ name: 'e', ephemeral: {} }] }),
		{ claims: [claim('p-e')] },
		refused('PVC default/p-e was not created for pod default/p (pod is not owner)'),
	],
	[
		'a claim that the binder has still to bind',
		using('x'),
		{ claims: [claim('x', { storageClassName: 'now' })] },
		refused('pod has unbound immediate PersistentVolumeClaims'),
	],
	[
		'one bound half',
		using('x'),
		{ claims: [claim('x', { volumeName: 'v' })] },
		refused('pod has unbound immediate PersistentVolumeClaims'),
	],
	['a volume that one node reaches', using('x'), { claims: [bound('x')], volumes: [volume('v-x', on('b'))] }, 'b'],
	['a volume that no node reaches', using('x'), { claims: [bound('x')], volumes: [volume('v-x', on('c'))] }, everywhere(CONFLICT)],
	[
		'volumes on two nodes',
		using('x', 'y'),
		{ claims: [bound('x'), bound('y')], volumes: [volume('v-x', on('a')), volume('v-y', on('b'))] },
		everywhere(CONFLICT),
	],
	['a volume that is gone', using('x'), { claims: [bound('x')] }, refused('persistentvolume "v-x" not found')],
	['delayed: where a volume is', using('x'), { claims: [claim('x')], volumes: [volume('v', on('b'))], classes: [byHand] }, 'b'],
	['delayed: no volume and no provisioner', using('x'), { claims: [claim('x')], classes: [byHand] }, everywhere(NOTHING)],
	[
		'delayed: two claims, one volume',
		using('x', 'y'),
		{ claims: [claim('x'), claim('y')], volumes: [volume('v')], classes: [byHand] },
		everywhere(NOTHING),
	],
	[
		'delayed: the small claim leaves the large volume',
		using('large', 'small'),
		{
			claims: [
				claim('large', { resources: { requests: { storage: '9Gi' } } }),
				claim('small', { resources: { requests: { storage: '1Gi' } } }),
			],
			volumes: [volume('big', on('a')), volume('little', { capacity: { storage: '2Gi' }, ...on('a') })],
			classes: [byHand],
		},
		'a',
	],
	['delayed: where it can be made', using('x'), { claims: [claim('x')] }, 'a'],
	['delayed: a node was chosen', using('x'), { claims: [claim('x', {}, selected('b'))] }, 'b'],
	['delayed: another node was chosen', using('x'), { claims: [claim('x', {}, selected('c'))] }, everywhere(NOTHING)],
	[
		'delayed: allowed topologies',
		using('x'),
		{
			claims: [claim('x')],
			classes: [{ ...wait, allowedTopologies: [{ matchLabelExpressions: [{ key: 'kubernetes.io/hostname', values: ['b'] }] }] }],
		},
		'b',
	],
	['delayed: no room', using('x'), { claims: [claim('x')], storageCapacity: true }, everywhere('node(s) did not have enough free storage')],
	[
		'delayed: room on one node',
		using('x'),
		{ claims: [claim('x')], storageCapacity: true, capacities: [room('1Gi', 'a'), room('8Gi', 'b')] },
		'b',
	],
	[
		'delayed: room, but not for one so large',
		using('x'),
		{ claims: [claim('x')], storageCapacity: true, capacities: [room('80Gi', 'a', { maximumVolumeSize: '1Gi' })] },
		everywhere('node(s) did not have enough free storage'),
	],
	[
		'alone: another pod has it',
		using('x'),
		{ claims: [bound('x', 'v-x', { accessModes: ['ReadWriteOncePod'] })], volumes: [volume('v-x')], pods: { a: [using('x')] } },
		everywhere('node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod'),
	],
	['not alone: another pod has it', using('x'), { claims: [bound('x')], volumes: [volume('v-x')], pods: { a: [using('x')] } }, 'b'],
	[
		'a disk that another has',
		pod('p', { volumes: [{ name: 'd', iscsi: { iqn: 'i', lun: 0, targetPortal: 't' } }] }),
		{ pods: { a: [pod('q', { volumes: [{ name: 'd', iscsi: { iqn: 'i', lun: 0, targetPortal: 't' } }] })] } },
		'b',
	],
	[
		'a zone',
		using('x'),
		{
			claims: [bound('x')],
			volumes: [volume('v-x', {}, { 'topology.kubernetes.io/zone': 'z1__z2' })],
			labels: { 'topology.kubernetes.io/zone': 'z3' },
		},
		everywhere('node(s) had no available volume zone'),
	],
	[
		'a zone where none is known',
		using('x'),
		{ claims: [bound('x')], volumes: [volume('v-x', {}, { 'topology.kubernetes.io/zone': 'z1' })] },
		'a',
	],
	['limits: as many as it takes', using('x'), { ...attachedWorld, csiNodes: [limited('a', 2), limited('b', 2)], pods: twoUsed }, 'b'],
	[
		'limits: a volume that is there counts once',
		using('y'),
		{ ...attachedWorld, csiNodes: [limited('a', 2), limited('b', 0)], pods: { a: twoUsed.a } },
		'a',
	],
	[
		'limits: what is still attached counts',
		using('x'),
		{ ...attachedWorld, csiNodes: [limited('a', 1), limited('b', 1)], attached: { b: ['v-y'] }, pods: { a: [using('y')] } },
		everywhere('node(s) exceed max volume count'),
	],
	['limits: what is to be made counts', using('x'), { claims: [claim('x')], csiNodes: [limited('a', 0)] }, 'b'],
] as const)
	test(`volumes: ${name}`, (t) => t.is(outcome(p, world as World), want));

const written = { bindings: [], provisions: [claim('x', {}, { resourceVersion: '5', ...selected('a') })] };
const shownClaim = (spec: object, metadata: object): PersistentVolumeClaim => claim('x', spec, { resourceVersion: '6', ...metadata });
for (const [name, shown, want] of [
	['not seen yet', claim('x', {}, { resourceVersion: '4' }), 'waiting'],
	['asked for', shownClaim({}, selected('a')), 'waiting'],
	['made and bound', shownClaim({ volumeName: 'v' }, { annotations: { ...DONE, 'volume.kubernetes.io/selected-node': 'a' } }), 'done'],
	['cannot be made there', shownClaim({}, {}), { failed: 'selectedNode annotation reset for PVC "x"' }],
	['goes elsewhere', shownClaim({}, selected('b')), { failed: 'provisioning failed for PVC "x"' }],
	['gone', undefined, { failed: 'failed to check provisioning pvc: could not find v1.PersistentVolumeClaim "default/x"' }],
] as const)
	test(`bindingProgress(): ${name}`, (t) =>
		t.deepEqual(bindingProgress(written, 'a', { node: node('a'), hasPod: true, volume: () => volume('v'), claim: () => shown }), want));

test('bindingProgress(): of volumes that were found', (t) => {
	const known = {
		bindings: [{ claim: claim('x'), volume: { ...volume('v'), metadata: { name: 'v', resourceVersion: '5' } } }],
		provisions: [],
	};
	const ref = { claimRef: { uid: 'u-x' } };
	const of = (spec: object, one = claim('x'), hasPod = true) =>
		bindingProgress(known, 'a', {
			...{ node: node('a'), hasPod, claim: () => one },
			volume: () => ({ ...volume('v', spec), metadata: { name: 'v', resourceVersion: '6' } }),
		});
	t.is(of(ref), 'waiting');
	t.is(of(ref, bound('x', 'v')), 'done');
	t.deepEqual(of({}), { failed: 'ClaimRef got reset for pv "v"' });
	t.deepEqual(of({ ...ref, ...on('b') }), { failed: 'pv "v" node affinity doesn\'t match node "a": no matching NodeSelectorTerms' });
	t.deepEqual(of(ref, claim('x'), false), { failed: 'pod does not exist any more' });
});

test('only what can help wakes pods: larger limits, more room, other topologies', (t) => {
	t.deepEqual(csiNodeEvents({ after: limited('a', 1) }), ['csiNodeAdded']);
	t.deepEqual(csiNodeEvents({ before: limited('a', 1), after: limited('a', 2) }), ['csiNodeGrown']);
	t.deepEqual(csiNodeEvents({ before: limited('a', 2), after: limited('a', 1) }), []);
	t.deepEqual(capacityEvents({ before: room('1Gi', 'a'), after: room('2Gi', 'a') }), ['capacityGrown']);
	t.deepEqual(capacityEvents({ before: room('2Gi', 'a'), after: room('1Gi', 'a') }), []);
	t.deepEqual(classEvents({ before: wait, after: { ...wait, metadata: { name: 'wait', labels: { a: 'b' } } } }), []);
});
