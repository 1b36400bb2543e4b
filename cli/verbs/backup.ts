/** `kubeling backup FILE`: a consistent copy of all objects, while the cluster runs. */
import { resolve } from 'node:path';
import { backUpCluster } from '../../cluster/database.ts';
import { whichCluster, type CommonFlags } from '../flags.ts';
import { sizeText } from '../progress.ts';

export async function backup(file: string, flags: CommonFlags): Promise<void> {
	const { name, dataDir } = await whichCluster(flags);
	const path = resolve(file);
	const { objects, revision, bytes } = await backUpCluster({ name, dataDir }, path);
	console.log(`Cluster "${name}" is copied to ${path}: ${objects} objects, revision ${revision}, ${sizeText(bytes)}.`);
}
