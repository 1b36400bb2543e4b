/** A content for a snapshot that is taken anew: its class, its claim's volume, and the claim kept until it is done (snapshot-controller). */
import { hasFinalizer } from '../../../api/finalizers.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../../api/gen/types.ts';
import { keyOf } from '../../../api/resource.ts';
import { PERSISTENT_VOLUME_CLAIMS } from '../../../api/resources.ts';
import { AppError, ignore, messageOf } from '../../../base/errors.ts';
import { referenceTo } from '../../../client/events.ts';
import { addFinalizer, removeFinalizer } from '../finalizers.ts';
import { secretReference } from '../secrets.ts';
import { VOLUME_SNAPSHOT_CONTENTS, VOLUME_SNAPSHOTS, type VolumeSnapshot, type VolumeSnapshotContent } from '../snapshot-kinds.ts';
import { CLAIM_FINALIZER, DEFAULT_CLASS, DELETION_SECRET, isReady, SNAPSHOTTER_SECRET } from '../snapshot-names.ts';
import { contentName, type SnapshotControl } from './write.ts';

export function claimOf({ claims }: SnapshotControl, { metadata, spec }: VolumeSnapshot): PersistentVolumeClaim {
	const name = spec.source.persistentVolumeClaimName ?? '';
	const claim = claims.get(`${metadata.namespace}/${name}`);
	if (claim !== undefined) return claim;
	const missing = `persistentvolumeclaim \\"${name}\\" not found`;
	throw new AppError('NotFound', `failed to retrieve PVC ${name} from the lister: "${missing}"`);
}

export function volumeOf(control: SnapshotControl, snapshot: VolumeSnapshot): PersistentVolume {
	const claim = claimOf(control, snapshot);
	if (claim.status?.phase !== 'Bound')
		throw new AppError(
			'FailedPrecondition',
			`the PVC ${claim.metadata.name} is not yet bound to a PV, will not attempt to take a snapshot`,
		);
	const name = claim.spec?.volumeName ?? '';
	const volume = control.volumes.get(name);
	if (volume === undefined)
		throw new AppError('NotFound', `failed to retrieve PV ${name} from the API server: "persistentvolumes \\"${name}\\" not found"`);
	const ref = volume.spec?.claimRef;
	if (
		ref?.name !== claim.metadata.name ||
		ref?.namespace !== claim.metadata.namespace ||
		(ref?.uid !== undefined && ref.uid !== claim.metadata.uid)
	)
		throw new AppError('FailedPrecondition', 'claim in dataSource not bound or invalid');
	return volume;
}

/** The snapshot with its class; one that names none gets the default one of its volume's driver. */
export async function withClass(control: SnapshotControl, snapshot: VolumeSnapshot, signal: AbortSignal): Promise<VolumeSnapshot> {
	if (snapshot.spec.volumeSnapshotClassName !== undefined) return snapshot;
	const csi = volumeOf(control, snapshot).spec?.csi;
	if (csi === undefined)
		throw new AppError('FailedPrecondition', `snapshotting non-CSI volumes is not supported, snapshot:${keyOf(snapshot)}`);
	const found = control.classes.list().filter((c) => c.driver === csi.driver && c.metadata.annotations?.[DEFAULT_CLASS] === 'true');
	if (found.length === 0) throw new AppError('FailedPrecondition', 'cannot find default snapshot class');
	if (found.length > 1) throw new AppError('FailedPrecondition', `${found.length} default snapshot classes were found`);
	const body = { spec: { volumeSnapshotClassName: found[0]?.metadata.name } };
	return control.client.patch(VOLUME_SNAPSHOTS, keyOf(snapshot), { type: 'merge', body }, { signal });
}

