/**
 * What each part is configured with: plain data, so that it is the same whether the part runs in this process or in one of its own
 * (`kubeling agent --config FILE`). Keys and certificates are files, never values, so that no secret stands in an argument or a config.
 */

import type { CsiOptions } from '../../csi/options.ts';
import type { ApiserverFlags } from './apiserver-flags.ts';

export type PartName = 'apiserver' | 'scheduler' | 'controller-manager' | 'agent' | 'cri' | 'storage' | 'metrics';

/** A certificate and its key. */
export interface KeyPairFiles {
	readonly certFile: string;
	readonly keyFile: string;
}

/** How a client of the API server finds it and says who it is. */
export interface ApiAccess extends KeyPairFiles {
	readonly server: string;
	readonly caFile: string;
}

/** An etcd of version 3.4 to 3.6, which several API servers may share. */
export interface EtcdConfig {
	readonly type: 'etcd';
	/** "https://etcd-0:2379", at least one. */
	readonly endpoints: readonly string[];
	/** For https endpoints: the CA of their certificates and, where asked for, the client's certificate and key. */
	readonly caFile?: string;
	readonly certFile?: string;
	readonly keyFile?: string;
	/** What all keys begin with; "/registry" unless told. */
	readonly prefix?: string;
}

/** A database file of this server alone, or an etcd. */
export type StoreConfig = { readonly type: 'sqlite'; readonly path: string } | EtcdConfig;

export interface ApiserverConfig {
	readonly bindAddress: string;
	readonly port: number;
	/** Address in the kubernetes Endpoints: where pods and nodes reach this server. */
	readonly advertiseAddress: string;
	readonly serviceSubnet: string;
	readonly store: StoreConfig;
	/** Upstream's EncryptionConfiguration; absent: objects lie in plain. */
	readonly encryptionConfigFile?: string | undefined;
	readonly serving: KeyPairFiles;
	readonly clientCaFile: string;
	readonly serviceAccountKeyFile: string;
	readonly kubeletClient: KeyPairFiles;
	/** Shown to aggregated API servers, with the CA that vouches for it; absent: they cannot know us. */
	readonly frontProxy?: { readonly caFile: string; readonly client: KeyPairFiles } | undefined;
	readonly clusterDomain: string;
	/** Flags that upstream's API server has too, by its names without the dashes: "audit-log-path". */
	readonly flags?: ApiserverFlags | undefined;
}

export interface SchedulerConfig {
	readonly api: ApiAccess;
	/** Upstream's KubeSchedulerConfiguration; absent: its defaults. */
	readonly schedulerConfigFile?: string | undefined;
}

export interface ControllerManagerConfig {
	readonly api: ApiAccess;
	/** The CA that signs approved CertificateSigningRequests; absent: nobody here does. */
	readonly signing?: KeyPairFiles | undefined;
	/** The key that signs service-account tokens; absent: secrets of such tokens are not filled. */
	readonly serviceAccountKeyFile?: string | undefined;
}

export interface AgentConfig {
	/** How it reaches the API server: by these files, or by a kubeconfig, or (standalone) not at all. */
	readonly api?: ApiAccess | undefined;
	/** Written by itself when it joins by `bootstrapKubeconfigFile`. */
	readonly kubeconfigFile?: string | undefined;
	readonly bootstrapKubeconfigFile?: string | undefined;
	/** Further API servers of the same cluster, "https://HOST:PORT": asked when the first cannot be reached. */
	readonly apiServers?: readonly string[] | undefined;
	/** No API server: static pods only. */
	readonly standalone?: boolean | undefined;
	readonly nodeName: string;
	readonly nodeIps: readonly string[];
	/** Where others reach the node, such as the address of a NAT before it. */
	readonly externalIps?: readonly string[] | undefined;
	readonly nodeLabels?: Readonly<Record<string, string>> | undefined;
	readonly rootDir: string;
	readonly podLogsDir: string;
	/** Certificates that it asked for or made; below `rootDir` unless told. */
	readonly certDir?: string | undefined;
	/** The CRI socket. */
	readonly runtimeEndpoint: string;
	readonly port: number;
	/** Plain /healthz on 127.0.0.1. */
	readonly healthzPort?: number | undefined;
	/** Absent: asked of the API server (serverTLSBootstrap), or signed by nobody. */
	readonly serving?: KeyPairFiles | undefined;
	/** Absent: the CA of the kubeconfig. */
	readonly clientCaFile?: string | undefined;
	readonly clusterDomain: string;
	readonly clusterDns: readonly string[];
	readonly cgroupParent: string;
	/** Where pods reach the API server; absent: at the address of the `kubernetes` Service. */
	readonly kubernetesService?: { readonly host: string; readonly port: number } | undefined;
	/** Plug-ins that know credentials of images: a CredentialProviderConfig (a file, or a folder of them), and where the programs are. */
	readonly credentialProviders?: { readonly config: string; readonly binDir: string } | undefined;
	/** KubeletConfiguration v1beta1: a file, and a folder of *.conf files that are merged over it. What they say comes before the fields above. */
	readonly kubeletConfigFile?: string | undefined;
	readonly kubeletConfigDir?: string | undefined;
	/** Hard limits of eviction where a KubeletConfiguration says none; absent: upstream's. */
	readonly evictionHard?: Readonly<Record<string, string>> | undefined;
}

