/**
 * Agents by the thousand in one process, each with a simulated runtime and all else as it is: `node hollow-process.ts OPTIONS`.
 * Says "ready" to its parent once all are.
 */
import { join } from 'node:path';
import { createAgent } from '../../agent/agent.ts';
import { settingsOf } from '../../agent/config/settings.ts';
import { selfSigned } from '../../agent/certificates/self-signed.ts';
import { SimulatedRuntime } from '../../agent/runtime/simulated.ts';
import { realClock } from '../../base/clock.ts';
import { createLog } from '../../base/log.ts';
import { createMetrics } from '../../base/metrics.ts';
import { createTransport } from '../../client/http2.ts';
import { createClient } from '../../client/rest.ts';
import type { Transport } from '../../client/transport.ts';
import { KUBELET_VERSION } from '../../cluster/parts/kubelet-version.ts';

export interface HollowOptions {
	readonly nodes: number;
	readonly dir: string;
	readonly server: string;
	readonly token: string;
	readonly ca: string;
}

/** Registered side by side. */
const AT_ONCE = 20;
/** A thousand nodes see the disk of one machine, however full. */
const HOLLOW = settingsOf({ evictionHard: { 'memory.available': '1Mi' } });
/** Nodes that share a connection: each has some five watches, and a server allows so many streams. */
const PER_CONNECTION = 20;

const { nodes, dir, server, token, ca } = JSON.parse(process.argv[2] ?? '{}') as HollowOptions;
const clock = realClock;
const log = createLog({ level: 'warn' });
const pair = await selfSigned(dir, { hostname: 'hollow', addresses: ['127.0.0.1'] }, clock);
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
process.once('disconnect', () => stop.abort());

const running: Promise<void>[] = [];
const transports: Transport[] = [];
let next = 0;
await Promise.all(Array.from({ length: AT_ONCE }, worker));
process.send?.('ready');
await Promise.all(running);
await Promise.all(transports.map((transport) => transport.close()));
process.disconnect?.();

async function worker(): Promise<void> {
	while (next < nodes) {
		await begin(next++);
	}
}

async function begin(index: number): Promise<void> {
	const transport = (transports[Math.floor(index / PER_CONNECTION)] ??= createTransport({
		server,
		tls: { ca },
		token: () => token,
		clock,
	}));
	const client = createClient(transport, { userAgent: 'hollow' });
	const rootDir = join(dir, `node-${index}`);
	const agent = createAgent(
		{
			...{ nodeName: `hollow-${index}`, rootDir, podLogsDir: join(rootDir, 'logs'), nodeIps: ['127.0.0.1'] },
			...{ clusterDns: [], clusterDomain: 'cluster.local', port: 0, bindAddress: '127.0.0.1' },
			...{ serving: () => pair, clientCas: () => ca, cgroupParent: '', version: KUBELET_VERSION },
			kubelet: HOLLOW,
		},
		{ client, runtime: new SimulatedRuntime({ clock }), clock, log, metrics: createMetrics() },
	);
	const ready = Promise.withResolvers<void>();
	const run = agent.run(stop.signal, ready.resolve);
	run.catch(ready.reject);
	running.push(run);
	await ready.promise;
}
