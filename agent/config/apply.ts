/** Puts what a KubeletConfiguration says in the place of what was chosen for the agent. Pure. */
import type { AgentOptions } from '../options.ts';
import type { KubeletSettings } from './settings.ts';

/** Upstream's folders. */
const POD_LOGS = '/var/log/pods';
const CONTAINER_LOGS = '/var/log/containers';

export function withSettings(options: AgentOptions, kubelet: KubeletSettings): AgentOptions {
	const { maxPods, clusterDns, clusterDomain, address, port, podLogsDir } = kubelet;
	return {
		...options,
		kubelet,
		...(maxPods === undefined ? {} : { maxPods }),
		...(clusterDns === undefined ? {} : { clusterDns }),
		...(clusterDomain === undefined ? {} : { clusterDomain }),
		...(address === undefined ? {} : { bindAddress: address }),
		...(port === undefined ? {} : { port }),
		...(podLogsDir === undefined ? {} : { podLogsDir }),
		// Log shippers look there on a node whose pods' logs are where they usually are.
		...((podLogsDir ?? options.podLogsDir) === POD_LOGS ? { containerLogsDir: CONTAINER_LOGS } : {}),
	};
}
