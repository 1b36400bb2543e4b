/** The rules of CSI volumes: what drivers are told, what the node says of them, what belongs to whom. */
import test from 'ava';
import type { CSINode, Node } from '../../api/gen/types.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { createClient } from '../../client/rest.ts';
import { FakeTransport } from '../../test/fakes/fake-transport.ts';
import { claimOf, driverObject, MemoryNode, NAME, volumeOf } from '../../test/fakes/memory-node.ts';
import { VolumeCapability_AccessMode_Mode as Mode } from '../../wire/gen/csi.ts';
import { ownedByAgent } from './bring.ts';
import { missingSize } from './expand.ts';
import { nodeChanges, withDriver, writeDriver } from './node-objects.ts';
import { accessMode, checkLifecycle, mountOptionsOf, sourceOfVolume } from './source.ts';
import { figuresOf } from './stats.ts';

const info = { nodeId: 'id', maxVolumesPerNode: 5n, accessibleTopology: { segments: { 'z/zone': 'a', 'b/rack': 'r' } } };
for (const [name, node, want] of [
	[
		'nothing there',
		{},
		{ annotations: { 'csi.volume.kubernetes.io/nodeid': `{"${NAME}":"id"}` }, labels: { 'z/zone': 'a', 'b/rack': 'r' } },
	],
	[
		'another driver',
		{ annotations: { 'csi.volume.kubernetes.io/nodeid': '{"o":"1"}' }, labels: { 'z/zone': 'a' } },
		{ annotations: { 'csi.volume.kubernetes.io/nodeid': `{"o":"1","${NAME}":"id"}` }, labels: { 'b/rack': 'r' } },
	],
	[
		'all there',
		{ annotations: { 'csi.volume.kubernetes.io/nodeid': `{"${NAME}":"id"}` }, labels: { 'z/zone': 'a', 'b/rack': 'r' } },
		undefined,
	],
	[
		'a label of another value',
		{ labels: { 'z/zone': 'b' } },
		'detected topology value collision: driver reported "z/zone":"a" but existing label is "z/zone":"b"',
	],
] as const)
	test(`nodeChanges(): ${name}`, (t) => {
		const changes = (): object | undefined => nodeChanges({ metadata: node } as Node, NAME, info);
		if (typeof want === 'string') t.throws(changes, { message: want });
		else t.deepEqual(changes(), want === undefined ? undefined : { metadata: want });
	});

test('withDriver(): a driver and its limit, topology keys in order; once', (t) => {
	const bare: CSINode = { metadata: { name: 'node' }, spec: { drivers: [] } };
	const one = withDriver(bare, NAME, info);
	t.deepEqual(one?.spec.drivers, [{ name: NAME, nodeID: 'id', topologyKeys: ['b/rack', 'z/zone'], allocatable: { count: 5 } }]);
	t.is(one === undefined ? one : withDriver(one, NAME, info), undefined);
	t.deepEqual(one === undefined ? one : withDriver(one, NAME, undefined)?.spec.drivers, []);
});

test('writeDriver(): the Node and a CSINode of its own, again after a conflict', async (t) => {
	const clock = new VirtualClock();
	const transport = new FakeTransport(clock);
	const client = createClient(transport);
	transport.api.create('/api/v1/nodes', { metadata: { name: 'node' } } as never, undefined);
	await writeDriver({ client, clock, nodeName: 'node' }, NAME, info, AbortSignal.timeout(60_000));
	const csiNode = transport.api.get('/apis/storage.k8s.io/v1/csinodes', 'node') as CSINode;
	t.is(csiNode.spec.drivers[0]?.name, NAME);
	t.is(csiNode.metadata.ownerReferences?.[0]?.kind, 'Node');
	t.is(transport.api.get('/api/v1/nodes', 'node').metadata.labels?.['z/zone'], 'a');
});

