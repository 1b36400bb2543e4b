/** Upstream's features by their stage, and whether they are on unless told: kubernetes_feature_enabled, by which clients and tests see what to expect. */
import { Gauge, type Registry } from '../base/metrics.ts';

interface Features {
	/** As upstream's label has it; '' for what is generally available. */
	readonly stage: '' | 'BETA' | 'ALPHA' | 'DEPRECATED';
	readonly enabled: boolean;
	/** Separated by white space. */
	readonly names: string;
}

/** Those of v1.36. */
const FEATURES: readonly Features[] = [
	{
		stage: '',
		enabled: true,
		names: `
			APIServerTracing AllowServiceExternalIPs AnonymousAuthConfigurableEndpoints AnyVolumeDataSource AuthorizeNodeWithSelectors
			AuthorizeWithSelectors BtreeWatchCache CPUManagerPolicyOptions CRDValidationRatcheting CSIServiceAccountTokenSecrets
			ConsistentListFromCache CustomCPUCFSQuotaPeriod CustomResourceFieldSelectors DRAAdminAccess DRAPrioritizedList
			DeclarativeValidation DisableAllocatorDualWrite DynamicResourceAllocation ExecProbeTimeout ExternalServiceAccountTokenSigner
			ImageMaximumGCAge ImageVolume InPlacePodVerticalScaling JobBackoffLimitPerIndex JobManagedBy JobPodReplacementPolicy
			JobSuccessPolicy KubeletCgroupDriverFromCRI KubeletFineGrainedAuthz KubeletPSI KubeletPodResourcesDynamicResources
			KubeletPodResourcesGet KubeletTracing LogarithmicScaleDown MatchLabelKeysInPodAffinity MultiCIDRServiceAllocator
			MutableCSINodeAllocatableCount MutatingAdmissionPolicy NFTablesProxyMode NodeInclusionPolicyInPodTopologySpread NodeLogQuery
			NodeSwap OrderedNamespaceDeletion PodLifecycleSleepAction PodLifecycleSleepActionAllowZero PodObservedGenerationTracking
			PodSchedulingReadiness PreferSameTrafficDistribution ProcMountType RecoverVolumeExpansionFailure RecursiveReadOnlyMounts
			RelaxedDNSSearchValidation RelaxedEnvironmentVariableValidation ResilientWatchCacheInitialization RetryGenerateName
			SELinuxChangePolicy SELinuxMountReadWriteOncePod SchedulerQueueingHints SeparateTaintEvictionController ServiceAccountTokenJTI
			ServiceAccountTokenNodeBinding ServiceAccountTokenNodeBindingValidation ServiceAccountTokenPodNodeInfo SidecarContainers
			StreamingCollectionEncodingToJSON StreamingCollectionEncodingToProtobuf StructuredAuthenticationConfiguration
			SupplementalGroupsPolicy SystemdWatchdog TopologyManagerPolicyOptions UserNamespacesSupport VolumeAttributesClass WinDSR
			WinOverlay
		`,
	},
	{
		stage: 'BETA',
		enabled: true,
		names: `
			APIResponseCompression APIServerIdentity AllowParsingUserUIDFromCertAuth AuthorizePodWebsocketUpgradeCreatePermission
			CPUManagerPolicyBetaOptions CRDObservedGenerationTracking ClearingNominatedNodeNameAfterBinding ComponentFlagz ComponentStatusz
			ConstrainedImpersonation ContainerCheckpoint ContainerRestartRules DRAConsumableCapacity DRADeviceBindingConditions
			DRADeviceTaints DRAExtendedResource DRAPartitionableDevices DRAResourceClaimDeviceStatus
			DRAResourceClaimGranularStatusAuthorization DRASchedulerFilterTimeout DeclarativeValidationBeta
			DeploymentReplicaSetTerminatingReplicas DetectCacheInconsistency EnvFiles ExtendWebSocketsToKubelet GracefulNodeShutdown
			GracefulNodeShutdownBasedOnPodPriority HPAConfigurableTolerance HostnameOverride InPlacePodLevelResourcesVerticalScaling
			InPlacePodVerticalScalingInitContainers KubeletCrashLoopBackOffMax KubeletEnsureSecretPulledImages KubeletSeparateDiskGC
			KubeletServiceAccountTokenForCredentialProviders ListFromCacheSnapshot MatchLabelKeysInPodTopologySpread
			MatchLabelKeysInPodTopologySpreadSelectorMerge MutablePodResourcesForSuspendedJobs MutableSchedulingDirectivesForSuspendedJobs
			NodeDeclaredFeatures NominatedNodeNameForExpectation OpenAPIEnums OpportunisticBatching PLEGOnDemandRelist PodDeletionCost
			PodLevelResources PodReadyToStartContainersCondition PodTopologyLabelsAdmission PortForwardWebsockets
			PreventStaticPodAPIReferences RelaxedServiceNameValidation ReloadKubeletClientCAFile ReloadKubeletServerCertificateFile
			RemoteRequestHeaderUID ResourceHealthStatus ResourceHealthStatusMessage RestartAllContainersOnContainerExits
			RotateKubeletServerCertificate SchedulerAsyncPreemption SchedulerPopFromBackoffQ ServiceAccountNodeAudienceRestriction
			SizeBasedListCostEstimate StaleControllerConsistencyDaemonSet StaleControllerConsistencyJob StaleControllerConsistencyReplicaSet
			StaleControllerConsistencyStatefulSet StatefulSetSemanticRevisionComparison StorageVersionHash StrictIPCIDRValidation
			StructuredAuthenticationConfigurationEgressSelector StructuredAuthenticationConfigurationJWKSMetrics
			TokenRequestServiceAccountUIDValidation TopologyManagerPolicyBetaOptions TranslateStreamCloseWebsocketRequests
			UnauthenticatedHTTP2DOSMitigation UnknownVersionInteroperabilityProxy WatchCacheInitializationPostStartHook WatchList
			WindowsGracefulNodeShutdown
		`,
	},
	{
		stage: 'BETA',
		enabled: false,
		names: `
			ClusterTrustBundle ClusterTrustBundleProjection ConcurrentWatchObjectDecode CoordinatedLeaderElection DRADeviceTaintRules
			LocalStorageCapacityIsolationFSQuotaMonitoring MaxUnavailableStatefulSet PodCertificateRequest SELinuxMount SchedulerAsyncAPICalls
			StorageVersionMigrator
		`,
	},
	{
		stage: 'ALPHA',
		enabled: false,
		names: `
			APIServingWithRoutine AllowUnsafeMalformedObjectDeletion CBORServingAndStorage CPUManagerPolicyAlphaOptions CRIListStreaming
			CSIVolumeHealth CloudControllerManagerWatchBasedRoutesReconciliation CloudControllerManagerWebhook ContainerStopSignals
			CrossNamespaceVolumeDataSource DRAListTypeAttributes DRANodeAllocatableResources DRAResourcePoolStatus DRAWorkloadResourceClaims
			EventedPLEG GangScheduling GenericWorkload HPAScaleToZero ImageVolumeWithDigest InPlacePodVerticalScalingExclusiveCPUs
			InPlacePodVerticalScalingExclusiveMemory KubeletInUserNamespace ManifestBasedAdmissionControlConfig MemoryQoS
			MutablePVNodeAffinity PersistentVolumeClaimUnusedSinceTime PodAndContainerStatsFromCRI PodLevelResourceManagers
			PodLogsQuerySplitStreams PodsAPI QOSReserved ReduceDefaultCrashLoopBackOffDecay RuntimeClassInImageCriApi ShardedListAndWatch
			StorageCapacityScoring StorageVersionAPI TaintTolerationComparisonOperators TopologyAwareWorkloadScheduling
			TopologyManagerPolicyAlphaOptions UserNamespacesHostNetworkSupport VolumeLimitScaling WindowsCPUAndMemoryAffinity
			WorkloadAwarePreemption WorkloadWithJob
		`,
	},
	{
		stage: 'DEPRECATED',
		enabled: true,
		names: `
			AggregatedDiscoveryRemoveBetaType DisableCPUQuotaWithExclusiveCPUs DisableNodeKubeProxyVersion
			KubeletPodResourcesListUseActivePods ServiceCIDRStatusFieldWiping StorageNamespaceIndex
		`,
	},
	{
		stage: 'DEPRECATED',
		enabled: false,
		names: `
			AllowDNSOnlyNodeCSR AllowInsecureKubeletCertificateSigningRequests AllowOverwriteTerminationGracePeriodSeconds
			ChangeContainerStatusOnKubeletRestart DeclarativeValidationTakeover GitRepoVolumeDriver KMSv1 KubeletRegistrationGetOnExistsOnly
			SeparateCacheWatchRPC WindowsHostNetwork
		`,
	},
];

export function featureMetrics(registry: Registry): void {
	if (registry.getSingleMetric('kubernetes_feature_enabled') !== undefined) return;
	let filled = false;
	new Gauge<'name' | 'stage'>({
		...{ name: 'kubernetes_feature_enabled', labelNames: ['name', 'stage'], registers: [registry] },
		help: 'This metric records the data about the stage and enablement of a k8s feature.',
		// Hundreds of values, which only those have who are asked for them.
		collect() {
			if (filled) return;
			filled = true;
			for (const { stage, enabled, names } of FEATURES)
				for (const name of names.trim().split(/\s+/)) this.set({ name, stage }, enabled ? 1 : 0);
		},
	});
}
