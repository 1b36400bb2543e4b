/** Whether a volume's data is where it should be. */
import { existsSync, statSync } from 'node:fs';
import { imageIn } from '../backends/loop.ts';
import { filesIn } from '../backends/directory.ts';
import type { Context } from '../context.ts';
import type { VolumeCondition } from '../proto.ts';
import type { VolumeRecord } from '../records/records.ts';
import { foldersOf } from '../records/volume-folders.ts';

const WELL: VolumeCondition = { abnormal: false, message: 'The data is there' };
const MISSING = 'The data is missing from the pool';

/** Asked of all volumes at once, so it takes one system call and little else: of folders no more than whether they are there. */
export function dataCondition(context: Pick<Context, 'volumes' | 'inline' | 'backends' | 'limits'>, volume: VolumeRecord): VolumeCondition {
	const message = whatIsWrong(context, volume, foldersOf(context, volume.id).dir(volume.id));
	return message === undefined ? WELL : { abnormal: true, message };
}

function whatIsWrong(
	{ backends: { missing, available }, limits }: Pick<Context, 'backends' | 'limits'>,
	{ id, backend, sizeBytes }: VolumeRecord,
	dir: string,
): string | undefined {
	if (backend === 'loop') {
		const image = statSync(imageIn(dir), { throwIfNoEntry: false });
		if (image === undefined) return MISSING;
		if (image.size < sizeBytes) return `The image has ${image.size} bytes of ${sizeBytes}`;
	} else if (!existsSync(filesIn(dir))) return MISSING;
	const lingering = available.find(({ kind }) => kind === backend)?.lingering?.(dir);
	if (lingering !== undefined) return `Others still have ${lingering}, the device that it was unstaged from`;
	if (missing[backend] !== undefined) return `Back end ${backend} cannot be used: ${missing[backend]}`;
	const unlimited = limits.notKept(id);
	return unlimited === undefined ? undefined : `The limits of input and output are not kept: ${unlimited}`;
}
