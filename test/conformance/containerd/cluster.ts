/** A control plane and an agent over a given CRI socket, in this process: what `up` runs but for the shim, the storage driver and metrics. */
import { createWriteStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { realClock } from '../../../base/clock.ts';
import { createLog } from '../../../base/log.ts';
import { createMetrics } from '../../../base/metrics.ts';
import { runServices } from '../../../base/service.ts';
import { kubeconfigText } from '../../../cluster/kubeconfig.ts';
import { CLUSTER_DOMAIN, layout } from '../../../cluster/layout.ts';
import { settle } from '../../../cluster/options.ts';
import { partServices } from '../../../cluster/part.ts';
import type { PartDeps } from '../../../cluster/parts/apiserver.ts';
import { clientOf } from '../../../cluster/parts/client.ts';
import type { PartConfigs } from '../../../cluster/parts/config.ts';
import { loadPki } from '../../../cluster/pki.ts';
import { usable } from '../../../cluster/usable.ts';

const PARTS = ['apiserver', 'scheduler', 'controller-manager', 'agent'] as const;

export interface Place {
	/** Of the cluster; its pods' cgroups are below `/kubeling-NAME`. */
	readonly name: string;
	readonly dir: string;
	readonly runtimeEndpoint: string;
	/** This host's, which pods reach, too. */
	readonly address: string;
	readonly logPath: string;
}

/** Resolves with the path of an administrator's kubeconfig once the node is ready. It runs until the process ends. */
export async function clusterOn({ name, dir, runtimeEndpoint, address, logPath }: Place): Promise<string> {
	const lines = createWriteStream(logPath);
	const log = createLog({ write: (line) => void lines.write(line) });
	const deps = (): PartDeps => ({ clock: realClock, log, metrics: createMetrics() });
	const dataDir = join(dir, 'data');
	const settled = settle({ name, dataDir, nodeName: 'node' });
	const nowhere = { podSubnet: '', dockerHost: '' }; // the shim's
	const configs = layout(settled, { port: 6443, kubeletPort: 10250, podGateway: address, hostAddress: address, ...nowhere });
	const { rootDir, podLogsDir } = configs.agent;
	for (const folder of [rootDir, podLogsDir, join(dataDir, 'store')]) await mkdir(folder, { recursive: true });
	const addresses = ['127.0.0.1', address];
	const { nodeName } = settled;
	const names = { nodeName, clusterDomain: CLUSTER_DOMAIN, apiserverAddresses: addresses, nodeAddresses: addresses };
	const { ca, leaves } = await loadPki(join(dataDir, 'pki'), names, realClock);
	const own: PartConfigs = { ...configs, agent: { ...configs.agent, runtimeEndpoint } };
	const services = await Promise.all(PARTS.map((part) => partServices(part, own[part], deps())));
	const never = new AbortController().signal;
	const running = runServices(services.flat(), never);
	const client = clientOf(configs.storage.api, realClock, 'kubeling');
	await Promise.race([usable(client, nodeName, never, realClock), running]);
	const kubeconfig = join(dir, 'kubeconfig');
	const access = { name, server: configs.scheduler.api.server, caPem: ca.certPem, ...leaves.admin };
	await writeFile(kubeconfig, kubeconfigText(access), { mode: 0o600 });
	return kubeconfig;
}
