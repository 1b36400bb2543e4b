/** Snapshots are taken and deleted by the driver, as their VolumeSnapshotContents ask (csi-snapshotter's sidecar-controller). Keys are contents. */
import { hasFinalizer } from '../../../api/finalizers.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { AppError, codeOf, ignore, messageOf } from '../../../base/errors.ts';
import type { Lister } from '../../../client/cache.ts';
import type { Again, Reconcile } from '../../../client/controller.ts';
import { referenceTo } from '../../../client/events.ts';
import { ControllerServiceCapability_RPC_Type as Rpc, type Snapshot } from '../../proto.ts';
import { removeFinalizer } from '../finalizers.ts';
import type { RoleDeps } from '../role.ts';
import { isFinal } from '../final.ts';
import { credentials, secretReference } from '../secrets.ts';
import { VOLUME_SNAPSHOT_CONTENTS, type VolumeSnapshotClass, type VolumeSnapshotContent } from '../snapshot-kinds.ts';
import {
	annotatedSecret,
	BEING_CREATED,
	BEING_DELETED,
	CONTENT_FINALIZER,
	DELETION_SECRET,
	GROUP_HANDLE,
	LIST_SECRET,
	nanosecondsOf,
	snapshotParameters,
} from '../snapshot-names.ts';
import { tellFailure } from '../tell-failure.ts';

export interface Snapshotting extends RoleDeps {
	readonly contents: Lister<VolumeSnapshotContent>;
	readonly classes: Lister<VolumeSnapshotClass>;
	/** --snapshot-name-prefix */
	readonly namePrefix: string;
	/** --extra-create-metadata */
	readonly extraMetadata: boolean;
}

/** A snapshot that is not ready is asked after. */
const NOT_READY_AGAIN_MS = 2000;

export function contentReconcile(snapshotting: Snapshotting): Reconcile {
	const { contents, driver, client } = snapshotting;
	return async (key, signal): Promise<Again | void> => {
		const content = contents.get(key);
		if (content === undefined || content.spec.driver !== driver.name) return;
		if (isToGo(content)) return remove(snapshotting, content, signal);
		const isMember = content.metadata.annotations?.[GROUP_HANDLE] !== undefined;
		if (content.metadata.deletionTimestamp !== undefined && content.metadata.annotations?.[BEING_CREATED] === undefined) return;
		if (content.status?.readyToUse === true) return unmark(snapshotting, content, signal);
		let status: VolumeSnapshotContent['status'];
		try {
			const { snapshotHandle: given } = content.spec.source;
			const handle = given ?? (isMember ? content.status?.snapshotHandle : undefined);
			if (handle !== undefined) status = await look(snapshotting, content, handle, signal);
			else if (isMember) return;
			else status = await take(snapshotting, content, signal);
		} catch (error) {
			signal.throwIfAborted();
			const creating = content.status === undefined;
			const what = creating ? 'Failed to create snapshot' : 'Failed to check and update snapshot content';
			const failure = {
				reason: creating ? 'SnapshotCreationFailed' : 'SnapshotContentCheckandUpdateFailed',
				message: `${what}: ${messageOf(error)}`,
			};
			await tellFailure(snapshotting, VOLUME_SNAPSHOT_CONTENTS, content, failure, signal);
			throw error;
		}
		const body = { status: { ...status, error: null } };
		const written = await client.patch(VOLUME_SNAPSHOT_CONTENTS, key, { type: 'merge', body }, { signal, subresource: 'status' });
		await unmark(snapshotting, written, signal);
		if (status?.readyToUse !== true) return { afterMs: NOT_READY_AGAIN_MS };
	};
}

/** Deleted, and not without the word of the controller that nobody has the snapshot any more. Pure. */
export function isToGo({ metadata, spec }: VolumeSnapshotContent): boolean {
	if (metadata.deletionTimestamp === undefined) return false;
	if (spec.source.snapshotHandle !== undefined && (spec.volumeSnapshotRef.uid ?? '') === '') return true;
	return metadata.annotations?.[BEING_CREATED] === undefined && metadata.annotations?.[BEING_DELETED] !== undefined;
}

async function remove(snapshotting: Snapshotting, content: VolumeSnapshotContent, signal: AbortSignal): Promise<void> {
	const { client, driver, recorder } = snapshotting;
	const { spec, status, metadata } = content;
	const snapshotId = status?.snapshotHandle;
	if (spec.deletionPolicy === 'Delete' && snapshotId !== undefined && status?.volumeGroupSnapshotHandle === undefined) {
		try {
			const secrets = await credentials(client, annotatedSecret(metadata.annotations, DELETION_SECRET), signal);
			await driver.controller.deleteSnapshot({ snapshotId, secrets }, { timeoutMs: driver.timeoutMs, signal });
		} catch (error) {
			signal.throwIfAborted();
			recorder.event(referenceTo(VOLUME_SNAPSHOT_CONTENTS, content), 'Warning', 'SnapshotDeleteError', 'Failed to delete snapshot');
			throw new AppError(codeOf(error), `failed to delete snapshot "${metadata.name}", err: ${messageOf(error)}`, { cause: error });
		}
		const body = { status: { snapshotHandle: null, readyToUse: null, creationTime: null, restoreSize: null } };
		const options = { signal, subresource: 'status' };
		await client.patch(VOLUME_SNAPSHOT_CONTENTS, metadata.name ?? '', { type: 'merge', body }, options).catch(ignore('NotFound'));
	}
	if (hasFinalizer(content, CONTENT_FINALIZER)) await removeFinalizer(client, VOLUME_SNAPSHOT_CONTENTS, content, CONTENT_FINALIZER, signal);
}

