/** [sig-storage] StorageClasses, VolumeAttributesClass, VolumeAttachment as objects. */
import { StorageV1Api } from '@kubernetes/client-node';
import { supportsOperations } from '../../operations.ts';
import { patch } from '../../patch.ts';
import { conformance } from '../../suite.ts';

const V1 = { group: 'storage.k8s.io', version: 'v1' };
const attachment = { attacher: 'none.kubeling.test', nodeName: 'none', source: { persistentVolumeName: 'none' } };

conformance('[sig-storage] StorageClasses CSI Conformance should run through the lifecycle of a StorageClass [Conformance]', (world) =>
	supportsOperations(world, {
		...V1,
		plural: 'storageclasses',
		kind: 'StorageClass',
		fields: { provisioner: 'none.kubeling.test', reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' },
		change: { allowVolumeExpansion: true },
	}),
);

conformance(
	'[sig-storage] VolumeAttributesClass [FeatureGate:VolumeAttributesClass] should run through the lifecycle of a VolumeAttributesClass [Conformance]',
	(world) =>
		supportsOperations(world, {
			...V1,
			plural: 'volumeattributesclasses',
			kind: 'VolumeAttributesClass',
			fields: { driverName: 'none.kubeling.test', parameters: { iops: '10' } },
		}),
);

conformance('[sig-storage] VolumeAttachment Conformance should run through the lifecycle of a VolumeAttachment [Conformance]', (world) =>
	supportsOperations(world, {
		...V1,
		plural: 'volumeattachments',
		kind: 'VolumeAttachment',
		fields: { spec: attachment },
	}),
);

conformance('[sig-storage] VolumeAttachment Conformance should apply changes to a volumeattachment status [Conformance]', async (world) => {
	const { t, api, namespace, raw } = world;
	const name = `status-${namespace}`;
	const storage = api(StorageV1Api);
	await storage.createVolumeAttachment({ body: { metadata: { name }, spec: attachment } });
	t.teardown(() => storage.deleteVolumeAttachment({ name }).catch(() => undefined));
	const path = `/apis/storage.k8s.io/v1/volumeattachments/${name}/status`;
	t.is((await patch(world, path, { status: { attached: true } })).code, 200);
	t.true((await storage.readVolumeAttachmentStatus({ name })).status?.attached);
	const current = await storage.readVolumeAttachmentStatus({ name });
	const body = { ...current, status: { attached: false, attachError: { message: 'by a test', time: '2026-01-01T00:00:00Z' } } };
	const put = await raw('PUT', path, { body });
	t.is(put.code, 200, put.text);
	t.like((await storage.readVolumeAttachment({ name })).status, { attached: false, attachError: { message: 'by a test' } });
});
