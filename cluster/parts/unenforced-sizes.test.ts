/** Claims whose volumes are plain folders are told so, once. */
import test from 'ava';
import { PERSISTENT_VOLUMES } from '../../api/resources.ts';
import { DRIVER, MemoryDriver } from '../../test/fakes/memory-driver.ts';
import { withRoles } from '../../test/fakes/csi-roles.ts';
import { unenforcedSizes } from './unenforced-sizes.ts';

test('a claim that gets a folder is told that its size is not enforced; one that gets an image, or another driver’s, is not', (t) =>
	withRoles(
		(clock) => new MemoryDriver(() => clock.now()),
		(deps) => [unenforcedSizes(DRIVER, deps)],
		async (b) => {
			for (const [name, driver, backend] of [
				['folder', DRIVER, 'directory'],
				['image', DRIVER, 'loop'],
				['foreign', 'other.test', 'directory'],
			] as const) {
				const { metadata } = await b.claim(name);
				const claimRef = { kind: 'PersistentVolumeClaim', apiVersion: 'v1', namespace: 'default', name, uid: metadata.uid };
				const csi = { driver, volumeHandle: name, volumeAttributes: { backend } };
				const spec = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce' as const], claimRef, csi, storageClassName: 'fast' };
				const volume = await b.client.create(PERSISTENT_VOLUMES, { metadata: { name: `pv-${name}` }, spec });
				await b.pass();
				for (let times = 0; times < 2; times++) {
					const live = await b.client.get(PERSISTENT_VOLUMES, volume.metadata.name ?? '');
					const status = { phase: 'Bound', message: String(times) } as const;
					await b.client.update(PERSISTENT_VOLUMES, { ...live, status }, { subresource: 'status' });
					await b.pass();
				}
			}
			await b.pass(2000);
			t.deepEqual(await b.events('folder'), [
				'VolumeSizeNotEnforced: Volume pv-folder is a plain folder of the node: nothing keeps it to its size of 1Gi',
			]);
			t.deepEqual([await b.events('image'), await b.events('foreign')], [[], []]);
		},
	));
