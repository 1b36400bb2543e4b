/** runAsNonRoot: refuses to start what would run as root. Pure. */
import type { Container, Pod } from '../../api/gen/types.ts';
import { AppError } from '../../base/errors.ts';
import type { ImageInfo } from '../runtime/runtime.ts';

export function checkNonRoot(pod: Pod, container: Container, image: ImageInfo): void {
	const [own, shared] = [container.securityContext, pod.spec?.securityContext];
	if ((own?.runAsNonRoot ?? shared?.runAsNonRoot) !== true) return;
	const name = `(pod: "${pod.metadata.name ?? ''}_${pod.metadata.namespace ?? ''}(${pod.metadata.uid ?? ''})", container: ${container.name})`;
	const user = own?.runAsUser ?? shared?.runAsUser;
	if (user === 0) throw new AppError('InvalidArgument', `container's runAsUser breaks non-root policy ${name}`);
	if (user !== undefined) return;
	if (image.uid === undefined && image.username !== '')
		throw new AppError(
			'InvalidArgument',
			`container has runAsNonRoot and image has non-numeric user (${image.username}), cannot verify user is non-root ${name}`,
		);
	if ((image.uid ?? 0) === 0) throw new AppError('InvalidArgument', `container has runAsNonRoot and image will run as root ${name}`);
}
