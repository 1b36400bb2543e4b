/**
 * Group versions of kinds that upstream serves no more, or not by default, and whose objects it reads all the same (k8s.io/api, register.go): it says that they are
 * not what is expected, and takes them in what a patch makes. Pure.
 */

const RBAC = 'Role RoleBinding ClusterRole ClusterRoleBinding';
const FLOWS = 'FlowSchema PriorityLevelConfiguration';
const DEVICES = 'DeviceClass ResourceClaim ResourceClaimTemplate ResourceSlice';
const POLICIES = 'ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding MutatingAdmissionPolicy MutatingAdmissionPolicyBinding';

/** By group version, the kinds of its group that are served in another one. */
const UNSERVED: Readonly<Record<string, string>> = {
	'admissionregistration.k8s.io/v1alpha1': POLICIES,
	'admissionregistration.k8s.io/v1beta1': `ValidatingWebhookConfiguration MutatingWebhookConfiguration ${POLICIES}`,
	'apps/v1beta1': 'Deployment StatefulSet ControllerRevision',
	'apps/v1beta2': 'Deployment StatefulSet DaemonSet ReplicaSet ControllerRevision',
	'authentication.k8s.io/v1alpha1': 'SelfSubjectReview',
	'authentication.k8s.io/v1beta1': 'SelfSubjectReview TokenReview',
	'authorization.k8s.io/v1beta1': 'SelfSubjectRulesReview SelfSubjectAccessReview SubjectAccessReview LocalSubjectAccessReview',
	'batch/v1beta1': 'CronJob',
	'certificates.k8s.io/v1beta1': 'CertificateSigningRequest',
	'coordination.k8s.io/v1beta1': 'Lease',
	'discovery.k8s.io/v1beta1': 'EndpointSlice',
	'events.k8s.io/v1beta1': 'Event',
	'flowcontrol.apiserver.k8s.io/v1beta1': FLOWS,
	'flowcontrol.apiserver.k8s.io/v1beta2': FLOWS,
	'flowcontrol.apiserver.k8s.io/v1beta3': FLOWS,
	'networking.k8s.io/v1beta1': 'Ingress IngressClass IPAddress ServiceCIDR',
	'node.k8s.io/v1alpha1': 'RuntimeClass',
	'node.k8s.io/v1beta1': 'RuntimeClass',
	'policy/v1beta1': 'PodDisruptionBudget Eviction',
	'rbac.authorization.k8s.io/v1alpha1': RBAC,
	'rbac.authorization.k8s.io/v1beta1': RBAC,
	'resource.k8s.io/v1beta1': DEVICES,
	'resource.k8s.io/v1beta2': DEVICES,
	'scheduling.k8s.io/v1beta1': 'PriorityClass',
	'storage.k8s.io/v1alpha1': 'VolumeAttachment CSIStorageCapacity VolumeAttributesClass',
	'storage.k8s.io/v1beta1': 'StorageClass VolumeAttachment CSIDriver CSINode CSIStorageCapacity VolumeAttributesClass',
};

/** Whether upstream reads this kind of the group in that version, beside the one that is served. */
export function isUnserved(apiVersion: string, group: string, kind: string): boolean {
	return (
		apiVersion.startsWith(`${group}/`) && Object.hasOwn(UNSERVED, apiVersion) && UNSERVED[apiVersion]?.split(' ').includes(kind) === true
	);
}
