/** The agent of a cluster that it knows by a kubeconfig, or joins by a bootstrap one; its client certificate is renewed under way. */
import { join } from 'node:path';
import { joinCluster, clientPairOf, clusterCaOf } from '../../agent/certificates/join.ts';
import { CertificateMetrics } from '../../agent/certificates/metrics.ts';
import { clientCertificate } from '../../agent/certificates/request.ts';
import { RotatedCertificate } from '../../agent/certificates/rotated.ts';
import { CertificateStore } from '../../agent/certificates/store.ts';
import { linked } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import type { Service } from '../../base/service.ts';
import type { Client } from '../../client/client.ts';
import { accessFromKubeconfig } from '../../client/credentials.ts';
import type { TlsMaterial } from '../../client/dial.ts';
import { failover } from '../../client/failover.ts';
import { createTransport } from '../../client/http2.ts';
import { loadKubeconfig } from '../../client/kubeconfig.ts';
import { createClient } from '../../client/rest.ts';
import { TransportMetrics } from '../../client/transport-metrics.ts';
import { agentService, kubeletSettings } from './agent.ts';
import type { PartDeps } from './apiserver.ts';
import type { AgentConfig } from './config.ts';

export function joinedAgent(config: AgentConfig & { readonly kubeconfigFile: string }, deps: PartDeps): Service {
	return { name: 'agent', after: [], run: (signal, ready) => run(config, deps, signal, ready) };
}

async function run(
	config: AgentConfig & { readonly kubeconfigFile: string },
	deps: PartDeps,
	signal: AbortSignal,
	ready: () => void,
): Promise<void> {
	const { clock } = deps;
	const { kubeconfigFile, nodeName, rootDir } = config;
	const log = deps.log.with({ part: 'agent' });
	const settings = await kubeletSettings(config);
	const store = new CertificateStore(config.certDir ?? join(rootDir, 'pki'), 'kubelet-client');
	await joinCluster(
		{
			...{ kubeconfigFile, nodeName, store, clock, log },
			bootstrapFile: config.bootstrapKubeconfigFile,
			connect: (file) => connect(file, config.apiServers ?? [], clock).then(({ client }) => client),
		},
		signal,
	);
	const metrics = new CertificateMetrics(deps.metrics);
	let certificate: RotatedCertificate | undefined;
	const { client, server, renew } = await connect(kubeconfigFile, config.apiServers ?? [], clock, deps, (given) => {
		const pair = certificate?.current;
		return pair === undefined ? given : { ...given, cert: pair.certPem, key: pair.keyPem };
	});
	const first = await clientPairOf(kubeconfigFile);
	if (first !== undefined || settings.server.rotateCertificates) {
		const wanted = clientCertificate(nodeName);
		certificate = await RotatedCertificate.open({
			...{ client, clock, log, store, first, wanted: () => wanted },
			renewed: (ageSeconds) => {
				metrics.clientRenewed(ageSeconds);
				log.info('the client certificate was renewed');
				renew();
			},
			failed: () => metrics.clientErrors.inc(),
		});
		metrics.watchClient(() => certificate?.secondsLeft);
	}
	const clientCaPem = await clusterCaOf(kubeconfigFile);
	const extras = { settings, certificates: metrics, apiServer: server, ...(clientCaPem === undefined ? {} : { clientCaPem }) };
	const agent = await agentService(config, client, deps, [], extras);
	using link = linked(signal);
	const rotating = settings.server.rotateCertificates ? certificate?.run(link.signal) : undefined;
	await agent.run(signal, ready).finally(() => link.abort());
	await rotating;
}

interface Connected {
	readonly client: Client;
	/** The first of them, "https://10.0.0.1:6443". */
	readonly server: string;
	/** New connections, with the certificate as it is now. */
	renew(): void;
}

async function connect(
	file: string,
	others: readonly string[],
	clock: Clock,
	deps?: PartDeps,
	changed: (given: TlsMaterial) => TlsMaterial = (given) => given,
): Promise<Connected> {
	const { transport: options } = accessFromKubeconfig(await loadKubeconfig([file]), clock);
	const given = options.tls;
	const tls = async (): Promise<TlsMaterial> => changed((typeof given === 'function' ? await given() : given) ?? {});
	const servers = [...new Set([options.server, ...others])];
	const transports = servers.map((server) => createTransport({ ...options, server, tls }));
	const one = failover(transports, (to) => deps?.log.warn('another API server is asked now', { server: servers[to] ?? '' }));
	const measured = deps === undefined ? one : new TransportMetrics(deps.metrics, clock).measured(one, new URL(options.server).host);
	return {
		client: createClient(measured, { userAgent: 'kubelet' }),
		server: options.server,
		renew: () => {
			for (const transport of transports) transport.renew();
		},
	};
}
