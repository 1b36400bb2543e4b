/** ValidateVolumeCapabilities: whether the volume can be used so. */
import { messageOf } from '../../base/errors.ts';
import { readCapabilities } from '../capability.ts';
import { required, volumeOf, type Handler } from '../context.ts';
import { readMutable, readParameters } from '../parameters.ts';
import type { ValidateVolumeCapabilitiesRequest, ValidateVolumeCapabilitiesResponse } from '../proto.ts';
import type { VolumeRecord } from '../records/records.ts';

export const validateCapabilities: Handler<ValidateVolumeCapabilitiesRequest, ValidateVolumeCapabilitiesResponse> = async (
	context,
	request,
) => {
	required('volume id', request.volumeId);
	required('volume capabilities', request.volumeCapabilities.length === 0 ? '' : 'given');
	const message = whyNot(volumeOf(context, request.volumeId), request);
	if (message !== undefined) return { confirmed: undefined, message };
	const { volumeContext, volumeCapabilities, parameters, mutableParameters } = request;
	return { confirmed: { volumeContext, volumeCapabilities, parameters, mutableParameters }, message: '' };
};

function whyNot(volume: VolumeRecord, request: ValidateVolumeCapabilitiesRequest): string | undefined {
	try {
		const capabilities = readCapabilities(request.volumeCapabilities);
		readParameters(request.parameters);
		readMutable(request.mutableParameters);
		if (capabilities.some((c) => c.access.kind !== volume.access)) return `It is a ${volume.access} volume`;
		const other = capabilities.find((c) => c.access.kind === 'mount' && c.access.fsType !== undefined && c.access.fsType !== volume.fsType);
		return other === undefined || volume.fsType === undefined ? undefined : `It has the file system ${volume.fsType}`;
	} catch (error) {
		return messageOf(error);
	}
}
