/** The agent on its own, as `kubeling agent` runs it for a control plane of any kind: what flags say, and upstream's places where they say nothing. */
import { hostname } from 'node:os';
import { join } from 'node:path';
import { loadConfiguration } from '../agent/config/load.ts';
import { AppError } from '../base/errors.ts';
import { defaultAddress } from '../host/interfaces.ts';
import type { AgentConfig } from './parts/config.ts';

/** Upstream's flags of a kubelet, as far as they say what a KubeletConfiguration cannot. */
export interface AgentFlags {
	readonly kubeconfig?: string;
	readonly bootstrapKubeconfig?: string;
	readonly apiServers?: string;
	readonly standalone?: boolean;
	readonly kubeletConfig?: string;
	readonly kubeletConfigDir?: string;
	readonly containerRuntimeEndpoint?: string;
	readonly rootDir?: string;
	readonly certDir?: string;
	readonly hostnameOverride?: string;
	readonly nodeIp?: string;
	readonly nodeExternalIp?: string;
	readonly nodeLabels?: string;
	readonly imageCredentialProviderConfig?: string;
	readonly imageCredentialProviderBinDir?: string;
}

const ROOT = '/var/lib/kubelet';
const RUNTIME = '/run/containerd/containerd.sock';
const PORT = 10250;
const HEALTHZ_PORT = 10248;

/** Whether the flags say how to reach an API server, or that there is none. */
export function isWhole({ kubeconfig, standalone }: AgentFlags): boolean {
	return kubeconfig !== undefined || standalone === true;
}

export async function agentConfigOf(flags: AgentFlags): Promise<AgentConfig> {
	const rootDir = flags.rootDir ?? ROOT;
	const nodeIps = list(flags.nodeIp);
	const found = nodeIps.length > 0 ? undefined : await defaultAddress();
	if (nodeIps.length === 0 && found === undefined)
		throw new AppError('FailedPrecondition', 'This host has no default route: say its address with --node-ip');
	return {
		nodeName: (flags.hostnameOverride ?? hostname()).trim().toLowerCase(),
		nodeIps: nodeIps.length > 0 ? nodeIps : [found ?? ''],
		externalIps: list(flags.nodeExternalIp),
		nodeLabels: labelsOf(flags.nodeLabels ?? ''),
		...(flags.standalone === true ? { standalone: true } : { kubeconfigFile: flags.kubeconfig }),
		bootstrapKubeconfigFile: flags.bootstrapKubeconfig,
		apiServers: list(flags.apiServers),
		rootDir,
		podLogsDir: '/var/log/pods',
		certDir: flags.certDir ?? join(rootDir, 'pki'),
		runtimeEndpoint: (flags.containerRuntimeEndpoint ?? (await configuredEndpoint(flags)) ?? RUNTIME).replace(/^unix:(\/\/)?/, ''),
		port: PORT,
		healthzPort: HEALTHZ_PORT,
		clusterDomain: 'cluster.local',
		clusterDns: [],
		cgroupParent: '',
		credentialProviders: providersOf(flags),
		kubeletConfigFile: flags.kubeletConfig,
		kubeletConfigDir: flags.kubeletConfigDir,
	};
}

async function configuredEndpoint({ kubeletConfig: file, kubeletConfigDir: folder }: AgentFlags): Promise<string | undefined> {
	const { containerRuntimeEndpoint } = await loadConfiguration({ file, folder });
	return (containerRuntimeEndpoint as string | undefined) || undefined;
}

function providersOf({
	imageCredentialProviderConfig: config,
	imageCredentialProviderBinDir: binDir,
}: AgentFlags): AgentConfig['credentialProviders'] {
	if (config === undefined && binDir === undefined) return undefined;
	if (config === undefined || binDir === undefined)
		throw new AppError('InvalidArgument', '--image-credential-provider-config and --image-credential-provider-bin-dir go together');
	return { config, binDir };
}

/** Pure: "a=b,c=d". */
export function labelsOf(text: string): Readonly<Record<string, string>> {
	return Object.fromEntries(
		list(text).map((pair) => {
			const [name = '', value] = pair.split('=', 2);
			if (name === '' || value === undefined) throw new AppError('InvalidArgument', `--node-labels "${pair}" is not NAME=VALUE`);
			return [name, value];
		}),
	);
}

function list(text: string | undefined): readonly string[] {
	return (text ?? '')
		.split(',')
		.map((part) => part.trim())
		.filter((part) => part !== '');
}
