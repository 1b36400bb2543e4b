/** What a person may ask of a cluster, and what it becomes once names, folders and ports are settled. */
import { hostname } from 'node:os';
import { AppError } from '../base/errors.ts';
import { defaultDataDir, type ClusterState } from './data-folder.ts';
import type { ApiserverFlags } from './parts/apiserver-flags.ts';
import type { EtcdConfig } from './parts/config.ts';

/** Given by flags or by a program; everything may be left out. */
export interface ClusterOptions {
	readonly name?: string;
	readonly dataDir?: string;
	/** Of the API server. Absent: the one used before, else 6443 or the next free one; 0: the one used before, else any. */
	readonly port?: number;
	/** Address the API server binds; 0.0.0.0 unless told, so that pods reach it at their gateway. */
	readonly bindAddress?: string;
	/** Run each part as a process of its own. */
	readonly isolate?: boolean;
	/** Where Docker Engine listens; DOCKER_HOST or the usual sockets unless told. */
	readonly dockerHost?: string;
	readonly nodeName?: string;
	/** Keep the objects in this etcd and not in the data folder. */
	readonly etcd?: EtcdConfig;
	/** Upstream's EncryptionConfiguration: what lies encrypted at rest, and with which keys. */
	readonly encryptionConfigFile?: string;
	/** Upstream's KubeSchedulerConfiguration. */
	readonly schedulerConfigFile?: string;
	/** KubeletConfiguration v1beta1 of the node, and the folder of *.conf files that are merged over it. */
	readonly kubeletConfigFile?: string;
	readonly kubeletConfigDir?: string;
	/** Flags of the API server that upstream's has too, by its names. */
	readonly apiserverFlags?: ApiserverFlags;
}

export interface SettledOptions {
	readonly name: string;
	readonly dataDir: string;
	readonly port: number | undefined;
	readonly bindAddress: string;
	readonly isolate: boolean;
	readonly dockerHost: string | undefined;
	readonly nodeName: string;
	readonly etcd: EtcdConfig | undefined;
	readonly encryptionConfigFile: string | undefined;
	readonly schedulerConfigFile: string | undefined;
	readonly kubeletConfigFile: string | undefined;
	readonly kubeletConfigDir: string | undefined;
	readonly apiserverFlags: ApiserverFlags;
}

const ENGINE = /^(unix:\/\/\/.+|(tcp|https?):\/\/[^/]+\/?)$/;
const NAME = /^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$/;

/** Checks and completes options. AppError InvalidArgument names the option and its value. */
export function settle(options: ClusterOptions, before?: ClusterState): SettledOptions {
	const name = options.name ?? before?.name ?? 'kubeling';
	if (!NAME.test(name))
		throw new AppError(
			'InvalidArgument',
			`--name "${name}" is not a cluster name: use 1 to 32 lower-case letters, digits and "-", beginning and ending with a letter or digit`,
		);
	if (options.dockerHost !== undefined && !ENGINE.test(options.dockerHost))
		throw new AppError(
			'InvalidArgument',
			`--docker-host "${options.dockerHost}" is no address of an engine: use unix:///PATH or tcp://HOST:PORT`,
		);
	const port = options.port === undefined || options.port === 0 ? (before?.port ?? options.port) : options.port;
	if (port !== undefined && (!Number.isInteger(port) || port < 0 || port > 65535))
		throw new AppError('InvalidArgument', `--port "${port}" is not a port: use a number from 1 to 65535`);
	return {
		name,
		dataDir: options.dataDir ?? defaultDataDir(name),
		port,
		bindAddress: options.bindAddress ?? '0.0.0.0',
		isolate: options.isolate ?? false,
		dockerHost: options.dockerHost,
		etcd: settleEtcd(options.etcd, before),
		encryptionConfigFile: options.encryptionConfigFile ?? before?.encryptionConfigFile,
		schedulerConfigFile: options.schedulerConfigFile ?? before?.schedulerConfigFile,
		kubeletConfigFile: options.kubeletConfigFile ?? before?.kubeletConfigFile,
		kubeletConfigDir: options.kubeletConfigDir ?? before?.kubeletConfigDir,
		apiserverFlags: { ...before?.apiserverFlags, ...options.apiserverFlags },
		nodeName: options.nodeName ?? before?.nodeName ?? nodeNameOf(hostname(), name),
	};
}

function settleEtcd(asked: EtcdConfig | undefined, before: ClusterState | undefined): EtcdConfig | undefined {
	for (const endpoint of asked?.endpoints ?? [])
		if (!/^https?:\/\/[^/\s]+$/.test(endpoint))
			throw new AppError(
				'InvalidArgument',
				`--etcd-servers "${endpoint}" is not an etcd endpoint: use http://HOST:PORT or https://HOST:PORT`,
			);
	if (asked !== undefined && before !== undefined && before.etcd === undefined)
		throw new AppError(
			'FailedPrecondition',
			`--etcd-servers: the cluster "${before.name}" keeps its objects in its own data folder; start another cluster with --name and --etcd-servers, or remove this one first with "kubeling down --delete --name ${before.name}"`,
		);
	return asked ?? before?.etcd;
}

/** The node's name: the host's, as a DNS name; clusters beside the first one add their own name. */
export function nodeNameOf(host: string, cluster: string): string {
	const base =
		host
			.toLowerCase()
			.replace(/[^a-z0-9.-]/g, '-')
			.replace(/^[-.]+|[-.]+$/g, '')
			.slice(0, 200) || 'node';
	return cluster === 'kubeling' ? base : `${base}-${cluster}`;
}
