/** The snapshotter and the snapshot controller on a real API server with the snapshot kinds. */
import test from 'ava';
import { CUSTOM_RESOURCE_DEFINITIONS, PERSISTENT_VOLUME_CLAIMS } from '../../../api/resources.ts';
import { MemoryDriver, DRIVER } from '../../../test/fakes/memory-driver.ts';
import { withRoles, type RoleBench } from '../../../test/fakes/csi-roles.ts';
import { eventually } from '../../../test/tools/eventually.ts';
import type { CreateVolumeRequest } from '../../proto.ts';
import { createProvisioner } from '../provisioner/provisioner.ts';
import { createSnapshotController } from '../snapshot-controller/snapshot-controller.ts';
import { installSnapshotDefinitions, SNAPSHOT_DEFINITIONS } from '../snapshot-definitions.ts';
import {
	VOLUME_GROUP_SNAPSHOT_CLASSES,
	VOLUME_GROUP_SNAPSHOT_CONTENTS,
	VOLUME_GROUP_SNAPSHOTS,
	VOLUME_SNAPSHOT_CLASSES,
	VOLUME_SNAPSHOT_CONTENTS,
	VOLUME_SNAPSHOTS,
	type VolumeSnapshot,
} from '../snapshot-kinds.ts';
import { createSnapshotter } from './snapshotter.ts';

const NEVER = new AbortController().signal;
const CLASS = { driver: DRIVER, deletionPolicy: 'Delete', parameters: { tier: 'cold' } } as const;

function bench(body: (bench: RoleBench) => Promise<void>): Promise<void> {
	return withRoles(
		(clock) => new MemoryDriver(() => clock.now()),
		(deps) => [...createProvisioner(deps), ...createSnapshotter(deps), ...createSnapshotController(deps)],
		async (b) => {
			await b.claim('c');
			await b.pass();
			await b.bound('c');
			await body(b);
		},
		async (client, clock) => {
			await installSnapshotDefinitions(client, NEVER);
			const served = async (): Promise<boolean> =>
				(await client.list(CUSTOM_RESOURCE_DEFINITIONS)).items.every((d) =>
					d.status?.conditions?.some((c) => c.type === 'Established' && c.status === 'True'),
				);
			await eventually('the definitions are served', async () => {
				await clock.advance(100);
				return served();
			});
			// Rules of schemas are loaded when they are first needed, which takes real time.
			const spec = { source: { persistentVolumeClaimName: 'c' } };
			await client.create(VOLUME_SNAPSHOTS, { metadata: { name: 'first', namespace: 'default' }, spec }, { dryRun: true });
			const volumeSnapshotRef = { name: 'first', namespace: 'default' };
			const content = { driver: DRIVER, deletionPolicy: 'Delete', source: { volumeHandle: 'v' }, volumeSnapshotRef };
			await client.create(VOLUME_SNAPSHOT_CONTENTS, { metadata: { name: 'first' }, spec: content }, { dryRun: true });
			const annotations = { 'snapshot.storage.kubernetes.io/is-default-class': 'true' };
			await client.create(VOLUME_SNAPSHOT_CLASSES, { metadata: { name: 'snaps', annotations }, ...CLASS });
		},
	);
}

async function snapshot(
	{ client, pass }: RoleBench,
	name: string,
	source: VolumeSnapshot['spec']['source'] = { persistentVolumeClaimName: 'c' },
) {
	await client.create(VOLUME_SNAPSHOTS, { metadata: { name, namespace: 'default' }, spec: { source } });
	await pass(1000);
	return client.get(VOLUME_SNAPSHOTS, `default/${name}`);
}

test('the definitions are those of upstream, and installing them again changes nothing', (t) =>
	bench(async (b) => {
		t.deepEqual(
			SNAPSHOT_DEFINITIONS.map((d) => d.metadata.name).filter((n) => !n?.includes('group')),
			[
				'volumesnapshotclasses.snapshot.storage.k8s.io',
				'volumesnapshotcontents.snapshot.storage.k8s.io',
				'volumesnapshots.snapshot.storage.k8s.io',
			],
		);
		await t.notThrowsAsync(installSnapshotDefinitions(b.client, NEVER));
		const both = { source: { persistentVolumeClaimName: 'c', volumeSnapshotContentName: 'x' } };
		await t.throwsAsync(b.client.create(VOLUME_SNAPSHOTS, { metadata: { name: 'both', namespace: 'default' }, spec: both }), {
			code: 'InvalidArgument',
		});
	}));

