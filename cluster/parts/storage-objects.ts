/** What `up` makes so that a claim needs no set-up: the driver's object, classes for volumes and snapshots, and the snapshot kinds. */
import type { CSIDriver, CustomResourceDefinition, StorageClass } from '../../api/gen/types.ts';
import { CSI_DRIVERS, CUSTOM_RESOURCE_DEFINITIONS, STORAGE_CLASSES } from '../../api/resources.ts';
import { ignore } from '../../base/errors.ts';
import type { Clock } from '../../base/clock.ts';
import type { Client } from '../../client/client.ts';
import { installSnapshotDefinitions, SNAPSHOT_DEFINITIONS } from '../../csi/roles/snapshot-definitions.ts';
import { VOLUME_GROUP_SNAPSHOT_CLASSES, VOLUME_SNAPSHOT_CLASSES } from '../../csi/roles/snapshot-kinds.ts';
import { seen } from '../usable.ts';

/** Of all of them: there is one driver. */
const NAME = 'local';

/** Pure. */
export function driverObject(driverName: string): CSIDriver {
	return {
		metadata: { name: driverName },
		spec: {
			attachRequired: true,
			podInfoOnMount: true, // says which volumes are a pod's own
			fsGroupPolicy: 'File',
			storageCapacity: true,
			seLinuxMount: true,
			volumeLifecycleModes: ['Persistent', 'Ephemeral'],
		},
	};
}

/** Pure. */
export function storageClass(driverName: string): StorageClass {
	return {
		metadata: { name: NAME, annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
		provisioner: driverName,
		reclaimPolicy: 'Delete',
		volumeBindingMode: 'WaitForFirstConsumer',
		allowVolumeExpansion: true,
	};
}

/** What is there already stays as somebody made it. */
export async function installStorage(client: Client, driverName: string, clock: Clock, signal: AbortSignal): Promise<void> {
	const present = ignore('AlreadyExists');
	await client.create(CSI_DRIVERS, driverObject(driverName), { signal }).catch(present);
	await client.create(STORAGE_CLASSES, storageClass(driverName), { signal }).catch(present);
	await installSnapshotDefinitions(client, signal);
	await definitionsServed(client, clock, signal);
	const shared = { driver: driverName, deletionPolicy: 'Delete' } as const;
	for (const [resource, group] of [
		[VOLUME_SNAPSHOT_CLASSES, 'snapshot'],
		[VOLUME_GROUP_SNAPSHOT_CLASSES, 'groupsnapshot'],
	] as const) {
		const metadata = { name: NAME, annotations: { [`${group}.storage.kubernetes.io/is-default-class`]: 'true' } };
		await client.create(resource, { metadata, ...shared }, { signal }).catch(present);
	}
}

async function definitionsServed(client: Client, clock: Clock, signal: AbortSignal): Promise<void> {
	const isServed = ({ status }: CustomResourceDefinition): boolean =>
		status?.conditions?.some((c) => c.type === 'Established' && c.status === 'True') === true;
	const names = SNAPSHOT_DEFINITIONS.map(({ metadata }) => metadata.name ?? '');
	await Promise.all(names.map((name) => seen(client, CUSTOM_RESOURCE_DEFINITIONS, undefined, name, isServed, signal, clock)));
	signal.throwIfAborted();
}
