/** The agent as a part: its runtime is whatever answers on the CRI socket. */
import { readFile } from 'node:fs/promises';
import type { Service } from '../../base/service.ts';
import type { Client } from '../../client/client.ts';
import { createAgent } from '../../agent/agent.ts';
import { connectCri } from '../../agent/runtime/cri.ts';
import type { PartDeps } from './apiserver.ts';
import type { AgentConfig } from './config.ts';

/** What node.status.nodeInfo.kubeletVersion says: the API that is spoken. */
const KUBELET_VERSION = 'v1.36.2';

export async function agentService(config: AgentConfig, client: Client, deps: PartDeps, after: readonly string[]): Promise<Service> {
	const log = deps.log.with({ part: 'agent' });
	const [certPem, keyPem, clientCaPem] = await Promise.all(
		[config.serving.certFile, config.serving.keyFile, config.clientCaFile].map((path) => readFile(path, 'utf8')),
	);
	const { nodeName, rootDir, podLogsDir, nodeIps, clusterDns, clusterDomain, port, cgroupParent, kubernetesService } = config;
	const options = {
		nodeName,
		rootDir,
		podLogsDir,
		nodeIps,
		clusterDns,
		clusterDomain,
		port,
		cgroupParent,
		kubernetesService,
		version: KUBELET_VERSION,
		serving: { certPem: certPem ?? '', keyPem: keyPem ?? '' },
		clientCaPem: clientCaPem ?? '',
	};
	return {
		name: 'agent',
		after,
		async run(signal, ready) {
			const runtime = await connectCri(config.runtimeEndpoint, deps.clock);
			await createAgent(options, { ...deps, client, runtime, log }).run(signal, ready);
		},
	};
}
