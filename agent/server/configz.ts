/** /configz: what the agent goes by, in the words of KubeletConfiguration v1beta1; what was configured stands over it. Pure. */
import { formatDuration } from '../../api/time.ts';
import { merge } from '../config/load.ts';
import { settingsIn } from '../config/settings.ts';
import { MAX_PODS } from '../node/capacity.ts';
import { EVICTION } from '../node/look.ts';
import type { AgentOptions } from '../options.ts';

export function configz(options: AgentOptions): object {
	const settings = settingsIn(options);
	const { apiVersion: _version, kind: _kind, ...given } = settings.given;
	const limits = options.eviction ?? EVICTION;
	const disk = `${limits.diskAvailableShare * 100}%`;
	const inodes = `${(limits.inodesFreeShare ?? limits.diskAvailableShare) * 100}%`;
	const effective = {
		enableServer: true,
		syncFrequency: goDuration(settings.syncMs),
		fileCheckFrequency: goDuration(settings.fileCheckMs),
		httpCheckFrequency: goDuration(settings.httpCheckMs),
		address: options.bindAddress ?? '0.0.0.0',
		port: options.port,
		authentication: { x509: {}, webhook: { enabled: true, cacheTTL: '2m0s' }, anonymous: { enabled: false } },
		authorization: { mode: 'Webhook', webhook: { cacheAuthorizedTTL: '5m0s', cacheUnauthorizedTTL: '30s' } },
		clusterDomain: options.clusterDomain,
		...(options.clusterDns.length === 0 ? {} : { clusterDNS: options.clusterDns }),
		nodeStatusUpdateFrequency: goDuration(settings.nodeStatusMs),
		nodeStatusReportFrequency: goDuration(settings.nodeReportMs),
		nodeLeaseDurationSeconds: settings.leaseSeconds,
		imageMinimumGCAge: goDuration(settings.images.minAgeMs),
		imageGCHighThresholdPercent: settings.images.highPercent,
		imageGCLowThresholdPercent: settings.images.lowPercent,
		cgroupRoot: options.cgroupParent,
		runtimeRequestTimeout: '2m0s',
		maxPods: options.maxPods ?? MAX_PODS,
		podPidsLimit: -1,
		evictionHard: {
			'memory.available': `${Math.round(limits.memoryAvailableBytes / 2 ** 20)}Mi`,
			'nodefs.available': disk,
			'nodefs.inodesFree': inodes,
			'imagefs.available': disk,
			'imagefs.inodesFree': inodes,
		},
		evictionPressureTransitionPeriod: '5m0s',
		failSwapOn: false,
		failCgroupV1: false,
		containerLogMaxSize: `${settings.logs.maxBytes / 2 ** 20}Mi`,
		containerLogMaxFiles: settings.logs.maxFiles,
		containerLogMonitorInterval: goDuration(settings.logs.monitorMs),
		configMapAndSecretChangeDetectionStrategy: 'Watch',
		crashLoopBackOff: { maxContainerRestartPeriod: goDuration(settings.maxRestartMs) },
		enforceNodeAllocatable: ['none'],
		registerNode: true,
		podLogsDir: options.podLogsDir,
	};
	return { kubeletconfig: merge(effective, given) };
}

function goDuration(ms: number): string {
	return formatDuration(BigInt(Math.round(ms * 1e6)));
}
