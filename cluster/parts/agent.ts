/** The agent as a part: its runtime is whatever answers on the CRI socket. */
import { join } from 'node:path';
import { linked } from '../../base/abort.ts';
import type { Log } from '../../base/log.ts';
import type { Service } from '../../base/service.ts';
import type { Client } from '../../client/client.ts';
import { createClient } from '../../client/rest.ts';
import { createAgent } from '../../agent/agent.ts';
import { CertificateMetrics } from '../../agent/certificates/metrics.ts';
import { withSettings } from '../../agent/config/apply.ts';
import { loadConfiguration } from '../../agent/config/load.ts';
import { settingsOf, withoutEffect, type KubeletSettings } from '../../agent/config/settings.ts';
import { addressesOf } from '../../agent/node/addresses.ts';
import { serviceManagerIn } from '../../agent/node/watchdog.ts';
import { tracedTransport } from '../../agent/tracing/api-spans.ts';
import { criSpans } from '../../agent/tracing/cri-spans.ts';
import { connectCri } from '../../agent/runtime/cri.ts';
import type { TraceExporter } from '../../agent/tracing/exporter.ts';
import { capabilitiesOf } from '../../host/capabilities.ts';
import { MountHelper } from '../../host/mount-helper.ts';
import type { Mounter } from '../../host/mounter.ts';
import type { PartDeps } from './apiserver.ts';
import type { AgentConfig } from './config.ts';
import { FollowedText } from './followed-text.ts';
import { KUBELET_VERSION } from './kubelet-version.ts';
import { openServing } from './serving.ts';

export interface AgentExtras {
	/** Read already. */
	readonly settings?: KubeletSettings;
	/** Where no file of client CAs is configured, PEM. */
	readonly clientCaPem?: string;
	/** Whom the client's requests travel to, "https://10.0.0.1:6443"; absent: they stay in this process. */
	readonly apiServer?: string;
	readonly certificates?: CertificateMetrics;
}

export async function kubeletSettings({ kubeletConfigFile, kubeletConfigDir, evictionHard }: AgentConfig): Promise<KubeletSettings> {
	const given = await loadConfiguration({ file: kubeletConfigFile, folder: kubeletConfigDir });
	return settingsOf(evictionHard === undefined ? given : { evictionHard, ...given });
}

export async function agentService(
	config: AgentConfig,
	client: Client,
	deps: PartDeps,
	after: readonly string[],
	extras: AgentExtras = {},
): Promise<Service> {
	const log = deps.log.with({ part: 'agent' });
	const { nodeName, rootDir, podLogsDir, nodeIps, clusterDns, clusterDomain, port, cgroupParent } = config;
	const settings = extras.settings ?? (await kubeletSettings(config));
	const { clientCaFile = config.clientCaFile } = settings.server;
	const cas = clientCaFile === undefined ? undefined : await FollowedText.open(clientCaFile, isBundle);
	const idle = withoutEffect(settings.given);
	if (idle.length > 0) log.warn('fields of the kubelet configuration change nothing here', { fields: idle.join(', ') });
	const { externalIps, nodeLabels, healthzPort, kubernetesService, standalone, credentialProviders } = config;
	const serviceManager = serviceManagerIn(process.env);
	const base = {
		...{ nodeName, rootDir, podLogsDir, nodeIps, clusterDns, clusterDomain, port, cgroupParent, version: KUBELET_VERSION },
		pluginSockets: true,
		kernelLog: '/dev/kmsg',
		clientCas: () => cas?.text ?? extras.clientCaPem ?? '',
		...(serviceManager === undefined ? {} : { serviceManager }),
		...(externalIps === undefined ? {} : { externalIps }),
		...(nodeLabels === undefined ? {} : { labels: nodeLabels }),
		...(healthzPort === undefined ? {} : { healthzPort }),
		...(kubernetesService === undefined ? {} : { kubernetesService }),
		...(standalone === undefined ? {} : { standalone }),
		...(credentialProviders === undefined ? {} : { credentialProviders }),
	};
	const serving = await openServing({
		settings: settings.server,
		files: config.serving,
		certDir: config.certDir ?? join(rootDir, 'pki'),
		nodeName,
		addresses: addressesOf(base),
		client,
		metrics: extras.certificates ?? new CertificateMetrics(deps.metrics),
		clock: deps.clock,
		log,
	});
	const options = withSettings({ ...base, serving: () => serving.current() }, settings);
	return {
		name: 'agent',
		after,
		async run(signal, ready) {
			const traces = await tracesOf(settings, { nodeName, clock: deps.clock, log });
			const { runtimeEndpoint } = config;
			const observe = traces && criSpans(traces.tracer, runtimeEndpoint);
			const runtime = await connectCri(runtimeEndpoint, deps.clock, settings.node.runtimeRequestMs, observe);
			const mounter = await mounterOf(rootDir, log);
			await using _mounter = { [Symbol.asyncDispose]: async () => mounter?.stop() };
			using link = linked(signal);
			const following = Promise.all([
				serving.follow(deps.clock, log, link.signal),
				cas?.follow(deps.clock, log, link.signal),
				traces?.run(link.signal),
			]);
			const optional = { ...(mounter === undefined ? {} : { mounter }), ...(traces === undefined ? {} : { tracer: traces.tracer }) };
			const { apiServer } = extras;
			const traced = traces && apiServer !== undefined ? tracedTransport(client.transport, traces.tracer, apiServer) : undefined;
			const own = traced === undefined ? client : createClient(traced, { userAgent: 'kubelet' });
			await createAgent(options, { ...deps, client: own, runtime, log, ...optional })
				.run(signal, ready)
				.finally(() => link.abort());
			await following;
		},
	};
}

/** Loaded only where spans are asked for. */
async function tracesOf(
	{ node: { tracing } }: KubeletSettings,
	given: Omit<ConstructorParameters<typeof TraceExporter>[0], 'endpoint' | 'perMillion'>,
): Promise<TraceExporter | undefined> {
	if (tracing === undefined) return undefined;
	const exporter = await import('../../agent/tracing/exporter.ts');
	return new exporter.TraceExporter({ ...tracing, ...given });
}

/** Of who may mount. */
async function mounterOf(rootDir: string, log: Log): Promise<Mounter | undefined> {
	if ((await capabilitiesOf('self', 'CapEff')).includes('SYS_ADMIN')) return MountHelper.start(join(rootDir, 'bin'), log);
	log.warn('files of secrets and tokens are on the disk: this process may not mount');
	return undefined;
}

/** A bundle without a certificate would lock everybody out. */
function isBundle(text: string): boolean {
	return text.includes('-----BEGIN CERTIFICATE-----');
}
