/** `kubeling agent`: the kubelet alone, from a configuration file or from flags. */
import { AppError } from '../../base/errors.ts';
import { agentConfigOf, isWhole, type AgentFlags } from '../../cluster/agent-alone.ts';
import { readPartConfig, runPart } from './part.ts';

export interface AgentVerbFlags extends AgentFlags {
	readonly config?: string;
	readonly logLevel: string;
}

export async function agent(flags: AgentVerbFlags): Promise<void> {
	const { config, logLevel } = flags;
	if (config !== undefined && isWhole(flags))
		throw new AppError('InvalidArgument', 'Either --config or the flags say how to reach the cluster');
	if (config === undefined && !isWhole(flags))
		throw new AppError(
			'InvalidArgument',
			'Say which cluster: --kubeconfig FILE (with --bootstrap-kubeconfig FILE to join), --standalone, or --config FILE',
		);
	await runPart('agent', config === undefined ? await agentConfigOf(flags) : await readPartConfig(config), logLevel);
}
