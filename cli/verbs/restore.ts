/** `kubeling restore FILE`: puts a backup in the place of a stopped cluster's objects. */
import { resolve } from 'node:path';
import { restoreCluster } from '../../cluster/database.ts';
import { whichCluster, type CommonFlags } from '../flags.ts';
import { whichFlags } from '../progress.ts';

export async function restore(file: string, flags: CommonFlags): Promise<void> {
	const { name, dataDir } = await whichCluster(flags);
	const { objects, revision, replaced } = await restoreCluster({ name, dataDir }, resolve(file));
	const kept = replaced === undefined ? '' : ` What was there is kept as ${replaced}.`;
	console.log(`Cluster "${name}" has the ${objects} objects of ${file} and goes on from revision ${revision}.${kept}`);
	console.log(`Resume it: kubeling up${whichFlags(name, dataDir)}`);
}
