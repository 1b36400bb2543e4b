/** Data that a back end can make again (`Backend.makesAgain`), as it made it: whether that back end can be used now or not, for what was acknowledged is to be there. */
import type { DataFacts } from '../records/records.ts';
import { makeFiles } from './directory.ts';
import { imageIn, makeImage } from './loop.ts';

export async function makeAgain(dir: string, { backend, sizeBytes }: DataFacts): Promise<void> {
	if (backend === 'loop') await makeImage(imageIn(dir), sizeBytes);
	else makeFiles(dir);
}
