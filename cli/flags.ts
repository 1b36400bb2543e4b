/** Flags that several verbs share, as commander hands them over. */
import { resolve } from 'node:path';
import { readClusterState } from '../cluster/data-folder.ts';
import { settle, type ClusterOptions, type SettledOptions } from '../cluster/options.ts';
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
	readonly install?: boolean;
	readonly kubeconfig?: boolean;
	readonly logLevel?: LogLevel;
}

/** Flags as cluster options; a port that is no number is refused by name. */
export function optionsOf(flags: CommonFlags): ClusterOptions {
	const { name, dataDir, port, bindAddress, isolate, dockerHost, nodeName, encryptionProviderConfig } = flags;
	if (port !== undefined && !/^\d+$/.test(port))
		throw new AppError('InvalidArgument', `--port "${port}" is not a port: use a number from 1 to 65535`);
	return {
		...(name === undefined ? {} : { name }),
		...(dataDir === undefined ? {} : { dataDir }),
		...(port === undefined ? {} : { port: Number(port) }),
		...(bindAddress === undefined ? {} : { bindAddress }),
		...(isolate === undefined ? {} : { isolate }),
		...(dockerHost === undefined ? {} : { dockerHost }),
		...(nodeName === undefined ? {} : { nodeName }),
		...etcdOf(flags),
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
