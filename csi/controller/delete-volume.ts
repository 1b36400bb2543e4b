/** DeleteVolume: refused while anybody uses the volume; gone already is success. */
import { AppError } from '../../base/errors.ts';
import { required, type Context, type Handler } from '../context.ts';
import { isId } from '../ids.ts';
import type { DeleteVolumeRequest, DeleteVolumeResponse } from '../proto.ts';
import type { VolumeRecord } from '../records/records.ts';

export const deleteVolume: Handler<DeleteVolumeRequest, DeleteVolumeResponse> = async (context, request) => {
	const id = required('volume id', request.volumeId);
	if (!isId('vol', id)) return {};
	using _ = context.locks.take(id);
	const volume = context.volumes.get(id);
	if (volume !== undefined) await checkUnused(context, volume);
	await context.volumes.remove(id, { step: (what) => context.steps.done(`DeleteVolume: ${what}`) });
	return {};
};

async function checkUnused({ nodes }: Context, { id, publications }: VolumeRecord): Promise<void> {
	const inUse = (where: string): AppError => new AppError('FailedPrecondition', `Volume "${id}" is in use: ${where}`);
	const [publication] = publications;
	if (publication !== undefined) throw inUse(`it is published to node "${publication.nodeId}"`);
	const [user] = nodes.usersOf(id);
	if (user !== undefined) throw inUse(`node "${user.nodeId}" has it at "${user.volume.targets[0]?.path ?? user.volume.staged?.path}"`);
}
