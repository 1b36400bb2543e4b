/** `kubeling down`: stops the cluster and its containers; with --delete removes everything that was ever made for it. */
import { AppError } from '../../base/errors.ts';
import { realClock } from '../../base/clock.ts';
import { removeFromFile, userKubeconfigPath } from '../../cluster/kubeconfig.ts';
import { takeDown } from '../../cluster/take-down.ts';
import { whichCluster, type CommonFlags } from '../flags.ts';
import { whichFlags } from '../progress.ts';

export async function down(flags: CommonFlags & { readonly delete?: boolean }): Promise<void> {
	const settled = await whichCluster(flags);
	const result = await takeDown(settled, { clock: realClock, remove: flags.delete === true, progress: (text) => console.log(text) });
	if (result === 'unknown' && flags.delete !== true)
		throw new AppError(
			'NotFound',
			`There is no cluster "${settled.name}" in ${settled.dataDir}; if it is elsewhere, say so with --data-dir`,
		);
	if (flags.delete === true) await removeFromFile(userKubeconfigPath(), settled.name);
	console.log(
		result === 'unknown'
			? `There is no cluster "${settled.name}" in ${settled.dataDir}; one that is elsewhere needs --data-dir.`
			: flags.delete === true
				? `Cluster "${settled.name}" is gone.`
				: `Cluster "${settled.name}" is stopped; its data is kept in ${settled.dataDir}. "kubeling up${whichFlags(settled.name, settled.dataDir)}" resumes it.`,
	);
}
