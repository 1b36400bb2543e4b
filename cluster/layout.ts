/** From settled options to the configuration of every part: addresses, ports, files. The one place that knows how a cluster is laid out. */
import { join } from 'node:path';
import type { SettledOptions } from './options.ts';
import type { ApiAccess, KeyPairFiles, PartConfigs } from './parts/config.ts';

export const CLUSTER_DOMAIN = 'cluster.local';
export const SERVICE_SUBNET = '10.96.0.0/16';

/** What a node keeps free on a machine that people work on: upstream's tenth of a terabyte would be a lot. */
export const LAPTOP_LIMITS = {
	'memory.available': '100Mi',
	'nodefs.available': '1%',
	'nodefs.inodesFree': '1%',
	'imagefs.available': '1%',
	'imagefs.inodesFree': '1%',
	'pid.available': '100',
};

/** What was found out or chosen at start. */
export interface Chosen {
	readonly port: number;
	readonly kubeletPort: number;
	readonly podSubnet: string;
	/** The pod bridge's address: where pods reach the API server. */
	readonly podGateway: string;
	/** The host's own address, and the node's. */
	readonly hostAddress: string;
	readonly dockerHost: string;
}

/** The driver that `up` brings along. */
const LOCAL_DRIVER = 'local.csi.kubeling.dev';

/** What is mounted now; a reboot empties it. */
export function storageRunDir(name: string): string {
	return `/run/kubeling/${name}/csi`;
}

/** Where everything of a cluster is counted. */
export function cgroupParentOf(name: string): string {
	return `/kubeling-${name}`;
}

/** Pure. */
export function layout(
	{
		name,
		dataDir,
		bindAddress,
		nodeName,
		etcd,
		encryptionConfigFile,
		schedulerConfigFile,
		kubeletConfigFile,
		kubeletConfigDir,
		apiserverFlags: flags,
	}: SettledOptions,
	chosen: Chosen,
): PartConfigs {
	const pair = (leaf: string): KeyPairFiles => ({
		certFile: join(dataDir, 'pki', `${leaf}.crt`),
		keyFile: join(dataDir, 'pki', `${leaf}.key`),
	});
	const caFile = join(dataDir, 'pki', 'ca.crt');
	const api = (leaf: string): ApiAccess => ({ server: `https://127.0.0.1:${chosen.port}`, caFile, ...pair(leaf) });
	const cgroupParent = cgroupParentOf(name);
	const socketPath = join(dataDir, 'cri', 'cri.sock');
	return {
		apiserver: {
			bindAddress,
			port: chosen.port,
			advertiseAddress: chosen.podGateway,
			serviceSubnet: SERVICE_SUBNET,
			store: etcd ?? { type: 'sqlite', path: join(dataDir, 'store', 'state.db') },
			...(encryptionConfigFile === undefined ? {} : { encryptionConfigFile }),
			serving: pair('apiserver'),
			clientCaFile: caFile,
			serviceAccountKeyFile: join(dataDir, 'pki', 'sa.key'),
			kubeletClient: pair('apiserver-kubelet-client'),
			frontProxy: { caFile: join(dataDir, 'pki', 'front-proxy-ca.crt'), client: pair('front-proxy-client') },
			clusterDomain: CLUSTER_DOMAIN,
			flags: { 'kubelet-certificate-authority': caFile, ...flags },
		},
		scheduler: { api: api('scheduler'), ...(schedulerConfigFile === undefined ? {} : { schedulerConfigFile }) },
		'controller-manager': {
			api: api('controller-manager'),
			signing: pair('ca'),
			serviceAccountKeyFile: join(dataDir, 'pki', 'sa.key'),
		},
		agent: {
			api: api('node'),
			nodeName,
			nodeIps: [chosen.hostAddress],
			rootDir: join(dataDir, 'node'),
			podLogsDir: join(dataDir, 'pods'),
			runtimeEndpoint: socketPath,
			port: chosen.kubeletPort,
			serving: pair('kubelet-serving'),
			clientCaFile: caFile,
			clusterDomain: CLUSTER_DOMAIN,
			clusterDns: [],
			cgroupParent,
			kubernetesService: { host: chosen.podGateway, port: chosen.port },
			evictionHard: LAPTOP_LIMITS,
			...(kubeletConfigFile === undefined ? {} : { kubeletConfigFile }),
			...(kubeletConfigDir === undefined ? {} : { kubeletConfigDir }),
		},
		storage: {
			api: api('admin'),
			nodeName,
			driver: {
				driverName: LOCAL_DRIVER,
				socketPath: join(dataDir, 'node', 'plugins', LOCAL_DRIVER, 'csi.sock'),
				dataDir: join(dataDir, 'volumes'),
				runDir: storageRunDir(name),
				nodeId: nodeName,
				maxVolumesPerNode: 0,
				targetRoots: [join(dataDir, 'node')],
				registrationDir: join(dataDir, 'node', 'plugins_registry'),
			},
		},
		metrics: {
			api: api('metrics'),
			bindAddress: chosen.hostAddress,
			port: 0,
			serving: pair('metrics-serving'),
			frontProxyCaFile: join(dataDir, 'pki', 'front-proxy-ca.crt'),
			publish: { api: api('admin'), nodeName, address: chosen.hostAddress },
		},
		cri: {
			socketPath,
			dockerHost: chosen.dockerHost,
			dataDir: join(dataDir, 'cri'),
			clusterName: name,
			podSubnet: chosen.podSubnet,
			network: 'bridge', // the API server's address for pods is its gateway
			cgroupParent,
		},
	};
}
