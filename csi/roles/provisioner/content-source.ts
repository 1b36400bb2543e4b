/** What a new volume is a copy of: a snapshot or another claim's volume, checked as external-provisioner does. */
import { hasFinalizer } from '../../../api/finalizers.ts';
import type { PersistentVolumeClaim, StorageClass } from '../../../api/gen/types.ts';
import { ceilUnits } from '../../../api/quantity.ts';
import { PERSISTENT_VOLUMES } from '../../../api/resources.ts';
import { AppError, messageOf } from '../../../base/errors.ts';
import type { Client } from '../../../client/client.ts';
import type { Lister } from '../../../client/cache.ts';
import type { VolumeContentSource } from '../../proto.ts';
import { SNAPSHOT_GROUP, VOLUME_SNAPSHOT_CONTENTS, VOLUME_SNAPSHOTS } from '../snapshot-kinds.ts';

export const SNAPSHOT_SOURCE_FINALIZER = 'provisioner.storage.kubernetes.io/volumesnapshot-as-source-protection';
const ALLOW_MODE_CHANGE = 'snapshot.storage.kubernetes.io/allow-volume-mode-change';

export interface DataSource {
	/** "populator": somebody else fills the volume. */
	readonly type: 'snapshot' | 'claim' | 'populator';
	readonly kind: string;
	readonly name: string;
}

/** Pure; undefined for a volume that begins empty. */
export function dataSourceOf({ metadata, spec }: PersistentVolumeClaim): DataSource | undefined {
	const source = spec?.dataSource ?? spec?.dataSourceRef;
	if (source === undefined) return undefined;
	if (spec?.dataSource === undefined && (spec?.dataSourceRef?.namespace ?? '') !== '')
		throw new AppError('InvalidArgument', 'dataSourceRef namespace specified but the CrossNamespaceVolumeDataSource feature is disabled');
	const { kind, name, apiGroup = '' } = source;
	if (name === '') throw new AppError('InvalidArgument', `the PVC source not found for PVC ${metadata.name}`);
	if (kind === 'PersistentVolumeClaim') return { type: 'claim', kind, name };
	if (kind !== 'VolumeSnapshot') return { type: 'populator', kind, name };
	if (apiGroup !== SNAPSHOT_GROUP)
		throw new AppError(
			'InvalidArgument',
			`the PVC source does not belong to the right APIGroup. Expected ${SNAPSHOT_GROUP}, Got ${apiGroup}`,
		);
	return { type: 'snapshot', kind, name };
}

export interface Asked {
	readonly claim: PersistentVolumeClaim;
	readonly storageClass: StorageClass;
	readonly client: Client;
	readonly claims: Lister<PersistentVolumeClaim>;
}

const refused = (message: string): AppError => new AppError('FailedPrecondition', message);

function requested(claim: PersistentVolumeClaim): number {
	return ceilUnits(claim.spec?.resources?.requests?.['storage']);
}

