/** Generated from api/contract by api/generate. Do not edit. */

export interface APIGroup {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	name: string;
	preferredVersion?: GroupVersionForDiscovery | undefined;
	serverAddressByClientCIDRs?: ServerAddressByClientCIDR[] | undefined;
	versions: GroupVersionForDiscovery[];
}
export interface APIGroupDiscovery {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	versions?: APIVersionDiscovery[] | undefined;
}
export interface APIGroupDiscoveryList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: APIGroupDiscovery[];
	metadata: ListMeta;
}
export interface APIGroupList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	groups: APIGroup[];
}
export interface APIResource {
	categories?: string[] | undefined;
	group?: string | undefined;
	kind: string;
	name: string;
	namespaced: boolean;
	shortNames?: string[] | undefined;
	singularName: string;
	storageVersionHash?: string | undefined;
	verbs: Verbs;
	version?: string | undefined;
}
export interface APIResourceDiscovery {
	categories?: string[] | undefined;
	resource: string;
	responseKind?: GroupVersionKind | undefined;
	scope: ResourceScope;
	shortNames?: string[] | undefined;
	singularResource: string;
	subresources?: APISubresourceDiscovery[] | undefined;
	verbs: string[];
}
export interface APIResourceList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	groupVersion: string;
	resources: APIResource[];
}
export interface APIService {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	spec?: APIServiceSpec | undefined;
	status?: APIServiceStatus | undefined;
}
export interface APIServiceCondition {
	lastTransitionTime?: Time | undefined;
	message?: string | undefined;
	reason?: string | undefined;
	status: ApiregistrationConditionStatus;
	type: APIServiceConditionType;
}
export type APIServiceConditionType = string;
export interface APIServiceList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: APIService[];
	metadata: ListMeta;
}
export interface APIServiceSpec {
	caBundle?: string | undefined;
	group?: string | undefined;
	groupPriorityMinimum: number;
	insecureSkipTLSVerify?: boolean | undefined;
	service?: ApiregistrationServiceReference | undefined;
	version?: string | undefined;
	versionPriority: number;
}
export interface APIServiceStatus {
	conditions?: APIServiceCondition[] | undefined;
}
export interface APISubresourceDiscovery {
	acceptedTypes?: GroupVersionKind[] | undefined;
	responseKind?: GroupVersionKind | undefined;
	subresource: string;
	verbs: string[];
}
export interface APIVersionDiscovery {
	freshness?: DiscoveryFreshness | undefined;
	resources?: APIResourceDiscovery[] | undefined;
	version: string;
}
export interface APIVersions {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	serverAddressByClientCIDRs: ServerAddressByClientCIDR[];
	versions: string[];
}
export interface AWSElasticBlockStoreVolumeSource {
	fsType?: string | undefined;
	partition?: number | undefined;
	readOnly?: boolean | undefined;
	volumeID: string;
}
export type AddressType = string;
export interface AdmissionRequest {
	dryRun?: boolean | undefined;
	kind?: GroupVersionKind | undefined;
	name?: string | undefined;
	namespace?: string | undefined;
	object?: RawExtension | undefined;
	oldObject?: RawExtension | undefined;
	operation?: Operation | undefined;
	options?: RawExtension | undefined;
	requestKind?: GroupVersionKind | undefined;
	requestResource?: GroupVersionResource | undefined;
	requestSubResource?: string | undefined;
	resource?: GroupVersionResource | undefined;
	subResource?: string | undefined;
	uid?: UID | undefined;
	userInfo?: UserInfo | undefined;
}
export interface AdmissionResponse {
	allowed?: boolean | undefined;
	auditAnnotations?: Record<string, string> | undefined;
	patch?: string | undefined;
	patchType?: PatchType | undefined;
	status?: Status | undefined;
	uid?: UID | undefined;
	warnings?: string[] | undefined;
}
export interface AdmissionReview {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	request?: AdmissionRequest | undefined;
	response?: AdmissionResponse | undefined;
}
export type AdmissionregistrationPatchType = string;
export interface Affinity {
	nodeAffinity?: NodeAffinity | undefined;
	podAffinity?: PodAffinity | undefined;
	podAntiAffinity?: PodAntiAffinity | undefined;
}
export interface AggregationRule {
	clusterRoleSelectors?: LabelSelector[] | undefined;
}
export interface AllocatedDeviceStatus {
	conditions?: Condition[] | undefined;
	data?: RawExtension | undefined;
	device: string;
	driver: string;
	networkData?: NetworkDeviceData | undefined;
	pool: string;
	shareID?: string | undefined;
}
export type AllocationConfigSource = string;
export interface AllocationResult {
	allocationTimestamp?: Time | undefined;
	devices?: DeviceAllocationResult | undefined;
	nodeSelector?: NodeSelector | undefined;
}
export interface ApidiscoveryV2beta1APIGroupDiscovery {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	versions?: ApidiscoveryV2beta1APIVersionDiscovery[] | undefined;
}
export interface ApidiscoveryV2beta1APIGroupDiscoveryList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: ApidiscoveryV2beta1APIGroupDiscovery[];
	metadata: ListMeta;
}
export interface ApidiscoveryV2beta1APIResourceDiscovery {
	categories?: string[] | undefined;
	resource: string;
	responseKind?: GroupVersionKind | undefined;
	scope: ApidiscoveryV2beta1ResourceScope;
	shortNames?: string[] | undefined;
	singularResource: string;
	subresources?: ApidiscoveryV2beta1APISubresourceDiscovery[] | undefined;
	verbs: string[];
}
export interface ApidiscoveryV2beta1APISubresourceDiscovery {
	acceptedTypes?: GroupVersionKind[] | undefined;
	responseKind?: GroupVersionKind | undefined;
	subresource: string;
	verbs: string[];
}
export interface ApidiscoveryV2beta1APIVersionDiscovery {
	freshness?: ApidiscoveryV2beta1DiscoveryFreshness | undefined;
	resources?: ApidiscoveryV2beta1APIResourceDiscovery[] | undefined;
	version: string;
}
export type ApidiscoveryV2beta1DiscoveryFreshness = string;
export type ApidiscoveryV2beta1ResourceScope = string;
export type ApiextensionsConditionStatus = string;
export type ApiextensionsResourceScope = string;
export interface ApiextensionsServiceReference {
	name: string;
	namespace: string;
	path?: string | undefined;
	port?: number | undefined;
}
export interface ApiextensionsWebhookClientConfig {
	caBundle?: string | undefined;
	service?: ApiextensionsServiceReference | undefined;
	url?: string | undefined;
}
export type ApiregistrationConditionStatus = string;
export interface ApiregistrationServiceReference {
	name?: string | undefined;
	namespace?: string | undefined;
	port?: number | undefined;
}
export interface AppArmorProfile {
	localhostProfile?: string | undefined;
	type: AppArmorProfileType;
}
export type AppArmorProfileType = string;
export interface ApplyConfiguration {
	expression?: string | undefined;
}
export interface ApplyOptions {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	dryRun?: string[] | undefined;
	fieldManager: string;
	force: boolean;
}
export interface AttachedVolume {
	devicePath: string;
	name: UniqueVolumeName;
}
export interface AuditAnnotation {
	key: string;
	valueExpression: string;
}
export type AuthorizationExtraValue = string[];
export interface AutoscalingV1ContainerResourceMetricSource {
	container: string;
	name: ResourceName;
	targetAverageUtilization?: number | undefined;
	targetAverageValue?: Quantity | undefined;
}
export interface AutoscalingV1ContainerResourceMetricStatus {
	container: string;
	currentAverageUtilization?: number | undefined;
	currentAverageValue: Quantity;
	name: ResourceName;
}
export interface AutoscalingV1CrossVersionObjectReference {
	apiVersion?: string | undefined;
	kind: string;
	name: string;
}
export interface AutoscalingV1ExternalMetricSource {
	metricName: string;
	metricSelector?: LabelSelector | undefined;
	targetAverageValue?: Quantity | undefined;
	targetValue?: Quantity | undefined;
}
export interface AutoscalingV1ExternalMetricStatus {
	currentAverageValue?: Quantity | undefined;
	currentValue: Quantity;
	metricName: string;
	metricSelector?: LabelSelector | undefined;
}
export interface AutoscalingV1HorizontalPodAutoscaler {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	spec: AutoscalingV1HorizontalPodAutoscalerSpec;
	status?: AutoscalingV1HorizontalPodAutoscalerStatus | undefined;
}
export interface AutoscalingV1HorizontalPodAutoscalerCondition {
	lastTransitionTime?: Time | undefined;
	message?: string | undefined;
	reason?: string | undefined;
	status: CoreConditionStatus;
	type: AutoscalingV1HorizontalPodAutoscalerConditionType;
}
export type AutoscalingV1HorizontalPodAutoscalerConditionType = string;
export interface AutoscalingV1HorizontalPodAutoscalerList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: AutoscalingV1HorizontalPodAutoscaler[];
	metadata: ListMeta;
}
export interface AutoscalingV1HorizontalPodAutoscalerSpec {
	maxReplicas: number;
	minReplicas?: number | undefined;
	scaleTargetRef: AutoscalingV1CrossVersionObjectReference;
	targetCPUUtilizationPercentage?: number | undefined;
}
export interface AutoscalingV1HorizontalPodAutoscalerStatus {
	currentCPUUtilizationPercentage?: number | undefined;
	currentReplicas: number;
	desiredReplicas: number;
	lastScaleTime?: Time | undefined;
	observedGeneration?: number | undefined;
}
export type AutoscalingV1MetricSourceType = string;
export interface AutoscalingV1MetricSpec {
	containerResource?: AutoscalingV1ContainerResourceMetricSource | undefined;
	external?: AutoscalingV1ExternalMetricSource | undefined;
	object?: AutoscalingV1ObjectMetricSource | undefined;
	pods?: AutoscalingV1PodsMetricSource | undefined;
	resource?: AutoscalingV1ResourceMetricSource | undefined;
	type: AutoscalingV1MetricSourceType;
}
export interface AutoscalingV1MetricStatus {
	containerResource?: AutoscalingV1ContainerResourceMetricStatus | undefined;
	external?: AutoscalingV1ExternalMetricStatus | undefined;
	object?: AutoscalingV1ObjectMetricStatus | undefined;
	pods?: AutoscalingV1PodsMetricStatus | undefined;
	resource?: AutoscalingV1ResourceMetricStatus | undefined;
	type: AutoscalingV1MetricSourceType;
}
export interface AutoscalingV1ObjectMetricSource {
	averageValue?: Quantity | undefined;
	metricName: string;
	selector?: LabelSelector | undefined;
	target: AutoscalingV1CrossVersionObjectReference;
	targetValue: Quantity;
}
export interface AutoscalingV1ObjectMetricStatus {
	averageValue?: Quantity | undefined;
	currentValue: Quantity;
	metricName: string;
	selector?: LabelSelector | undefined;
	target: AutoscalingV1CrossVersionObjectReference;
}
export interface AutoscalingV1PodsMetricSource {
	metricName: string;
	selector?: LabelSelector | undefined;
	targetAverageValue: Quantity;
}
export interface AutoscalingV1PodsMetricStatus {
	currentAverageValue: Quantity;
	metricName: string;
	selector?: LabelSelector | undefined;
}
export interface AutoscalingV1ResourceMetricSource {
	name: ResourceName;
	targetAverageUtilization?: number | undefined;
	targetAverageValue?: Quantity | undefined;
}
export interface AutoscalingV1ResourceMetricStatus {
	currentAverageUtilization?: number | undefined;
	currentAverageValue: Quantity;
	name: ResourceName;
}
export interface AvoidPods {
	preferAvoidPods?: PreferAvoidPodsEntry[] | undefined;
}
export type AzureDataDiskCachingMode = string;
export type AzureDataDiskKind = string;
export interface AzureDiskVolumeSource {
	cachingMode?: AzureDataDiskCachingMode | undefined;
	diskName: string;
	diskURI: string;
	fsType?: string | undefined;
	kind?: AzureDataDiskKind | undefined;
	readOnly?: boolean | undefined;
}
export interface AzureFilePersistentVolumeSource {
	readOnly?: boolean | undefined;
	secretName: string;
	secretNamespace?: string | undefined;
	shareName: string;
}
export interface AzureFileVolumeSource {
	readOnly?: boolean | undefined;
	secretName: string;
	shareName: string;
}
export interface Binding {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	target: ObjectReference;
}
export interface BoundObjectReference {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	name?: string | undefined;
	uid?: UID | undefined;
}
export interface CELDeviceSelector {
	expression: string;
}
export interface CSIDriver {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	spec: CSIDriverSpec;
}
export interface CSIDriverList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: CSIDriver[];
	metadata: ListMeta;
}
export interface CSIDriverSpec {
	attachRequired?: boolean | undefined;
	fsGroupPolicy?: FSGroupPolicy | undefined;
	nodeAllocatableUpdatePeriodSeconds?: number | undefined;
	podInfoOnMount?: boolean | undefined;
	preventPodSchedulingIfMissing?: boolean | undefined;
	requiresRepublish?: boolean | undefined;
	seLinuxMount?: boolean | undefined;
	serviceAccountTokenInSecrets?: boolean | undefined;
	storageCapacity?: boolean | undefined;
	tokenRequests?: StorageTokenRequest[] | undefined;
	volumeLifecycleModes?: VolumeLifecycleMode[] | undefined;
}
export interface CSINode {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	spec: CSINodeSpec;
}
export interface CSINodeDriver {
	allocatable?: VolumeNodeResources | undefined;
	name: string;
	nodeID: string;
	topologyKeys?: string[] | undefined;
}
export interface CSINodeList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: CSINode[];
	metadata: ListMeta;
}
export interface CSINodeSpec {
	drivers: CSINodeDriver[];
}
export interface CSIPersistentVolumeSource {
	controllerExpandSecretRef?: SecretReference | undefined;
	controllerPublishSecretRef?: SecretReference | undefined;
	driver: string;
	fsType?: string | undefined;
	nodeExpandSecretRef?: SecretReference | undefined;
	nodePublishSecretRef?: SecretReference | undefined;
	nodeStageSecretRef?: SecretReference | undefined;
	readOnly?: boolean | undefined;
	volumeAttributes?: Record<string, string> | undefined;
	volumeHandle: string;
}
export interface CSIStorageCapacity {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	capacity?: Quantity | undefined;
	maximumVolumeSize?: Quantity | undefined;
	metadata: ObjectMeta;
	nodeTopology?: LabelSelector | undefined;
	storageClassName: string;
}
export interface CSIStorageCapacityList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: CSIStorageCapacity[];
	metadata: ListMeta;
}
export interface CSIVolumeSource {
	driver: string;
	fsType?: string | undefined;
	nodePublishSecretRef?: LocalObjectReference | undefined;
	readOnly?: boolean | undefined;
	volumeAttributes?: Record<string, string> | undefined;
}
export interface Capabilities {
	add?: Capability[] | undefined;
	drop?: Capability[] | undefined;
}
export type Capability = string;
export interface CapacityRequestPolicy {
	default?: Quantity | undefined;
	validRange?: CapacityRequestPolicyRange | undefined;
	validValues?: Quantity[] | undefined;
}
export interface CapacityRequestPolicyRange {
	max?: Quantity | undefined;
	min: Quantity;
	step?: Quantity | undefined;
}
export interface CapacityRequirements {
	requests?: Record<string, Quantity> | undefined;
}
export type CauseType = string;
export interface CephFSPersistentVolumeSource {
	monitors: string[];
	path?: string | undefined;
	readOnly?: boolean | undefined;
	secretFile?: string | undefined;
	secretRef?: SecretReference | undefined;
	user?: string | undefined;
}
export interface CephFSVolumeSource {
	monitors: string[];
	path?: string | undefined;
	readOnly?: boolean | undefined;
	secretFile?: string | undefined;
	secretRef?: LocalObjectReference | undefined;
	user?: string | undefined;
}
export interface CertificateSigningRequest {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	spec: CertificateSigningRequestSpec;
	status?: CertificateSigningRequestStatus | undefined;
}
export interface CertificateSigningRequestCondition {
	lastTransitionTime?: Time | undefined;
	lastUpdateTime?: Time | undefined;
	message?: string | undefined;
	reason?: string | undefined;
	status: CoreConditionStatus;
	type: RequestConditionType;
}
export interface CertificateSigningRequestList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: CertificateSigningRequest[];
	metadata: ListMeta;
}
export interface CertificateSigningRequestSpec {
	expirationSeconds?: number | undefined;
	extra?: Record<string, CertificatesExtraValue> | undefined;
	groups?: string[] | undefined;
	request: string;
	signerName: string;
	uid?: string | undefined;
	usages?: KeyUsage[] | undefined;
	username?: string | undefined;
}
export interface CertificateSigningRequestStatus {
	certificate?: string | undefined;
	conditions?: CertificateSigningRequestCondition[] | undefined;
}
export type CertificatesExtraValue = string[];
export interface CinderPersistentVolumeSource {
	fsType?: string | undefined;
	readOnly?: boolean | undefined;
	secretRef?: SecretReference | undefined;
	volumeID: string;
}
export interface CinderVolumeSource {
	fsType?: string | undefined;
	readOnly?: boolean | undefined;
	secretRef?: LocalObjectReference | undefined;
	volumeID: string;
}
export type ClaimResourceStatus = string;
export interface ClientIPConfig {
	timeoutSeconds?: number | undefined;
}
export interface ClusterRole {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	aggregationRule?: AggregationRule | undefined;
	metadata: ObjectMeta;
	rules?: PolicyRule[] | undefined;
}
export interface ClusterRoleBinding {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	roleRef: RoleRef;
	subjects?: RbacSubject[] | undefined;
}
export interface ClusterRoleBindingList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: ClusterRoleBinding[];
	metadata: ListMeta;
}
export interface ClusterRoleList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: ClusterRole[];
	metadata: ListMeta;
}
export interface ClusterTrustBundleProjection {
	labelSelector?: LabelSelector | undefined;
	name?: string | undefined;
	optional?: boolean | undefined;
	path: string;
	signerName?: string | undefined;
}
export type CompletionMode = string;
export interface ComponentCondition {
	error?: string | undefined;
	message?: string | undefined;
	status: CoreConditionStatus;
	type: ComponentConditionType;
}
export type ComponentConditionType = string;
export interface ComponentStatus {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	conditions?: ComponentCondition[] | undefined;
	metadata: ObjectMeta;
}
export interface ComponentStatusList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: ComponentStatus[];
	metadata: ListMeta;
}
export type ConcurrencyPolicy = string;
export interface Condition {
	lastTransitionTime: Time;
	message: string;
	observedGeneration?: number | undefined;
	reason: string;
	status: ConditionStatus;
	type: string;
}
export type ConditionStatus = string;
export interface ConfigMap {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	binaryData?: Record<string, string> | undefined;
	data?: Record<string, string> | undefined;
	immutable?: boolean | undefined;
	metadata: ObjectMeta;
}
export interface ConfigMapEnvSource {
	name?: string | undefined;
	optional?: boolean | undefined;
}
export interface ConfigMapKeySelector {
	key: string;
	name?: string | undefined;
	optional?: boolean | undefined;
}
export interface ConfigMapList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: ConfigMap[];
	metadata: ListMeta;
}
export interface ConfigMapNodeConfigSource {
	kubeletConfigKey: string;
	name: string;
	namespace: string;
	resourceVersion?: string | undefined;
	uid?: UID | undefined;
}
export interface ConfigMapProjection {
	items?: KeyToPath[] | undefined;
	name?: string | undefined;
	optional?: boolean | undefined;
}
export interface ConfigMapVolumeSource {
	defaultMode?: number | undefined;
	items?: KeyToPath[] | undefined;
	name?: string | undefined;
	optional?: boolean | undefined;
}
export interface Container {
	args?: string[] | undefined;
	command?: string[] | undefined;
	env?: EnvVar[] | undefined;
	envFrom?: EnvFromSource[] | undefined;
	image?: string | undefined;
	imagePullPolicy?: PullPolicy | undefined;
	lifecycle?: Lifecycle | undefined;
	livenessProbe?: Probe | undefined;
	name: string;
	ports?: ContainerPort[] | undefined;
	readinessProbe?: Probe | undefined;
	resizePolicy?: ContainerResizePolicy[] | undefined;
	resources?: ResourceRequirements | undefined;
	restartPolicy?: ContainerRestartPolicy | undefined;
	restartPolicyRules?: ContainerRestartRule[] | undefined;
	securityContext?: SecurityContext | undefined;
	startupProbe?: Probe | undefined;
	stdin?: boolean | undefined;
	stdinOnce?: boolean | undefined;
	terminationMessagePath?: string | undefined;
	terminationMessagePolicy?: TerminationMessagePolicy | undefined;
	tty?: boolean | undefined;
	volumeDevices?: VolumeDevice[] | undefined;
	volumeMounts?: VolumeMount[] | undefined;
	workingDir?: string | undefined;
}
export interface ContainerExtendedResourceRequest {
	containerName: string;
	requestName: string;
	resourceName: string;
}
export interface ContainerImage {
	names?: string[] | undefined;
	sizeBytes?: number | undefined;
}
export interface ContainerMetrics {
	name: string;
	usage: Record<string, Quantity>;
}
export interface ContainerPort {
	containerPort: number;
	hostIP?: string | undefined;
	hostPort?: number | undefined;
	name?: string | undefined;
	protocol?: Protocol | undefined;
}
export interface ContainerResizePolicy {
	resourceName: ResourceName;
	restartPolicy: ResourceResizeRestartPolicy;
}
export interface ContainerResourceMetricSource {
	container: string;
	name: ResourceName;
	target: MetricTarget;
}
export interface ContainerResourceMetricStatus {
	container: string;
	current: MetricValueStatus;
	name: ResourceName;
}
export type ContainerRestartPolicy = string;
export interface ContainerRestartRule {
	action: ContainerRestartRuleAction;
	exitCodes?: ContainerRestartRuleOnExitCodes | undefined;
}
export type ContainerRestartRuleAction = string;
export interface ContainerRestartRuleOnExitCodes {
	operator: ContainerRestartRuleOnExitCodesOperator;
	values?: number[] | undefined;
}
export type ContainerRestartRuleOnExitCodesOperator = string;
export interface ContainerState {
	running?: ContainerStateRunning | undefined;
	terminated?: ContainerStateTerminated | undefined;
	waiting?: ContainerStateWaiting | undefined;
}
export interface ContainerStateRunning {
	startedAt?: Time | undefined;
}
export interface ContainerStateTerminated {
	containerID?: string | undefined;
	exitCode: number;
	finishedAt?: Time | undefined;
	message?: string | undefined;
	reason?: string | undefined;
	signal?: number | undefined;
	startedAt?: Time | undefined;
}
export interface ContainerStateWaiting {
	message?: string | undefined;
	reason?: string | undefined;
}
export interface ContainerStatus {
	allocatedResources?: Record<string, Quantity> | undefined;
	allocatedResourcesStatus?: ResourceStatus[] | undefined;
	containerID?: string | undefined;
	image: string;
	imageID: string;
	lastState?: ContainerState | undefined;
	name: string;
	ready: boolean;
	resources?: ResourceRequirements | undefined;
	restartCount: number;
	started?: boolean | undefined;
	state?: ContainerState | undefined;
	stopSignal?: Signal | undefined;
	user?: ContainerUser | undefined;
	volumeMounts?: VolumeMountStatus[] | undefined;
}
export interface ContainerUser {
	linux?: LinuxContainerUser | undefined;
}
export interface ControllerRevision {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	data?: RawExtension | undefined;
	metadata: ObjectMeta;
	revision: number;
}
export interface ControllerRevisionList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: ControllerRevision[];
	metadata: ListMeta;
}
export interface ConversionRequest {
	desiredAPIVersion: string;
	objects: RawExtension[];
	uid: UID;
}
export interface ConversionResponse {
	convertedObjects: RawExtension[];
	result: Status;
	uid: UID;
}
export interface ConversionReview {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	request?: ConversionRequest | undefined;
	response?: ConversionResponse | undefined;
}
export type ConversionStrategyType = string;
export type CoordinatedLeaseStrategy = string;
export type CoreConditionStatus = string;
export interface CoreList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: RawExtension[];
	metadata: ListMeta;
}
export interface Counter {
	value: Quantity;
}
export interface CounterSet {
	counters: Record<string, Counter>;
	name: string;
}
export interface CreateOptions {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	dryRun?: string[] | undefined;
	fieldManager?: string | undefined;
	fieldValidation?: string | undefined;
}
export interface CronJob {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	spec: CronJobSpec;
	status?: CronJobStatus | undefined;
}
export interface CronJobList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: CronJob[];
	metadata: ListMeta;
}
export interface CronJobSpec {
	concurrencyPolicy?: ConcurrencyPolicy | undefined;
	failedJobsHistoryLimit?: number | undefined;
	jobTemplate: JobTemplateSpec;
	schedule: string;
	startingDeadlineSeconds?: number | undefined;
	successfulJobsHistoryLimit?: number | undefined;
	suspend?: boolean | undefined;
	timeZone?: string | undefined;
}
export interface CronJobStatus {
	active?: ObjectReference[] | undefined;
	lastScheduleTime?: Time | undefined;
	lastSuccessfulTime?: Time | undefined;
}
export interface CrossVersionObjectReference {
	apiVersion?: string | undefined;
	kind: string;
	name: string;
}
export interface CustomResourceColumnDefinition {
	description?: string | undefined;
	format?: string | undefined;
	jsonPath: string;
	name: string;
	priority?: number | undefined;
	type: string;
}
export interface CustomResourceConversion {
	strategy: ConversionStrategyType;
	webhook?: WebhookConversion | undefined;
}
export interface CustomResourceDefinition {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	spec: CustomResourceDefinitionSpec;
	status?: CustomResourceDefinitionStatus | undefined;
}
export interface CustomResourceDefinitionCondition {
	lastTransitionTime?: Time | undefined;
	message?: string | undefined;
	observedGeneration?: number | undefined;
	reason?: string | undefined;
	status: ApiextensionsConditionStatus;
	type: CustomResourceDefinitionConditionType;
}
export type CustomResourceDefinitionConditionType = string;
export interface CustomResourceDefinitionList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: CustomResourceDefinition[];
	metadata: ListMeta;
}
export interface CustomResourceDefinitionNames {
	categories?: string[] | undefined;
	kind: string;
	listKind?: string | undefined;
	plural: string;
	shortNames?: string[] | undefined;
	singular?: string | undefined;
}
export interface CustomResourceDefinitionSpec {
	conversion?: CustomResourceConversion | undefined;
	group: string;
	names: CustomResourceDefinitionNames;
	preserveUnknownFields?: boolean | undefined;
	scope: ApiextensionsResourceScope;
	versions: CustomResourceDefinitionVersion[];
}
export interface CustomResourceDefinitionStatus {
	acceptedNames?: CustomResourceDefinitionNames | undefined;
	conditions?: CustomResourceDefinitionCondition[] | undefined;
	observedGeneration?: number | undefined;
	storedVersions?: string[] | undefined;
}
export interface CustomResourceDefinitionVersion {
	additionalPrinterColumns?: CustomResourceColumnDefinition[] | undefined;
	deprecated?: boolean | undefined;
	deprecationWarning?: string | undefined;
	name: string;
	schema?: CustomResourceValidation | undefined;
	selectableFields?: SelectableField[] | undefined;
	served: boolean;
	storage: boolean;
	subresources?: CustomResourceSubresources | undefined;
}
export interface CustomResourceSubresourceScale {
	labelSelectorPath?: string | undefined;
	specReplicasPath: string;
	statusReplicasPath: string;
}
export interface CustomResourceSubresourceStatus {
}
export interface CustomResourceSubresources {
	scale?: CustomResourceSubresourceScale | undefined;
	status?: CustomResourceSubresourceStatus | undefined;
}
export interface CustomResourceValidation {
	openAPIV3Schema?: JSONSchemaProps | undefined;
}
export type DNSPolicy = string;
export interface DaemonEndpoint {
	Port: number;
}
export interface DaemonSet {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	spec?: DaemonSetSpec | undefined;
	status?: DaemonSetStatus | undefined;
}
export interface DaemonSetCondition {
	lastTransitionTime?: Time | undefined;
	message?: string | undefined;
	reason?: string | undefined;
	status: CoreConditionStatus;
	type: DaemonSetConditionType;
}
export type DaemonSetConditionType = string;
export interface DaemonSetList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: DaemonSet[];
	metadata: ListMeta;
}
export interface DaemonSetSpec {
	minReadySeconds?: number | undefined;
	revisionHistoryLimit?: number | undefined;
	selector: LabelSelector;
	template: PodTemplateSpec;
	updateStrategy?: DaemonSetUpdateStrategy | undefined;
}
export interface DaemonSetStatus {
	collisionCount?: number | undefined;
	conditions?: DaemonSetCondition[] | undefined;
	currentNumberScheduled: number;
	desiredNumberScheduled: number;
	numberAvailable?: number | undefined;
	numberMisscheduled: number;
	numberReady: number;
	numberUnavailable?: number | undefined;
	observedGeneration?: number | undefined;
	updatedNumberScheduled?: number | undefined;
}
export interface DaemonSetUpdateStrategy {
	rollingUpdate?: RollingUpdateDaemonSet | undefined;
	type?: DaemonSetUpdateStrategyType | undefined;
}
export type DaemonSetUpdateStrategyType = string;
export interface DeleteOptions {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	dryRun?: string[] | undefined;
	gracePeriodSeconds?: number | undefined;
	ignoreStoreReadErrorWithClusterBreakingPotential?: boolean | undefined;
	orphanDependents?: boolean | undefined;
	preconditions?: Preconditions | undefined;
	propagationPolicy?: DeletionPropagation | undefined;
}
export type DeletionPropagation = string;
export interface Deployment {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	spec?: DeploymentSpec | undefined;
	status?: DeploymentStatus | undefined;
}
export interface DeploymentCondition {
	lastTransitionTime?: Time | undefined;
	lastUpdateTime?: Time | undefined;
	message?: string | undefined;
	reason?: string | undefined;
	status: CoreConditionStatus;
	type: DeploymentConditionType;
}
export type DeploymentConditionType = string;
export interface DeploymentList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: Deployment[];
	metadata: ListMeta;
}
export interface DeploymentSpec {
	minReadySeconds?: number | undefined;
	paused?: boolean | undefined;
	progressDeadlineSeconds?: number | undefined;
	replicas?: number | undefined;
	revisionHistoryLimit?: number | undefined;
	selector: LabelSelector;
	strategy?: DeploymentStrategy | undefined;
	template: PodTemplateSpec;
}
export interface DeploymentStatus {
	availableReplicas?: number | undefined;
	collisionCount?: number | undefined;
	conditions?: DeploymentCondition[] | undefined;
	observedGeneration?: number | undefined;
	readyReplicas?: number | undefined;
	replicas?: number | undefined;
	terminatingReplicas?: number | undefined;
	unavailableReplicas?: number | undefined;
	updatedReplicas?: number | undefined;
}
export interface DeploymentStrategy {
	rollingUpdate?: RollingUpdateDeployment | undefined;
	type?: DeploymentStrategyType | undefined;
}
export type DeploymentStrategyType = string;
export interface Device {
	allNodes?: boolean | undefined;
	allowMultipleAllocations?: boolean | undefined;
	attributes?: Record<string, DeviceAttribute> | undefined;
	bindingConditions?: string[] | undefined;
	bindingFailureConditions?: string[] | undefined;
	bindsToNode?: boolean | undefined;
	capacity?: Record<string, DeviceCapacity> | undefined;
	consumesCounters?: DeviceCounterConsumption[] | undefined;
	name: string;
	nodeAllocatableResourceMappings?: Record<string, NodeAllocatableResourceMapping> | undefined;
	nodeName?: string | undefined;
	nodeSelector?: NodeSelector | undefined;
	taints?: DeviceTaint[] | undefined;
}
export interface DeviceAllocationConfiguration {
	opaque?: OpaqueDeviceConfiguration | undefined;
	requests?: string[] | undefined;
	source: AllocationConfigSource;
}
export type DeviceAllocationMode = string;
export interface DeviceAllocationResult {
	config?: DeviceAllocationConfiguration[] | undefined;
	results?: DeviceRequestAllocationResult[] | undefined;
}
export interface DeviceAttribute {
	bool?: boolean | undefined;
	bools?: boolean[] | undefined;
	int?: number | undefined;
	ints?: number[] | undefined;
	string?: string | undefined;
	strings?: string[] | undefined;
	version?: string | undefined;
	versions?: string[] | undefined;
}
export interface DeviceCapacity {
	requestPolicy?: CapacityRequestPolicy | undefined;
	value: Quantity;
}
export interface DeviceClaim {
	config?: DeviceClaimConfiguration[] | undefined;
	constraints?: DeviceConstraint[] | undefined;
	requests?: DeviceRequest[] | undefined;
}
export interface DeviceClaimConfiguration {
	opaque?: OpaqueDeviceConfiguration | undefined;
	requests?: string[] | undefined;
}
export interface DeviceClass {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	spec: DeviceClassSpec;
}
export interface DeviceClassConfiguration {
	opaque?: OpaqueDeviceConfiguration | undefined;
}
export interface DeviceClassList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: DeviceClass[];
	metadata: ListMeta;
}
export interface DeviceClassSpec {
	config?: DeviceClassConfiguration[] | undefined;
	extendedResourceName?: string | undefined;
	selectors?: DeviceSelector[] | undefined;
}
export interface DeviceConfiguration {
	opaque?: OpaqueDeviceConfiguration | undefined;
}
export interface DeviceConstraint {
	distinctAttribute?: FullyQualifiedName | undefined;
	matchAttribute?: FullyQualifiedName | undefined;
	requests?: string[] | undefined;
}
export interface DeviceCounterConsumption {
	counterSet: string;
	counters: Record<string, Counter>;
}
export interface DeviceRequest {
	exactly?: ExactDeviceRequest | undefined;
	firstAvailable?: DeviceSubRequest[] | undefined;
	name: string;
}
export interface DeviceRequestAllocationResult {
	adminAccess?: boolean | undefined;
	bindingConditions?: string[] | undefined;
	bindingFailureConditions?: string[] | undefined;
	consumedCapacity?: Record<string, Quantity> | undefined;
	device: string;
	driver: string;
	pool: string;
	request: string;
	shareID?: UID | undefined;
	tolerations?: DeviceToleration[] | undefined;
}
export interface DeviceSelector {
	cel?: CELDeviceSelector | undefined;
}
export interface DeviceSubRequest {
	allocationMode?: DeviceAllocationMode | undefined;
	capacity?: CapacityRequirements | undefined;
	count?: number | undefined;
	deviceClassName: string;
	name: string;
	selectors?: DeviceSelector[] | undefined;
	tolerations?: DeviceToleration[] | undefined;
}
export interface DeviceTaint {
	effect: DeviceTaintEffect;
	key: string;
	timeAdded?: Time | undefined;
	value?: string | undefined;
}
export type DeviceTaintEffect = string;
export interface DeviceToleration {
	effect?: DeviceTaintEffect | undefined;
	key?: string | undefined;
	operator?: DeviceTolerationOperator | undefined;
	tolerationSeconds?: number | undefined;
	value?: string | undefined;
}
export type DeviceTolerationOperator = string;
export interface DiscoveryEndpointPort {
	appProtocol?: string | undefined;
	name?: string | undefined;
	port?: number | undefined;
	protocol?: Protocol | undefined;
}
export type DiscoveryFreshness = string;
export interface DownwardAPIProjection {
	items?: DownwardAPIVolumeFile[] | undefined;
}
export interface DownwardAPIVolumeFile {
	fieldRef?: ObjectFieldSelector | undefined;
	mode?: number | undefined;
	path: string;
	resourceFieldRef?: ResourceFieldSelector | undefined;
}
export interface DownwardAPIVolumeSource {
	defaultMode?: number | undefined;
	items?: DownwardAPIVolumeFile[] | undefined;
}
export type Duration = string;
export interface EmptyDirVolumeSource {
	medium?: StorageMedium | undefined;
	sizeLimit?: Quantity | undefined;
}
export interface Endpoint {
	addresses: string[];
	conditions?: EndpointConditions | undefined;
	deprecatedTopology?: Record<string, string> | undefined;
	hints?: EndpointHints | undefined;
	hostname?: string | undefined;
	nodeName?: string | undefined;
	targetRef?: ObjectReference | undefined;
	zone?: string | undefined;
}
export interface EndpointAddress {
	hostname?: string | undefined;
	ip: string;
	nodeName?: string | undefined;
	targetRef?: ObjectReference | undefined;
}
export interface EndpointConditions {
	ready?: boolean | undefined;
	serving?: boolean | undefined;
	terminating?: boolean | undefined;
}
export interface EndpointHints {
	forNodes?: ForNode[] | undefined;
	forZones?: ForZone[] | undefined;
}
export interface EndpointPort {
	appProtocol?: string | undefined;
	name?: string | undefined;
	port: number;
	protocol?: Protocol | undefined;
}
export interface EndpointSlice {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	addressType: AddressType;
	endpoints?: Endpoint[] | undefined;
	metadata: ObjectMeta;
	ports?: DiscoveryEndpointPort[] | undefined;
}
export interface EndpointSliceList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: EndpointSlice[];
	metadata: ListMeta;
}
export interface EndpointSubset {
	addresses?: EndpointAddress[] | undefined;
	notReadyAddresses?: EndpointAddress[] | undefined;
	ports?: EndpointPort[] | undefined;
}
export interface Endpoints {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	subsets?: EndpointSubset[] | undefined;
}
export interface EndpointsList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: Endpoints[];
	metadata: ListMeta;
}
export interface EnvFromSource {
	configMapRef?: ConfigMapEnvSource | undefined;
	prefix?: string | undefined;
	secretRef?: SecretEnvSource | undefined;
}
export interface EnvVar {
	name: string;
	value?: string | undefined;
	valueFrom?: EnvVarSource | undefined;
}
export interface EnvVarSource {
	configMapKeyRef?: ConfigMapKeySelector | undefined;
	fieldRef?: ObjectFieldSelector | undefined;
	fileKeyRef?: FileKeySelector | undefined;
	resourceFieldRef?: ResourceFieldSelector | undefined;
	secretKeyRef?: SecretKeySelector | undefined;
}
export interface EphemeralContainer {
	args?: string[] | undefined;
	command?: string[] | undefined;
	env?: EnvVar[] | undefined;
	envFrom?: EnvFromSource[] | undefined;
	image?: string | undefined;
	imagePullPolicy?: PullPolicy | undefined;
	lifecycle?: Lifecycle | undefined;
	livenessProbe?: Probe | undefined;
	name: string;
	ports?: ContainerPort[] | undefined;
	readinessProbe?: Probe | undefined;
	resizePolicy?: ContainerResizePolicy[] | undefined;
	resources?: ResourceRequirements | undefined;
	restartPolicy?: ContainerRestartPolicy | undefined;
	restartPolicyRules?: ContainerRestartRule[] | undefined;
	securityContext?: SecurityContext | undefined;
	startupProbe?: Probe | undefined;
	stdin?: boolean | undefined;
	stdinOnce?: boolean | undefined;
	terminationMessagePath?: string | undefined;
	terminationMessagePolicy?: TerminationMessagePolicy | undefined;
	tty?: boolean | undefined;
	volumeDevices?: VolumeDevice[] | undefined;
	volumeMounts?: VolumeMount[] | undefined;
	workingDir?: string | undefined;
	targetContainerName?: string | undefined;
}
export interface EphemeralContainerCommon {
	args?: string[] | undefined;
	command?: string[] | undefined;
	env?: EnvVar[] | undefined;
	envFrom?: EnvFromSource[] | undefined;
	image?: string | undefined;
	imagePullPolicy?: PullPolicy | undefined;
	lifecycle?: Lifecycle | undefined;
	livenessProbe?: Probe | undefined;
	name: string;
	ports?: ContainerPort[] | undefined;
	readinessProbe?: Probe | undefined;
	resizePolicy?: ContainerResizePolicy[] | undefined;
	resources?: ResourceRequirements | undefined;
	restartPolicy?: ContainerRestartPolicy | undefined;
	restartPolicyRules?: ContainerRestartRule[] | undefined;
	securityContext?: SecurityContext | undefined;
	startupProbe?: Probe | undefined;
	stdin?: boolean | undefined;
	stdinOnce?: boolean | undefined;
	terminationMessagePath?: string | undefined;
	terminationMessagePolicy?: TerminationMessagePolicy | undefined;
	tty?: boolean | undefined;
	volumeDevices?: VolumeDevice[] | undefined;
	volumeMounts?: VolumeMount[] | undefined;
	workingDir?: string | undefined;
}
export interface EphemeralVolumeSource {
	volumeClaimTemplate?: PersistentVolumeClaimTemplate | undefined;
}
export interface Event {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	action?: string | undefined;
	count?: number | undefined;
	eventTime?: MicroTime | undefined;
	firstTimestamp?: Time | undefined;
	involvedObject: ObjectReference;
	lastTimestamp?: Time | undefined;
	message?: string | undefined;
	metadata: ObjectMeta;
	reason?: string | undefined;
	related?: ObjectReference | undefined;
	reportingComponent?: string | undefined;
	reportingInstance?: string | undefined;
	series?: EventSeries | undefined;
	source?: EventSource | undefined;
	type?: string | undefined;
}
export interface EventList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: Event[];
	metadata: ListMeta;
}
export interface EventSeries {
	count?: number | undefined;
	lastObservedTime?: MicroTime | undefined;
}
export interface EventSource {
	component?: string | undefined;
	host?: string | undefined;
}
export interface EventsEvent {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	action?: string | undefined;
	deprecatedCount?: number | undefined;
	deprecatedFirstTimestamp?: Time | undefined;
	deprecatedLastTimestamp?: Time | undefined;
	deprecatedSource?: EventSource | undefined;
	eventTime: MicroTime;
	metadata: ObjectMeta;
	note?: string | undefined;
	reason?: string | undefined;
	regarding?: ObjectReference | undefined;
	related?: ObjectReference | undefined;
	reportingController?: string | undefined;
	reportingInstance?: string | undefined;
	series?: EventsEventSeries | undefined;
	type?: string | undefined;
}
export interface EventsEventList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: EventsEvent[];
	metadata: ListMeta;
}
export interface EventsEventSeries {
	count: number;
	lastObservedTime: MicroTime;
}
export interface Eviction {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	deleteOptions?: DeleteOptions | undefined;
	metadata: ObjectMeta;
}
export interface ExactDeviceRequest {
	adminAccess?: boolean | undefined;
	allocationMode?: DeviceAllocationMode | undefined;
	capacity?: CapacityRequirements | undefined;
	count?: number | undefined;
	deviceClassName: string;
	selectors?: DeviceSelector[] | undefined;
	tolerations?: DeviceToleration[] | undefined;
}
export interface ExecAction {
	command?: string[] | undefined;
}
export interface ExemptPriorityLevelConfiguration {
	lendablePercent?: number | undefined;
	nominalConcurrencyShares?: number | undefined;
}
export interface ExpressionWarning {
	fieldRef: string;
	warning: string;
}
export interface ExternalDocumentation {
	description?: string | undefined;
	url?: string | undefined;
}
export interface ExternalMetricSource {
	metric: MetricIdentifier;
	target: MetricTarget;
}
export interface ExternalMetricStatus {
	current: MetricValueStatus;
	metric: MetricIdentifier;
}
export type ExtraValue = string[];
export interface FCVolumeSource {
	fsType?: string | undefined;
	lun?: number | undefined;
	readOnly?: boolean | undefined;
	targetWWNs?: string[] | undefined;
	wwids?: string[] | undefined;
}
export type FSGroupPolicy = string;
export type FailurePolicyType = string;
export interface FieldSelectorAttributes {
	rawSelector?: string | undefined;
	requirements?: FieldSelectorRequirement[] | undefined;
}
export type FieldSelectorOperator = string;
export interface FieldSelectorRequirement {
	key: string;
	operator: FieldSelectorOperator;
	values?: string[] | undefined;
}
export type FieldValueErrorReason = string;
export type FieldsV1 = Record<string, unknown>;
export interface FileKeySelector {
	key: string;
	optional?: boolean | undefined;
	path: string;
	volumeName: string;
}
export type FinalizerName = string;
export interface FlexPersistentVolumeSource {
	driver: string;
	fsType?: string | undefined;
	options?: Record<string, string> | undefined;
	readOnly?: boolean | undefined;
	secretRef?: SecretReference | undefined;
}
export interface FlexVolumeSource {
	driver: string;
	fsType?: string | undefined;
	options?: Record<string, string> | undefined;
	readOnly?: boolean | undefined;
	secretRef?: LocalObjectReference | undefined;
}
export interface FlockerVolumeSource {
	datasetName?: string | undefined;
	datasetUUID?: string | undefined;
}
export interface FlowDistinguisherMethod {
	type: FlowDistinguisherMethodType;
}
export type FlowDistinguisherMethodType = string;
export interface FlowSchema {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	spec?: FlowSchemaSpec | undefined;
	status?: FlowSchemaStatus | undefined;
}
export interface FlowSchemaCondition {
	lastTransitionTime?: Time | undefined;
	message?: string | undefined;
	reason?: string | undefined;
	status?: FlowcontrolConditionStatus | undefined;
	type?: FlowSchemaConditionType | undefined;
}
export type FlowSchemaConditionType = string;
export interface FlowSchemaList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: FlowSchema[];
	metadata: ListMeta;
}
export interface FlowSchemaSpec {
	distinguisherMethod?: FlowDistinguisherMethod | undefined;
	matchingPrecedence?: number | undefined;
	priorityLevelConfiguration: PriorityLevelConfigurationReference;
	rules?: PolicyRulesWithSubjects[] | undefined;
}
export interface FlowSchemaStatus {
	conditions?: FlowSchemaCondition[] | undefined;
}
export type FlowcontrolConditionStatus = string;
export interface ForNode {
	name: string;
}
export interface ForZone {
	name: string;
}
export type FullyQualifiedName = string;
export interface GCEPersistentDiskVolumeSource {
	fsType?: string | undefined;
	partition?: number | undefined;
	pdName: string;
	readOnly?: boolean | undefined;
}
export interface GRPCAction {
	port: number;
	service?: string | undefined;
}
export interface GetOptions {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	resourceVersion?: string | undefined;
}
export interface GitRepoVolumeSource {
	directory?: string | undefined;
	repository: string;
	revision?: string | undefined;
}
export interface GlusterfsPersistentVolumeSource {
	endpoints: string;
	endpointsNamespace?: string | undefined;
	path: string;
	readOnly?: boolean | undefined;
}
export interface GlusterfsVolumeSource {
	endpoints: string;
	path: string;
	readOnly?: boolean | undefined;
}
export interface GroupKind {
	group: string;
	kind: string;
}
export interface GroupResource {
	group: string;
	resource: string;
}
export interface GroupSubject {
	name: string;
}
export type GroupVersion = string;
export interface GroupVersionForDiscovery {
	groupVersion: string;
	version: string;
}
export interface GroupVersionKind {
	group: string;
	kind: string;
	version: string;
}
export interface GroupVersionResource {
	group: string;
	resource: string;
	version: string;
}
export interface HPAScalingPolicy {
	periodSeconds: number;
	type: HPAScalingPolicyType;
	value: number;
}
export type HPAScalingPolicyType = string;
export interface HPAScalingRules {
	policies?: HPAScalingPolicy[] | undefined;
	selectPolicy?: ScalingPolicySelect | undefined;
	stabilizationWindowSeconds?: number | undefined;
	tolerance?: Quantity | undefined;
}
export interface HTTPGetAction {
	host?: string | undefined;
	httpHeaders?: HTTPHeader[] | undefined;
	path?: string | undefined;
	port: IntOrString;
	scheme?: URIScheme | undefined;
}
export interface HTTPHeader {
	name: string;
	value: string;
}
export interface HTTPIngressPath {
	backend: IngressBackend;
	path?: string | undefined;
	pathType: PathType;
}
export interface HTTPIngressRuleValue {
	paths: HTTPIngressPath[];
}
export interface HorizontalPodAutoscaler {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	spec: HorizontalPodAutoscalerSpec;
	status?: HorizontalPodAutoscalerStatus | undefined;
}
export interface HorizontalPodAutoscalerBehavior {
	scaleDown?: HPAScalingRules | undefined;
	scaleUp?: HPAScalingRules | undefined;
}
export interface HorizontalPodAutoscalerCondition {
	lastTransitionTime?: Time | undefined;
	message?: string | undefined;
	reason?: string | undefined;
	status: CoreConditionStatus;
	type: HorizontalPodAutoscalerConditionType;
}
export type HorizontalPodAutoscalerConditionType = string;
export interface HorizontalPodAutoscalerList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: HorizontalPodAutoscaler[];
	metadata: ListMeta;
}
export interface HorizontalPodAutoscalerSpec {
	behavior?: HorizontalPodAutoscalerBehavior | undefined;
	maxReplicas: number;
	metrics?: MetricSpec[] | undefined;
	minReplicas?: number | undefined;
	scaleTargetRef: CrossVersionObjectReference;
}
export interface HorizontalPodAutoscalerStatus {
	conditions?: HorizontalPodAutoscalerCondition[] | undefined;
	currentMetrics?: MetricStatus[] | undefined;
	currentReplicas?: number | undefined;
	desiredReplicas: number;
	lastScaleTime?: Time | undefined;
	observedGeneration?: number | undefined;
}
export interface HostAlias {
	hostnames?: string[] | undefined;
	ip: string;
}
export interface HostIP {
	ip: string;
}
export type HostPathType = string;
export interface HostPathVolumeSource {
	path: string;
	type?: HostPathType | undefined;
}
export interface IPAddress {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	spec: IPAddressSpec;
}
export interface IPAddressList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: IPAddress[];
	metadata: ListMeta;
}
export interface IPAddressSpec {
	parentRef: ParentReference;
}
export interface IPBlock {
	cidr: string;
	except?: string[] | undefined;
}
export type IPFamily = string;
export type IPFamilyPolicy = string;
export interface ISCSIPersistentVolumeSource {
	chapAuthDiscovery?: boolean | undefined;
	chapAuthSession?: boolean | undefined;
	fsType?: string | undefined;
	initiatorName?: string | undefined;
	iqn: string;
	iscsiInterface?: string | undefined;
	lun: number;
	portals?: string[] | undefined;
	readOnly?: boolean | undefined;
	secretRef?: SecretReference | undefined;
	targetPortal: string;
}
export interface ISCSIVolumeSource {
	chapAuthDiscovery?: boolean | undefined;
	chapAuthSession?: boolean | undefined;
	fsType?: string | undefined;
	initiatorName?: string | undefined;
	iqn: string;
	iscsiInterface?: string | undefined;
	lun: number;
	portals?: string[] | undefined;
	readOnly?: boolean | undefined;
	secretRef?: LocalObjectReference | undefined;
	targetPortal: string;
}
export interface ImageVolumeSource {
	pullPolicy?: PullPolicy | undefined;
	reference?: string | undefined;
}
export interface ImageVolumeStatus {
	imageRef: string;
}
export type IncludeObjectPolicy = string;
export interface Info {
	buildDate: string;
	compiler: string;
	emulationMajor?: string | undefined;
	emulationMinor?: string | undefined;
	gitCommit: string;
	gitTreeState: string;
	gitVersion: string;
	goVersion: string;
	major: string;
	minCompatibilityMajor?: string | undefined;
	minCompatibilityMinor?: string | undefined;
	minor: string;
	platform: string;
}
export interface Ingress {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	spec?: IngressSpec | undefined;
	status?: IngressStatus | undefined;
}
export interface IngressBackend {
	resource?: TypedLocalObjectReference | undefined;
	service?: IngressServiceBackend | undefined;
}
export interface IngressClass {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	spec?: IngressClassSpec | undefined;
}
export interface IngressClassList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: IngressClass[];
	metadata: ListMeta;
}
export interface IngressClassParametersReference {
	apiGroup?: string | undefined;
	kind: string;
	name: string;
	namespace?: string | undefined;
	scope?: string | undefined;
}
export interface IngressClassSpec {
	controller?: string | undefined;
	parameters?: IngressClassParametersReference | undefined;
}
export interface IngressList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: Ingress[];
	metadata: ListMeta;
}
export interface IngressLoadBalancerIngress {
	hostname?: string | undefined;
	ip?: string | undefined;
	ports?: IngressPortStatus[] | undefined;
}
export interface IngressLoadBalancerStatus {
	ingress?: IngressLoadBalancerIngress[] | undefined;
}
export interface IngressPortStatus {
	error?: string | undefined;
	port: number;
	protocol: Protocol;
}
export interface IngressRule {
	host?: string | undefined;
	http?: HTTPIngressRuleValue | undefined;
}
export interface IngressRuleValue {
	http?: HTTPIngressRuleValue | undefined;
}
export interface IngressServiceBackend {
	name: string;
	port?: ServiceBackendPort | undefined;
}
export interface IngressSpec {
	defaultBackend?: IngressBackend | undefined;
	ingressClassName?: string | undefined;
	rules?: IngressRule[] | undefined;
	tls?: IngressTLS[] | undefined;
}
export interface IngressStatus {
	loadBalancer?: IngressLoadBalancerStatus | undefined;
}
export interface IngressTLS {
	hosts?: string[] | undefined;
	secretName?: string | undefined;
}
export type IntOrString = number | string;
export type JSON = unknown;
export interface JSONPatch {
	expression?: string | undefined;
}
export type JSONSchemaDefinitions = Record<string, JSONSchemaProps>;
export type JSONSchemaDependencies = Record<string, JSONSchemaPropsOrStringArray>;
export interface JSONSchemaProps {
	$ref?: string | undefined;
	$schema?: JSONSchemaURL | undefined;
	additionalItems?: JSONSchemaPropsOrBool | undefined;
	additionalProperties?: JSONSchemaPropsOrBool | undefined;
	allOf?: JSONSchemaProps[] | undefined;
	anyOf?: JSONSchemaProps[] | undefined;
	default?: JSON | undefined;
	definitions?: Record<string, JSONSchemaProps> | undefined;
	dependencies?: Record<string, JSONSchemaPropsOrStringArray> | undefined;
	description?: string | undefined;
	enum?: JSON[] | undefined;
	example?: JSON | undefined;
	exclusiveMaximum?: boolean | undefined;
	exclusiveMinimum?: boolean | undefined;
	externalDocs?: ExternalDocumentation | undefined;
	format?: string | undefined;
	id?: string | undefined;
	items?: JSONSchemaPropsOrArray | undefined;
	maxItems?: number | undefined;
	maxLength?: number | undefined;
	maxProperties?: number | undefined;
	maximum?: number | undefined;
	minItems?: number | undefined;
	minLength?: number | undefined;
	minProperties?: number | undefined;
	minimum?: number | undefined;
	multipleOf?: number | undefined;
	not?: JSONSchemaProps | undefined;
	nullable?: boolean | undefined;
	oneOf?: JSONSchemaProps[] | undefined;
	pattern?: string | undefined;
	patternProperties?: Record<string, JSONSchemaProps> | undefined;
	properties?: Record<string, JSONSchemaProps> | undefined;
	required?: string[] | undefined;
	title?: string | undefined;
	type?: string | undefined;
	uniqueItems?: boolean | undefined;
	"x-kubernetes-embedded-resource"?: boolean | undefined;
	"x-kubernetes-int-or-string"?: boolean | undefined;
	"x-kubernetes-list-map-keys"?: string[] | undefined;
	"x-kubernetes-list-type"?: string | undefined;
	"x-kubernetes-map-type"?: string | undefined;
	"x-kubernetes-preserve-unknown-fields"?: boolean | undefined;
	"x-kubernetes-validations"?: ValidationRule[] | undefined;
}
export type JSONSchemaPropsOrArray = unknown;
export type JSONSchemaPropsOrBool = unknown;
export type JSONSchemaPropsOrStringArray = unknown;
export type JSONSchemaURL = string;
export interface Job {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	spec?: JobSpec | undefined;
	status?: JobStatus | undefined;
}
export interface JobCondition {
	lastProbeTime?: Time | undefined;
	lastTransitionTime?: Time | undefined;
	message?: string | undefined;
	reason?: string | undefined;
	status: CoreConditionStatus;
	type: JobConditionType;
}
export type JobConditionType = string;
export interface JobList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: Job[];
	metadata: ListMeta;
}
export interface JobSpec {
	activeDeadlineSeconds?: number | undefined;
	backoffLimit?: number | undefined;
	backoffLimitPerIndex?: number | undefined;
	completionMode?: CompletionMode | undefined;
	completions?: number | undefined;
	managedBy?: string | undefined;
	manualSelector?: boolean | undefined;
	maxFailedIndexes?: number | undefined;
	parallelism?: number | undefined;
	podFailurePolicy?: PodFailurePolicy | undefined;
	podReplacementPolicy?: PodReplacementPolicy | undefined;
	selector?: LabelSelector | undefined;
	successPolicy?: SuccessPolicy | undefined;
	suspend?: boolean | undefined;
	template: PodTemplateSpec;
	ttlSecondsAfterFinished?: number | undefined;
}
export interface JobStatus {
	active?: number | undefined;
	completedIndexes?: string | undefined;
	completionTime?: Time | undefined;
	conditions?: JobCondition[] | undefined;
	failed?: number | undefined;
	failedIndexes?: string | undefined;
	ready?: number | undefined;
	startTime?: Time | undefined;
	succeeded?: number | undefined;
	terminating?: number | undefined;
	uncountedTerminatedPods?: UncountedTerminatedPods | undefined;
}
export interface JobTemplateSpec {
	metadata?: ObjectMeta | undefined;
	spec?: JobSpec | undefined;
}
export interface KeyToPath {
	key: string;
	mode?: number | undefined;
	path: string;
}
export type KeyUsage = string;
export interface LabelSelector {
	matchExpressions?: LabelSelectorRequirement[] | undefined;
	matchLabels?: Record<string, string> | undefined;
}
export interface LabelSelectorAttributes {
	rawSelector?: string | undefined;
	requirements?: LabelSelectorRequirement[] | undefined;
}
export type LabelSelectorOperator = string;
export interface LabelSelectorRequirement {
	key: string;
	operator: LabelSelectorOperator;
	values?: string[] | undefined;
}
export interface Lease {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	spec?: LeaseSpec | undefined;
}
export interface LeaseList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: Lease[];
	metadata: ListMeta;
}
export interface LeaseSpec {
	acquireTime?: MicroTime | undefined;
	holderIdentity?: string | undefined;
	leaseDurationSeconds?: number | undefined;
	leaseTransitions?: number | undefined;
	preferredHolder?: string | undefined;
	renewTime?: MicroTime | undefined;
	strategy?: CoordinatedLeaseStrategy | undefined;
}
export interface Lifecycle {
	postStart?: LifecycleHandler | undefined;
	preStop?: LifecycleHandler | undefined;
	stopSignal?: Signal | undefined;
}
export interface LifecycleHandler {
	exec?: ExecAction | undefined;
	httpGet?: HTTPGetAction | undefined;
	sleep?: SleepAction | undefined;
	tcpSocket?: TCPSocketAction | undefined;
}
export interface LimitRange {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	spec?: LimitRangeSpec | undefined;
}
export interface LimitRangeItem {
	default?: Record<string, Quantity> | undefined;
	defaultRequest?: Record<string, Quantity> | undefined;
	max?: Record<string, Quantity> | undefined;
	maxLimitRequestRatio?: Record<string, Quantity> | undefined;
	min?: Record<string, Quantity> | undefined;
	type: LimitType;
}
export interface LimitRangeList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: LimitRange[];
	metadata: ListMeta;
}
export interface LimitRangeSpec {
	limits: LimitRangeItem[];
}
export interface LimitResponse {
	queuing?: QueuingConfiguration | undefined;
	type: LimitResponseType;
}
export type LimitResponseType = string;
export type LimitType = string;
export interface LimitedPriorityLevelConfiguration {
	borrowingLimitPercent?: number | undefined;
	lendablePercent?: number | undefined;
	limitResponse?: LimitResponse | undefined;
	nominalConcurrencyShares?: number | undefined;
}
export interface LinuxContainerUser {
	gid: number;
	supplementalGroups?: number[] | undefined;
	uid: number;
}
export interface List {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: RawExtension[];
	metadata?: ListMeta | undefined;
}
export interface ListMeta {
	continue?: string | undefined;
	remainingItemCount?: number | undefined;
	resourceVersion?: string | undefined;
	selfLink?: string | undefined;
	shardInfo?: ShardInfo | undefined;
}
export interface ListOptions {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	allowWatchBookmarks?: boolean | undefined;
	continue?: string | undefined;
	fieldSelector?: string | undefined;
	labelSelector?: string | undefined;
	limit?: number | undefined;
	resourceVersion?: string | undefined;
	resourceVersionMatch?: ResourceVersionMatch | undefined;
	sendInitialEvents?: boolean | undefined;
	shardSelector?: string | undefined;
	timeoutSeconds?: number | undefined;
	watch?: boolean | undefined;
}
export type LoadBalancerIPMode = string;
export interface LoadBalancerIngress {
	hostname?: string | undefined;
	ip?: string | undefined;
	ipMode?: LoadBalancerIPMode | undefined;
	ports?: PortStatus[] | undefined;
}
export interface LoadBalancerStatus {
	ingress?: LoadBalancerIngress[] | undefined;
}
export interface LocalObjectReference {
	name?: string | undefined;
}
export interface LocalSubjectAccessReview {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	spec: SubjectAccessReviewSpec;
	status?: SubjectAccessReviewStatus | undefined;
}
export interface LocalVolumeSource {
	fsType?: string | undefined;
	path: string;
}
export interface ManagedFieldsEntry {
	apiVersion?: string | undefined;
	fieldsType?: string | undefined;
	fieldsV1?: FieldsV1 | undefined;
	manager?: string | undefined;
	operation?: ManagedFieldsOperationType | undefined;
	subresource?: string | undefined;
	time?: Time | undefined;
}
export type ManagedFieldsOperationType = string;
export interface MatchCondition {
	expression: string;
	name: string;
}
export type MatchPolicyType = string;
export interface MatchResources {
	excludeResourceRules?: NamedRuleWithOperations[] | undefined;
	matchPolicy?: MatchPolicyType | undefined;
	namespaceSelector?: LabelSelector | undefined;
	objectSelector?: LabelSelector | undefined;
	resourceRules?: NamedRuleWithOperations[] | undefined;
}
export interface MetricIdentifier {
	name: string;
	selector?: LabelSelector | undefined;
}
export type MetricSourceType = string;
export interface MetricSpec {
	containerResource?: ContainerResourceMetricSource | undefined;
	external?: ExternalMetricSource | undefined;
	object?: ObjectMetricSource | undefined;
	pods?: PodsMetricSource | undefined;
	resource?: ResourceMetricSource | undefined;
	type: MetricSourceType;
}
export interface MetricStatus {
	containerResource?: ContainerResourceMetricStatus | undefined;
	external?: ExternalMetricStatus | undefined;
	object?: ObjectMetricStatus | undefined;
	pods?: PodsMetricStatus | undefined;
	resource?: ResourceMetricStatus | undefined;
	type: MetricSourceType;
}
export interface MetricTarget {
	averageUtilization?: number | undefined;
	averageValue?: Quantity | undefined;
	type: MetricTargetType;
	value?: Quantity | undefined;
}
export type MetricTargetType = string;
export interface MetricValueStatus {
	averageUtilization?: number | undefined;
	averageValue?: Quantity | undefined;
	value?: Quantity | undefined;
}
export type MicroTime = string;
export interface ModifyVolumeStatus {
	status: PersistentVolumeClaimModifyVolumeStatus;
	targetVolumeAttributesClassName?: string | undefined;
}
export type MountPropagationMode = string;
export interface MutatingAdmissionPolicy {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	spec?: MutatingAdmissionPolicySpec | undefined;
}
export interface MutatingAdmissionPolicyBinding {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	spec?: MutatingAdmissionPolicyBindingSpec | undefined;
}
export interface MutatingAdmissionPolicyBindingList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: MutatingAdmissionPolicyBinding[];
	metadata: ListMeta;
}
export interface MutatingAdmissionPolicyBindingSpec {
	matchResources?: MatchResources | undefined;
	paramRef?: ParamRef | undefined;
	policyName?: string | undefined;
}
export interface MutatingAdmissionPolicyList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: MutatingAdmissionPolicy[];
	metadata: ListMeta;
}
export interface MutatingAdmissionPolicySpec {
	failurePolicy?: FailurePolicyType | undefined;
	matchConditions?: MatchCondition[] | undefined;
	matchConstraints?: MatchResources | undefined;
	mutations?: Mutation[] | undefined;
	paramKind?: ParamKind | undefined;
	reinvocationPolicy?: ReinvocationPolicyType | undefined;
	variables?: Variable[] | undefined;
}
export interface MutatingWebhook {
	admissionReviewVersions: string[];
	clientConfig: WebhookClientConfig;
	failurePolicy?: FailurePolicyType | undefined;
	matchConditions?: MatchCondition[] | undefined;
	matchPolicy?: MatchPolicyType | undefined;
	name: string;
	namespaceSelector?: LabelSelector | undefined;
	objectSelector?: LabelSelector | undefined;
	reinvocationPolicy?: ReinvocationPolicyType | undefined;
	rules?: RuleWithOperations[] | undefined;
	sideEffects: SideEffectClass;
	timeoutSeconds?: number | undefined;
}
export interface MutatingWebhookConfiguration {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	webhooks?: MutatingWebhook[] | undefined;
}
export interface MutatingWebhookConfigurationList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: MutatingWebhookConfiguration[];
	metadata: ListMeta;
}
export interface Mutation {
	applyConfiguration?: ApplyConfiguration | undefined;
	jsonPatch?: JSONPatch | undefined;
	patchType: AdmissionregistrationPatchType;
}
export interface NFSVolumeSource {
	path: string;
	readOnly?: boolean | undefined;
	server: string;
}
export interface NamedRuleWithOperations {
	resourceNames?: string[] | undefined;
	operations?: OperationType[] | undefined;
	apiGroups?: string[] | undefined;
	apiVersions?: string[] | undefined;
	resources?: string[] | undefined;
	scope?: ScopeType | undefined;
}
export interface Namespace {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	spec?: NamespaceSpec | undefined;
	status?: NamespaceStatus | undefined;
}
export interface NamespaceCondition {
	lastTransitionTime?: Time | undefined;
	message?: string | undefined;
	reason?: string | undefined;
	status: CoreConditionStatus;
	type: NamespaceConditionType;
}
export type NamespaceConditionType = string;
export interface NamespaceList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: Namespace[];
	metadata: ListMeta;
}
export type NamespacePhase = string;
export interface NamespaceSpec {
	finalizers?: FinalizerName[] | undefined;
}
export interface NamespaceStatus {
	conditions?: NamespaceCondition[] | undefined;
	phase?: NamespacePhase | undefined;
}
export interface NetworkDeviceData {
	hardwareAddress?: string | undefined;
	interfaceName?: string | undefined;
	ips?: string[] | undefined;
}
export interface NetworkPolicy {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	spec?: NetworkPolicySpec | undefined;
}
export interface NetworkPolicyEgressRule {
	ports?: NetworkPolicyPort[] | undefined;
	to?: NetworkPolicyPeer[] | undefined;
}
export interface NetworkPolicyIngressRule {
	from?: NetworkPolicyPeer[] | undefined;
	ports?: NetworkPolicyPort[] | undefined;
}
export interface NetworkPolicyList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: NetworkPolicy[];
	metadata: ListMeta;
}
export interface NetworkPolicyPeer {
	ipBlock?: IPBlock | undefined;
	namespaceSelector?: LabelSelector | undefined;
	podSelector?: LabelSelector | undefined;
}
export interface NetworkPolicyPort {
	endPort?: number | undefined;
	port?: IntOrString | undefined;
	protocol?: Protocol | undefined;
}
export interface NetworkPolicySpec {
	egress?: NetworkPolicyEgressRule[] | undefined;
	ingress?: NetworkPolicyIngressRule[] | undefined;
	podSelector?: LabelSelector | undefined;
	policyTypes?: PolicyType[] | undefined;
}
export interface Node {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	spec?: NodeSpec | undefined;
	status?: NodeStatus | undefined;
}
export interface NodeAddress {
	address: string;
	type: NodeAddressType;
}
export type NodeAddressType = string;
export interface NodeAffinity {
	preferredDuringSchedulingIgnoredDuringExecution?: PreferredSchedulingTerm[] | undefined;
	requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector | undefined;
}
export interface NodeAllocatableResourceClaimStatus {
	containers?: string[] | undefined;
	resourceClaimName: string;
	resources: Record<string, Quantity>;
}
export interface NodeAllocatableResourceMapping {
	allocationMultiplier?: Quantity | undefined;
	capacityKey?: QualifiedName | undefined;
}
export interface NodeCondition {
	lastHeartbeatTime?: Time | undefined;
	lastTransitionTime?: Time | undefined;
	message?: string | undefined;
	reason?: string | undefined;
	status: CoreConditionStatus;
	type: NodeConditionType;
}
export type NodeConditionType = string;
export interface NodeConfigSource {
	configMap?: ConfigMapNodeConfigSource | undefined;
}
export interface NodeConfigStatus {
	active?: NodeConfigSource | undefined;
	assigned?: NodeConfigSource | undefined;
	error?: string | undefined;
	lastKnownGood?: NodeConfigSource | undefined;
}
export interface NodeDaemonEndpoints {
	kubeletEndpoint?: DaemonEndpoint | undefined;
}
export interface NodeFeatures {
	supplementalGroupsPolicy?: boolean | undefined;
}
export type NodeInclusionPolicy = string;
export interface NodeList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: Node[];
	metadata: ListMeta;
}
export interface NodeMetrics {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	timestamp: Time;
	usage: Record<string, Quantity>;
	window: Duration;
}
export interface NodeMetricsList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: NodeMetrics[];
	metadata: ListMeta;
}
export type NodePhase = string;
export interface NodeProxyOptions {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	path?: string | undefined;
}
export interface NodeRuntimeHandler {
	features?: NodeRuntimeHandlerFeatures | undefined;
	name?: string | undefined;
}
export interface NodeRuntimeHandlerFeatures {
	recursiveReadOnlyMounts?: boolean | undefined;
	userNamespaces?: boolean | undefined;
}
export interface NodeSelector {
	nodeSelectorTerms: NodeSelectorTerm[];
}
export type NodeSelectorOperator = string;
export interface NodeSelectorRequirement {
	key: string;
	operator: NodeSelectorOperator;
	values?: string[] | undefined;
}
export interface NodeSelectorTerm {
	matchExpressions?: NodeSelectorRequirement[] | undefined;
	matchFields?: NodeSelectorRequirement[] | undefined;
}
export interface NodeSpec {
	configSource?: NodeConfigSource | undefined;
	externalID?: string | undefined;
	podCIDR?: string | undefined;
	podCIDRs?: string[] | undefined;
	providerID?: string | undefined;
	taints?: Taint[] | undefined;
	unschedulable?: boolean | undefined;
}
export interface NodeStatus {
	addresses?: NodeAddress[] | undefined;
	allocatable?: Record<string, Quantity> | undefined;
	capacity?: Record<string, Quantity> | undefined;
	conditions?: NodeCondition[] | undefined;
	config?: NodeConfigStatus | undefined;
	daemonEndpoints?: NodeDaemonEndpoints | undefined;
	declaredFeatures?: string[] | undefined;
	features?: NodeFeatures | undefined;
	images?: ContainerImage[] | undefined;
	nodeInfo?: NodeSystemInfo | undefined;
	phase?: NodePhase | undefined;
	runtimeHandlers?: NodeRuntimeHandler[] | undefined;
	volumesAttached?: AttachedVolume[] | undefined;
	volumesInUse?: UniqueVolumeName[] | undefined;
}
export interface NodeSwapStatus {
	capacity?: number | undefined;
}
export interface NodeSystemInfo {
	architecture: string;
	bootID: string;
	containerRuntimeVersion: string;
	kernelVersion: string;
	kubeProxyVersion: string;
	kubeletVersion: string;
	machineID: string;
	operatingSystem: string;
	osImage: string;
	swap?: NodeSwapStatus | undefined;
	systemUUID: string;
}
export interface NonResourceAttributes {
	path?: string | undefined;
	verb?: string | undefined;
}
export interface NonResourcePolicyRule {
	nonResourceURLs: string[];
	verbs: string[];
}
export interface NonResourceRule {
	nonResourceURLs?: string[] | undefined;
	verbs: string[];
}
export type OSName = string;
export type Object = unknown;
export interface ObjectFieldSelector {
	apiVersion?: string | undefined;
	fieldPath: string;
}
export interface ObjectMeta {
	annotations?: Record<string, string> | undefined;
	creationTimestamp?: Time | undefined;
	deletionGracePeriodSeconds?: number | undefined;
	deletionTimestamp?: Time | undefined;
	finalizers?: string[] | undefined;
	generateName?: string | undefined;
	generation?: number | undefined;
	labels?: Record<string, string> | undefined;
	managedFields?: ManagedFieldsEntry[] | undefined;
	name?: string | undefined;
	namespace?: string | undefined;
	ownerReferences?: OwnerReference[] | undefined;
	resourceVersion?: string | undefined;
	selfLink?: string | undefined;
	uid?: UID | undefined;
}
export interface ObjectMetricSource {
	describedObject: CrossVersionObjectReference;
	metric: MetricIdentifier;
	target: MetricTarget;
}
export interface ObjectMetricStatus {
	current: MetricValueStatus;
	describedObject: CrossVersionObjectReference;
	metric: MetricIdentifier;
}
export interface ObjectReference {
	apiVersion?: string | undefined;
	fieldPath?: string | undefined;
	kind?: string | undefined;
	name?: string | undefined;
	namespace?: string | undefined;
	resourceVersion?: string | undefined;
	uid?: UID | undefined;
}
export interface OpaqueDeviceConfiguration {
	driver: string;
	parameters: RawExtension;
}
export type Operation = string;
export type OperationType = string;
export interface Overhead {
	podFixed?: Record<string, Quantity> | undefined;
}
export interface OwnerReference {
	apiVersion: string;
	blockOwnerDeletion?: boolean | undefined;
	controller?: boolean | undefined;
	kind: string;
	name: string;
	uid: UID;
}
export interface ParamKind {
	apiVersion?: string | undefined;
	kind?: string | undefined;
}
export interface ParamRef {
	name?: string | undefined;
	namespace?: string | undefined;
	parameterNotFoundAction?: ParameterNotFoundActionType | undefined;
	selector?: LabelSelector | undefined;
}
export type ParameterNotFoundActionType = string;
export interface ParentReference {
	group?: string | undefined;
	name: string;
	namespace?: string | undefined;
	resource: string;
}
export interface PartialObjectMetadata {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
}
export interface PartialObjectMetadataList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: PartialObjectMetadata[];
	metadata: ListMeta;
}
export interface Patch {
}
export interface PatchOptions {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	dryRun?: string[] | undefined;
	fieldManager?: string | undefined;
	fieldValidation?: string | undefined;
	force?: boolean | undefined;
}
export type PatchType = string;
export type PathType = string;
export interface PersistentVolume {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	spec?: PersistentVolumeSpec | undefined;
	status?: PersistentVolumeStatus | undefined;
}
export type PersistentVolumeAccessMode = string;
export interface PersistentVolumeClaim {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	spec?: PersistentVolumeClaimSpec | undefined;
	status?: PersistentVolumeClaimStatus | undefined;
}
export interface PersistentVolumeClaimCondition {
	lastProbeTime?: Time | undefined;
	lastTransitionTime?: Time | undefined;
	message?: string | undefined;
	reason?: string | undefined;
	status: CoreConditionStatus;
	type: PersistentVolumeClaimConditionType;
}
export type PersistentVolumeClaimConditionType = string;
export interface PersistentVolumeClaimList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: PersistentVolumeClaim[];
	metadata: ListMeta;
}
export type PersistentVolumeClaimModifyVolumeStatus = string;
export type PersistentVolumeClaimPhase = string;
export type PersistentVolumeClaimRetentionPolicyType = string;
export interface PersistentVolumeClaimSpec {
	accessModes?: PersistentVolumeAccessMode[] | undefined;
	dataSource?: TypedLocalObjectReference | undefined;
	dataSourceRef?: TypedObjectReference | undefined;
	resources?: VolumeResourceRequirements | undefined;
	selector?: LabelSelector | undefined;
	storageClassName?: string | undefined;
	volumeAttributesClassName?: string | undefined;
	volumeMode?: PersistentVolumeMode | undefined;
	volumeName?: string | undefined;
}
export interface PersistentVolumeClaimStatus {
	accessModes?: PersistentVolumeAccessMode[] | undefined;
	allocatedResourceStatuses?: Record<string, ClaimResourceStatus> | undefined;
	allocatedResources?: Record<string, Quantity> | undefined;
	capacity?: Record<string, Quantity> | undefined;
	conditions?: PersistentVolumeClaimCondition[] | undefined;
	currentVolumeAttributesClassName?: string | undefined;
	modifyVolumeStatus?: ModifyVolumeStatus | undefined;
	phase?: PersistentVolumeClaimPhase | undefined;
}
export interface PersistentVolumeClaimTemplate {
	metadata?: ObjectMeta | undefined;
	spec: PersistentVolumeClaimSpec;
}
export interface PersistentVolumeClaimVolumeSource {
	claimName: string;
	readOnly?: boolean | undefined;
}
export interface PersistentVolumeList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: PersistentVolume[];
	metadata: ListMeta;
}
export type PersistentVolumeMode = string;
export type PersistentVolumePhase = string;
export type PersistentVolumeReclaimPolicy = string;
export interface PersistentVolumeSource {
	awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource | undefined;
	azureDisk?: AzureDiskVolumeSource | undefined;
	azureFile?: AzureFilePersistentVolumeSource | undefined;
	cephfs?: CephFSPersistentVolumeSource | undefined;
	cinder?: CinderPersistentVolumeSource | undefined;
	csi?: CSIPersistentVolumeSource | undefined;
	fc?: FCVolumeSource | undefined;
	flexVolume?: FlexPersistentVolumeSource | undefined;
	flocker?: FlockerVolumeSource | undefined;
	gcePersistentDisk?: GCEPersistentDiskVolumeSource | undefined;
	glusterfs?: GlusterfsPersistentVolumeSource | undefined;
	hostPath?: HostPathVolumeSource | undefined;
	iscsi?: ISCSIPersistentVolumeSource | undefined;
	local?: LocalVolumeSource | undefined;
	nfs?: NFSVolumeSource | undefined;
	photonPersistentDisk?: PhotonPersistentDiskVolumeSource | undefined;
	portworxVolume?: PortworxVolumeSource | undefined;
	quobyte?: QuobyteVolumeSource | undefined;
	rbd?: RBDPersistentVolumeSource | undefined;
	scaleIO?: ScaleIOPersistentVolumeSource | undefined;
	storageos?: StorageOSPersistentVolumeSource | undefined;
	vsphereVolume?: VsphereVirtualDiskVolumeSource | undefined;
}
export interface PersistentVolumeSpec {
	accessModes?: PersistentVolumeAccessMode[] | undefined;
	capacity?: Record<string, Quantity> | undefined;
	claimRef?: ObjectReference | undefined;
	mountOptions?: string[] | undefined;
	nodeAffinity?: VolumeNodeAffinity | undefined;
	persistentVolumeReclaimPolicy?: PersistentVolumeReclaimPolicy | undefined;
	awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource | undefined;
	azureDisk?: AzureDiskVolumeSource | undefined;
	azureFile?: AzureFilePersistentVolumeSource | undefined;
	cephfs?: CephFSPersistentVolumeSource | undefined;
	cinder?: CinderPersistentVolumeSource | undefined;
	csi?: CSIPersistentVolumeSource | undefined;
	fc?: FCVolumeSource | undefined;
	flexVolume?: FlexPersistentVolumeSource | undefined;
	flocker?: FlockerVolumeSource | undefined;
	gcePersistentDisk?: GCEPersistentDiskVolumeSource | undefined;
	glusterfs?: GlusterfsPersistentVolumeSource | undefined;
	hostPath?: HostPathVolumeSource | undefined;
	iscsi?: ISCSIPersistentVolumeSource | undefined;
	local?: LocalVolumeSource | undefined;
	nfs?: NFSVolumeSource | undefined;
	photonPersistentDisk?: PhotonPersistentDiskVolumeSource | undefined;
	portworxVolume?: PortworxVolumeSource | undefined;
	quobyte?: QuobyteVolumeSource | undefined;
	rbd?: RBDPersistentVolumeSource | undefined;
	scaleIO?: ScaleIOPersistentVolumeSource | undefined;
	storageos?: StorageOSPersistentVolumeSource | undefined;
	vsphereVolume?: VsphereVirtualDiskVolumeSource | undefined;
	storageClassName?: string | undefined;
	volumeAttributesClassName?: string | undefined;
	volumeMode?: PersistentVolumeMode | undefined;
}
export interface PersistentVolumeStatus {
	lastPhaseTransitionTime?: Time | undefined;
	message?: string | undefined;
	phase?: PersistentVolumePhase | undefined;
	reason?: string | undefined;
}
export interface PhotonPersistentDiskVolumeSource {
	fsType?: string | undefined;
	pdID: string;
}
export interface Pod {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	spec?: PodSpec | undefined;
	status?: PodStatus | undefined;
}
export interface PodAffinity {
	preferredDuringSchedulingIgnoredDuringExecution?: WeightedPodAffinityTerm[] | undefined;
	requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[] | undefined;
}
export interface PodAffinityTerm {
	labelSelector?: LabelSelector | undefined;
	matchLabelKeys?: string[] | undefined;
	mismatchLabelKeys?: string[] | undefined;
	namespaceSelector?: LabelSelector | undefined;
	namespaces?: string[] | undefined;
	topologyKey: string;
}
export interface PodAntiAffinity {
	preferredDuringSchedulingIgnoredDuringExecution?: WeightedPodAffinityTerm[] | undefined;
	requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[] | undefined;
}
export interface PodAttachOptions {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	container?: string | undefined;
	stderr?: boolean | undefined;
	stdin?: boolean | undefined;
	stdout?: boolean | undefined;
	tty?: boolean | undefined;
}
export interface PodCertificateProjection {
	certificateChainPath?: string | undefined;
	credentialBundlePath?: string | undefined;
	keyPath?: string | undefined;
	keyType: string;
	maxExpirationSeconds?: number | undefined;
	signerName: string;
	userAnnotations?: Record<string, string> | undefined;
}
export interface PodCondition {
	lastProbeTime?: Time | undefined;
	lastTransitionTime?: Time | undefined;
	message?: string | undefined;
	observedGeneration?: number | undefined;
	reason?: string | undefined;
	status: CoreConditionStatus;
	type: PodConditionType;
}
export type PodConditionType = string;
export interface PodDNSConfig {
	nameservers?: string[] | undefined;
	options?: PodDNSConfigOption[] | undefined;
	searches?: string[] | undefined;
}
export interface PodDNSConfigOption {
	name?: string | undefined;
	value?: string | undefined;
}
export interface PodDisruptionBudget {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	spec?: PodDisruptionBudgetSpec | undefined;
	status?: PodDisruptionBudgetStatus | undefined;
}
export interface PodDisruptionBudgetList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: PodDisruptionBudget[];
	metadata: ListMeta;
}
export interface PodDisruptionBudgetSpec {
	maxUnavailable?: IntOrString | undefined;
	minAvailable?: IntOrString | undefined;
	selector?: LabelSelector | undefined;
	unhealthyPodEvictionPolicy?: UnhealthyPodEvictionPolicyType | undefined;
}
export interface PodDisruptionBudgetStatus {
	conditions?: Condition[] | undefined;
	currentHealthy?: number | undefined;
	desiredHealthy?: number | undefined;
	disruptedPods?: Record<string, Time> | undefined;
	disruptionsAllowed?: number | undefined;
	expectedPods?: number | undefined;
	observedGeneration?: number | undefined;
}
export interface PodExecOptions {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	command: string[];
	container?: string | undefined;
	stderr?: boolean | undefined;
	stdin?: boolean | undefined;
	stdout?: boolean | undefined;
	tty?: boolean | undefined;
}
export interface PodExtendedResourceClaimStatus {
	requestMappings: ContainerExtendedResourceRequest[];
	resourceClaimName: string;
}
export type PodFSGroupChangePolicy = string;
export interface PodFailurePolicy {
	rules: PodFailurePolicyRule[];
}
export type PodFailurePolicyAction = string;
export type PodFailurePolicyOnExitCodesOperator = string;
export interface PodFailurePolicyOnExitCodesRequirement {
	containerName?: string | undefined;
	operator: PodFailurePolicyOnExitCodesOperator;
	values: number[];
}
export interface PodFailurePolicyOnPodConditionsPattern {
	status?: CoreConditionStatus | undefined;
	type: PodConditionType;
}
export interface PodFailurePolicyRule {
	action: PodFailurePolicyAction;
	onExitCodes?: PodFailurePolicyOnExitCodesRequirement | undefined;
	onPodConditions?: PodFailurePolicyOnPodConditionsPattern[] | undefined;
}
export interface PodIP {
	ip: string;
}
export interface PodList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: Pod[];
	metadata: ListMeta;
}
export interface PodLogOptions {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	container?: string | undefined;
	follow?: boolean | undefined;
	insecureSkipTLSVerifyBackend?: boolean | undefined;
	limitBytes?: number | undefined;
	previous?: boolean | undefined;
	sinceSeconds?: number | undefined;
	sinceTime?: Time | undefined;
	stream?: string | undefined;
	tailLines?: number | undefined;
	timestamps?: boolean | undefined;
}
export type PodManagementPolicyType = string;
export interface PodMetrics {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	containers: ContainerMetrics[];
	metadata: ObjectMeta;
	timestamp: Time;
	window: Duration;
}
export interface PodMetricsList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: PodMetrics[];
	metadata: ListMeta;
}
export interface PodOS {
	name: OSName;
}
export type PodPhase = string;
export interface PodPortForwardOptions {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	ports?: number[] | undefined;
}
export interface PodProxyOptions {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	path?: string | undefined;
}
export type PodQOSClass = string;
export interface PodReadinessGate {
	conditionType: PodConditionType;
}
export type PodReplacementPolicy = string;
export type PodResizeStatus = string;
export interface PodResourceClaim {
	name: string;
	resourceClaimName?: string | undefined;
	resourceClaimTemplateName?: string | undefined;
}
export interface PodResourceClaimStatus {
	name: string;
	resourceClaimName?: string | undefined;
}
export type PodSELinuxChangePolicy = string;
export interface PodSchedulingGate {
	name: string;
}
export interface PodSchedulingGroup {
	podGroupName?: string | undefined;
}
export interface PodSecurityContext {
	appArmorProfile?: AppArmorProfile | undefined;
	fsGroup?: number | undefined;
	fsGroupChangePolicy?: PodFSGroupChangePolicy | undefined;
	runAsGroup?: number | undefined;
	runAsNonRoot?: boolean | undefined;
	runAsUser?: number | undefined;
	seLinuxChangePolicy?: PodSELinuxChangePolicy | undefined;
	seLinuxOptions?: SELinuxOptions | undefined;
	seccompProfile?: SeccompProfile | undefined;
	supplementalGroups?: number[] | undefined;
	supplementalGroupsPolicy?: SupplementalGroupsPolicy | undefined;
	sysctls?: Sysctl[] | undefined;
	windowsOptions?: WindowsSecurityContextOptions | undefined;
}
export interface PodSignature {
	podController?: OwnerReference | undefined;
}
export interface PodSpec {
	activeDeadlineSeconds?: number | undefined;
	affinity?: Affinity | undefined;
	automountServiceAccountToken?: boolean | undefined;
	containers: Container[];
	dnsConfig?: PodDNSConfig | undefined;
	dnsPolicy?: DNSPolicy | undefined;
	enableServiceLinks?: boolean | undefined;
	ephemeralContainers?: EphemeralContainer[] | undefined;
	hostAliases?: HostAlias[] | undefined;
	hostIPC?: boolean | undefined;
	hostNetwork?: boolean | undefined;
	hostPID?: boolean | undefined;
	hostUsers?: boolean | undefined;
	hostname?: string | undefined;
	hostnameOverride?: string | undefined;
	imagePullSecrets?: LocalObjectReference[] | undefined;
	initContainers?: Container[] | undefined;
	nodeName?: string | undefined;
	nodeSelector?: Record<string, string> | undefined;
	os?: PodOS | undefined;
	overhead?: Record<string, Quantity> | undefined;
	preemptionPolicy?: PreemptionPolicy | undefined;
	priority?: number | undefined;
	priorityClassName?: string | undefined;
	readinessGates?: PodReadinessGate[] | undefined;
	resourceClaims?: PodResourceClaim[] | undefined;
	resources?: ResourceRequirements | undefined;
	restartPolicy?: RestartPolicy | undefined;
	runtimeClassName?: string | undefined;
	schedulerName?: string | undefined;
	schedulingGates?: PodSchedulingGate[] | undefined;
	schedulingGroup?: PodSchedulingGroup | undefined;
	securityContext?: PodSecurityContext | undefined;
	serviceAccount?: string | undefined;
	serviceAccountName?: string | undefined;
	setHostnameAsFQDN?: boolean | undefined;
	shareProcessNamespace?: boolean | undefined;
	subdomain?: string | undefined;
	terminationGracePeriodSeconds?: number | undefined;
	tolerations?: Toleration[] | undefined;
	topologySpreadConstraints?: TopologySpreadConstraint[] | undefined;
	volumes?: Volume[] | undefined;
}
export interface PodStatus {
	allocatedResources?: Record<string, Quantity> | undefined;
	conditions?: PodCondition[] | undefined;
	containerStatuses?: ContainerStatus[] | undefined;
	ephemeralContainerStatuses?: ContainerStatus[] | undefined;
	extendedResourceClaimStatus?: PodExtendedResourceClaimStatus | undefined;
	hostIP?: string | undefined;
	hostIPs?: HostIP[] | undefined;
	initContainerStatuses?: ContainerStatus[] | undefined;
	message?: string | undefined;
	nodeAllocatableResourceClaimStatuses?: NodeAllocatableResourceClaimStatus[] | undefined;
	nominatedNodeName?: string | undefined;
	observedGeneration?: number | undefined;
	phase?: PodPhase | undefined;
	podIP?: string | undefined;
	podIPs?: PodIP[] | undefined;
	qosClass?: PodQOSClass | undefined;
	reason?: string | undefined;
	resize?: PodResizeStatus | undefined;
	resourceClaimStatuses?: PodResourceClaimStatus[] | undefined;
	resources?: ResourceRequirements | undefined;
	startTime?: Time | undefined;
}
export interface PodStatusResult {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	status?: PodStatus | undefined;
}
export interface PodTemplate {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	template?: PodTemplateSpec | undefined;
}
export interface PodTemplateList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: PodTemplate[];
	metadata: ListMeta;
}
export interface PodTemplateSpec {
	metadata?: ObjectMeta | undefined;
	spec?: PodSpec | undefined;
}
export interface PodsMetricSource {
	metric: MetricIdentifier;
	target: MetricTarget;
}
export interface PodsMetricStatus {
	current: MetricValueStatus;
	metric: MetricIdentifier;
}
export interface PolicyRule {
	apiGroups?: string[] | undefined;
	nonResourceURLs?: string[] | undefined;
	resourceNames?: string[] | undefined;
	resources?: string[] | undefined;
	verbs: string[];
}
export interface PolicyRulesWithSubjects {
	nonResourceRules?: NonResourcePolicyRule[] | undefined;
	resourceRules?: ResourcePolicyRule[] | undefined;
	subjects: Subject[];
}
export type PolicyType = string;
export interface PortStatus {
	error?: string | undefined;
	port: number;
	protocol: Protocol;
}
export interface PortworxVolumeSource {
	fsType?: string | undefined;
	readOnly?: boolean | undefined;
	volumeID: string;
}
export interface Preconditions {
	resourceVersion?: string | undefined;
	uid?: UID | undefined;
}
export type PreemptionPolicy = string;
export interface PreferAvoidPodsEntry {
	evictionTime?: Time | undefined;
	message?: string | undefined;
	podSignature: PodSignature;
	reason?: string | undefined;
}
export interface PreferredSchedulingTerm {
	preference: NodeSelectorTerm;
	weight: number;
}
export interface PriorityClass {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	description?: string | undefined;
	globalDefault?: boolean | undefined;
	metadata: ObjectMeta;
	preemptionPolicy?: PreemptionPolicy | undefined;
	value?: number | undefined;
}
export interface PriorityClassList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: PriorityClass[];
	metadata: ListMeta;
}
export interface PriorityLevelConfiguration {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	spec?: PriorityLevelConfigurationSpec | undefined;
	status?: PriorityLevelConfigurationStatus | undefined;
}
export interface PriorityLevelConfigurationCondition {
	lastTransitionTime?: Time | undefined;
	message?: string | undefined;
	reason?: string | undefined;
	status?: FlowcontrolConditionStatus | undefined;
	type?: PriorityLevelConfigurationConditionType | undefined;
}
export type PriorityLevelConfigurationConditionType = string;
export interface PriorityLevelConfigurationList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: PriorityLevelConfiguration[];
	metadata: ListMeta;
}
export interface PriorityLevelConfigurationReference {
	name: string;
}
export interface PriorityLevelConfigurationSpec {
	exempt?: ExemptPriorityLevelConfiguration | undefined;
	limited?: LimitedPriorityLevelConfiguration | undefined;
	type: PriorityLevelEnablement;
}
export interface PriorityLevelConfigurationStatus {
	conditions?: PriorityLevelConfigurationCondition[] | undefined;
}
export type PriorityLevelEnablement = string;
export interface Probe {
	failureThreshold?: number | undefined;
	exec?: ExecAction | undefined;
	grpc?: GRPCAction | undefined;
	httpGet?: HTTPGetAction | undefined;
	tcpSocket?: TCPSocketAction | undefined;
	initialDelaySeconds?: number | undefined;
	periodSeconds?: number | undefined;
	successThreshold?: number | undefined;
	terminationGracePeriodSeconds?: number | undefined;
	timeoutSeconds?: number | undefined;
}
export interface ProbeHandler {
	exec?: ExecAction | undefined;
	grpc?: GRPCAction | undefined;
	httpGet?: HTTPGetAction | undefined;
	tcpSocket?: TCPSocketAction | undefined;
}
export type ProcMountType = string;
export interface ProjectedVolumeSource {
	defaultMode?: number | undefined;
	sources?: VolumeProjection[] | undefined;
}
export type Protocol = string;
export type PullPolicy = string;
export type QualifiedName = string;
export type Quantity = string;
export interface QueuingConfiguration {
	handSize?: number | undefined;
	queueLengthLimit?: number | undefined;
	queues?: number | undefined;
}
export interface QuobyteVolumeSource {
	group?: string | undefined;
	readOnly?: boolean | undefined;
	registry: string;
	tenant?: string | undefined;
	user?: string | undefined;
	volume: string;
}
export interface RBDPersistentVolumeSource {
	fsType?: string | undefined;
	image: string;
	keyring?: string | undefined;
	monitors: string[];
	pool?: string | undefined;
	readOnly?: boolean | undefined;
	secretRef?: SecretReference | undefined;
	user?: string | undefined;
}
export interface RBDVolumeSource {
	fsType?: string | undefined;
	image: string;
	keyring?: string | undefined;
	monitors: string[];
	pool?: string | undefined;
	readOnly?: boolean | undefined;
	secretRef?: LocalObjectReference | undefined;
	user?: string | undefined;
}
export interface RangeAllocation {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	data: string;
	metadata: ObjectMeta;
	range: string;
}
export type RawExtension = unknown;
export interface RbacSubject {
	apiGroup?: string | undefined;
	kind: string;
	name: string;
	namespace?: string | undefined;
}
export type RecursiveReadOnlyMode = string;
export type ReinvocationPolicyType = string;
export interface ReplicaSet {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	spec?: ReplicaSetSpec | undefined;
	status?: ReplicaSetStatus | undefined;
}
export interface ReplicaSetCondition {
	lastTransitionTime?: Time | undefined;
	message?: string | undefined;
	reason?: string | undefined;
	status: CoreConditionStatus;
	type: ReplicaSetConditionType;
}
export type ReplicaSetConditionType = string;
export interface ReplicaSetList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: ReplicaSet[];
	metadata: ListMeta;
}
export interface ReplicaSetSpec {
	minReadySeconds?: number | undefined;
	replicas?: number | undefined;
	selector: LabelSelector;
	template?: PodTemplateSpec | undefined;
}
export interface ReplicaSetStatus {
	availableReplicas?: number | undefined;
	conditions?: ReplicaSetCondition[] | undefined;
	fullyLabeledReplicas?: number | undefined;
	observedGeneration?: number | undefined;
	readyReplicas?: number | undefined;
	replicas: number;
	terminatingReplicas?: number | undefined;
}
export interface ReplicationController {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	spec?: ReplicationControllerSpec | undefined;
	status?: ReplicationControllerStatus | undefined;
}
export interface ReplicationControllerCondition {
	lastTransitionTime?: Time | undefined;
	message?: string | undefined;
	reason?: string | undefined;
	status: CoreConditionStatus;
	type: ReplicationControllerConditionType;
}
export type ReplicationControllerConditionType = string;
export interface ReplicationControllerList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: ReplicationController[];
	metadata: ListMeta;
}
export interface ReplicationControllerSpec {
	minReadySeconds?: number | undefined;
	replicas?: number | undefined;
	selector?: Record<string, string> | undefined;
	template?: PodTemplateSpec | undefined;
}
export interface ReplicationControllerStatus {
	availableReplicas?: number | undefined;
	conditions?: ReplicationControllerCondition[] | undefined;
	fullyLabeledReplicas?: number | undefined;
	observedGeneration?: number | undefined;
	readyReplicas?: number | undefined;
	replicas: number;
}
export type RequestConditionType = string;
export interface ResourceAttributes {
	fieldSelector?: FieldSelectorAttributes | undefined;
	group?: string | undefined;
	labelSelector?: LabelSelectorAttributes | undefined;
	name?: string | undefined;
	namespace?: string | undefined;
	resource?: string | undefined;
	subresource?: string | undefined;
	verb?: string | undefined;
	version?: string | undefined;
}
export interface ResourceClaim {
	name: string;
	request?: string | undefined;
}
export interface ResourceClaimConsumerReference {
	apiGroup?: string | undefined;
	name: string;
	resource: string;
	uid: UID;
}
export interface ResourceClaimList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: ResourceResourceClaim[];
	metadata: ListMeta;
}
export interface ResourceClaimSpec {
	devices?: DeviceClaim | undefined;
}
export interface ResourceClaimStatus {
	allocation?: AllocationResult | undefined;
	devices?: AllocatedDeviceStatus[] | undefined;
	reservedFor?: ResourceClaimConsumerReference[] | undefined;
}
export interface ResourceClaimTemplate {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	spec: ResourceClaimTemplateSpec;
}
export interface ResourceClaimTemplateList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: ResourceClaimTemplate[];
	metadata: ListMeta;
}
export interface ResourceClaimTemplateSpec {
	metadata?: ObjectMeta | undefined;
	spec: ResourceClaimSpec;
}
export interface ResourceFieldSelector {
	containerName?: string | undefined;
	divisor?: Quantity | undefined;
	resource: string;
}
export interface ResourceHealth {
	health?: ResourceHealthStatus | undefined;
	message?: string | undefined;
	resourceID: ResourceID;
}
export type ResourceHealthStatus = string;
export type ResourceID = string;
export type ResourceList = Record<string, Quantity>;
export interface ResourceMetricSource {
	name: ResourceName;
	target: MetricTarget;
}
export interface ResourceMetricStatus {
	current: MetricValueStatus;
	name: ResourceName;
}
export type ResourceName = string;
export interface ResourcePolicyRule {
	apiGroups: string[];
	clusterScope?: boolean | undefined;
	namespaces?: string[] | undefined;
	resources: string[];
	verbs: string[];
}
export interface ResourcePool {
	generation: number;
	name: string;
	resourceSliceCount: number;
}
export interface ResourceQuota {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	spec?: ResourceQuotaSpec | undefined;
	status?: ResourceQuotaStatus | undefined;
}
export interface ResourceQuotaList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: ResourceQuota[];
	metadata: ListMeta;
}
export type ResourceQuotaScope = string;
export interface ResourceQuotaSpec {
	hard?: Record<string, Quantity> | undefined;
	scopeSelector?: ScopeSelector | undefined;
	scopes?: ResourceQuotaScope[] | undefined;
}
export interface ResourceQuotaStatus {
	hard?: Record<string, Quantity> | undefined;
	used?: Record<string, Quantity> | undefined;
}
export interface ResourceRequirements {
	claims?: ResourceClaim[] | undefined;
	limits?: Record<string, Quantity> | undefined;
	requests?: Record<string, Quantity> | undefined;
}
export type ResourceResizeRestartPolicy = string;
export interface ResourceResourceClaim {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	spec: ResourceClaimSpec;
	status?: ResourceClaimStatus | undefined;
}
export interface ResourceRule {
	apiGroups?: string[] | undefined;
	resourceNames?: string[] | undefined;
	resources?: string[] | undefined;
	verbs: string[];
}
export type ResourceScope = string;
export interface ResourceSlice {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	spec: ResourceSliceSpec;
}
export interface ResourceSliceList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: ResourceSlice[];
	metadata: ListMeta;
}
export interface ResourceSliceSpec {
	allNodes?: boolean | undefined;
	devices?: Device[] | undefined;
	driver: string;
	nodeName?: string | undefined;
	nodeSelector?: NodeSelector | undefined;
	perDeviceNodeSelection?: boolean | undefined;
	pool: ResourcePool;
	sharedCounters?: CounterSet[] | undefined;
}
export interface ResourceStatus {
	name: ResourceName;
	resources?: ResourceHealth[] | undefined;
}
export type ResourceVersionMatch = string;
export type RestartPolicy = string;
export interface Role {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	rules?: PolicyRule[] | undefined;
}
export interface RoleBinding {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	roleRef: RoleRef;
	subjects?: RbacSubject[] | undefined;
}
export interface RoleBindingList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: RoleBinding[];
	metadata: ListMeta;
}
export interface RoleList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: Role[];
	metadata: ListMeta;
}
export interface RoleRef {
	apiGroup?: string | undefined;
	kind: string;
	name: string;
}
export interface RollingUpdateDaemonSet {
	maxSurge?: IntOrString | undefined;
	maxUnavailable?: IntOrString | undefined;
}
export interface RollingUpdateDeployment {
	maxSurge?: IntOrString | undefined;
	maxUnavailable?: IntOrString | undefined;
}
export interface RollingUpdateStatefulSetStrategy {
	maxUnavailable?: IntOrString | undefined;
	partition?: number | undefined;
}
export interface RootPaths {
	paths: string[];
}
export type RowConditionType = string;
export interface Rule {
	apiGroups?: string[] | undefined;
	apiVersions?: string[] | undefined;
	resources?: string[] | undefined;
	scope?: ScopeType | undefined;
}
export interface RuleWithOperations {
	operations?: OperationType[] | undefined;
	apiGroups?: string[] | undefined;
	apiVersions?: string[] | undefined;
	resources?: string[] | undefined;
	scope?: ScopeType | undefined;
}
export interface RuntimeClass {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	handler: string;
	metadata: ObjectMeta;
	overhead?: Overhead | undefined;
	scheduling?: Scheduling | undefined;
}
export interface RuntimeClassList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: RuntimeClass[];
	metadata: ListMeta;
}
export interface RuntimeTypeMeta {
	apiVersion?: string | undefined;
	kind?: string | undefined;
}
export interface SELinuxOptions {
	level?: string | undefined;
	role?: string | undefined;
	type?: string | undefined;
	user?: string | undefined;
}
export interface Scale {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	spec?: ScaleSpec | undefined;
	status?: ScaleStatus | undefined;
}
export interface ScaleIOPersistentVolumeSource {
	fsType?: string | undefined;
	gateway: string;
	protectionDomain?: string | undefined;
	readOnly?: boolean | undefined;
	secretRef: SecretReference;
	sslEnabled?: boolean | undefined;
	storageMode?: string | undefined;
	storagePool?: string | undefined;
	system: string;
	volumeName?: string | undefined;
}
export interface ScaleIOVolumeSource {
	fsType?: string | undefined;
	gateway: string;
	protectionDomain?: string | undefined;
	readOnly?: boolean | undefined;
	secretRef: LocalObjectReference;
	sslEnabled?: boolean | undefined;
	storageMode?: string | undefined;
	storagePool?: string | undefined;
	system: string;
	volumeName?: string | undefined;
}
export interface ScaleSpec {
	replicas?: number | undefined;
}
export interface ScaleStatus {
	replicas: number;
	selector?: string | undefined;
}
export type ScalingPolicySelect = string;
export interface Scheduling {
	nodeSelector?: Record<string, string> | undefined;
	tolerations?: Toleration[] | undefined;
}
export interface ScopeSelector {
	matchExpressions?: ScopedResourceSelectorRequirement[] | undefined;
}
export type ScopeSelectorOperator = string;
export type ScopeType = string;
export interface ScopedResourceSelectorRequirement {
	operator: ScopeSelectorOperator;
	scopeName: ResourceQuotaScope;
	values?: string[] | undefined;
}
export interface SeccompProfile {
	localhostProfile?: string | undefined;
	type: SeccompProfileType;
}
export type SeccompProfileType = string;
export interface Secret {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	data?: Record<string, string> | undefined;
	immutable?: boolean | undefined;
	metadata: ObjectMeta;
	stringData?: Record<string, string> | undefined;
	type?: SecretType | undefined;
}
export interface SecretEnvSource {
	name?: string | undefined;
	optional?: boolean | undefined;
}
export interface SecretKeySelector {
	key: string;
	name?: string | undefined;
	optional?: boolean | undefined;
}
export interface SecretList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: Secret[];
	metadata: ListMeta;
}
export interface SecretProjection {
	items?: KeyToPath[] | undefined;
	name?: string | undefined;
	optional?: boolean | undefined;
}
export interface SecretReference {
	name?: string | undefined;
	namespace?: string | undefined;
}
export type SecretType = string;
export interface SecretVolumeSource {
	defaultMode?: number | undefined;
	items?: KeyToPath[] | undefined;
	optional?: boolean | undefined;
	secretName?: string | undefined;
}
export interface SecurityContext {
	allowPrivilegeEscalation?: boolean | undefined;
	appArmorProfile?: AppArmorProfile | undefined;
	capabilities?: Capabilities | undefined;
	privileged?: boolean | undefined;
	procMount?: ProcMountType | undefined;
	readOnlyRootFilesystem?: boolean | undefined;
	runAsGroup?: number | undefined;
	runAsNonRoot?: boolean | undefined;
	runAsUser?: number | undefined;
	seLinuxOptions?: SELinuxOptions | undefined;
	seccompProfile?: SeccompProfile | undefined;
	windowsOptions?: WindowsSecurityContextOptions | undefined;
}
export interface SelectableField {
	jsonPath: string;
}
export interface SelfSubjectAccessReview {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	spec: SelfSubjectAccessReviewSpec;
	status?: SubjectAccessReviewStatus | undefined;
}
export interface SelfSubjectAccessReviewSpec {
	nonResourceAttributes?: NonResourceAttributes | undefined;
	resourceAttributes?: ResourceAttributes | undefined;
}
export interface SelfSubjectReview {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	status?: SelfSubjectReviewStatus | undefined;
}
export interface SelfSubjectReviewStatus {
	userInfo?: UserInfo | undefined;
}
export interface SelfSubjectRulesReview {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	spec: SelfSubjectRulesReviewSpec;
	status?: SubjectRulesReviewStatus | undefined;
}
export interface SelfSubjectRulesReviewSpec {
	namespace?: string | undefined;
}
export interface SerializedReference {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	reference?: ObjectReference | undefined;
}
export interface ServerAddressByClientCIDR {
	clientCIDR: string;
	serverAddress: string;
}
export interface Service {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	spec?: ServiceSpec | undefined;
	status?: ServiceStatus | undefined;
}
export interface ServiceAccount {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	automountServiceAccountToken?: boolean | undefined;
	imagePullSecrets?: LocalObjectReference[] | undefined;
	metadata: ObjectMeta;
	secrets?: ObjectReference[] | undefined;
}
export interface ServiceAccountList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: ServiceAccount[];
	metadata: ListMeta;
}
export interface ServiceAccountSubject {
	name: string;
	namespace: string;
}
export interface ServiceAccountTokenProjection {
	audience?: string | undefined;
	expirationSeconds?: number | undefined;
	path: string;
}
export type ServiceAffinity = string;
export interface ServiceBackendPort {
	name?: string | undefined;
	number?: number | undefined;
}
export interface ServiceCIDR {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	spec?: ServiceCIDRSpec | undefined;
	status?: ServiceCIDRStatus | undefined;
}
export interface ServiceCIDRList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: ServiceCIDR[];
	metadata: ListMeta;
}
export interface ServiceCIDRSpec {
	cidrs?: string[] | undefined;
}
export interface ServiceCIDRStatus {
	conditions?: Condition[] | undefined;
}
export type ServiceExternalTrafficPolicy = string;
export type ServiceInternalTrafficPolicy = string;
export interface ServiceList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: Service[];
	metadata: ListMeta;
}
export interface ServicePort {
	appProtocol?: string | undefined;
	name?: string | undefined;
	nodePort?: number | undefined;
	port: number;
	protocol?: Protocol | undefined;
	targetPort?: IntOrString | undefined;
}
export interface ServiceProxyOptions {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	path?: string | undefined;
}
export interface ServiceReference {
	name: string;
	namespace: string;
	path?: string | undefined;
	port?: number | undefined;
}
export interface ServiceSpec {
	allocateLoadBalancerNodePorts?: boolean | undefined;
	clusterIP?: string | undefined;
	clusterIPs?: string[] | undefined;
	externalIPs?: string[] | undefined;
	externalName?: string | undefined;
	externalTrafficPolicy?: ServiceExternalTrafficPolicy | undefined;
	healthCheckNodePort?: number | undefined;
	internalTrafficPolicy?: ServiceInternalTrafficPolicy | undefined;
	ipFamilies?: IPFamily[] | undefined;
	ipFamilyPolicy?: IPFamilyPolicy | undefined;
	loadBalancerClass?: string | undefined;
	loadBalancerIP?: string | undefined;
	loadBalancerSourceRanges?: string[] | undefined;
	ports?: ServicePort[] | undefined;
	publishNotReadyAddresses?: boolean | undefined;
	selector?: Record<string, string> | undefined;
	sessionAffinity?: ServiceAffinity | undefined;
	sessionAffinityConfig?: SessionAffinityConfig | undefined;
	trafficDistribution?: string | undefined;
	type?: ServiceType | undefined;
}
export interface ServiceStatus {
	conditions?: Condition[] | undefined;
	loadBalancer?: LoadBalancerStatus | undefined;
}
export type ServiceType = string;
export interface SessionAffinityConfig {
	clientIP?: ClientIPConfig | undefined;
}
export interface ShardInfo {
	selector: string;
}
export type SideEffectClass = string;
export type Signal = string;
export interface SleepAction {
	seconds: number;
}
export interface StatefulSet {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	spec?: StatefulSetSpec | undefined;
	status?: StatefulSetStatus | undefined;
}
export interface StatefulSetCondition {
	lastTransitionTime?: Time | undefined;
	message?: string | undefined;
	reason?: string | undefined;
	status: CoreConditionStatus;
	type: StatefulSetConditionType;
}
export type StatefulSetConditionType = string;
export interface StatefulSetList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: StatefulSet[];
	metadata: ListMeta;
}
export interface StatefulSetOrdinals {
	start?: number | undefined;
}
export interface StatefulSetPersistentVolumeClaimRetentionPolicy {
	whenDeleted?: PersistentVolumeClaimRetentionPolicyType | undefined;
	whenScaled?: PersistentVolumeClaimRetentionPolicyType | undefined;
}
export interface StatefulSetSpec {
	minReadySeconds?: number | undefined;
	ordinals?: StatefulSetOrdinals | undefined;
	persistentVolumeClaimRetentionPolicy?: StatefulSetPersistentVolumeClaimRetentionPolicy | undefined;
	podManagementPolicy?: PodManagementPolicyType | undefined;
	replicas?: number | undefined;
	revisionHistoryLimit?: number | undefined;
	selector: LabelSelector;
	serviceName?: string | undefined;
	template: PodTemplateSpec;
	updateStrategy?: StatefulSetUpdateStrategy | undefined;
	volumeClaimTemplates?: PersistentVolumeClaim[] | undefined;
}
export interface StatefulSetStatus {
	availableReplicas?: number | undefined;
	collisionCount?: number | undefined;
	conditions?: StatefulSetCondition[] | undefined;
	currentReplicas?: number | undefined;
	currentRevision?: string | undefined;
	observedGeneration?: number | undefined;
	readyReplicas?: number | undefined;
	replicas: number;
	updateRevision?: string | undefined;
	updatedReplicas?: number | undefined;
}
export interface StatefulSetUpdateStrategy {
	rollingUpdate?: RollingUpdateStatefulSetStrategy | undefined;
	type?: StatefulSetUpdateStrategyType | undefined;
}
export type StatefulSetUpdateStrategyType = string;
export interface Status {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	code?: number | undefined;
	details?: StatusDetails | undefined;
	message?: string | undefined;
	metadata: ListMeta;
	reason?: StatusReason | undefined;
	status?: string | undefined;
}
export interface StatusCause {
	field?: string | undefined;
	message?: string | undefined;
	reason?: CauseType | undefined;
}
export interface StatusDetails {
	causes?: StatusCause[] | undefined;
	group?: string | undefined;
	kind?: string | undefined;
	name?: string | undefined;
	retryAfterSeconds?: number | undefined;
	uid?: UID | undefined;
}
export type StatusReason = string;
export interface StorageClass {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	allowVolumeExpansion?: boolean | undefined;
	allowedTopologies?: TopologySelectorTerm[] | undefined;
	metadata: ObjectMeta;
	mountOptions?: string[] | undefined;
	parameters?: Record<string, string> | undefined;
	provisioner: string;
	reclaimPolicy?: PersistentVolumeReclaimPolicy | undefined;
	volumeBindingMode?: VolumeBindingMode | undefined;
}
export interface StorageClassList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: StorageClass[];
	metadata: ListMeta;
}
export type StorageMedium = string;
export interface StorageOSPersistentVolumeSource {
	fsType?: string | undefined;
	readOnly?: boolean | undefined;
	secretRef?: ObjectReference | undefined;
	volumeName?: string | undefined;
	volumeNamespace?: string | undefined;
}
export interface StorageOSVolumeSource {
	fsType?: string | undefined;
	readOnly?: boolean | undefined;
	secretRef?: LocalObjectReference | undefined;
	volumeName?: string | undefined;
	volumeNamespace?: string | undefined;
}
export interface StorageTokenRequest {
	audience: string;
	expirationSeconds?: number | undefined;
}
export interface Subject {
	group?: GroupSubject | undefined;
	kind: SubjectKind;
	serviceAccount?: ServiceAccountSubject | undefined;
	user?: UserSubject | undefined;
}
export interface SubjectAccessReview {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	spec: SubjectAccessReviewSpec;
	status?: SubjectAccessReviewStatus | undefined;
}
export interface SubjectAccessReviewSpec {
	extra?: Record<string, AuthorizationExtraValue> | undefined;
	groups?: string[] | undefined;
	nonResourceAttributes?: NonResourceAttributes | undefined;
	resourceAttributes?: ResourceAttributes | undefined;
	uid?: string | undefined;
	user?: string | undefined;
}
export interface SubjectAccessReviewStatus {
	allowed: boolean;
	denied?: boolean | undefined;
	evaluationError?: string | undefined;
	reason?: string | undefined;
}
export type SubjectKind = string;
export interface SubjectRulesReviewStatus {
	evaluationError?: string | undefined;
	incomplete: boolean;
	nonResourceRules: NonResourceRule[];
	resourceRules: ResourceRule[];
}
export interface SuccessPolicy {
	rules: SuccessPolicyRule[];
}
export interface SuccessPolicyRule {
	succeededCount?: number | undefined;
	succeededIndexes?: string | undefined;
}
export type SupplementalGroupsPolicy = string;
export interface Sysctl {
	name: string;
	value: string;
}
export interface TCPSocketAction {
	host?: string | undefined;
	port: IntOrString;
}
export interface Table {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	columnDefinitions: TableColumnDefinition[];
	metadata: ListMeta;
	rows: TableRow[];
}
export interface TableColumnDefinition {
	description: string;
	format: string;
	name: string;
	priority: number;
	type: string;
}
export interface TableOptions {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	includeObject?: IncludeObjectPolicy | undefined;
}
export interface TableRow {
	cells: unknown[];
	conditions?: TableRowCondition[] | undefined;
	object?: RawExtension | undefined;
}
export interface TableRowCondition {
	message?: string | undefined;
	reason?: string | undefined;
	status: ConditionStatus;
	type: RowConditionType;
}
export interface Taint {
	effect: TaintEffect;
	key: string;
	timeAdded?: Time | undefined;
	value?: string | undefined;
}
export type TaintEffect = string;
export type TerminationMessagePolicy = string;
export type Time = string;
export interface Timestamp {
	nanos: number;
	seconds: number;
}
export interface TokenRequest {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	spec?: TokenRequestSpec | undefined;
	status?: TokenRequestStatus | undefined;
}
export interface TokenRequestSpec {
	audiences?: string[] | undefined;
	boundObjectRef?: BoundObjectReference | undefined;
	expirationSeconds?: number | undefined;
}
export interface TokenRequestStatus {
	expirationTimestamp?: Time | undefined;
	token?: string | undefined;
}
export interface TokenReview {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	spec: TokenReviewSpec;
	status?: TokenReviewStatus | undefined;
}
export interface TokenReviewSpec {
	audiences?: string[] | undefined;
	token: string;
}
export interface TokenReviewStatus {
	audiences?: string[] | undefined;
	authenticated?: boolean | undefined;
	error?: string | undefined;
	user?: UserInfo | undefined;
}
export interface Toleration {
	effect?: TaintEffect | undefined;
	key?: string | undefined;
	operator?: TolerationOperator | undefined;
	tolerationSeconds?: number | undefined;
	value?: string | undefined;
}
export type TolerationOperator = string;
export interface TopologySelectorLabelRequirement {
	key: string;
	values: string[];
}
export interface TopologySelectorTerm {
	matchLabelExpressions?: TopologySelectorLabelRequirement[] | undefined;
}
export interface TopologySpreadConstraint {
	labelSelector?: LabelSelector | undefined;
	matchLabelKeys?: string[] | undefined;
	maxSkew: number;
	minDomains?: number | undefined;
	nodeAffinityPolicy?: NodeInclusionPolicy | undefined;
	nodeTaintsPolicy?: NodeInclusionPolicy | undefined;
	topologyKey: string;
	whenUnsatisfiable: UnsatisfiableConstraintAction;
}
export type Type = number;
export interface TypeChecking {
	expressionWarnings?: ExpressionWarning[] | undefined;
}
export interface TypeMeta {
	apiVersion?: string | undefined;
	kind?: string | undefined;
}
export interface TypedLocalObjectReference {
	apiGroup?: string | undefined;
	kind: string;
	name: string;
}
export interface TypedObjectReference {
	apiGroup?: string | undefined;
	kind: string;
	name: string;
	namespace?: string | undefined;
}
export type UID = string;
export type URIScheme = string;
export interface UncountedTerminatedPods {
	failed?: UID[] | undefined;
	succeeded?: UID[] | undefined;
}
export type UnhealthyPodEvictionPolicyType = string;
export type UniqueVolumeName = string;
export type Unknown = unknown;
export type UnsatisfiableConstraintAction = string;
export interface UpdateOptions {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	dryRun?: string[] | undefined;
	fieldManager?: string | undefined;
	fieldValidation?: string | undefined;
}
export interface UserInfo {
	extra?: Record<string, ExtraValue> | undefined;
	groups?: string[] | undefined;
	uid?: string | undefined;
	username?: string | undefined;
}
export interface UserSubject {
	name: string;
}
export interface ValidatingAdmissionPolicy {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	spec?: ValidatingAdmissionPolicySpec | undefined;
	status?: ValidatingAdmissionPolicyStatus | undefined;
}
export interface ValidatingAdmissionPolicyBinding {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	spec: ValidatingAdmissionPolicyBindingSpec;
}
export interface ValidatingAdmissionPolicyBindingList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: ValidatingAdmissionPolicyBinding[];
	metadata: ListMeta;
}
export interface ValidatingAdmissionPolicyBindingSpec {
	matchResources?: MatchResources | undefined;
	paramRef?: ParamRef | undefined;
	policyName: string;
	validationActions: ValidationAction[];
}
export interface ValidatingAdmissionPolicyList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: ValidatingAdmissionPolicy[];
	metadata: ListMeta;
}
export interface ValidatingAdmissionPolicySpec {
	auditAnnotations?: AuditAnnotation[] | undefined;
	failurePolicy?: FailurePolicyType | undefined;
	matchConditions?: MatchCondition[] | undefined;
	matchConstraints?: MatchResources | undefined;
	paramKind?: ParamKind | undefined;
	validations?: Validation[] | undefined;
	variables?: Variable[] | undefined;
}
export interface ValidatingAdmissionPolicyStatus {
	conditions?: Condition[] | undefined;
	observedGeneration?: number | undefined;
	typeChecking?: TypeChecking | undefined;
}
export interface ValidatingWebhook {
	admissionReviewVersions: string[];
	clientConfig: WebhookClientConfig;
	failurePolicy?: FailurePolicyType | undefined;
	matchConditions?: MatchCondition[] | undefined;
	matchPolicy?: MatchPolicyType | undefined;
	name: string;
	namespaceSelector?: LabelSelector | undefined;
	objectSelector?: LabelSelector | undefined;
	rules?: RuleWithOperations[] | undefined;
	sideEffects: SideEffectClass;
	timeoutSeconds?: number | undefined;
}
export interface ValidatingWebhookConfiguration {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	webhooks?: ValidatingWebhook[] | undefined;
}
export interface ValidatingWebhookConfigurationList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: ValidatingWebhookConfiguration[];
	metadata: ListMeta;
}
export interface Validation {
	expression: string;
	message?: string | undefined;
	messageExpression?: string | undefined;
	reason?: StatusReason | undefined;
}
export type ValidationAction = string;
export interface ValidationRule {
	fieldPath?: string | undefined;
	message?: string | undefined;
	messageExpression?: string | undefined;
	optionalOldSelf?: boolean | undefined;
	reason?: FieldValueErrorReason | undefined;
	rule: string;
}
export type ValidationRules = ValidationRule[];
export interface Variable {
	expression: string;
	name: string;
}
export type Verbs = string[];
export interface Volume {
	name: string;
	awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource | undefined;
	azureDisk?: AzureDiskVolumeSource | undefined;
	azureFile?: AzureFileVolumeSource | undefined;
	cephfs?: CephFSVolumeSource | undefined;
	cinder?: CinderVolumeSource | undefined;
	configMap?: ConfigMapVolumeSource | undefined;
	csi?: CSIVolumeSource | undefined;
	downwardAPI?: DownwardAPIVolumeSource | undefined;
	emptyDir?: EmptyDirVolumeSource | undefined;
	ephemeral?: EphemeralVolumeSource | undefined;
	fc?: FCVolumeSource | undefined;
	flexVolume?: FlexVolumeSource | undefined;
	flocker?: FlockerVolumeSource | undefined;
	gcePersistentDisk?: GCEPersistentDiskVolumeSource | undefined;
	gitRepo?: GitRepoVolumeSource | undefined;
	glusterfs?: GlusterfsVolumeSource | undefined;
	hostPath?: HostPathVolumeSource | undefined;
	image?: ImageVolumeSource | undefined;
	iscsi?: ISCSIVolumeSource | undefined;
	nfs?: NFSVolumeSource | undefined;
	persistentVolumeClaim?: PersistentVolumeClaimVolumeSource | undefined;
	photonPersistentDisk?: PhotonPersistentDiskVolumeSource | undefined;
	portworxVolume?: PortworxVolumeSource | undefined;
	projected?: ProjectedVolumeSource | undefined;
	quobyte?: QuobyteVolumeSource | undefined;
	rbd?: RBDVolumeSource | undefined;
	scaleIO?: ScaleIOVolumeSource | undefined;
	secret?: SecretVolumeSource | undefined;
	storageos?: StorageOSVolumeSource | undefined;
	vsphereVolume?: VsphereVirtualDiskVolumeSource | undefined;
}
export interface VolumeAttachment {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	metadata: ObjectMeta;
	spec: VolumeAttachmentSpec;
	status?: VolumeAttachmentStatus | undefined;
}
export interface VolumeAttachmentList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: VolumeAttachment[];
	metadata: ListMeta;
}
export interface VolumeAttachmentSource {
	inlineVolumeSpec?: PersistentVolumeSpec | undefined;
	persistentVolumeName?: string | undefined;
}
export interface VolumeAttachmentSpec {
	attacher: string;
	nodeName: string;
	source: VolumeAttachmentSource;
}
export interface VolumeAttachmentStatus {
	attachError?: VolumeError | undefined;
	attached: boolean;
	attachmentMetadata?: Record<string, string> | undefined;
	detachError?: VolumeError | undefined;
}
export interface VolumeAttributesClass {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	driverName: string;
	metadata: ObjectMeta;
	parameters?: Record<string, string> | undefined;
}
export interface VolumeAttributesClassList {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	items: VolumeAttributesClass[];
	metadata: ListMeta;
}
export type VolumeBindingMode = string;
export interface VolumeDevice {
	devicePath: string;
	name: string;
}
export interface VolumeError {
	errorCode?: number | undefined;
	message?: string | undefined;
	time?: Time | undefined;
}
export type VolumeLifecycleMode = string;
export interface VolumeMount {
	mountPath: string;
	mountPropagation?: MountPropagationMode | undefined;
	name: string;
	readOnly?: boolean | undefined;
	recursiveReadOnly?: RecursiveReadOnlyMode | undefined;
	subPath?: string | undefined;
	subPathExpr?: string | undefined;
}
export interface VolumeMountStatus {
	mountPath: string;
	name: string;
	readOnly?: boolean | undefined;
	recursiveReadOnly?: RecursiveReadOnlyMode | undefined;
	volumeStatus?: VolumeStatus | undefined;
}
export interface VolumeNodeAffinity {
	required?: NodeSelector | undefined;
}
export interface VolumeNodeResources {
	count?: number | undefined;
}
export interface VolumeProjection {
	clusterTrustBundle?: ClusterTrustBundleProjection | undefined;
	configMap?: ConfigMapProjection | undefined;
	downwardAPI?: DownwardAPIProjection | undefined;
	podCertificate?: PodCertificateProjection | undefined;
	secret?: SecretProjection | undefined;
	serviceAccountToken?: ServiceAccountTokenProjection | undefined;
}
export interface VolumeResourceRequirements {
	limits?: Record<string, Quantity> | undefined;
	requests?: Record<string, Quantity> | undefined;
}
export interface VolumeSource {
	awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource | undefined;
	azureDisk?: AzureDiskVolumeSource | undefined;
	azureFile?: AzureFileVolumeSource | undefined;
	cephfs?: CephFSVolumeSource | undefined;
	cinder?: CinderVolumeSource | undefined;
	configMap?: ConfigMapVolumeSource | undefined;
	csi?: CSIVolumeSource | undefined;
	downwardAPI?: DownwardAPIVolumeSource | undefined;
	emptyDir?: EmptyDirVolumeSource | undefined;
	ephemeral?: EphemeralVolumeSource | undefined;
	fc?: FCVolumeSource | undefined;
	flexVolume?: FlexVolumeSource | undefined;
	flocker?: FlockerVolumeSource | undefined;
	gcePersistentDisk?: GCEPersistentDiskVolumeSource | undefined;
	gitRepo?: GitRepoVolumeSource | undefined;
	glusterfs?: GlusterfsVolumeSource | undefined;
	hostPath?: HostPathVolumeSource | undefined;
	image?: ImageVolumeSource | undefined;
	iscsi?: ISCSIVolumeSource | undefined;
	nfs?: NFSVolumeSource | undefined;
	persistentVolumeClaim?: PersistentVolumeClaimVolumeSource | undefined;
	photonPersistentDisk?: PhotonPersistentDiskVolumeSource | undefined;
	portworxVolume?: PortworxVolumeSource | undefined;
	projected?: ProjectedVolumeSource | undefined;
	quobyte?: QuobyteVolumeSource | undefined;
	rbd?: RBDVolumeSource | undefined;
	scaleIO?: ScaleIOVolumeSource | undefined;
	secret?: SecretVolumeSource | undefined;
	storageos?: StorageOSVolumeSource | undefined;
	vsphereVolume?: VsphereVirtualDiskVolumeSource | undefined;
}
export interface VolumeStatus {
	image?: ImageVolumeStatus | undefined;
}
export interface VsphereVirtualDiskVolumeSource {
	fsType?: string | undefined;
	storagePolicyID?: string | undefined;
	storagePolicyName?: string | undefined;
	volumePath: string;
}
export interface WatchEvent {
	apiVersion?: string | undefined;
	kind?: string | undefined;
	object: RawExtension;
	type: string;
}
export interface WebhookClientConfig {
	caBundle?: string | undefined;
	service?: ServiceReference | undefined;
	url?: string | undefined;
}
export interface WebhookConversion {
	clientConfig?: ApiextensionsWebhookClientConfig | undefined;
	conversionReviewVersions: string[];
}
export interface WeightedPodAffinityTerm {
	podAffinityTerm: PodAffinityTerm;
	weight: number;
}
export interface WindowsSecurityContextOptions {
	gmsaCredentialSpec?: string | undefined;
	gmsaCredentialSpecName?: string | undefined;
	hostProcess?: boolean | undefined;
	runAsUserName?: string | undefined;
}
