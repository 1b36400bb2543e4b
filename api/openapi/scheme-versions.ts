/**
 * Every group version that upstream's API server knows, served or not: version 2 of OpenAPI names all of them on the kinds that belong to all
 * (options of deletion, watch events).
 */
const VERSIONS: Readonly<Record<string, string>> = {
	'': 'v1',
	'admission.k8s.io': 'v1 v1beta1',
	'admissionregistration.k8s.io': 'v1 v1alpha1 v1beta1',
	'apiextensions.k8s.io': 'v1 v1beta1',
	'apiregistration.k8s.io': 'v1 v1beta1',
	apps: 'v1 v1beta1 v1beta2',
	'authentication.k8s.io': 'v1 v1alpha1 v1beta1',
	'authorization.k8s.io': 'v1 v1beta1',
	autoscaling: 'v1 v2',
	batch: 'v1 v1beta1',
	'certificates.k8s.io': 'v1 v1alpha1 v1beta1',
	'coordination.k8s.io': 'v1 v1alpha2 v1beta1',
	'discovery.k8s.io': 'v1 v1beta1',
	'events.k8s.io': 'v1 v1beta1',
	extensions: 'v1beta1',
	'flowcontrol.apiserver.k8s.io': 'v1 v1beta1 v1beta2 v1beta3',
	'imagepolicy.k8s.io': 'v1alpha1',
	'internal.apiserver.k8s.io': 'v1alpha1',
	'networking.k8s.io': 'v1 v1beta1',
	'node.k8s.io': 'v1 v1alpha1 v1beta1',
	policy: 'v1 v1beta1',
	'rbac.authorization.k8s.io': 'v1 v1alpha1 v1beta1',
	'resource.k8s.io': 'v1 v1alpha3 v1beta1 v1beta2',
	'scheduling.k8s.io': 'v1 v1alpha2 v1beta1',
	'storage.k8s.io': 'v1 v1alpha1 v1beta1',
	'storagemigration.k8s.io': 'v1beta1',
};

const SERVERS = new Set(['admission.k8s.io', 'apiextensions.k8s.io', 'apiregistration.k8s.io', 'imagepolicy.k8s.io']);

export const SCHEME_VERSIONS = Object.entries(VERSIONS).flatMap(([group, versions]) =>
	versions.split(' ').map((version) => ({ group, version })),
);

/** Those that the documents of custom resources name: without the groups of servers, whose kinds no client has built in. */
export const OPTIONS_VERSIONS = SCHEME_VERSIONS.filter(({ group }) => !SERVERS.has(group));
