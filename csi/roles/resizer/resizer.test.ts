/** The resizer on a real API server: growth, its failures and their recovery, and changes of attributes. */
import test from 'ava';
import {
	PERSISTENT_VOLUME_CLAIMS,
	PERSISTENT_VOLUMES,
	PODS,
	SERVICE_ACCOUNTS,
	VOLUME_ATTACHMENTS,
	VOLUME_ATTRIBUTES_CLASSES,
} from '../../../api/resources.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../../api/gen/types.ts';
import { DRIVER, MemoryDriver } from '../../../test/fakes/memory-driver.ts';
import { withRoles, type RoleBench } from '../../../test/fakes/csi-roles.ts';
import { createProvisioner } from '../provisioner/provisioner.ts';
import { nextSize } from './next-size.ts';
import { createResizer } from './resizer.ts';

function bench(body: (bench: RoleBench) => Promise<void>): Promise<void> {
	return withRoles(
		(clock) => new MemoryDriver(() => clock.now()),
		(deps) => [...createProvisioner(deps), ...createResizer(deps)],
		body,
	);
}

async function ask({ client, pass }: RoleBench, storage: string): Promise<void> {
	await client.patch(PERSISTENT_VOLUME_CLAIMS, 'default/c', { type: 'merge', body: { spec: { resources: { requests: { storage } } } } });
	await pass();
}

const claimOf = ({ client }: RoleBench): Promise<PersistentVolumeClaim> => client.get(PERSISTENT_VOLUME_CLAIMS, 'default/c');
const conditions = async (b: RoleBench): Promise<readonly string[]> => ((await claimOf(b)).status?.conditions ?? []).map((c) => c.type);

test('a volume grows, and its file system is left to the node', (t) =>
	bench(async (b) => {
		await b.claim('c');
		await b.pass();
		const name = await b.bound('c');
		await ask(b, '2Gi');
		t.is(b.driver.volumes.get(`vol-${name}`)?.bytes, 2n << 30n);
		const volume = await b.client.get(PERSISTENT_VOLUMES, name);
		t.is(volume.spec?.capacity?.['storage'], '2Gi');
		t.is(volume.metadata.annotations?.['volume.alpha.kubernetes.io/pre-resize-capacity'], '1Gi');
		const claim = await claimOf(b);
		t.like(claim.status, {
			capacity: { storage: '1Gi' },
			allocatedResources: { storage: '2Gi' },
			allocatedResourceStatuses: { storage: 'NodeResizePending' },
		});
		t.deepEqual(await conditions(b), ['Resizing', 'FileSystemResizePending']);
		t.deepEqual((await b.events('c')).slice(-2), [
			`Resizing: External resizer is resizing volume ${name}`,
			'FileSystemResizeRequired: Require file system resize of volume on node',
		]);
		// What the kubelet says when it is done.
		const status = { ...claim.status, capacity: { storage: '2Gi' }, conditions: [], allocatedResourceStatuses: undefined };
		await b.client.update(PERSISTENT_VOLUME_CLAIMS, { ...claim, status }, { subresource: 'status' });
		await b.pass();
		const grown = await b.client.get(PERSISTENT_VOLUMES, name);
		t.is(grown.metadata.annotations?.['volume.alpha.kubernetes.io/pre-resize-capacity'], undefined);
		t.is(b.driver.calls.filter((c) => c.startsWith('ControllerExpand')).length, 1);
	}));

test('where the node has nothing to do the claim is done', (t) =>
	bench(async (b) => {
		b.driver.nodeExpansion = false;
		await b.claim('c');
		await b.pass();
		await b.bound('c');
		await ask(b, '2Gi');
		const claim = await claimOf(b);
		t.like(claim.status, { capacity: { storage: '2Gi' }, allocatedResources: { storage: '2Gi' } });
		t.is(claim.status?.allocatedResourceStatuses, undefined);
		t.is(claim.metadata.annotations?.['volume.kubernetes.io/node-expansion-not-required'], 'true');
		t.deepEqual(await conditions(b), []);
	}));

test('a size that is impossible is told and can be taken back', (t) =>
	bench(async (b) => {
		b.driver.failing.set('ControllerExpandVolume', 'OutOfRange');
		await b.claim('c');
		await b.pass();
		const name = await b.bound('c');
		await ask(b, '9Gi');
		await b.pass(60_000);
		t.like((await claimOf(b)).status, {
			allocatedResources: { storage: '9Gi' },
			allocatedResourceStatuses: { storage: 'ControllerResizeInfeasible' },
		});
		t.true((await conditions(b)).includes('ControllerResizeError'));
		t.is(b.driver.calls.filter((c) => c.startsWith('ControllerExpand')).length, 1);
		b.driver.failing.clear();
		await ask(b, '2Gi');
		await b.pass(2000);
		t.is(b.driver.volumes.get(`vol-${name}`)?.bytes, 2n << 30n);
		t.is((await claimOf(b)).status?.allocatedResourceStatuses?.['storage'], 'NodeResizePending');
	}));

