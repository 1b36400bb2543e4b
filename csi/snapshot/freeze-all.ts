/**
 * The mounted file systems of volumes, held still while they are copied. A crash in between leaves them frozen; the next start thaws what is mounted
 * (recover.ts). Volumes that are not mounted, and raw blocks, are as they are: whoever writes those raw says himself when they are consistent.
 */
import type { FileHandle } from 'node:fs/promises';
import { backendOf, volumeOf, type Context } from '../context.ts';
import { undo } from '../undo.ts';
import { freeze, holdMounted, syncFileSystem, thaw } from '../../host/freeze.ts';

/** Frozen until disposed; where one cannot be frozen, none is. */
export async function freezeAll(context: Context, volumeIds: readonly string[]): Promise<AsyncDisposable> {
	const held: FileHandle[] = [];
	const frozen: FileHandle[] = [];
	const thawAll = async (): Promise<void> => {
		const failed = (await Promise.allSettled(frozen.splice(0).map(thaw))).find((thawed) => thawed.status === 'rejected');
		for (const mounted of held.splice(0)) await mounted.close();
		if (failed !== undefined) throw failed.reason;
	};
	try {
		for (const id of volumeIds) {
			const points = await backendOf(context, volumeOf(context, id)).mountPoints(context.volumes.dir(id));
			for (const point of points) held.push(await holdMounted(point));
		}
		for (const mounted of held) await syncFileSystem(mounted); // a freeze writes out first, while those before it stand still
		for (const mounted of held) {
			frozen.push(mounted);
			await freeze(mounted);
		}
	} catch (error) {
		await undo(context, 'freezing', thawAll);
		throw await context.space.told(error);
	}
	return { [Symbol.asyncDispose]: thawAll };
}