test('a snapshot is taken, restored, and goes with its content', (t) =>
	bench(async (b) => {
		const taken = await snapshot(b, 's');
		const content = `snapcontent-${taken.metadata.uid}`;
		t.like(taken.status, { boundVolumeSnapshotContentName: content, readyToUse: true, restoreSize: '1Gi' });
		t.regex(taken.status?.creationTime ?? '', /^2026-01-01T00:00:\d\dZ$/);
		t.is(taken.spec.volumeSnapshotClassName, 'snaps');
		t.deepEqual(taken.metadata.finalizers?.toSorted(), [
			'snapshot.storage.kubernetes.io/volumesnapshot-as-source-protection',
			'snapshot.storage.kubernetes.io/volumesnapshot-bound-protection',
		]);
		const bound = await b.client.get(VOLUME_SNAPSHOT_CONTENTS, content);
		t.like(bound.spec, { deletionPolicy: 'Delete', driver: DRIVER, volumeSnapshotRef: { name: 's', uid: taken.metadata.uid } });
		t.like(bound.status, { readyToUse: true, snapshotHandle: `snap-snapshot-${taken.metadata.uid}`, restoreSize: 1073741824 });
		t.is(bound.metadata.annotations?.['snapshot.storage.kubernetes.io/volumesnapshot-being-created'], undefined);
		t.like(b.driver.requests.find((r) => r.rpc === 'CreateSnapshot')?.request, { parameters: { tier: 'cold' } });
		const events = await b.events('s');
		t.true(events.includes('CreatingSnapshot: Waiting for a snapshot default/s to be created by the CSI driver.'));
		t.true(events.includes('SnapshotReady: Snapshot default/s is ready to use.'));
		const claim = await b.client.get(PERSISTENT_VOLUME_CLAIMS, 'default/c');
		t.false(claim.metadata.finalizers?.includes('snapshot.storage.kubernetes.io/pvc-as-source-protection'));

		const dataSource = { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 's' };
		await b.claim('small', { spec: { dataSource, resources: { requests: { storage: '1Mi' } } } });
		await b.pass();
		t.true(
			(await b.events('small')).some((e) =>
				e.includes('requested volume size 1048576 is less than the size 1073741824 for the source snapshot s'),
			),
		);
		// A snapshot that a volume is made from stays.
		await b.client.delete(VOLUME_SNAPSHOTS, 'default/s');
		await b.pass();
		t.true((await b.events('s')).includes('SnapshotDeletePending: Snapshot is being used to restore a PVC'));
		await b.client.patch(PERSISTENT_VOLUME_CLAIMS, 'default/small', { type: 'merge', body: { metadata: { finalizers: null } } });
		await b.client.delete(PERSISTENT_VOLUME_CLAIMS, 'default/small');
		await b.pass(30_000);
		await t.throwsAsync(b.client.get(VOLUME_SNAPSHOTS, 'default/s'), { code: 'NotFound' });
		await t.throwsAsync(b.client.get(VOLUME_SNAPSHOT_CONTENTS, content), { code: 'NotFound' });
		t.is(b.driver.snapshots.size, 0);
	}));

test('a volume is made from a snapshot, which is let go when it is there', (t) =>
	bench(async (b) => {
		const taken = await snapshot(b, 's');
		await b.claim('copy', { spec: { dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 's' } } });
		await b.pass();
		const request = b.driver.requests.findLast((r) => r.rpc === 'CreateVolume')?.request as CreateVolumeRequest;
		t.deepEqual(request.volumeContentSource, { type: { $case: 'snapshot', value: { snapshotId: `snap-snapshot-${taken.metadata.uid}` } } });
		const now = await b.client.get(VOLUME_SNAPSHOTS, 'default/s');
		t.false(now.metadata.finalizers?.includes('provisioner.storage.kubernetes.io/volumesnapshot-as-source-protection'));
	}));

test('failures are told on both objects, and tried again', (t) =>
	bench(async (b) => {
		b.driver.failing.set('CreateSnapshot', 'Internal');
		const failed = await snapshot(b, 's');
		t.is(failed.status?.readyToUse, false);
		t.regex(failed.status?.error?.message ?? '', /failed to take snapshot of the volume vol-pvc-.*code = Internal/);
		t.true(b.driver.calls.filter((c) => c.startsWith('CreateSnapshot')).length <= 3);
		b.driver.failing.clear();
		await b.pass(10_000);
		const taken = await b.client.get(VOLUME_SNAPSHOTS, 'default/s');
		t.is(taken.status?.readyToUse, true);
		t.is(taken.status?.error, undefined);
		b.driver.ready = false;
		const slow = await snapshot(b, 'slow');
		t.is(slow.status?.readyToUse, false);
		b.driver.ready = true;
		await b.pass(5000);
		t.is((await b.client.get(VOLUME_SNAPSHOTS, 'default/slow')).status?.readyToUse, true);
	}));