for (const [modes, tells, want] of [
	[['ReadWriteOnce'], false, Mode.SINGLE_NODE_WRITER],
	[['ReadWriteOnce'], true, Mode.SINGLE_NODE_MULTI_WRITER],
	[['ReadWriteOncePod'], true, Mode.SINGLE_NODE_SINGLE_WRITER],
	[['ReadWriteOncePod'], false, Mode.SINGLE_NODE_WRITER],
	[['ReadOnlyMany'], true, Mode.MULTI_NODE_READER_ONLY],
	[['ReadWriteMany'], true, Mode.MULTI_NODE_MULTI_WRITER],
	[['ReadWriteOnce', 'ReadOnlyMany'], false, Mode.SINGLE_NODE_WRITER],
] as const)
	test(`accessMode(): ${modes.join()} ${tells ? 'told' : 'untold'}`, (t) => t.is(accessMode(modes, tells), want));

for (const [policy, fsType, modes, readOnly, delegates, want] of [
	[undefined, 'ext4', ['ReadWriteOnce'], false, false, true],
	[undefined, '', ['ReadWriteOnce'], false, false, false],
	[undefined, 'ext4', ['ReadWriteMany'], false, false, false],
	['File', '', ['ReadWriteMany'], false, false, true],
	['None', 'ext4', ['ReadWriteOnce'], false, false, false],
	['File', 'ext4', ['ReadWriteOnce'], true, false, false],
	['File', 'ext4', ['ReadWriteOnce'], false, true, false],
] as const)
	test(`fsGroup by the agent: ${policy ?? 'default'} "${fsType}" ${modes.join()} ${readOnly ? 'ro' : 'rw'} ${delegates ? 'delegated' : ''}`, (t) => {
		const volume = volumeOf({ accessModes: [...modes], csi: { driver: NAME, volumeHandle: 'h', fsType } });
		const { driver } = new MemoryNode(delegates ? ['VOLUME_MOUNT_GROUP'] : []);
		const object = driverObject(policy === undefined ? {} : { fsGroupPolicy: policy });
		t.is(ownedByAgent({ source: sourceOfVolume(volume, readOnly), object, driver }), want);
	});

for (const [wanted, has, state, want] of [
	['2Gi', '1Gi', undefined, '2Gi'],
	['1Gi', '1Gi', undefined, undefined],
	['1Gi', '2Gi', undefined, undefined],
	['2Gi', undefined, undefined, undefined],
	['2Gi', '1Gi', 'NodeResizeInfeasible', undefined],
	['2Gi', '1Gi', 'NodeResizePending', '2Gi'],
] as const)
	test(`missingSize(): ${wanted} of ${has ?? 'nothing'} ${state ?? ''}`, (t) => {
		const capacity = has === undefined ? {} : { capacity: { storage: has } };
		const claim = claimOf({
			phase: 'Bound',
			...capacity,
			...(state === undefined ? {} : { allocatedResourceStatuses: { storage: state } }),
		});
		t.is(missingSize({ claim, volume: volumeOf({ capacity: { storage: wanted } }) }), want);
	});

test('lifecycles, mount options, figures', (t) => {
	const inline = { ...sourceOfVolume(volumeOf(), false), lifecycle: 'Ephemeral' as const };
	t.throws(() => checkLifecycle(inline, undefined), {
		message: `volume mode "Ephemeral" not supported by driver ${NAME} (no CSIDriver object)`,
	});
	t.throws(() => checkLifecycle(inline, driverObject()), {
		message: `volume mode "Ephemeral" not supported by driver ${NAME} (only supports ["Persistent"])`,
	});
	t.deepEqual(mountOptionsOf(volumeOf({ mountOptions: ['noatime'] })), ['noatime']);
	const usage = [
		{ unit: 1, total: 10n, available: 4n, used: 6n },
		{ unit: 2, total: 100n, available: 40n, used: 60n },
	] as const;
	t.deepEqual(figuresOf({ usage: [...usage], volumeCondition: { abnormal: true, message: 'gone' } }), {
		...{ capacityBytes: 10, availableBytes: 4, usedBytes: 6, inodes: 100, inodesFree: 40, inodesUsed: 60 },
		...{ abnormal: true, message: 'gone' },
	});
});
