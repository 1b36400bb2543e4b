/** `kubeling status`: whether a cluster runs, where, its nodes and its pods; exit code 3 when it does not run (as LSB's status). */
import { readClusterStatus, type ClusterStatus } from '../../cluster/status.ts';
import { whichCluster, type CommonFlags } from '../flags.ts';
import { whichFlags } from '../progress.ts';

export async function status(flags: CommonFlags & { readonly output?: string }): Promise<void> {
	const settled = await whichCluster(flags);
	const found = await readClusterStatus(settled.name, settled.dataDir);
	console.log(flags.output === 'json' ? JSON.stringify(found, undefined, 2) : table(found).join('\n'));
	if (found.state !== 'running') process.exitCode = 3;
}

function table(found: ClusterStatus): readonly string[] {
	const head = [`Cluster    ${found.name}`, `State      ${found.state}`, `Data       ${found.dataDir}`];
	if (found.state !== 'running')
		return [...head, `${found.state === 'absent' ? 'Start one' : 'Resume it'}: kubeling up${whichFlags(found.name, found.dataDir)}`];
	const nodes = found.nodes.map((n) => `Node       ${n.name}  ${n.ready ? 'Ready' : 'NotReady'}`);
	const phases = Object.entries(found.pods).map(([phase, count]) => `${count} ${phase}`);
	return [
		...head,
		`API        ${found.server} (process ${found.pid}, ${found.memoryMib} MiB)`,
		...nodes,
		`Pods       ${phases.join(', ') || 'none'}`,
	];
}
