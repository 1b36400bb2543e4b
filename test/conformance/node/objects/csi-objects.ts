/** [sig-storage] What drivers are and offer, as objects; inline volumes in pods. */
import { CoreV1Api, StorageV1Api } from '@kubernetes/client-node';
import { supportsOperations } from '../../operations.ts';
import { gone } from '../../refusals.ts';
import { conformance } from '../../suite.ts';
import { create, remove } from '../pod.ts';

const V1 = { group: 'storage.k8s.io', version: 'v1' };

conformance('[sig-storage] CSIInlineVolumes should run through the lifecycle of a CSIDriver [Conformance]', (world) =>
	supportsOperations(world, {
		...V1,
		plural: 'csidrivers',
		kind: 'CSIDriver',
		fields: { spec: { attachRequired: false, podInfoOnMount: false, volumeLifecycleModes: ['Ephemeral'] } },
		change: { spec: { requiresRepublish: true } },
	}),
);

conformance('[sig-storage] CSIInlineVolumes should support CSIVolumeSource in Pod API [Conformance]', async (world) => {
	const { t, api, namespace } = world;
	const core = api(CoreV1Api);
	const driver = `inline-${namespace}.kubeling.test`;
	const storage = api(StorageV1Api);
	await storage.createCSIDriver({
		body: { metadata: { name: driver }, spec: { attachRequired: false, volumeLifecycleModes: ['Ephemeral'] } },
	});
	t.teardown(() => storage.deleteCSIDriver({ name: driver }).catch(() => undefined));
	const csi = { driver, readOnly: true, fsType: 'ext4', volumeAttributes: { some: 'attribute' } };
	const container = { volumeMounts: [{ name: 'inline', mountPath: '/mnt' }] };
	// Of an architecture that no node here has: the API is what is asked, and there is no such driver.
	const spec = { volumes: [{ name: 'inline', csi }], nodeSelector: { 'kubernetes.io/arch': 'none' } };
	await create(world, { name: 'inline', script: 'true', container, spec, metadata: { labels: { inline: 'true' } } });
	const { items } = await core.listNamespacedPod({ namespace, labelSelector: 'inline=true' });
	t.is(items.length, 1);
	t.like(items[0]?.spec?.volumes?.find(({ name }) => name === 'inline')?.csi, csi);
	await remove(world, 'inline', 0);
	t.true(await gone(core.readNamespacedPod({ namespace, name: 'inline' })));
});

conformance('[sig-storage] CSINodes CSI Conformance should run through the lifecycle of a csinode [Conformance]', (world) =>
	supportsOperations(world, {
		...V1,
		plural: 'csinodes',
		kind: 'CSINode',
		fields: { spec: { drivers: [] } },
		change: { spec: { drivers: [{ name: 'a.kubeling.test', nodeID: 'one', topologyKeys: ['zone'] }] } },
	}),
);

conformance('[sig-storage] CSIStorageCapacity should support CSIStorageCapacities API operations [Conformance]', (world) =>
	supportsOperations(world, {
		...V1,
		plural: 'csistoragecapacities',
		kind: 'CSIStorageCapacity',
		namespaced: true,
		fields: { storageClassName: 'none', nodeTopology: { matchLabels: { zone: 'a' } } },
		change: { capacity: '10Gi' },
	}),
);
