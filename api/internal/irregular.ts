/**
 * Where Go's internal types differ from the versioned ones that the contract has: names of fields that are not just capitalised, and types whose
 * fields stand in another order, have other zero values or no counterpart. Errors that quote a whole value print it in that form.
 */

/** JSON name to Go name. */
export const GO_NAMES: Readonly<Record<string, string>> = {
	apiGroup: 'APIGroup',
	apiGroups: 'APIGroups',
	apiVersion: 'APIVersion',
	apiVersions: 'APIVersions',
	awsElasticBlockStore: 'AWSElasticBlockStore',
	bool: 'BoolValue',
	bools: 'BoolValues',
	caBundle: 'CABundle',
	cel: 'CEL',
	cephfs: 'CephFS',
	chapAuthDiscovery: 'DiscoveryCHAPAuth',
	chapAuthSession: 'SessionCHAPAuth',
	cidr: 'CIDR',
	cidrs: 'CIDRs',
	csi: 'CSI',
	diskURI: 'DataDiskURI',
	dnsConfig: 'DNSConfig',
	dnsPolicy: 'DNSPolicy',
	endpoints: 'EndpointsName',
	externalID: 'DoNotUseExternalID',
	fc: 'FC',
	fsGroup: 'FSGroup',
	fsGroupChangePolicy: 'FSGroupChangePolicy',
	fsGroupPolicy: 'FSGroupPolicy',
	fsType: 'FSType',
	gcePersistentDisk: 'GCEPersistentDisk',
	gid: 'GID',
	gmsaCredentialSpec: 'GMSACredentialSpec',
	gmsaCredentialSpecName: 'GMSACredentialSpecName',
	grpc: 'GRPC',
	http: 'HTTP',
	httpGet: 'HTTPGet',
	httpHeaders: 'HTTPHeaders',
	int: 'IntValue',
	ints: 'IntValues',
	ip: 'IP',
	ipBlock: 'IPBlock',
	ipFamilies: 'IPFamilies',
	ipFamilyPolicy: 'IPFamilyPolicy',
	ipMode: 'IPMode',
	ips: 'IPs',
	iqn: 'IQN',
	iscsi: 'ISCSI',
	iscsiInterface: 'ISCSIInterface',
	jsonPatch: 'JSONPatch',
	jsonPath: 'JSONPath',
	lastState: 'LastTerminationState',
	nfs: 'NFS',
	os: 'OS',
	osImage: 'OSImage',
	pdName: 'PDName',
	qosClass: 'QOSClass',
	rbd: 'RBD',
	reportingComponent: 'ReportingController',
	seLinuxChangePolicy: 'SELinuxChangePolicy',
	seLinuxMount: 'SELinuxMount',
	seLinuxOptions: 'SELinuxOptions',
	sslEnabled: 'SSLEnabled',
	storageos: 'StorageOS',
	string: 'StringValue',
	strings: 'StringValues',
	tcpSocket: 'TCPSocket',
	tls: 'TLS',
	ttlSecondsAfterFinished: 'TTLSecondsAfterFinished',
	tty: 'TTY',
	uid: 'UID',
	url: 'URL',
	versions: 'VersionValues',
	wwids: 'WWIDs',
};

