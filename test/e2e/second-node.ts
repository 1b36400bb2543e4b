/** A second node on this host: a shim, an agent and the storage driver's node service of its own, in the pool of the first. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { realClock } from '../../base/clock.ts';
import { noLog } from '../../base/log.ts';
import { createMetrics } from '../../base/metrics.ts';
import { runServices } from '../../base/service.ts';
import { LAPTOP_LIMITS, storageRunDir } from '../../cluster/layout.ts';
import type { AgentConfig } from '../../cluster/parts/config.ts';
import { createCsiDriver } from '../../csi/driver.ts';
import { defaultAddress } from '../../host/interfaces.ts';
import { Running } from '../tools/command.ts';
import { startTestShim } from '../tools/cri.ts';
import { ownPort } from '../tools/ports.ts';
import { unmountBelow } from '../tools/shared-folder.ts';
import { LAUNCHER, type TestCluster } from './cluster.ts';

export const SECOND = 'second';

/** Until it is disposed of. */
export async function secondNode(cluster: TestCluster, driverName: string): Promise<AsyncDisposable> {
	await using made = new AsyncDisposableStack();
	const rootDir = join(cluster.dir, SECOND);
	await mkdir(rootDir);
	made.defer(() => unmountBelow(rootDir));
	const shim = made.adopt(await startTestShim(`${cluster.name}-${SECOND}`), (started) => started.stop());
	const config: AgentConfig = {
		kubeconfigFile: cluster.env['KUBECONFIG'],
		nodeName: SECOND,
		nodeIps: [(await defaultAddress()) ?? '127.0.0.1'],
		rootDir,
		podLogsDir: join(rootDir, 'logs'),
		runtimeEndpoint: join(shim.dir, 'cri.sock'),
		serving: { certFile: join(cluster.dataDir, 'pki/kubelet-serving.crt'), keyFile: join(cluster.dataDir, 'pki/kubelet-serving.key') },
		port: await ownPort('0.0.0.0'),
		clusterDomain: 'cluster.local',
		clusterDns: [],
		cgroupParent: '',
		evictionHard: LAPTOP_LIMITS,
	};
	const file = join(rootDir, 'agent.json');
	await writeFile(file, JSON.stringify(config));
	made.use(new Running(process.execPath, [LAUNCHER, 'agent', '--config', file], cluster.env));
	const stop = new AbortController();
	const ready = Promise.withResolvers<void>();
	const driver = createCsiDriver(
		{
			driverName,
			version: 'test',
			role: 'node',
			socketPath: join(rootDir, 'plugins', driverName, 'csi.sock'),
			dataDir: join(cluster.dataDir, 'volumes'),
			runDir: storageRunDir(cluster.name),
			nodeId: SECOND,
			maxVolumesPerNode: 0,
			targetRoots: [rootDir],
			registrationDir: join(rootDir, 'plugins_registry'),
		},
		{ clock: realClock, log: noLog, metrics: createMetrics() },
	);
	const running = runServices([driver], stop.signal, ready.resolve);
	made.defer(async () => {
		stop.abort();
		await running;
	});
	await Promise.race([ready.promise, running]);
	return made.move();
}
