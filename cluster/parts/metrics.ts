/** The provider of metrics.k8s.io as a part: `kubectl top`, and autoscaling by CPU and memory. It asks kubelets only when it is asked. */
import { readFile } from 'node:fs/promises';
import { linked } from '../../base/abort.ts';
import type { Service } from '../../base/service.ts';
import type { Client } from '../../client/client.ts';
import type { WhenUsable } from '../usable.ts';
import type { PartDeps } from './apiserver.ts';
import type { MetricsConfig } from './config.ts';
import { fieldsOf, KeyPair } from './key-pair.ts';
import { keepTrying } from './keep-trying.ts';
import { publishMetrics } from './metrics-objects.ts';

interface MetricsClients {
	readonly own: Client;
	/** Makes the objects of `publish`. */
	readonly publisher: Client;
}

/** @param whenUsable what serving and publishing wait for */
export function metricsService(
	config: MetricsConfig,
	clients: MetricsClients,
	deps: PartDeps,
	after: readonly string[],
	whenUsable: WhenUsable,
): Service {
	const own = { ...deps, log: deps.log.with({ part: 'metrics' }) };
	return {
		name: 'metrics',
		after,
		async run(signal, ready) {
			ready(); // nobody waits for metrics at the start
			try {
				await keepTrying(own, 'metrics are not served; trying again', () => serve(config, clients, own, whenUsable, signal), signal);
			} catch (error) {
				if (!signal.aborted) throw error;
			}
		},
	};
}

/** Until the signal aborts; rejects when it cannot be published. */
async function serve(
	config: MetricsConfig,
	{ own, publisher }: MetricsClients,
	{ clock, log }: PartDeps,
	whenUsable: WhenUsable,
	signal: AbortSignal,
): Promise<void> {
	const { api, publish } = config;
	await whenUsable(signal);
	const [{ serveMetrics }, pair, frontProxyCa, caPem] = await Promise.all([
		import('../../controlplane/metrics/server.ts'),
		KeyPair.open(config.serving, fieldsOf('serving')),
		readFile(config.frontProxyCaFile, 'utf8'),
		readFile(api.caFile, 'utf8'),
	]);
	using stopping = linked(signal);
	const listening = Promise.withResolvers<number>();
	const following = pair.follow(clock, log, stopping.signal);
	const serving = serveMetrics(
		{
			...{ bindAddress: config.bindAddress, port: config.port, frontProxyCa },
			certificate: () => pair,
			kubelets: () => kubeletTls(config),
		},
		{ client: own, clock, log },
		stopping.signal,
		listening.resolve,
	);
	serving.catch(listening.reject);
	try {
		const port = await listening.promise;
		log.info('serving metrics.k8s.io', { address: config.bindAddress, port });
		if (publish !== undefined) await publishMetrics(publisher, publish.address, port, caPem, stopping.signal);
		await serving;
	} finally {
		stopping.abort();
		await Promise.allSettled([serving, following]);
	}
}

async function kubeletTls({ api, kubeletCaFile = api.caFile, kubeletInsecureTls = false }: MetricsConfig): Promise<{
	cert: string;
	key: string;
	ca: string | undefined;
}> {
	const [cert, key, ca] = await Promise.all([
		readFile(api.certFile, 'utf8'),
		readFile(api.keyFile, 'utf8'),
		kubeletInsecureTls ? undefined : readFile(kubeletCaFile, 'utf8'),
	]);
	return { cert, key, ca };
}
