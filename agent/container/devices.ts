/** The raw devices of a container. Pure. */
import type { Container } from '../../api/gen/types.ts';
import { AppError } from '../../base/errors.ts';
import type { Device } from '../runtime/runtime.ts';
import type { VolumePaths } from '../volume/volumes.ts';

export function devicesOf(container: Container, volumes: VolumePaths): readonly Device[] {
	return (container.volumeDevices ?? []).map(({ name, devicePath }) => {
		const volume = volumes.get(name);
		if (volume?.kind !== 'device')
			throw new AppError('InvalidArgument', `cannot find volume "${name}" to pass into container "${container.name}"`);
		return { containerPath: devicePath, hostPath: volume.path, readOnly: volume.readOnly };
	});
}
