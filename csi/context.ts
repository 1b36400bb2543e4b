/** All that the handlers share: one value, wired in driver.ts. */
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { Mounter } from '../host/mounter.ts';
import type { Backend } from './backends/backend.ts';
import type { DeferredErasure } from './backends/deferred-erasure.ts';
import { idOnNode, isId, type IdKind } from './ids.ts';
import type { Locks } from './locks.ts';
import type { CsiOptions } from './options.ts';
import type { Backends } from './pool/find-backends.ts';
import type { PoolSpace } from './pool/space.ts';
import type { VolumeLimits } from './qos/volume-limits.ts';
import type { NodeRecords } from './records/node-records.ts';
import type { RecordFolders } from './records/record-folders.ts';
import type { DataFacts, GroupRecord, SnapshotRecord, VolumeRecord } from './records/records.ts';
import { foldersOf } from './records/volume-folders.ts';
import type { Steps } from './steps.ts';

export interface Context {
	readonly options: CsiOptions;
	/** Segment of the topology: who has the pool reaches its volumes. */
	readonly poolId: string;
	readonly backends: Backends;
	readonly volumes: RecordFolders<VolumeRecord>;
	readonly snapshots: RecordFolders<SnapshotRecord>;
	readonly groups: RecordFolders<GroupRecord>;
	/** Volumes of this node that pods describe in their own words. */
	readonly inline: RecordFolders<VolumeRecord>;
	readonly nodes: NodeRecords;
	readonly space: PoolSpace;
	/** Of what an earlier process was to overwrite. */
	readonly erasure: DeferredErasure;
	/** Of input and output. */
	readonly limits: VolumeLimits;
	readonly mounter: Mounter;
	readonly locks: Locks;
	readonly steps: Steps;
	readonly clock: Clock;
	readonly log: Log;
}

/** One RPC: a request and its answer. Errors are AppErrors. */
export type Handler<Request, Response> = (context: Context, request: Request, signal: AbortSignal) => Promise<Response>;

/** Throws InvalidArgument where a required field is empty. */
export function required(field: string, value: string): string {
	if (value === '') throw new AppError('InvalidArgument', `The ${field} is missing`);
	return value;
}

/** The volume, as the controller knows it. */
export function volumeOf(context: Context, id: string): VolumeRecord {
	const volume = isId('vol', required('volume id', id)) ? context.volumes.get(id) : undefined;
	if (volume === undefined) throw notFound('vol', id);
	return volume;
}

/** The volume, as its file has it: for nodes, which may be other processes. */
export async function readVolume(context: Context, handle: string): Promise<VolumeRecord> {
	const id = idOnNode(required('volume id', handle));
	const volume = await foldersOf(context, id).read(id);
	if (volume === undefined) throw notFound('vol', handle);
	return volume;
}

/** The back end that has the data. Unavailable where this host cannot use it. */
export function backendOf({ backends }: Context, { backend }: Pick<DataFacts, 'backend'>): Backend {
	const found = backends.available.find((b) => b.kind === backend);
	if (found === undefined)
		throw new AppError('Unavailable', `Back end ${backend} cannot be used: ${backends.missing[backend] ?? 'it is not enabled'}`);
	return found;
}

export function notFound(kind: IdKind, id: string): AppError {
	const what = { vol: 'Volume', inline: 'Volume', snap: 'Snapshot', group: 'Group snapshot' }[kind];
	return new AppError('NotFound', `${what} "${id}" does not exist`);
}
