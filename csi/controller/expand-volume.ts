/** ControllerExpandVolume: the data can hold more; the node then grows what is on it. */
import { AppError } from '../../base/errors.ts';
import { readCapability } from '../capability.ts';
import { backendOf, required, volumeOf, type Handler } from '../context.ts';
import type { ControllerExpandVolumeRequest, ControllerExpandVolumeResponse } from '../proto.ts';
import { chooseSize, readRange } from '../size.ts';

export const expandVolume: Handler<ControllerExpandVolumeRequest, ControllerExpandVolumeResponse> = async (context, request) => {
	const id = required('volume id', request.volumeId);
	if (request.capacityRange === undefined) throw new AppError('InvalidArgument', 'The capacity range is missing');
	if (request.volumeCapability !== undefined) readCapability(request.volumeCapability);
	volumeOf(context, id);
	using _ = context.locks.take(id);
	const volume = volumeOf(context, id);
	const backend = backendOf(context, volume);
	const answer = (sizeBytes: number): ControllerExpandVolumeResponse => ({
		capacityBytes: BigInt(sizeBytes),
		nodeExpansionRequired: backend.kind === 'loop',
	});
	const { limit } = readRange(request.capacityRange);
	if (limit > 0 && limit < volume.sizeBytes)
		throw new AppError('OutOfRange', `Volume "${id}" has ${volume.sizeBytes} bytes and does not shrink`);
	const limits = backend.limits(volume);
	const size = chooseSize(request.capacityRange, { ...limits, minBytes: Math.max(limits.minBytes, volume.sizeBytes) }, volume.sizeBytes);
	if (size === volume.sizeBytes) return answer(size);
	if (volume.publications.length > 0 && !backend.growsOnline(volume))
		throw new AppError(
			'FailedPrecondition',
			`Volume "${id}" grows only while it is not published: this host refuses ${volume.fsType} in use`,
		);
	using _room = backend.enforcesSize ? await context.space.reserve(size - volume.sizeBytes, 'OutOfRange') : undefined;
	const grown = { ...volume, sizeBytes: size };
	await backend.grow(context.volumes.dir(id), grown);
	await context.steps.done('ControllerExpandVolume: data grown');
	await context.volumes.update(grown);
	await context.steps.done('ControllerExpandVolume: recorded');
	return answer(size);
};
