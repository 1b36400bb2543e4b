/** [sig-storage] PersistentVolumes and their claims as objects: no driver stands behind them. */
import { CoreV1Api, type V1PersistentVolume, type V1PersistentVolumeClaim } from '@kubernetes/client-node';
import { eventually } from '../../../tools/eventually.ts';
import { patch } from '../../patch.ts';
import { gone } from '../../refusals.ts';
import { conformance, type World } from '../../suite.ts';

/** A volume and a claim that nothing binds: their classes are none of the cluster's, and not each other's. */
async function made(world: World): Promise<{ readonly name: string; readonly volume: string; readonly claim: string }> {
	const { t, api, namespace } = world;
	const core = api(CoreV1Api);
	const name = `pv-${namespace}`;
	const labels = { 'conformance-test': namespace };
	const amount = { storage: '2Gi' };
	const accessModes = ['ReadWriteOnce'];
	const csi = { driver: 'none.kubeling.test', volumeHandle: 'handle' };
	await core.createPersistentVolume({
		body: { metadata: { name, labels }, spec: { capacity: amount, accessModes, csi, storageClassName: `a-${namespace}` } },
	});
	t.teardown(() => core.deletePersistentVolume({ name }).catch(() => undefined));
	await core.createNamespacedPersistentVolumeClaim({
		namespace,
		body: {
			metadata: { name, labels },
			spec: { accessModes, storageClassName: `b-${namespace}`, resources: { requests: { storage: '1Gi' } } },
		},
	});
	return {
		name,
		volume: `/api/v1/persistentvolumes/${name}`,
		claim: `/api/v1/namespaces/${namespace}/persistentvolumeclaims/${name}`,
	};
}

conformance(
	'[sig-storage] PersistentVolumes CSI Conformance should run through the lifecycle of a PV and a PVC [Conformance]',
	async (world) => {
		const { t, api, namespace } = world;
		const core = api(CoreV1Api);
		const { name, volume, claim } = await made(world);
		const labelSelector = `conformance-test=${namespace}`;
		t.is((await core.listPersistentVolume({ labelSelector })).items.length, 1);
		t.is((await core.listNamespacedPersistentVolumeClaim({ namespace, labelSelector })).items.length, 1);
		for (const path of [volume, claim]) {
			const answer = await patch(world, path, { metadata: { labels: { patched: 'true' } } });
			t.is(answer.json<V1PersistentVolume>().metadata?.labels?.['patched'], 'true', answer.text);
			await eventually('it is updated', async () => {
				const current = (await world.raw('GET', path)).json<V1PersistentVolume>();
				const labels = { ...current.metadata?.labels, updated: 'true' };
				return (await world.raw('PUT', path, { body: { ...current, metadata: { ...current.metadata, labels } } })).code === 200;
			});
		}
		t.is((await core.readPersistentVolume({ name })).metadata?.labels?.['updated'], 'true');
		await core.deleteNamespacedPersistentVolumeClaim({ namespace, name });
		await eventually('the claim is gone', () => gone(core.readNamespacedPersistentVolumeClaim({ namespace, name })));
		await core.deletePersistentVolume({ name });
		await eventually('the volume is gone', () => gone(core.readPersistentVolume({ name })));

		const again = await made(world);
		await core.deleteCollectionNamespacedPersistentVolumeClaim({ namespace, labelSelector });
		await core.deleteCollectionPersistentVolume({ labelSelector });
		await eventually(
			'both are gone',
			async () =>
				(await gone(core.readPersistentVolume({ name: again.name }))) &&
				gone(core.readNamespacedPersistentVolumeClaim({ namespace, name })),
		);
	},
);

conformance('[sig-storage] PersistentVolumes CSI Conformance should apply changes to a pv/pvc status [Conformance]', async (world) => {
	const { t, raw } = world;
	const { volume, claim } = await made(world);
	await eventually(
		'the volume is available',
		async () => (await raw('GET', volume)).json<V1PersistentVolume>().status?.phase === 'Available',
	); // from then on its controller leaves it alone
	const read = async (path: string): Promise<V1PersistentVolumeClaim> => (await raw('GET', `${path}/status`)).json();
	const condition = { type: 'StatusPatched', status: 'True', reason: 'Tested', message: 'by a test' };
	const patched = await patch(world, `${claim}/status`, { status: { conditions: [condition] } });
	t.is(patched.code, 200, patched.text);
	t.like((await read(claim)).status?.conditions?.[0], condition);
	await eventually('the claim has a status that is put', async () => {
		const current = await read(claim);
		const conditions = [{ ...condition, type: 'StatusUpdate' }];
		return (await raw('PUT', `${claim}/status`, { body: { ...current, status: { ...current.status, conditions } } })).code === 200;
	});
	t.deepEqual(
		(await read(claim)).status?.conditions?.map(({ type }) => type),
		['StatusUpdate'],
	);
	const messaged = await patch(world, `${volume}/status`, { status: { message: 'StatusPatched', reason: 'E2E' } });
	t.is(messaged.code, 200, messaged.text);
	t.like((await raw('GET', `${volume}/status`)).json<V1PersistentVolume>().status, { message: 'StatusPatched', reason: 'E2E' });
});
