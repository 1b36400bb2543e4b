/** Puts what a KubeletConfiguration says in the place of what was chosen for the agent. Pure. */
import type { AgentOptions } from '../options.ts';
import type { KubeletSettings } from './settings.ts';

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
	};
}
