/** Where an image's layers are as folders on this host. Pure. */
import type { ImageInspect } from '../engine/types.ts';

/** Highest first; undefined where the engine keeps them in another way (containerd's store, other drivers). */
export function layerFolders(image: Pick<ImageInspect, 'GraphDriver'>): readonly string[] | undefined {
	const { Name, Data } = image.GraphDriver ?? {};
	if (Name !== 'overlay2' || Data === null || Data === undefined) return undefined;
	const upper = Data['UpperDir'];
	if (upper === undefined || upper === '') return undefined;
	const lower = Data['LowerDir'] ?? '';
	return [upper, ...(lower === '' ? [] : lower.split(':'))];
}
