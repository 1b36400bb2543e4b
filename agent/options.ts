/** How an agent is set up, and what it stands on. */
import type { Registry } from '../base/metrics.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Client } from '../client/client.ts';
import type { Mounter } from '../host/mounter.ts';
import type { KubeletSettings } from './config/settings.ts';
import type { ServiceManager } from './node/watchdog.ts';
import type { Runtime } from './runtime/runtime.ts';
import type { Tracer } from './tracing/tracer.ts';

export interface AgentOptions {
	readonly nodeName: string;
	/** Pods' folders and volumes. */
	readonly rootDir: string;
	/** As /var/log/pods: `<namespace>_<name>_<uid>/<container>/<n>.log`. */
	readonly podLogsDir: string;
	/** Where links to all containers' logs are kept for log shippers, as /var/log/containers; nowhere when absent. */
	readonly containerLogsDir?: string;
	/** The node's addresses, the first is the main one. */
	readonly nodeIps: readonly string[];
	/** Where others reach the node, such as the address of a NAT before it. */
	readonly externalIps?: readonly string[];
	/** Plug-ins that know credentials of images: a CredentialProviderConfig (a file, or a folder of them), and where the programs are. */
	readonly credentialProviders?: { readonly config: string; readonly binDir: string };
	/** No API server: the agent is ready without a Node. */
	readonly standalone?: boolean;
	/** Empty where there is no cluster DNS. */
	readonly clusterDns: readonly string[];
	readonly clusterDomain: string;
	/** Of the HTTPS API; 0 takes a free one. */
	readonly port: number;
	/** 0.0.0.0 unless told. */
	readonly bindAddress?: string;
	/** Undefined while there is none: nobody can connect then. */
	readonly serving: () => { readonly certPem: string; readonly keyPem: string } | undefined;
	/** Client certificates of these CAs are accepted by the HTTPS API, PEM; asked for each time, so that they may change. */
	readonly clientCas: () => string;
	/** Plain /healthz on 127.0.0.1, where no configuration says otherwise; nowhere when absent. */
	readonly healthzPort?: number;
	/** Where pods reach the API server, if not at the address of the `kubernetes` Service. */
	readonly kubernetesService?: { readonly host: string; readonly port: number };
	/** The cgroup under which the runtime puts pods; the runtime's own default when empty. */
	readonly cgroupParent: string;
	readonly labels?: Readonly<Record<string, string>>;
	readonly maxPods?: number;
	/** Device plugins, and those who read which pods have which devices, find sockets in rootDir; none when absent. */
	readonly pluginSockets?: boolean;
	/** The kernel's log, /dev/kmsg: processes that it ends when memory runs out are told of; nobody looks when absent. */
	readonly kernelLog?: string;
	/** Is told that the agent has started, and that it lives; nobody is told when absent. */
	readonly serviceManager?: ServiceManager;
	/** What node.status.nodeInfo.kubeletVersion says. */
	readonly version: string;
	/** Of a KubeletConfiguration; upstream's defaults when absent. What the options above say of the same was chosen with it in mind. */
	readonly kubelet?: KubeletSettings;
}

export interface AgentDeps {
	readonly client: Client;
	readonly runtime: Runtime;
	readonly clock: Clock;
	readonly log: Log;
	readonly metrics: Registry;
	/** Makes spans of what the agent does; there are none when absent. */
	readonly tracer?: Tracer;
	/** Keeps files of Secrets and tokens in memory; they are on the disk when absent, as where this process may not mount. */
	readonly mounter?: Mounter;
}
