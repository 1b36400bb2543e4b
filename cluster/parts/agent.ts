/** The agent as a part: its runtime is whatever answers on the CRI socket. */
import { linked } from '../../base/abort.ts';
import type { Service } from '../../base/service.ts';
import type { Client } from '../../client/client.ts';
import { createAgent } from '../../agent/agent.ts';
import { withSettings } from '../../agent/config/apply.ts';
import { loadConfiguration } from '../../agent/config/load.ts';
import { settingsOf, withoutEffect } from '../../agent/config/settings.ts';
import { connectCri } from '../../agent/runtime/cri.ts';
import type { PartDeps } from './apiserver.ts';
import type { AgentConfig } from './config.ts';
import { FollowedText } from './followed-text.ts';
import { KeyPair } from './key-pair.ts';

/** What node.status.nodeInfo.kubeletVersion says: the API that is spoken. */
const KUBELET_VERSION = 'v1.36.2';

export async function agentService(config: AgentConfig, client: Client, deps: PartDeps, after: readonly string[]): Promise<Service> {
	const log = deps.log.with({ part: 'agent' });
	const { nodeName, rootDir, podLogsDir, nodeIps, clusterDns, clusterDomain, port, cgroupParent, kubernetesService } = config;
	const settings = settingsOf(await loadConfiguration({ file: config.kubeletConfigFile, folder: config.kubeletConfigDir }));
	const { certFile, keyFile, clientCaFile = config.clientCaFile } = settings.server;
	const files = certFile === undefined ? config.serving : { certFile, keyFile: keyFile ?? certFile };
	const [serving, cas] = await Promise.all([KeyPair.open(files), FollowedText.open(clientCaFile, isBundle)]);
	const idle = withoutEffect(settings.given);
	if (idle.length > 0) log.warn('fields of the kubelet configuration change nothing here', { fields: idle.join(', ') });
	const options = withSettings(
		{
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
			serving: () => serving,
			clientCas: () => cas.text,
		},
		settings,
	);
	return {
		name: 'agent',
		after,
		async run(signal, ready) {
			const runtime = await connectCri(config.runtimeEndpoint, deps.clock);
			using link = linked(signal);
			const following = Promise.all([serving, cas].map((each) => each.follow(deps.clock, log, link.signal)));
			await createAgent(options, { ...deps, client, runtime, log })
				.run(signal, ready)
				.finally(() => link.abort());
			await following;
		},
	};
}

/** A bundle without a certificate would lock everybody out. */
function isBundle(text: string): boolean {
	return text.includes('-----BEGIN CERTIFICATE-----');
}