export async function createContent(
	control: SnapshotControl,
	snapshot: VolumeSnapshot,
	signal: AbortSignal,
): Promise<VolumeSnapshotContent> {
	const { client, classes, recorder } = control;
	const claim = claimOf(control, snapshot);
	if (!hasFinalizer(claim, CLAIM_FINALIZER)) {
		if (claim.metadata.deletionTimestamp !== undefined)
			throw new AppError('FailedPrecondition', 'cannot add finalizer on claim because it is being deleted');
		await addFinalizer(client, PERSISTENT_VOLUME_CLAIMS, claim, CLAIM_FINALIZER, signal);
	}
	const className = snapshot.spec.volumeSnapshotClassName ?? '';
	const snapshotClass = classes.get(className);
	if (snapshotClass === undefined)
		throw new AppError(
			'NotFound',
			`failed to get input parameters to create snapshot ${snapshot.metadata.name}: "volumesnapshotclass.snapshot.storage.k8s.io \\"${className}\\" not found"`,
		);
	const volume = volumeOf(control, snapshot);
	const csi = volume.spec?.csi;
	if (csi === undefined)
		throw new AppError('FailedPrecondition', `cannot find CSI PersistentVolumeSource for volume ${volume.metadata.name}`);
	const name = contentName(snapshot);
	const secret = secretReference(SNAPSHOTTER_SECRET, snapshotClass.parameters ?? {}, tokensOf(snapshot, name));
	const content: VolumeSnapshotContent = {
		metadata: {
			name,
			...(secret === undefined
				? {}
				: { annotations: { [DELETION_SECRET[0]]: secret.name ?? '', [DELETION_SECRET[1]]: secret.namespace ?? '' } }),
		},
		spec: {
			volumeSnapshotRef: referenceTo(VOLUME_SNAPSHOTS, snapshot),
			source: { volumeHandle: csi.volumeHandle },
			volumeSnapshotClassName: className,
			deletionPolicy: snapshotClass.deletionPolicy,
			driver: snapshotClass.driver,
			...(volume.spec?.volumeMode === undefined ? {} : { sourceVolumeMode: volume.spec.volumeMode }),
		},
	};
	const about = referenceTo(VOLUME_SNAPSHOTS, snapshot);
	try {
		const created = await client.create(VOLUME_SNAPSHOT_CONTENTS, content, { signal }).catch(ignore('AlreadyExists'));
		recorder.event(about, 'Normal', 'CreatingSnapshot', `Waiting for a snapshot ${keyOf(snapshot)} to be created by the CSI driver.`);
		return created ?? (await client.get(VOLUME_SNAPSHOT_CONTENTS, name, { signal }));
	} catch (error) {
		const text = `Error creating volume snapshot content object for snapshot ${keyOf(snapshot)}: ${messageOf(error)}.`;
		recorder.event(about, 'Warning', 'CreateSnapshotContentFailed', text);
		throw error;
	}
}

function tokensOf({ metadata }: VolumeSnapshot, content: string): Parameters<typeof secretReference>[2] {
	const { name = '', namespace = '' } = metadata;
	const shared = { 'volumesnapshotcontent.name': content, 'volumesnapshot.namespace': namespace };
	return { namespace: shared, name: { ...shared, 'volumesnapshot.name': name } };
}

/** The claim need not stay once all its snapshots are ready, but for the one that goes. */
export async function releaseClaim(control: SnapshotControl, snapshot: VolumeSnapshot, signal: AbortSignal): Promise<void> {
	const { claims, snapshots, client } = control;
	const name = snapshot.spec.source.persistentVolumeClaimName;
	const claim = name === undefined ? undefined : claims.get(`${snapshot.metadata.namespace}/${name}`);
	if (claim === undefined || !hasFinalizer(claim, CLAIM_FINALIZER)) return;
	const going = snapshot.metadata.deletionTimestamp !== undefined;
	const needed = snapshots
		.list(snapshot.metadata.namespace)
		.some((s) => s.spec.source.persistentVolumeClaimName === name && !isReady(s) && !(going && s.metadata.name === snapshot.metadata.name));
	if (!needed) await removeFinalizer(client, PERSISTENT_VOLUME_CLAIMS, claim, CLAIM_FINALIZER, signal);
}
