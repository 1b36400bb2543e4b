/** ControllerModifyVolume: the mutable parameters that are named take the place of those before; the others stay. */
import { tuneDevices } from '../backends/tune.ts';
import { required, volumeOf, type Handler } from '../context.ts';
import { checkMutable, readMutable, sameStrings } from '../parameters.ts';
import type { ControllerModifyVolumeRequest, ControllerModifyVolumeResponse } from '../proto.ts';

export const modifyVolume: Handler<ControllerModifyVolumeRequest, ControllerModifyVolumeResponse> = async (context, request) => {
	const id = required('volume id', request.volumeId);
	volumeOf(context, id);
	const parameters = readMutable(request.mutableParameters);
	using _ = context.locks.take(id);
	const volume = volumeOf(context, id);
	checkMutable(volume, parameters, { cannotErase: context.backends.cannotErase, cannotLimit: context.limits.missing });
	const mutableParameters = { ...volume.mutableParameters, ...request.mutableParameters };
	const modified = { ...volume, mutableParameters };
	if (!sameStrings(volume.mutableParameters, mutableParameters)) {
		await context.volumes.update(modified);
		await context.steps.done('ControllerModifyVolume: recorded');
	}
	await tuneDevices(context.volumes.dir(id), parameters);
	await context.limits.apply(modified, { modified: true });
	return {};
};
