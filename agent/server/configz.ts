/** /configz: what the agent goes by, in the words of KubeletConfiguration v1beta1; what was configured stands over it. Pure. */
import { formatDuration } from '../../api/time.ts';
import { merge, type KubeletConfiguration } from '../config/load.ts';
import { evictionOf } from '../config/resource-settings.ts';
import { settingsIn } from '../config/settings.ts';
import { MAX_PODS } from '../node/capacity.ts';
import type { AgentOptions } from '../options.ts';

export function configz(options: AgentOptions): object {
	const settings = settingsIn(options);
	const { apiVersion: _version, kind: _kind, ...given } = settings.given;
	const { resources, server, imagePulls, placement } = settings;
	const effective = {
		enableServer: server.enabled,
		readOnlyPort: server.readOnlyPort,
		healthzBindAddress: server.healthzAddress,
		enableDebuggingHandlers: server.debugging,
		enableSystemLogHandler: server.systemLogs,
		enableSystemLogQuery: server.logQuery,
		enableProfilingHandler: server.profiling,
		enableDebugFlagsHandler: server.debugFlags,
		rotateCertificates: server.rotateCertificates,
		serverTLSBootstrap: server.tlsBootstrap,
		streamingConnectionIdleTimeout: goDuration(server.streamIdleMs),
		registryPullQPS: imagePulls.pulls.qps,
		registryBurst: imagePulls.pulls.burst,
		serializeImagePulls: imagePulls.pulls.atOnce === 1,
		imagePullCredentialsVerificationPolicy: imagePulls.verification,
		cpuManagerPolicy: placement.cpuPolicy,
		cpuManagerReconcilePeriod: goDuration(placement.cpuReconcileMs),
		memoryManagerPolicy: placement.memoryPolicy,
		topologyManagerPolicy: placement.topologyPolicy,
		topologyManagerScope: placement.topologyScope,
		memorySwap: { swapBehavior: resources.swapBehavior },
		enableControllerAttachDetach: true,
		syncFrequency: goDuration(settings.syncMs),
		fileCheckFrequency: goDuration(settings.fileCheckMs),
		httpCheckFrequency: goDuration(settings.httpCheckMs),
		address: options.bindAddress ?? '0.0.0.0',
		port: options.port,
		authentication: {
			x509: {},
			webhook: { enabled: server.tokens, cacheTTL: goDuration(server.tokenMs) },
			anonymous: { enabled: server.anonymous },
		},
		authorization: {
			mode: server.alwaysAllow ? 'AlwaysAllow' : 'Webhook',
			webhook: { cacheAuthorizedTTL: goDuration(server.allowedMs), cacheUnauthorizedTTL: goDuration(server.deniedMs) },
		},
		clusterDomain: options.clusterDomain,
		...(options.clusterDns.length === 0 ? {} : { clusterDNS: options.clusterDns }),
		nodeStatusUpdateFrequency: goDuration(settings.nodeStatusMs),
		nodeStatusReportFrequency: goDuration(settings.nodeReportMs),
		nodeLeaseDurationSeconds: settings.leaseSeconds,
		imageMinimumGCAge: goDuration(settings.images.minAgeMs),
		imageMaximumGCAge: goDuration(settings.images.maxAgeMs),
		imageGCHighThresholdPercent: settings.images.highPercent,
		imageGCLowThresholdPercent: settings.images.lowPercent,
		cgroupRoot: options.cgroupParent,
		runtimeRequestTimeout: goDuration(settings.node.runtimeRequestMs),
		maxPods: options.maxPods ?? MAX_PODS,
		podPidsLimit: resources.podPidsLimit,
		cgroupsPerQOS: resources.cgroupsPerQos,
		cpuCFSQuota: resources.cpuQuota,
		cpuCFSQuotaPeriod: goDuration(resources.cpuPeriodUs / 1000),
		evictionHard: evictionOf(given).hard,
		evictionPressureTransitionPeriod: goDuration(resources.pressureTransitionMs),
		evictionMaxPodGracePeriod: resources.maxPodGraceSeconds,
		localStorageCapacityIsolation: resources.localStorageIsolation,
		failSwapOn: settings.node.failSwapOn,
		failCgroupV1: settings.node.failCgroupV1,
		nodeStatusMaxImages: settings.node.maxImages,
		resolvConf: settings.node.resolvConf,
		volumeStatsAggPeriod: goDuration(settings.node.volumeStatsMs),
		seccompDefault: settings.node.seccompDefault,
		protectKernelDefaults: settings.node.protectKernelDefaults,
		containerLogMaxSize: `${settings.logs.maxBytes / 2 ** 20}Mi`,
		containerLogMaxFiles: settings.logs.maxFiles,
		containerLogMaxWorkers: settings.logs.workers,
		containerLogMonitorInterval: goDuration(settings.logs.monitorMs),
		configMapAndSecretChangeDetectionStrategy: 'Watch',
		crashLoopBackOff: { maxContainerRestartPeriod: goDuration(settings.maxRestartMs) },
		enforceNodeAllocatable: resources.enforce.size === 0 ? ['none'] : [...resources.enforce],
		registerNode: settings.node.register,
		podLogsDir: options.podLogsDir,
	};
	return { kubeletconfig: merge(effective, { ...given, ...hidden(given) }) };
}

/** Headers for the server of static pods are its credentials. */
function hidden({ staticPodURLHeader: headers }: KubeletConfiguration): KubeletConfiguration {
	if (typeof headers !== 'object' || headers === null) return {};
	return { staticPodURLHeader: Object.fromEntries(Object.keys(headers).map((name) => [name, ['<masked>']])) };
}

function goDuration(ms: number): string {
	return formatDuration(BigInt(Math.round(ms * 1e6)));
}
