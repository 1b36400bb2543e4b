/** /configz: what the agent goes by, in the words of KubeletConfiguration v1beta1. Pure. */
import { EVICTION } from '../node/look.ts';
import { MAX_PODS } from '../node/capacity.ts';
import { HIGH_PERCENT, LOW_PERCENT } from '../gc/images.ts';
import { ROTATION } from '../gc/log-rotation.ts';
import type { AgentOptions } from '../options.ts';

export function configz(options: AgentOptions): object {
	const limits = options.eviction ?? EVICTION;
	const disk = `${limits.diskAvailableShare * 100}%`;
	const inodes = `${(limits.inodesFreeShare ?? limits.diskAvailableShare) * 100}%`;
	return {
		kubeletconfig: {
			enableServer: true,
			syncFrequency: '1m0s',
			fileCheckFrequency: '20s',
			address: options.bindAddress ?? '0.0.0.0',
			port: options.port,
			authentication: { x509: {}, webhook: { enabled: true, cacheTTL: '2m0s' }, anonymous: { enabled: false } },
			authorization: { mode: 'Webhook', webhook: { cacheAuthorizedTTL: '5m0s', cacheUnauthorizedTTL: '30s' } },
			clusterDomain: options.clusterDomain,
			...(options.clusterDns.length === 0 ? {} : { clusterDNS: options.clusterDns }),
			nodeStatusUpdateFrequency: '10s',
			nodeStatusReportFrequency: '5m0s',
			nodeLeaseDurationSeconds: 40,
			imageMinimumGCAge: '2m0s',
			imageGCHighThresholdPercent: HIGH_PERCENT,
			imageGCLowThresholdPercent: LOW_PERCENT,
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
			containerLogMaxSize: `${ROTATION.maxBytes / 2 ** 20}Mi`,
			containerLogMaxFiles: ROTATION.maxFiles,
			containerLogMonitorInterval: '10s',
			configMapAndSecretChangeDetectionStrategy: 'Watch',
			enforceNodeAllocatable: ['none'],
			registerNode: true,
			podLogsDir: options.podLogsDir,
		},
	};
}
