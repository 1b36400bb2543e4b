/** `kubeling kubeconfig`: prints the admin kubeconfig, or merges it into the user's. */
import { join } from 'node:path';
import { AppError } from '../../base/errors.ts';
import { readIfExists } from '../../base/files.ts';
import { readAccess } from '../../cluster/access.ts';
import { kubeconfigText, mergeIntoFile, userKubeconfigPath } from '../../cluster/kubeconfig.ts';
import { whichCluster, type CommonFlags } from '../flags.ts';
import { whichFlags } from '../progress.ts';

export async function kubeconfig(flags: CommonFlags & { readonly merge?: boolean }): Promise<void> {
	const { dataDir, name } = await whichCluster(flags);
	if ((await readIfExists(join(dataDir, 'cluster.json'))) === undefined)
		throw new AppError('NotFound', `There is no cluster "${name}" in ${dataDir}; start one with "kubeling up${whichFlags(name, dataDir)}"`);
	const access = await readAccess(dataDir);
	if (flags.merge !== true) {
		process.stdout.write(kubeconfigText(access));
		return;
	}
	const path = userKubeconfigPath();
	await mergeIntoFile(path, access);
	console.log(`Context "${access.name}" is current in ${path}`);
}