test('a volume that grows only while nobody uses it grows when its pod is gone', (t) =>
	bench(async (b) => {
		b.driver.failing.set('ControllerExpandVolume', 'FailedPrecondition');
		await b.claim('c');
		await b.pass();
		const name = await b.bound('c');
		const claims = [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }];
		await b.client.create(SERVICE_ACCOUNTS, { metadata: { name: 'default', namespace: 'default' } });
		await b.client.create(PODS, {
			metadata: { name: 'p', namespace: 'default' },
			spec: { volumes: claims, containers: [{ name: 'c', image: 'i' }] },
		});
		const source = { persistentVolumeName: name };
		await b.client.create(VOLUME_ATTACHMENTS, { metadata: { name: 'a' }, spec: { attacher: DRIVER, nodeName: 'n1', source } });
		await ask(b, '2Gi');
		b.driver.failing.clear();
		await b.pass(100_000);
		t.is(b.driver.volumes.get(`vol-${name}`)?.bytes, 1n << 30n);
		t.true((await b.events('c')).some((e) => e.includes('only supports offline expansion and volume is currently in-use')));
		await b.client.delete(PODS, 'default/p', { gracePeriodSeconds: 0 });
		await b.client.delete(VOLUME_ATTACHMENTS, 'a');
		await b.pass();
		t.is(b.driver.volumes.get(`vol-${name}`)?.bytes, 2n << 30n);
	}));

test('attributes change with the class, and wait for one that is not there', (t) =>
	bench(async (b) => {
		await b.claim('c');
		await b.pass();
		const name = await b.bound('c');
		await b.client.patch(PERSISTENT_VOLUME_CLAIMS, 'default/c', { type: 'merge', body: { spec: { volumeAttributesClassName: 'gold' } } });
		await b.pass();
		t.is((await claimOf(b)).status?.modifyVolumeStatus?.status, 'Pending');
		b.driver.failing.set('ControllerModifyVolume', 'Internal');
		await b.client.create(VOLUME_ATTRIBUTES_CLASSES, { metadata: { name: 'gold' }, driverName: DRIVER, parameters: { iops: '9' } });
		await b.pass();
		t.like((await claimOf(b)).status?.modifyVolumeStatus, { status: 'InProgress', targetVolumeAttributesClassName: 'gold' });
		t.deepEqual(await conditions(b), ['ModifyingVolume', 'ModifyVolumeError']);
		b.driver.failing.clear();
		await b.pass(4000);
		t.deepEqual(b.driver.volumes.get(`vol-${name}`)?.mutable, { iops: '9' });
		const claim = await claimOf(b);
		t.is(claim.status?.currentVolumeAttributesClassName, 'gold');
		t.is(claim.status?.modifyVolumeStatus, undefined);
		t.deepEqual(await conditions(b), []);
		t.is((await b.client.get(PERSISTENT_VOLUMES, name)).spec?.volumeAttributesClassName, 'gold');
	}));

const claimWith = (asked: string, allocated?: string, state?: string): PersistentVolumeClaim => ({
	metadata: {},
	spec: { resources: { requests: { storage: asked } } },
	status: {
		phase: 'Bound',
		capacity: { storage: '1Gi' },
		...(allocated === undefined ? {} : { allocatedResources: { storage: allocated } }),
		...(state === undefined ? {} : { allocatedResourceStatuses: { storage: state as 'NodeResizePending' } }),
	},
});
const volumeOf = (storage: string): PersistentVolume => ({ metadata: {}, spec: { capacity: { storage } } });

for (const [name, claim, volume, failed, want] of [
	['nothing before', claimWith('3Gi'), volumeOf('1Gi'), false, '3Gi'],
	['an earlier growth that may go on is ended first', claimWith('3Gi', '2Gi', 'ControllerResizeInProgress'), volumeOf('1Gi'), false, '2Gi'],
	['one that failed for good is given up', claimWith('3Gi', '9Gi', 'ControllerResizeInProgress'), volumeOf('1Gi'), true, '3Gi'],
	['the node is at it', claimWith('3Gi', '2Gi', 'NodeResizePending'), volumeOf('2Gi'), false, undefined],
	['the node has done with an earlier one', claimWith('3Gi', '2Gi', 'NodeResizeInfeasible'), volumeOf('2Gi'), false, '2Gi'],
	['the volume has grown, and nobody wrote it down', claimWith('2Gi', '2Gi', 'ControllerResizeInProgress'), volumeOf('2Gi'), false, '2Gi'],
] as const)
	test(`the next size: ${name}`, (t) => t.is(nextSize(claim, volume, failed), want));
