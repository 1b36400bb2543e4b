/** The attacher on a real API server: attachments, their finalizers and errors, and what the driver is asked. */
import test from 'ava';
import { CSI_NODES, PERSISTENT_VOLUMES, VOLUME_ATTACHMENTS } from '../../../api/resources.ts';
import type { PersistentVolume } from '../../../api/gen/types.ts';
import { ControllerServiceCapability_RPC_Type as Rpc } from '../../proto.ts';
import { DRIVER, MemoryDriver } from '../../../test/fakes/memory-driver.ts';
import { withRoles, type RoleBench } from '../../../test/fakes/csi-roles.ts';
import { createAttacher } from './attacher.ts';

const FINALIZER = 'external-attacher/mem-csi-test';

function bench(body: (bench: RoleBench) => Promise<void>, without: readonly Rpc[] = []): Promise<void> {
	return withRoles(
		(clock) => new MemoryDriver(() => clock.now(), { without }),
		(deps) => createAttacher(deps),
		body,
	);
}

async function volume({ client }: RoleBench, name: string): Promise<PersistentVolume> {
	return client.create(PERSISTENT_VOLUMES, {
		metadata: { name },
		spec: {
			accessModes: ['ReadWriteOnce'],
			capacity: { storage: '1Gi' },
			csi: { driver: DRIVER, volumeHandle: `h-${name}`, volumeAttributes: { a: 'b' }, fsType: 'ext4' },
		},
	});
}

async function attachment({ client, pass }: RoleBench, name: string, volumeName: string, nodeName = 'n1'): Promise<void> {
	await client.create(VOLUME_ATTACHMENTS, {
		metadata: { name },
		spec: { attacher: DRIVER, nodeName, source: { persistentVolumeName: volumeName } },
	});
	await pass();
}

test('a volume is attached and detached, and both objects stay until it is', (t) =>
	bench(async (b) => {
		await volume(b, 'v');
		await attachment(b, 'a', 'v');
		const attached = await b.client.get(VOLUME_ATTACHMENTS, 'a');
		t.deepEqual(attached.status, { attached: true, attachmentMetadata: { device: 'sda' } });
		t.deepEqual(attached.metadata.finalizers, [FINALIZER]);
		t.like(attached.metadata.annotations, { 'csi.alpha.kubernetes.io/node-id': 'node-one' });
		t.true((await b.client.get(PERSISTENT_VOLUMES, 'v')).metadata.finalizers?.includes(FINALIZER));
		t.deepEqual(b.driver.calls, ['ControllerPublishVolume h-v@node-one']);
		t.like(b.driver.requests[0]?.request, { volumeContext: { a: 'b' }, readonly: false, volumeCapability: { accessMode: { mode: 7 } } });

		await b.client.delete(PERSISTENT_VOLUMES, 'v');
		await b.client.delete(CSI_NODES, 'n1'); // the node is gone: its id is remembered
		await b.pass();
		t.true((await b.client.get(PERSISTENT_VOLUMES, 'v')).metadata.finalizers?.includes(FINALIZER));
		await b.client.delete(VOLUME_ATTACHMENTS, 'a');
		await b.pass();
		await t.throwsAsync(b.client.get(VOLUME_ATTACHMENTS, 'a'), { code: 'NotFound' });
		t.deepEqual([...b.driver.published], []);
		t.false((await b.client.get(PERSISTENT_VOLUMES, 'v')).metadata.finalizers?.includes(FINALIZER));
	}));

test('errors are told where upstream tells them, and tried again with back-off', (t) =>
	bench(async (b) => {
		await volume(b, 'v');
		b.driver.failing.set('ControllerPublishVolume', 'ResourceExhausted');
		await attachment(b, 'a', 'v');
		const failed = await b.client.get(VOLUME_ATTACHMENTS, 'a');
		t.like(failed.status, {
			attached: false,
			attachError: { errorCode: 8, message: 'rpc error: code = ResourceExhausted desc = ControllerPublishVolume fails' },
		});
		t.true(b.driver.calls.length <= 2); // its own word of the error does not make it try at once
		b.driver.failing.clear();
		await b.pass(2000);
		t.is((await b.client.get(VOLUME_ATTACHMENTS, 'a')).status?.attached, true);
		t.is((await b.client.get(VOLUME_ATTACHMENTS, 'a')).status?.attachError, undefined);
		b.driver.failing.set('ControllerUnpublishVolume', 'Internal');
		await b.client.delete(VOLUME_ATTACHMENTS, 'a');
		await b.pass();
		t.is(
			(await b.client.get(VOLUME_ATTACHMENTS, 'a')).status?.detachError?.message,
			'rpc error: code = Internal desc = ControllerUnpublishVolume fails',
		);
		b.driver.failing.clear();
		await b.pass(2000);
		await t.throwsAsync(b.client.get(VOLUME_ATTACHMENTS, 'a'), { code: 'NotFound' });
		await attachment(b, 'elsewhere', 'v', 'n2');
		t.like((await b.client.get(VOLUME_ATTACHMENTS, 'elsewhere')).status, {
			attachError: { message: 'csinode.storage.k8s.io "n2" not found' },
		});
	}));

test('an attachment that is wrong about its volume is done again', (t) =>
	bench(async (b) => {
		b.driver.volumes.set('h-v', { request: {} as never, bytes: 1n, mutable: {} });
		await volume(b, 'v');
		await attachment(b, 'a', 'v');
		b.driver.published.clear();
		await b.pass(61_000);
		t.deepEqual(b.driver.calls, ['ControllerPublishVolume h-v@node-one', 'ControllerPublishVolume h-v@node-one']);
	}));

test('a driver that has nothing to attach is attached at once', (t) =>
	bench(
		async (b) => {
			await volume(b, 'v');
			await attachment(b, 'a', 'v');
			t.deepEqual(b.driver.calls, []);
			t.deepEqual((await b.client.get(VOLUME_ATTACHMENTS, 'a')).status, { attached: true });
		},
		[Rpc.PUBLISH_UNPUBLISH_VOLUME],
	));
