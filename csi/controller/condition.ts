/** Whether a volume's data is where it should be. */
import { existsSync, statSync } from 'node:fs';
import { imageIn } from '../backends/loop.ts';
import { filesIn } from '../backends/directory.ts';
import type { Context } from '../context.ts';
import type { VolumeCondition } from '../proto.ts';
import type { VolumeRecord } from '../records/records.ts';
import { foldersOf } from '../records/volume-folders.ts';

const WELL: VolumeCondition = { abnormal: false, message: 'The data is there' };

/** Asked of all volumes at once, so it takes one system call: of folders no more than whether they are there. */
export function dataCondition(context: Pick<Context, 'volumes' | 'inline' | 'backends' | 'limits'>, volume: VolumeRecord): VolumeCondition {
	const dir = foldersOf(context, volume.id).dir(volume.id);
	const abnormal = (message: string): VolumeCondition => ({ abnormal: true, message });
	const sizeBytes = volume.backend === 'loop' ? statSync(imageIn(dir), { throwIfNoEntry: false })?.size : undefined;
	if (sizeBytes === undefined && (volume.backend === 'loop' || !existsSync(filesIn(dir))))
		return abnormal('The data is missing from the pool');
	if (sizeBytes !== undefined && sizeBytes < volume.sizeBytes) return abnormal(`The image has ${sizeBytes} bytes of ${volume.sizeBytes}`);
	const { missing, available } = context.backends;
	const lingering = available.find((b) => b.kind === volume.backend)?.lingering?.(dir);
	if (lingering !== undefined) return abnormal(`Others still have ${lingering}, the device that it was unstaged from`);
	if (missing[volume.backend] !== undefined) return abnormal(`Back end ${volume.backend} cannot be used: ${missing[volume.backend]}`);
	const unlimited = context.limits.notKept(volume.id);
	if (unlimited !== undefined) return abnormal(`The limits of input and output are not kept: ${unlimited}`);
	return WELL;
}
