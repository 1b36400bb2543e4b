/** VolumeSnapshots are bound to contents, made for them or given, and told how these are (snapshot-controller's syncSnapshot). Keys are snapshots. */
import { hasFinalizer } from '../../../api/finalizers.ts';
import { keyOf } from '../../../api/resource.ts';
import { AppError, codeOf, ignore, messageOf } from '../../../base/errors.ts';
import type { Reconcile } from '../../../client/controller.ts';
import { referenceTo } from '../../../client/events.ts';
import {
	SNAPSHOT_GROUP,
	VOLUME_GROUP_SNAPSHOTS,
	VOLUME_SNAPSHOT_CONTENTS,
	VOLUME_SNAPSHOTS,
	type VolumeSnapshot,
	type VolumeSnapshotContent,
} from '../snapshot-kinds.ts';
import { isReady, SNAPSHOT_BOUND_FINALIZER, SNAPSHOT_IN_GROUP_FINALIZER, SNAPSHOT_SOURCE_FINALIZER } from '../snapshot-names.ts';
import { createContent, releaseClaim, withClass } from './take.ts';
import { contentName, markBeingDeleted, refersTo, tellStatus, type SnapshotControl } from './write.ts';
import { tellFailure } from '../tell-failure.ts';

export function snapshotReconcile(control: SnapshotControl): Reconcile {
	return async (key, signal) => {
		const snapshot = control.snapshots.get(key);
		if (snapshot === undefined) return;
		await releaseClaim(control, snapshot, signal);
		if (snapshot.metadata.deletionTimestamp !== undefined) return remove(control, snapshot, signal);
		const { persistentVolumeClaimName: claim, volumeSnapshotContentName: given } = snapshot.spec.source;
		if ((claim === undefined) === (given === undefined)) {
			const message = 'Exactly one of PersistentVolumeClaimName and VolumeSnapshotContentName should be specified';
			return tellFailure(control, VOLUME_SNAPSHOTS, snapshot, { reason: 'SnapshotValidationError', message }, signal);
		}
		try {
			await settle(control, snapshot, signal);
		} catch (error) {
			signal.throwIfAborted();
			const reason = error instanceof Unbound ? error.reason : 'SnapshotContentCreationFailed';
			const text = error instanceof Unbound ? messageOf(error) : `Failed to create snapshot content with error ${messageOf(error)}`;
			// Somebody else wrote in between: nothing that concerns people.
			if (codeOf(error) !== 'Aborted') await tellFailure(control, VOLUME_SNAPSHOTS, snapshot, { reason, message: text }, signal);
			throw error;
		}
	};
}

class Unbound extends AppError {
	readonly reason: string;
	constructor(reason: string, message: string) {
		super('FailedPrecondition', message);
		this.reason = reason;
	}
}

async function settle(control: SnapshotControl, given: VolumeSnapshot, signal: AbortSignal): Promise<void> {
	const { contents } = control;
	const { volumeSnapshotContentName } = given.spec.source;
	const bound = given.status?.boundVolumeSnapshotContentName;
	const isMember = given.status?.volumeGroupSnapshotName !== undefined || hasFinalizer(given, SNAPSHOT_IN_GROUP_FINALIZER);
	if (isReady(given) && bound !== undefined) {
		const content = contents.get(bound);
		if (content === undefined) throw new Unbound('SnapshotContentMissing', 'VolumeSnapshotContent is missing');
		if (!refersTo(content, given))
			throw new Unbound('SnapshotMisbound', 'VolumeSnapshotContent is not bound to the VolumeSnapshot correctly');
		await finalized(control, given, content, signal);
		return;
	}
	if (isMember) {
		const content = contents.get(bound ?? '');
		if (content === undefined) throw new AppError('Unavailable', `group snapshot member ${keyOf(given)} has no content yet`);
		await finalized(control, given, content, signal);
		return tellStatus(control, given, content, signal);
	}
	if (volumeSnapshotContentName !== undefined) {
		const content = await bind(control, given, givenContent(control, given, volumeSnapshotContentName), signal);
		await finalized(control, given, content, signal);
		return tellStatus(control, given, content, signal);
	}
	const existing = contents.get(contentName(given));
	if (existing !== undefined && (existing.spec.source.volumeHandle === undefined || !refersTo(existing, given)))
		throw new Unbound('SnapshotContentMisbound', `VolumeSnapshotContent [${existing.metadata.name}] is bound to a different snapshot`);
	await finalized(control, given, existing, signal);
	const snapshot = existing === undefined ? await withClass(control, given, signal) : given;
	await tellStatus(control, snapshot, existing ?? (await createContent(control, snapshot, signal)), signal);
}

function givenContent({ contents }: SnapshotControl, snapshot: VolumeSnapshot, name: string): VolumeSnapshotContent {
	const content = contents.get(name);
	if (content === undefined) throw new Unbound('SnapshotContentMissing', 'VolumeSnapshotContent is missing');
	if (content.spec.source.snapshotHandle === undefined)
		throw new Unbound('SnapshotContentMismatch', 'VolumeSnapshotContent is dynamically provisioned while expecting a pre-provisioned one');
	const { name: refName, namespace, uid = '' } = content.spec.volumeSnapshotRef;
	if (refName !== snapshot.metadata.name || namespace !== snapshot.metadata.namespace || (uid !== '' && uid !== snapshot.metadata.uid))
		throw new Unbound('SnapshotContentMisbound', `VolumeSnapshotContent [${name}] is bound to a different snapshot`);
	return content;
}