/** By the contract's type: its fields in order, each "GoName", or "GoName=jsonName=zero" (no JSON name: internal only). */
export const IRREGULAR: Readonly<Record<string, string>> = {
	'apiextensions/v1.JSONSchemaProps':
		'ID=id Schema=$schema Ref=$ref Description Type Nullable Format Title Default Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Enum MaxProperties MinProperties Required Items AllOf OneOf AnyOf Not Properties AdditionalProperties PatternProperties Dependencies AdditionalItems Definitions ExternalDocs Example XPreserveUnknownFields=x-kubernetes-preserve-unknown-fields XEmbeddedResource=x-kubernetes-embedded-resource XIntOrString=x-kubernetes-int-or-string XListMapKeys=x-kubernetes-list-map-keys XListType=x-kubernetes-list-type XMapType=x-kubernetes-map-type XValidations=x-kubernetes-validations',
	'admissionregistration/v1.NamedRuleWithOperations': 'ResourceNames RuleWithOperations=={}',
	'admissionregistration/v1.ServiceReference': 'Namespace Name Path Port=port=0',
	'admissionregistration/v1.ValidatingAdmissionPolicySpec':
		'ParamKind MatchConstraints Validations MatchConditions FailurePolicy AuditAnnotations Variables',
	'apps/v1.DaemonSetSpec': 'Selector Template UpdateStrategy MinReadySeconds TemplateGeneration==0 RevisionHistoryLimit',
	'apps/v1.DeploymentSpec':
		'Replicas=replicas=0 Selector Template Strategy MinReadySeconds RevisionHistoryLimit Paused RollbackTo==null ProgressDeadlineSeconds',
	'apps/v1.ReplicaSetSpec': 'Replicas=replicas=0 MinReadySeconds Selector Template',
	'apps/v1.RollingUpdateDaemonSet': 'MaxUnavailable=maxUnavailable=0 MaxSurge=maxSurge=0',
	'apps/v1.RollingUpdateDeployment': 'MaxUnavailable=maxUnavailable=0 MaxSurge=maxSurge=0',
	'apps/v1.RollingUpdateStatefulSetStrategy': 'Partition=partition=0 MaxUnavailable',
	'apps/v1.StatefulSetSpec':
		'Replicas=replicas=0 Selector Template VolumeClaimTemplates ServiceName PodManagementPolicy UpdateStrategy RevisionHistoryLimit MinReadySeconds PersistentVolumeClaimRetentionPolicy Ordinals',
	'apps/v1.StatefulSetStatus':
		'ObservedGeneration=observedGeneration=null Replicas ReadyReplicas CurrentReplicas UpdatedReplicas CurrentRevision UpdateRevision CollisionCount Conditions AvailableReplicas',
	'authentication/v1.TokenRequestSpec': 'Audiences ExpirationSeconds=expirationSeconds=0 BoundObjectRef',
	'autoscaling/v1.HorizontalPodAutoscalerSpec': 'ScaleTargetRef MinReplicas MaxReplicas Metrics==null Behavior==null',
	'autoscaling/v1.HorizontalPodAutoscalerStatus':
		'ObservedGeneration LastScaleTime CurrentReplicas DesiredReplicas CurrentMetrics==null Conditions==null',
	'autoscaling/v2.ContainerResourceMetricSource': 'Name Container Target',
	'autoscaling/v2.ContainerResourceMetricStatus': 'Name Container Current',
	'batch/v1.JobSpec':
		'Parallelism Completions PodFailurePolicy SuccessPolicy ActiveDeadlineSeconds BackoffLimit BackoffLimitPerIndex MaxFailedIndexes Selector ManualSelector Template TTLSecondsAfterFinished CompletionMode Suspend PodReplacementPolicy ManagedBy',
	'batch/v1.JobStatus':
		'Conditions StartTime CompletionTime Active Terminating Ready Succeeded Failed CompletedIndexes FailedIndexes UncountedTerminatedPods',
	'core/v1.NodeSpec': 'PodCIDRs ProviderID Unschedulable Taints ConfigSource DoNotUseExternalID',
	'core/v1.PersistentVolumeSpec':
		'Capacity GCEPersistentDisk AWSElasticBlockStore HostPath Glusterfs NFS RBD Quobyte ISCSI FlexVolume Cinder CephFS FC Flocker AzureFile VsphereVolume AzureDisk PhotonPersistentDisk PortworxVolume ScaleIO Local StorageOS CSI AccessModes ClaimRef PersistentVolumeReclaimPolicy StorageClassName MountOptions VolumeMode NodeAffinity VolumeAttributesClassName',
	'core/v1.PodSecurityContext':
		'HostNetwork==false HostPID==false HostIPC==false ShareProcessNamespace==null HostUsers==null SELinuxOptions WindowsOptions RunAsUser RunAsGroup RunAsNonRoot SupplementalGroups SupplementalGroupsPolicy FSGroup FSGroupChangePolicy Sysctls SeccompProfile AppArmorProfile SELinuxChangePolicy',
	'core/v1.PodSpec':
		'Volumes InitContainers Containers EphemeralContainers RestartPolicy TerminationGracePeriodSeconds ActiveDeadlineSeconds DNSPolicy NodeSelector ServiceAccountName AutomountServiceAccountToken NodeName SecurityContext ImagePullSecrets Hostname Subdomain SetHostnameAsFQDN Affinity SchedulerName Tolerations HostAliases PriorityClassName Priority PreemptionPolicy DNSConfig ReadinessGates RuntimeClassName Overhead EnableServiceLinks TopologySpreadConstraints OS SchedulingGates ResourceClaims Resources HostnameOverride SchedulingGroup',
	'core/v1.PodStatus':
		'ObservedGeneration Phase Conditions Message Reason NominatedNodeName HostIP HostIPs PodIPs StartTime QOSClass InitContainerStatuses ContainerStatuses EphemeralContainerStatuses Resize ResourceClaimStatuses ExtendedResourceClaimStatus AllocatedResources Resources NodeAllocatableResourceClaimStatuses',
	'core/v1.RBDPersistentVolumeSource':
		'CephMonitors=monitors=null RBDImage=image="" FSType RBDPool=pool="" RadosUser=user="" Keyring SecretRef ReadOnly',
	'core/v1.RBDVolumeSource':
		'CephMonitors=monitors=null RBDImage=image="" FSType RBDPool=pool="" RadosUser=user="" Keyring SecretRef ReadOnly',
	'core/v1.Secret': 'Immutable Data Type',
	'core/v1.ServiceAccountTokenProjection': 'Audience ExpirationSeconds=expirationSeconds=0 Path',
	'core/v1.ServiceSpec':
		'Type Ports Selector ClusterIP ClusterIPs IPFamilies IPFamilyPolicy ExternalName ExternalIPs LoadBalancerIP SessionAffinity SessionAffinityConfig LoadBalancerSourceRanges ExternalTrafficPolicy HealthCheckNodePort PublishNotReadyAddresses AllocateLoadBalancerNodePorts LoadBalancerClass InternalTrafficPolicy TrafficDistribution',
	'core/v1.Volume':
		'Name HostPath EmptyDir GCEPersistentDisk AWSElasticBlockStore GitRepo Secret NFS ISCSI Glusterfs PersistentVolumeClaim RBD Quobyte FlexVolume Cinder CephFS Flocker DownwardAPI FC AzureFile ConfigMap VsphereVolume AzureDisk PhotonPersistentDisk Projected PortworxVolume ScaleIO StorageOS CSI Ephemeral Image',
	'discovery/v1.EndpointSlice': 'AddressType Endpoints=endpoints=null Ports',
	'events/v1.Event':
		'InvolvedObject=={} Reason Message=="" Source=={} FirstTimestamp=={} LastTimestamp=={} Count==0 Type EventTime Series Action Related ReportingController ReportingInstance',
	'flowcontrol/v1.LimitedPriorityLevelConfiguration':
		'NominalConcurrencyShares=nominalConcurrencyShares=0 LimitResponse LendablePercent BorrowingLimitPercent',
	'resource/v1.DeviceAttribute': 'IntValue BoolValue StringValue VersionValue=version=null IntValues BoolValues StringValues VersionValues',
	'storage/v1.CSIDriverSpec':
		'AttachRequired FSGroupPolicy PodInfoOnMount VolumeLifecycleModes StorageCapacity TokenRequests RequiresRepublish SELinuxMount NodeAllocatableUpdatePeriodSeconds ServiceAccountTokenInSecrets PreventPodSchedulingIfMissing',
};
