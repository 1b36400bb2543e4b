/**
 * The SnapshotMetadata service: which blocks of a raw snapshot hold data, and which differ from an earlier one of the same volume. Both images are read;
 * answers come as they are found, in blocks of one size.
 */
import { open, type FileHandle } from 'node:fs/promises';
import { AppError } from '../../base/errors.ts';
import { imageIn } from '../backends/loop.ts';
import { notFound, required, type Context } from '../context.ts';
import { isId } from '../ids.ts';
import {
	BlockMetadataType,
	type BlockMetadata,
	type GetMetadataAllocatedRequest,
	type GetMetadataAllocatedResponse,
	type GetMetadataDeltaRequest,
	type GetMetadataDeltaResponse,
} from '../proto.ts';
import type { SnapshotRecord } from '../records/records.ts';

const BLOCK_BYTES = 64 * 1024;
const READ_BYTES = 1024 * 1024;
const DEFAULT_RESULTS = 1024;

export async function* metadataAllocated(
	context: Context,
	request: GetMetadataAllocatedRequest,
	signal: AbortSignal,
): AsyncIterable<GetMetadataAllocatedResponse> {
	const snapshot = blockSnapshot(context, required('snapshot id', request.snapshotId));
	using _ = context.locks.share(snapshot.id);
	yield* answers(context, undefined, snapshot, request, signal);
}

export async function* metadataDelta(
	context: Context,
	request: GetMetadataDeltaRequest,
	signal: AbortSignal,
): AsyncIterable<GetMetadataDeltaResponse> {
	const base = blockSnapshot(context, required('base snapshot id', request.baseSnapshotId));
	const target = blockSnapshot(context, required('target snapshot id', request.targetSnapshotId));
	if (base.volumeId !== target.volumeId) throw new AppError('InvalidArgument', 'The two snapshots are of different volumes');
	using _base = context.locks.share(base.id);
	using _target = context.locks.share(target.id);
	yield* answers(context, base, target, request, signal);
}

function blockSnapshot({ snapshots }: Context, id: string): SnapshotRecord {
	const snapshot = isId('snap', id) ? snapshots.get(id) : undefined;
	if (snapshot === undefined) throw notFound('snap', id);
	if (snapshot.access !== 'block') throw new AppError('InvalidArgument', `Snapshot "${id}" is of a file system, not of raw blocks`);
	return snapshot;
}

async function* answers(
	{ snapshots }: Context,
	base: SnapshotRecord | undefined,
	target: SnapshotRecord,
	{ startingOffset, maxResults }: { readonly startingOffset: bigint; readonly maxResults: number },
	signal: AbortSignal,
): AsyncIterable<GetMetadataDeltaResponse> {
	const from = Number(startingOffset);
	if (from < 0 || maxResults < 0) throw new AppError('InvalidArgument', 'starting_offset and max_results are not negative');
	if (from >= target.sizeBytes)
		throw new AppError('OutOfRange', `starting_offset ${from} is beyond the ${target.sizeBytes} bytes of the volume`);
	const most = maxResults === 0 ? DEFAULT_RESULTS : maxResults;
	const answer = (blockMetadata: BlockMetadata[]): GetMetadataDeltaResponse => ({
		blockMetadataType: BlockMetadataType.FIXED_LENGTH,
		volumeCapacityBytes: BigInt(target.sizeBytes),
		blockMetadata,
	});
	await using image = await open(imageIn(snapshots.dir(target.id)), 'r');
	await using other = base === undefined ? undefined : await open(imageIn(snapshots.dir(base.id)), 'r');
	let found: BlockMetadata[] = [];
	let told = false;
	for (let at = Math.floor(from / BLOCK_BYTES) * BLOCK_BYTES; at < target.sizeBytes; at += READ_BYTES) {
		signal.throwIfAborted();
		const [now, before] = await Promise.all([readAt(image, at), other === undefined ? ZEROES : readAt(other, at)]);
		for (const offset of differing(now, before, target.sizeBytes - at)) {
			found.push({ byteOffset: BigInt(at + offset), sizeBytes: BigInt(BLOCK_BYTES) });
			if (found.length < most) continue;
			yield answer(found);
			[found, told] = [[], true];
		}
	}
	if (found.length > 0 || !told) yield answer(found);
}

const ZEROES = Buffer.alloc(READ_BYTES);

/** Zeroes follow the end of a file. */
async function readAt(file: FileHandle, at: number): Promise<Buffer> {
	const buffer = Buffer.alloc(READ_BYTES);
	for (let filled = 0; filled < READ_BYTES; ) {
		const { bytesRead } = await file.read(buffer, filled, READ_BYTES - filled, at + filled);
		if (bytesRead === 0) break;
		filled += bytesRead;
	}
	return buffer;
}

/** Pure: where blocks differ, of so many bytes. */
export function differing(a: Buffer, b: Buffer, bytes: number = a.length): readonly number[] {
	if (a.equals(b)) return [];
	const offsets: number[] = [];
	for (let at = 0; at < Math.min(a.length, bytes); at += BLOCK_BYTES)
		if (a.compare(b, at, at + BLOCK_BYTES, at, at + BLOCK_BYTES) !== 0) offsets.push(at);
	return offsets;
}
