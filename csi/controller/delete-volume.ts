/** DeleteVolume: refused while anybody uses the volume; gone already is success. */
import { AppError } from '../../base/errors.ts';
import { required, type Handler } from '../context.ts';
import { isId } from '../ids.ts';
import type { DeleteVolumeRequest, DeleteVolumeResponse } from '../proto.ts';

export const deleteVolume: Handler<DeleteVolumeRequest, DeleteVolumeResponse> = async (context, request) => {
	const id = required('volume id', request.volumeId);
	if (!isId('vol', id)) return {};
	using _ = context.locks.take(id);
	const volume = context.volumes.get(id);
	if (volume === undefined) return {};
	const inUse = (where: string): AppError => new AppError('FailedPrecondition', `Volume "${id}" is in use: ${where}`);
	const [publication] = volume.publications;
	if (publication !== undefined) throw inUse(`it is published to node "${publication.nodeId}"`);
	const [user] = await context.nodes.usersOf(id);
	if (user !== undefined) throw inUse(`node "${user.nodeId}" has it at "${user.volume.targets[0]?.path ?? user.volume.staged?.path}"`);
	await context.volumes.remove(id, { step: (what) => context.steps.done(`DeleteVolume: ${what}`) });
	return {};
};