test('a snapshot that was taken elsewhere is bound, and kept where it is to be retained', (t) =>
	bench(async (b) => {
		b.driver.snapshots.set('h', {
			...{ snapshotId: 'h', sourceVolumeId: 'v', sizeBytes: 5n << 30n, readyToUse: true, groupSnapshotId: '', accessibleTopology: [] },
			creationTime: new Date(Date.UTC(2025, 0, 1)),
		});
		await b.client.create(VOLUME_SNAPSHOT_CONTENTS, {
			metadata: { name: 'given' },
			spec: {
				driver: DRIVER,
				deletionPolicy: 'Retain',
				source: { snapshotHandle: 'h' },
				volumeSnapshotRef: { name: 's', namespace: 'default' },
			},
		});
		const bound = await snapshot(b, 's', { volumeSnapshotContentName: 'given' });
		t.like(bound.status, {
			boundVolumeSnapshotContentName: 'given',
			readyToUse: true,
			restoreSize: '5Gi',
			creationTime: '2025-01-01T00:00:00Z',
		});
		await b.client.delete(VOLUME_SNAPSHOTS, 'default/s');
		await b.pass(2000);
		await t.throwsAsync(b.client.get(VOLUME_SNAPSHOTS, 'default/s'), { code: 'NotFound' });
		t.is((await b.client.get(VOLUME_SNAPSHOT_CONTENTS, 'given')).status?.readyToUse, true);
		t.true(b.driver.snapshots.has('h'));
		const missing = await snapshot(b, 'lost', { volumeSnapshotContentName: 'nowhere' });
		t.is(missing.status?.error?.message, 'VolumeSnapshotContent is missing');
	}));

test('a group is taken at once, has a snapshot for each claim, and goes as one', (t) =>
	bench(async (b) => {
		await b.client.create(VOLUME_GROUP_SNAPSHOT_CLASSES, { metadata: { name: 'groups' }, driver: DRIVER, deletionPolicy: 'Delete' });
		await b.claim('d');
		await b.pass();
		await b.bound('d');
		for (const name of ['c', 'd'])
			await b.client.patch(PERSISTENT_VOLUME_CLAIMS, `default/${name}`, { type: 'merge', body: { metadata: { labels: { app: 'db' } } } });
		await b.pass();
		await b.client.create(VOLUME_GROUP_SNAPSHOTS, {
			metadata: { name: 'g', namespace: 'default' },
			spec: { source: { selector: { matchLabels: { app: 'db' } } }, volumeGroupSnapshotClassName: 'groups' },
		});
		await b.pass(4000);
		const group = await b.client.get(VOLUME_GROUP_SNAPSHOTS, 'default/g');
		t.like(group.status, { readyToUse: true, boundVolumeGroupSnapshotContentName: `groupsnapcontent-${group.metadata.uid}` });
		t.deepEqual(
			b.driver.calls.filter((c) => c.includes('Snapshot')),
			[`CreateVolumeGroupSnapshot groupsnapshot-${group.metadata.uid}`],
		);
		const members = (await b.client.list(VOLUME_SNAPSHOTS, { namespace: 'default' })).items;
		t.deepEqual(members.map((m) => m.spec.source.persistentVolumeClaimName).toSorted(), ['c', 'd']);
		for (const member of members) {
			t.like(member.status, { readyToUse: true, volumeGroupSnapshotName: 'g', restoreSize: '1Gi' });
			t.is(member.metadata.ownerReferences?.[0]?.uid, group.metadata.uid);
		}
		const [one] = members;
		await b.client.delete(VOLUME_SNAPSHOTS, `default/${one?.metadata.name}`);
		await b.pass();
		t.true((await b.events(one?.metadata.name ?? '')).some((e) => e.startsWith('SnapshotDeletePending: deletion of the individual')));
		await b.client.delete(VOLUME_GROUP_SNAPSHOTS, 'default/g');
		await b.pass(4000);
		t.is(b.driver.snapshots.size, 0);
		await t.throwsAsync(b.client.get(VOLUME_GROUP_SNAPSHOT_CONTENTS, `groupsnapcontent-${group.metadata.uid}`), { code: 'NotFound' });
		// The garbage collector's part: what the group owned goes with it.
		for (const { metadata } of members.slice(1)) await b.client.delete(VOLUME_SNAPSHOTS, `default/${metadata.name}`);
		await b.pass(30_000);
		t.deepEqual((await b.client.list(VOLUME_SNAPSHOTS, { namespace: 'default' })).items, []);
		t.deepEqual((await b.client.list(VOLUME_SNAPSHOT_CONTENTS)).items, []);
		t.deepEqual(
			b.driver.calls.filter((c) => c.startsWith('DeleteSnapshot')),
			[],
		);
	}));
