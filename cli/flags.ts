/** Flags that several verbs share, as commander hands them over. */
import { resolve } from 'node:path';
import { readClusterState } from '../cluster/data-folder.ts';
import { settle, type ClusterOptions, type SettledOptions } from '../cluster/options.ts';
import { APISERVER_FLAGS, type ApiserverFlags, type FlagValue } from '../cluster/parts/apiserver-flags.ts';
import { AppError } from '../base/errors.ts';
import type { LogLevel } from '../base/log.ts';

export interface CommonFlags {
	readonly name?: string;
	readonly dataDir?: string;
	readonly port?: string;
	readonly bindAddress?: string;
	readonly isolate?: boolean;
	readonly detach?: boolean;
	readonly dockerHost?: string;
	readonly nodeName?: string;
	/** Comma-separated. */
	readonly etcdServers?: string;
	readonly etcdCafile?: string;
	readonly etcdCertfile?: string;
	readonly etcdKeyfile?: string;
	readonly etcdPrefix?: string;
	readonly encryptionProviderConfig?: string;
	readonly schedulerConfig?: string;
	readonly kubeletConfig?: string;
	readonly kubeletConfigDir?: string;
	readonly install?: boolean;
	readonly kubeconfig?: boolean;
	readonly logLevel?: LogLevel;
}

/** What was given of the API server's flags, by upstream's names; paths are made absolute, as the part may run elsewhere. */
export function apiserverFlagsOf(flags: object): ApiserverFlags {
	const given: Record<string, FlagValue> = {};
	for (const [name, type] of APISERVER_FLAGS) {
		const value = (flags as Record<string, string | boolean | undefined>)[
			name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase())
		];
		if (value === undefined) continue;
		const text = String(value);
		if (type === 'file') given[name] = text === '-' || text === '' ? text : resolve(text);
		else if (type === 'files') given[name] = text.split(',').map((path) => resolve(path));
		else given[name] = type === 'list' ? text.split(',') : text;
	}
	return given;
}

/** Flags as cluster options; a port that is no number is refused by name. */
export function optionsOf(flags: CommonFlags): ClusterOptions {
	const { name, dataDir, port, bindAddress, isolate, dockerHost, nodeName } = flags;
	const { encryptionProviderConfig, schedulerConfig, kubeletConfig, kubeletConfigDir } = flags;
	if (port !== undefined && !/^\d+$/.test(port))
		throw new AppError('InvalidArgument', `--port "${port}" is not a port: use a number from 1 to 65535`);
	const apiserverFlags = apiserverFlagsOf(flags);
	return {
		...(name === undefined ? {} : { name }),
		...(dataDir === undefined ? {} : { dataDir }),
		...(port === undefined ? {} : { port: Number(port) }),
		...(bindAddress === undefined ? {} : { bindAddress }),
		...(isolate === undefined ? {} : { isolate }),
		...(dockerHost === undefined ? {} : { dockerHost }),
		...(nodeName === undefined ? {} : { nodeName }),
		...etcdOf(flags),
		...(Object.keys(apiserverFlags).length === 0 ? {} : { apiserverFlags }),
		...(schedulerConfig === undefined ? {} : { schedulerConfigFile: resolve(schedulerConfig) }),
		...(kubeletConfig === undefined ? {} : { kubeletConfigFile: resolve(kubeletConfig) }),
		...(kubeletConfigDir === undefined ? {} : { kubeletConfigDir: resolve(kubeletConfigDir) }),
		...(encryptionProviderConfig === undefined ? {} : { encryptionConfigFile: resolve(encryptionProviderConfig) }),
	};
}

function etcdOf(flags: CommonFlags): Pick<ClusterOptions, 'etcd'> {
	const { etcdServers, etcdCafile, etcdCertfile, etcdKeyfile, etcdPrefix } = flags;
	const others = {
		'--etcd-cafile': etcdCafile,
		'--etcd-certfile': etcdCertfile,
		'--etcd-keyfile': etcdKeyfile,
		'--etcd-prefix': etcdPrefix,
	};
	if (etcdServers === undefined) {
		for (const [flag, value] of Object.entries(others))
			if (value !== undefined) throw new AppError('InvalidArgument', `${flag} "${value}" needs --etcd-servers`);
		return {};
	}
	const file = (key: string, path: string | undefined): object => (path === undefined ? {} : { [key]: resolve(path) });
	return {
		etcd: {
			type: 'etcd',
			endpoints: etcdServers.split(',').map((endpoint) => endpoint.trim()),
			...file('caFile', etcdCafile),
			...file('certFile', etcdCertfile),
			...file('keyFile', etcdKeyfile),
			...(etcdPrefix === undefined ? {} : { prefix: etcdPrefix }),
		},
	};
}

/** The settled options of the cluster that the flags mean, with what it kept of itself. */
export async function whichCluster(flags: CommonFlags): Promise<SettledOptions> {
	const given = optionsOf(flags);
	const first = settle(given);
	return settle(given, await readClusterState(first.dataDir));
}