export interface CriConfig {
	readonly socketPath: string;
	readonly dockerHost: string;
	readonly dataDir: string;
	readonly clusterName: string;
	/** One network, or one of each family divided by a comma; absent: chosen here, and changed by the control plane (podCIDR). */
	readonly podSubnet?: string | undefined;
	/** An IPv6 network beside the chosen one. */
	readonly dualStack?: boolean | undefined;
	/** Who connects pods: "auto" unless told. */
	readonly network?: 'auto' | 'bridge' | 'cni' | 'engine' | undefined;
	readonly cniConfDir?: string | undefined;
	readonly cniBinDirs?: readonly string[] | undefined;
	readonly cgroupParent?: string | undefined;
	/** Exec, attach and port-forward; 127.0.0.1 and any port unless told. */
	readonly streamingAddress?: HostPort | undefined;
	readonly streamingTls?: KeyPairFiles | undefined;
	/** /healthz and /metrics; nowhere unless told. */
	readonly metricsAddress?: HostPort | undefined;
	/** The engine's own, bounded copy of container logs. */
	readonly engineLogDriver?: string | undefined;
	readonly engineTimeoutMs?: number | undefined;
	/** How long nothing of a pull may change. */
	readonly imagePullProgressMs?: number | undefined;
}

export interface HostPort {
	readonly host: string;
	readonly port: number;
}

/** The local driver and its sidecar roles. */
export interface StorageConfig {
	readonly api: ApiAccess;
	/** Nothing is set up before this node is ready. */
	readonly nodeName: string;
	readonly driver: LocalDriverConfig;
}

export interface LocalDriverConfig
	extends Pick<CsiOptions, 'driverName' | 'socketPath' | 'dataDir' | 'runDir' | 'nodeId' | 'maxVolumesPerNode' | 'targetRoots'> {
	/** The agent's plugins_registry. */
	readonly registrationDir: string;
}

/** The provider of metrics.k8s.io, an aggregated API server. */
export interface MetricsConfig {
	/** Also how kubelets are asked: all that a Node object names are shown this certificate. */
	readonly api: ApiAccess;
	readonly bindAddress: string;
	/** 0: any. */
	readonly port: number;
	readonly serving: KeyPairFiles;
	/** The CA of the certificate by which API servers pass requests on. */
	readonly frontProxyCaFile: string;
	/** Of kubelets' certificates; that of `api` unless told. */
	readonly kubeletCaFile?: string | undefined;
	/** Kubelets' certificates are not verified. */
	readonly kubeletInsecureTls?: boolean | undefined;
	/** Once this node is ready, the objects that lead requests here are made by way of this `api`: its service has this address. Absent: somebody else makes them. */
	readonly publish?: { readonly api: ApiAccess; readonly nodeName: string; readonly address: string } | undefined;
}

export interface PartConfigs {
	readonly apiserver: ApiserverConfig;
	readonly scheduler: SchedulerConfig;
	readonly 'controller-manager': ControllerManagerConfig;
	readonly agent: AgentConfig;
	readonly cri: CriConfig;
	readonly storage: StorageConfig;
	readonly metrics: MetricsConfig;
}