export async function claimSource({ claim, storageClass, client, claims }: Asked, name: string): Promise<VolumeContentSource> {
	const { namespace } = claim.metadata;
	const source = claims.get(`${namespace}/${name}`);
	if (source === undefined)
		throw refused(`error getting PVC ${name} (namespace "${namespace}") from api server: persistentvolumeclaim "${name}" not found`);
	if (source.status?.phase !== 'Bound')
		throw refused(`the PVC DataSource ${name} must have a status of Bound.  Got ${source.status?.phase ?? ''}`);
	if (source.metadata.deletionTimestamp !== undefined) throw refused(`the PVC DataSource ${name} is currently being deleted`);
	if (source.spec?.storageClassName === undefined) throw refused(`the source PVC (${name}) storageclass cannot be empty`);
	if (claim.spec?.storageClassName === undefined) throw refused(`the requested PVC (${claim.metadata.name}) storageclass cannot be empty`);
	if (requested(claim) < requested(source))
		throw refused(
			`error, new PVC request must be greater than or equal in size to the specified PVC data source, requested ${requested(claim)} but source is ${requested(source)}`,
		);
	const unbound = 'claim in dataSource not bound or invalid';
	const volumeName = source.spec.volumeName ?? '';
	if (volumeName === '') throw refused(`volume name is empty in source PVC ${name}`);
	const volume = await client.get(PERSISTENT_VOLUMES, volumeName).catch((cause: unknown) => {
		throw new AppError('FailedPrecondition', unbound, { cause });
	});
	const { csi, claimRef } = volume.spec ?? {};
	const isBound = claimRef?.uid === source.metadata.uid && claimRef?.namespace === namespace && claimRef?.name === name;
	if (csi === undefined || csi.driver !== storageClass.provisioner || !isBound || volume.status?.phase !== 'Bound') throw refused(unbound);
	const [from, to] = [volume.spec?.volumeMode ?? 'Filesystem', claim.spec.volumeMode ?? 'Filesystem'];
	if (from !== to)
		throw refused(
			`the source PVC and destination PVCs must have the same volume mode for cloning.  Source is ${from}, but new PVC requested ${to}`,
		);
	return { type: { $case: 'volume', value: { volumeId: csi.volumeHandle } } };
}

export async function snapshotSource({ claim, storageClass, client }: Asked, name: string): Promise<VolumeContentSource> {
	const failed = (message: string) => (cause: unknown) => {
		throw new AppError('FailedPrecondition', message.replace('%v', messageOf(cause)), { cause });
	};
	const snapshot = await client
		.get(VOLUME_SNAPSHOTS, `${claim.metadata.namespace}/${name}`)
		.catch(failed(`error getting snapshot ${name} from api server: %v`));
	if (snapshot.metadata.deletionTimestamp !== undefined && !hasFinalizer(snapshot, SNAPSHOT_SOURCE_FINALIZER))
		throw refused(`snapshot ${name} is being deleted`);
	const contentName = snapshot.status?.boundVolumeSnapshotContentName;
	if (contentName === undefined) throw refused(`snapshot ${name} not bound`);
	const content = await client
		.get(VOLUME_SNAPSHOT_CONTENTS, contentName)
		.catch(failed(`error getting snapshotcontent ${contentName} for snapshot ${name}`));
	const { uid, namespace, name: refName } = content.spec.volumeSnapshotRef;
	if (uid !== snapshot.metadata.uid || namespace !== snapshot.metadata.namespace || refName !== name)
		throw refused(`snapshotcontent ${contentName} for snapshot ${name} is bound to a different snapshot`);
	if (content.spec.driver !== storageClass.provisioner)
		throw refused(
			`snapshotcontent ${contentName} for snapshot ${name} is not handled by CSI driver of StorageClass ${storageClass.metadata.name}`,
		);
	if (snapshot.status?.readyToUse !== true) throw refused(`snapshot ${name} is not Ready`);
	const snapshotId = content.status?.snapshotHandle;
	if (snapshotId === undefined) throw refused(`snapshot handle ${name} is not available`);
	const restoreSize = snapshot.status.restoreSize;
	if (restoreSize !== undefined && requested(claim) < ceilUnits(restoreSize))
		throw refused(
			`requested volume size ${requested(claim)} is less than the size ${ceilUnits(restoreSize)} for the source snapshot ${name}`,
		);
	const mode = content.spec.sourceVolumeMode;
	if (mode !== undefined && claim.spec?.volumeMode !== undefined && mode !== claim.spec.volumeMode) {
		const allowed = content.metadata.annotations?.[ALLOW_MODE_CHANGE];
		if (allowed === undefined || !/^(1|t|T|true|TRUE|True)$/.test(allowed))
			throw refused(
				`requested volume ${claim.metadata.namespace}/${claim.metadata.name} modifies the mode of the source volume but does not have permission to do so. ${ALLOW_MODE_CHANGE} ${allowed === undefined ? 'annotation is not present' : 'is set to false'} on snapshotcontent ${contentName}`,
			);
	}
	return { type: { $case: 'snapshot', value: { snapshotId } } };
}