/** CreateSnapshot, told by an annotation as long as an answer is missing. */
async function take(
	snapshotting: Snapshotting,
	content: VolumeSnapshotContent,
	signal: AbortSignal,
): Promise<VolumeSnapshotContent['status']> {
	const { client, driver, classes, clock, namePrefix, extraMetadata } = snapshotting;
	const { volumeSnapshotClassName: className, source, volumeSnapshotRef: ref } = content.spec;
	const key = content.metadata.name ?? '';
	if (className === undefined) throw new AppError('FailedPrecondition', `failed to take snapshot ${key} without a snapshot class`);
	const snapshotClass = classes.get(className);
	if (snapshotClass === undefined) throw new AppError('NotFound', `volumesnapshotclass.snapshot.storage.k8s.io "${className}" not found`);
	const secrets = await credentials(client, annotatedSecret(content.metadata.annotations, DELETION_SECRET), signal);
	await annotate(snapshotting, content, 'yes', signal);
	const told = {
		'csi.storage.k8s.io/volumesnapshot/name': ref.name ?? '',
		'csi.storage.k8s.io/volumesnapshot/namespace': ref.namespace ?? '',
		'csi.storage.k8s.io/volumesnapshotcontent/name': key,
	};
	const request = {
		sourceVolumeId: source.volumeHandle ?? '',
		name: `${namePrefix}-${ref.uid}`,
		secrets,
		parameters: { ...snapshotParameters(snapshotClass.parameters ?? {}), ...(extraMetadata ? told : {}) },
		accessibilityRequirements: undefined,
	};
	try {
		const { snapshot } = await driver.controller.createSnapshot(request, { timeoutMs: driver.timeoutMs, signal });
		if (snapshot === undefined) throw new AppError('Internal', 'the driver answered CreateSnapshot without a snapshot');
		return statusOf(snapshot, clock.now());
	} catch (error) {
		signal.throwIfAborted();
		if (isFinal(error) && codeOf(error) !== 'ResourceExhausted') await annotate(snapshotting, content, undefined, signal);
		throw new AppError(codeOf(error), `failed to take snapshot of the volume ${source.volumeHandle}: "${messageOf(error)}"`, {
			cause: error,
		});
	}
}

/** A snapshot that somebody else took is looked for; a driver that lists none is believed. */
async function look(
	snapshotting: Snapshotting,
	content: VolumeSnapshotContent,
	handle: string,
	signal: AbortSignal,
): Promise<VolumeSnapshotContent['status']> {
	const { client, driver, classes, clock } = snapshotting;
	if (!driver.controllerRpcs.has(Rpc.LIST_SNAPSHOTS))
		return { snapshotHandle: handle, readyToUse: true, creationTime: nanosecondsOf(undefined, clock.now()) };
	const { volumeSnapshotClassName: className = '' } = content.spec;
	const name = content.metadata.name ?? '';
	const tokens = { name: { 'volumesnapshotcontent.name': name }, namespace: { 'volumesnapshotcontent.name': name } };
	const parameters = className === '' ? {} : (classes.get(className)?.parameters ?? {});
	const secrets = await credentials(client, secretReference(LIST_SECRET, parameters, tokens), signal);
	const request = { maxEntries: 0, startingToken: '', sourceVolumeId: '', snapshotId: handle, secrets };
	const { entries } = await driver.controller.listSnapshots(request, { timeoutMs: driver.timeoutMs, signal });
	const snapshot = entries[0]?.snapshot;
	if (snapshot === undefined)
		throw new AppError('NotFound', `failed to list snapshot for content ${name}: "cannot find snapshot ${handle}"`);
	return { ...statusOf(snapshot, clock.now()), snapshotHandle: handle };
}

export function statusOf(snapshot: Snapshot, now: number): NonNullable<VolumeSnapshotContent['status']> {
	return {
		snapshotHandle: snapshot.snapshotId,
		readyToUse: snapshot.readyToUse,
		creationTime: nanosecondsOf(snapshot.creationTime, now),
		...(snapshot.sizeBytes > 0n ? { restoreSize: Number(snapshot.sizeBytes) } : {}),
		...(snapshot.groupSnapshotId === '' ? {} : { volumeGroupSnapshotHandle: snapshot.groupSnapshotId }),
	};
}

async function annotate({ client }: Snapshotting, { metadata }: KubeObject, value: string | undefined, signal: AbortSignal): Promise<void> {
	const body = { metadata: { annotations: { [BEING_CREATED]: value ?? null } } };
	await client.patch(VOLUME_SNAPSHOT_CONTENTS, metadata.name ?? '', { type: 'merge', body }, { signal });
}

async function unmark(snapshotting: Snapshotting, content: VolumeSnapshotContent, signal: AbortSignal): Promise<void> {
	if (content.metadata.annotations?.[BEING_CREATED] !== undefined) await annotate(snapshotting, content, undefined, signal);
}
