/** emptyDir: a folder of the pod, or a tmpfs. */
import { chmod, chown, mkdir } from 'node:fs/promises';
import type { EmptyDirVolumeSource } from '../../api/gen/types.ts';
import { mount, mountAt, readMounts } from '../../host/mounts.ts';
import { amountOf } from '../pod/amounts.ts';

export async function setUpEmptyDir(folder: string, source: EmptyDirVolumeSource, fsGroup: number | undefined): Promise<void> {
	await mkdir(folder, { recursive: true });
	if (source.medium === 'Memory' && mountAt(await readMounts(), folder) === undefined) {
		const size = source.sizeLimit === undefined ? [] : [`size=${Math.ceil(amountOf(source.sizeLimit))}`];
		await mount('tmpfs', folder, { type: 'tmpfs', options: size });
	}
	if (fsGroup !== undefined) await chown(folder, 0, fsGroup);
	// mkdir's mode passes the umask; chmod's does not.
	await chmod(folder, fsGroup === undefined ? 0o777 : 0o2777);
}