async function bind(
	{ client }: SnapshotControl,
	snapshot: VolumeSnapshot,
	content: VolumeSnapshotContent,
	signal: AbortSignal,
): Promise<VolumeSnapshotContent> {
	if ((content.spec.volumeSnapshotRef.uid ?? '') !== '') return content;
	const className = snapshot.spec.volumeSnapshotClassName;
	const body = {
		spec: {
			volumeSnapshotRef: { uid: snapshot.metadata.uid },
			...(className === undefined ? {} : { volumeSnapshotClassName: className }),
		},
	};
	return client.patch(VOLUME_SNAPSHOT_CONTENTS, content.metadata.name ?? '', { type: 'merge', body }, { signal });
}

/** A snapshot stays while volumes are made from it, and until its content is gone where that goes with it. */
async function finalized(
	{ client }: SnapshotControl,
	snapshot: VolumeSnapshot,
	content: VolumeSnapshotContent | undefined,
	signal: AbortSignal,
): Promise<void> {
	const wanted = [SNAPSHOT_SOURCE_FINALIZER, ...(content?.spec.deletionPolicy === 'Delete' ? [SNAPSHOT_BOUND_FINALIZER] : [])];
	const missing = wanted.filter((finalizer) => !hasFinalizer(snapshot, finalizer));
	if (missing.length === 0) return;
	const current = await client.get(VOLUME_SNAPSHOTS, keyOf(snapshot), { signal });
	const finalizers = [...new Set([...(current.metadata.finalizers ?? []), ...missing])];
	const body = { metadata: { finalizers, resourceVersion: current.metadata.resourceVersion } };
	await client.patch(VOLUME_SNAPSHOTS, keyOf(snapshot), { type: 'merge', body }, { signal });
}

async function remove(control: SnapshotControl, snapshot: VolumeSnapshot, signal: AbortSignal): Promise<void> {
	const { client, contents, recorder } = control;
	const own = [SNAPSHOT_SOURCE_FINALIZER, SNAPSHOT_BOUND_FINALIZER, SNAPSHOT_IN_GROUP_FINALIZER].filter((f) => hasFinalizer(snapshot, f));
	if (own.length === 0) return;
	const found = contents.get(snapshot.status?.boundVolumeSnapshotContentName ?? contentName(snapshot));
	const content = found !== undefined && refersTo(found, snapshot) ? found : undefined;
	const pending = (message: string): never => {
		recorder.event(referenceTo(VOLUME_SNAPSHOTS, snapshot), 'Warning', 'SnapshotDeletePending', message);
		throw new AppError('Unavailable', message);
	};
	if (content !== undefined && isBeingRestored(control, snapshot)) pending('Snapshot is being used to restore a PVC');
	const group = snapshot.status?.volumeGroupSnapshotName;
	if (group !== undefined) {
		const groupKey = `${snapshot.metadata.namespace}/${group}`;
		if ((await client.get(VOLUME_GROUP_SNAPSHOTS, groupKey, { signal }).catch(ignore('NotFound'))) !== undefined)
			pending(
				`deletion of the individual volume snapshot ${keyOf(snapshot)} is not allowed as it belongs to group snapshot ${groupKey}. Deleting the group snapshot will trigger the deletion of all the individual volume snapshots that are part of the group.`,
			);
	}
	const goes = content?.spec.deletionPolicy === 'Delete';
	if (content !== undefined) await markBeingDeleted(control, content, signal);
	if (content !== undefined && goes && content.metadata.deletionTimestamp === undefined)
		await client.delete(VOLUME_SNAPSHOT_CONTENTS, content.metadata.name ?? '', { signal }).catch(ignore('NotFound'));
	const kept = (finalizer: string): boolean => !own.includes(finalizer) || (finalizer === SNAPSHOT_BOUND_FINALIZER && goes);
	const finalizers = (snapshot.metadata.finalizers ?? []).filter(kept);
	if (finalizers.length === snapshot.metadata.finalizers?.length) return;
	const body = {
		metadata: { finalizers: finalizers.length === 0 ? null : finalizers, resourceVersion: snapshot.metadata.resourceVersion },
	};
	await client.patch(VOLUME_SNAPSHOTS, keyOf(snapshot), { type: 'merge', body }, { signal }).catch(ignore('NotFound'));
}

function isBeingRestored({ claims }: SnapshotControl, { metadata }: VolumeSnapshot): boolean {
	return claims
		.list(metadata.namespace)
		.some(
			({ spec, status }) =>
				status?.phase === 'Pending' &&
				spec?.dataSource?.kind === 'VolumeSnapshot' &&
				spec.dataSource.apiGroup === SNAPSHOT_GROUP &&
				spec.dataSource.name === metadata.name,
		);
}
