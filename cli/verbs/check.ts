/** `kubeling check [FILE]`: reads all of a cluster's database, or of a backup, and tells whether it is whole. */
import { resolve } from 'node:path';
import { checkCluster } from '../../cluster/database.ts';
import { whichCluster, type CommonFlags } from '../flags.ts';
import { sizeText } from '../progress.ts';

export async function check(file: string | undefined, flags: CommonFlags): Promise<void> {
	const { name, dataDir } = await whichCluster(flags);
	const { path, objects, revision, bytes, formatVersion } = await checkCluster(
		{ name, dataDir },
		file === undefined ? undefined : resolve(file),
	);
	console.log(`${path} is whole: ${objects} objects, revision ${revision}, ${sizeText(bytes)}, format ${formatVersion}.`);
}
