/** The fields of KubeletConfiguration v1beta1 (kubelet.config.k8s.io, 1.36) and what may stand in them. Data. */

export type FieldKind =
	/** Go's text of a duration. */
	| 'duration'
	| 'bool'
	| 'int'
	| 'number'
	| 'string'
	| 'strings'
	/** String values by name. */
	| 'map'
	/** True or false by name. */
	| 'bools'
	/** Lists of strings by name. */
	| 'lists'
	/** A list of objects. */
	| 'objects'
	| { readonly [field: string]: FieldKind };

const logging: FieldKind = {
	format: 'string',
	flushFrequency: 'string',
	verbosity: 'int',
	vmodule: 'objects',
	options: { text: { splitStream: 'bool', infoBufferSize: 'string' }, json: { splitStream: 'bool', infoBufferSize: 'string' } },
};

export const FIELDS: { readonly [field: string]: FieldKind } = {
	apiVersion: 'string',
	kind: 'string',
	...{ enableServer: 'bool', staticPodPath: 'string', podLogsDir: 'string', syncFrequency: 'duration', fileCheckFrequency: 'duration' },
	...{ httpCheckFrequency: 'duration', staticPodURL: 'string', staticPodURLHeader: 'lists', address: 'string', port: 'int' },
	...{ readOnlyPort: 'int', tlsCertFile: 'string', tlsPrivateKeyFile: 'string', tlsCipherSuites: 'strings', tlsMinVersion: 'string' },
	...{ tlsCurvePreferences: 'strings', rotateCertificates: 'bool', serverTLSBootstrap: 'bool' },
	authentication: {
		x509: { clientCAFile: 'string' },
		webhook: { enabled: 'bool', cacheTTL: 'duration' },
		anonymous: { enabled: 'bool' },
	},
	authorization: { mode: 'string', webhook: { cacheAuthorizedTTL: 'duration', cacheUnauthorizedTTL: 'duration' } },
	...{ registryPullQPS: 'int', registryBurst: 'int', eventRecordQPS: 'int', eventBurst: 'int', enableDebuggingHandlers: 'bool' },
	...{ enableContentionProfiling: 'bool', healthzPort: 'int', healthzBindAddress: 'string', oomScoreAdj: 'int', clusterDomain: 'string' },
	...{ clusterDNS: 'strings', streamingConnectionIdleTimeout: 'duration', nodeStatusUpdateFrequency: 'duration' },
	...{
		nodeStatusReportFrequency: 'duration',
		nodeLeaseDurationSeconds: 'int',
		imageMinimumGCAge: 'duration',
		imageMaximumGCAge: 'duration',
	},
	...{ imageGCHighThresholdPercent: 'int', imageGCLowThresholdPercent: 'int', volumeStatsAggPeriod: 'duration', kubeletCgroups: 'string' },
	...{ systemCgroups: 'string', cgroupRoot: 'string', cgroupsPerQOS: 'bool', cgroupDriver: 'string', cpuManagerPolicy: 'string' },
	...{ singleProcessOOMKill: 'bool', cpuManagerPolicyOptions: 'map', cpuManagerReconcilePeriod: 'duration', memoryManagerPolicy: 'string' },
	...{ topologyManagerPolicy: 'string', topologyManagerScope: 'string', topologyManagerPolicyOptions: 'map', qosReserved: 'map' },
	...{ runtimeRequestTimeout: 'duration', hairpinMode: 'string', maxPods: 'int', podCIDR: 'string', podPidsLimit: 'int' },
	...{ resolvConf: 'string', runOnce: 'bool', cpuCFSQuota: 'bool', cpuCFSQuotaPeriod: 'duration', nodeStatusMaxImages: 'int' },
	...{ maxOpenFiles: 'int', contentType: 'string', kubeAPIQPS: 'int', kubeAPIBurst: 'int', serializeImagePulls: 'bool' },
	...{ maxParallelImagePulls: 'int', evictionHard: 'map', evictionSoft: 'map', evictionSoftGracePeriod: 'map' },
	...{ evictionPressureTransitionPeriod: 'duration', evictionMaxPodGracePeriod: 'int', evictionMinimumReclaim: 'map' },
	...{ mergeDefaultEvictionSettings: 'bool', podsPerCore: 'int', enableControllerAttachDetach: 'bool', protectKernelDefaults: 'bool' },
	...{ makeIPTablesUtilChains: 'bool', iptablesMasqueradeBit: 'int', iptablesDropBit: 'int', featureGates: 'bools', failSwapOn: 'bool' },
	memorySwap: { swapBehavior: 'string' },
	...{ containerLogMaxSize: 'string', containerLogMaxFiles: 'int', containerLogMaxWorkers: 'int', containerLogMonitorInterval: 'duration' },
	...{ configMapAndSecretChangeDetectionStrategy: 'string', systemReserved: 'map', kubeReserved: 'map', reservedSystemCPUs: 'string' },
	...{ showHiddenMetricsForVersion: 'string', systemReservedCgroup: 'string', kubeReservedCgroup: 'string' },
	...{ enforceNodeAllocatable: 'strings', allowedUnsafeSysctls: 'strings', volumePluginDir: 'string', providerID: 'string' },
	...{ kernelMemcgNotification: 'bool', logging, enableSystemLogHandler: 'bool', enableSystemLogQuery: 'bool' },
	...{ shutdownGracePeriod: 'duration', shutdownGracePeriodCriticalPods: 'duration', shutdownGracePeriodByPodPriority: 'objects' },
	crashLoopBackOff: { maxContainerRestartPeriod: 'duration' },
	...{ reservedMemory: 'objects', enableProfilingHandler: 'bool', enableDebugFlagsHandler: 'bool', seccompDefault: 'bool' },
	...{
		memoryThrottlingFactor: 'number',
		memoryReservationPolicy: 'string',
		registerWithTaints: 'objects',
		registerNode: 'bool',
		localStorageCapacityIsolation: 'bool',
	},
	tracing: { endpoint: 'string', samplingRatePerMillion: 'int' },
	...{ containerRuntimeEndpoint: 'string', imageServiceEndpoint: 'string', failCgroupV1: 'bool', userNamespaces: { idsPerPod: 'int' } },
	...{ imagePullCredentialsVerificationPolicy: 'string', preloadedImagesVerificationAllowlist: 'strings' },
};
