/**
 * The mounted file systems of volumes, held still while they are copied. A crash in between leaves them frozen; the next start thaws what is mounted
 * (recover.ts). Volumes that are not mounted, and raw blocks, are as they are: whoever writes those raw says himself when they are consistent.
 */
import { backendOf, volumeOf, type Context } from '../context.ts';
import { undo } from '../undo.ts';
import { freeze, syncFileSystem, thaw } from '../../host/freeze.ts';

/** Frozen until disposed; where one cannot be frozen, none is. */
export async function freezeAll(context: Context, volumeIds: readonly string[]): Promise<AsyncDisposable> {
	const frozen: string[] = [];
	const thawAll = async (): Promise<void> => {
		const failed = (await Promise.allSettled(frozen.splice(0).map(thaw))).find((thawed) => thawed.status === 'rejected');
		if (failed !== undefined) throw failed.reason;
	};
	try {
		const points: string[] = [];
		for (const id of volumeIds) points.push(...(await backendOf(context, volumeOf(context, id)).mountPoints(context.volumes.dir(id))));
		for (const path of points) await syncFileSystem(path); // a freeze writes out first, while those before it stand still
		for (const path of points) {
			frozen.push(path);
			await freeze(path);
		}
	} catch (error) {
		await undo(context, 'freezing', thawAll);
		throw await context.space.told(error);
	}
	return { [Symbol.asyncDispose]: thawAll };
}
