/** The snapshot controller, one for all drivers: VolumeSnapshots and their contents find and follow each other. */
import { hasFinalizer } from '../../../api/finalizers.ts';
import { keyOf, type Key } from '../../../api/resource.ts';
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES } from '../../../api/resources.ts';
import type { PersistentVolumeClaim } from '../../../api/gen/types.ts';
import type { Service } from '../../../base/service.ts';
import { createController, keysFrom, type Reconcile } from '../../../client/controller.ts';
import { referenceTo } from '../../../client/events.ts';
import { addFinalizer } from '../finalizers.ts';
import type { ControllerDeps } from '../role.ts';
import {
	VOLUME_GROUP_SNAPSHOT_CLASSES,
	VOLUME_GROUP_SNAPSHOT_CONTENTS,
	VOLUME_GROUP_SNAPSHOTS,
	VOLUME_SNAPSHOT_CLASSES,
	VOLUME_SNAPSHOT_CONTENTS,
	VOLUME_SNAPSHOTS,
	type VolumeGroupSnapshotContent,
	type VolumeSnapshotContent,
} from '../snapshot-kinds.ts';
import { CLAIM_FINALIZER, CONTENT_FINALIZER, GROUP_CONTENT_FINALIZER, SNAPSHOT_BOUND_FINALIZER } from '../snapshot-names.ts';
import { groupReconcile, type GroupControl } from './groups.ts';
import { snapshotReconcile } from './snapshots.ts';
import { markBeingDeleted, type SnapshotControl } from './write.ts';

export function createSnapshotController(deps: ControllerDeps): readonly Service[] {
	const { informers, clock, workers, backoff, metrics } = deps;
	const log = deps.log.with({ role: 'snapshot-controller' });
	const common = { clock, log, workers, backoff, ...(metrics === undefined ? {} : { metrics }) };
	const snapshots = informers.get(VOLUME_SNAPSHOTS);
	const contents = informers.get(VOLUME_SNAPSHOT_CONTENTS);
	const classes = informers.get(VOLUME_SNAPSHOT_CLASSES);
	const claims = informers.get(PERSISTENT_VOLUME_CLAIMS);
	const volumes = informers.get(PERSISTENT_VOLUMES);
	const groups = informers.get(VOLUME_GROUP_SNAPSHOTS);
	const groupContents = informers.get(VOLUME_GROUP_SNAPSHOT_CONTENTS);
	const groupClasses = informers.get(VOLUME_GROUP_SNAPSHOT_CLASSES);
	const control: GroupControl = {
		...deps,
		log,
		snapshots: snapshots.lister,
		contents: contents.lister,
		classes: classes.lister,
		claims: claims.lister,
		volumes: volumes.lister,
		groups: groups.lister,
		groupContents: groupContents.lister,
		groupClasses: groupClasses.lister,
	};
	/** A claim may be let go. */
	const snapshotsOf = ({ metadata }: PersistentVolumeClaim): readonly Key[] =>
		snapshots.lister
			.list(metadata.namespace)
			.filter((snapshot) => snapshot.spec.source.persistentVolumeClaimName === metadata.name)
			.map(keyOf);
	return [
		createController({
			...common,
			name: 'snapshot-controller',
			sources: [
				keysFrom(snapshots),
				keysFrom(contents, ({ before, after }) => snapshotOf(after ?? before)),
				keysFrom(classes, () => []),
				keysFrom(claims, ({ after }) => (after !== undefined && hasFinalizer(after, CLAIM_FINALIZER) ? snapshotsOf(after) : [])),
				keysFrom(volumes, () => []),
			],
			reconcile: snapshotReconcile(control),
		}),
		createController({
			...common,
			name: 'snapshot-controller-contents',
			sources: [keysFrom(contents), keysFrom(snapshots, () => [])],
			reconcile: contentReconcile(control),
		}),
		createController({
			...common,
			name: 'snapshot-controller-groups',
			sources: [
				keysFrom(groups),
				keysFrom(groupContents, ({ before, after }) => groupOf(after ?? before)),
				...[groupClasses, claims, volumes, contents, snapshots].map((informer) => keysFrom(informer as typeof groupClasses, () => [])),
			],
			reconcile: groupReconcile(control),
		}),
		createController({
			...common,
			name: 'snapshot-controller-group-contents',
			sources: [keysFrom(groupContents)],
			async reconcile(key, signal) {
				const content = groupContents.lister.get(key);
				if (content === undefined || content.metadata.deletionTimestamp !== undefined) return;
				if ((content.spec.volumeGroupSnapshotRef.uid ?? '') === '') return;
				await addFinalizer(deps.client, VOLUME_GROUP_SNAPSHOT_CONTENTS, content, GROUP_CONTENT_FINALIZER, signal);
			},
		}),
	];
}

function groupOf(content: VolumeGroupSnapshotContent | undefined): readonly Key[] {
	const { namespace, name } = content?.spec.volumeGroupSnapshotRef ?? {};
	return name === undefined ? [] : [`${namespace ?? ''}/${name}`];
}

function snapshotOf(content: VolumeSnapshotContent | undefined): readonly Key[] {
	const { namespace, name } = content?.spec.volumeSnapshotRef ?? {};
	return name === undefined ? [] : [`${namespace ?? ''}/${name}`];
}

/** Contents that are bound stay until their snapshots are deleted. Keys are contents. */
function contentReconcile(control: SnapshotControl): Reconcile {
	const { contents, snapshots, client, recorder } = control;
	return async (key, signal) => {
		const content = contents.get(key);
		if (content === undefined) return;
		const { volumeHandle, snapshotHandle } = content.spec.source;
		if ((volumeHandle === undefined) === (snapshotHandle === undefined)) {
			const message = 'Exactly one of VolumeHandle and SnapshotHandle should be specified';
			return recorder.event(referenceTo(VOLUME_SNAPSHOT_CONTENTS, content), 'Warning', 'ContentValidationError', message);
		}
		if ((content.spec.volumeSnapshotRef.uid ?? '') === '') return;
		if (content.metadata.deletionTimestamp === undefined && !hasFinalizer(content, CONTENT_FINALIZER)) {
			await addFinalizer(client, VOLUME_SNAPSHOT_CONTENTS, content, CONTENT_FINALIZER, signal);
			return;
		}
		const [snapshotKey = ''] = snapshotOf(content);
		const snapshot = snapshots.get(snapshotKey);
		// A content whose snapshot was never seen may belong to another cluster: its data is not ours to delete.
		if (snapshot === undefined || snapshot.metadata.uid !== content.spec.volumeSnapshotRef.uid) return;
		if (snapshot.metadata.deletionTimestamp !== undefined && hasFinalizer(snapshot, SNAPSHOT_BOUND_FINALIZER))
			await markBeingDeleted(control, content, signal);
	};
}
