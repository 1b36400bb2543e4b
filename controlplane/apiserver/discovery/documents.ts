/** The plain discovery documents: APIVersions, APIGroupList, APIGroup, APIResourceList. Pure. */
import { createHash } from 'node:crypto';
import type { ServedGroup, ServedResource, ServedSubresource, ServedVersion } from './source.ts';

export function apiVersions(serverAddress: string): object {
	return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }] };
}

export function apiGroupList(groups: readonly ServedGroup[]): object {
	return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.filter((g) => g.name !== '').map(describeGroup) };
}

export function apiGroup(group: ServedGroup): object {
	return { kind: 'APIGroup', apiVersion: 'v1', ...describeGroup(group) };
}

function describeGroup(group: ServedGroup) {
	const versions = group.versions.map(({ version }) => ({ groupVersion: `${group.name}/${version}`, version }));
	return { name: group.name, versions, preferredVersion: versions[0] };
}

export function apiResourceList(group: ServedGroup, version: ServedVersion): object {
	const resources = version.resources
		.toSorted((a, b) => (a.plural < b.plural ? -1 : 1))
		.flatMap((resource) => [describe(resource), ...resource.subresources.map((sub) => describeSubresource(resource, sub))]);
	if (group.name === '') return { kind: 'APIResourceList', groupVersion: version.version, resources };
	return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: `${group.name}/${version.version}`, resources };
}

function describe(resource: ServedResource) {
	return {
		name: resource.plural,
		singularName: resource.singular,
		namespaced: resource.namespaced,
		kind: resource.kind,
		verbs: resource.verbs,
		...(resource.shortNames.length === 0 ? {} : { shortNames: resource.shortNames }),
		...(resource.categories.length === 0 ? {} : { categories: resource.categories }),
		...(resource.stored ? { storageVersionHash: storageVersionHash(resource) } : {}),
	};
}

function describeSubresource(resource: ServedResource, sub: ServedSubresource) {
	return {
		name: `${resource.plural}/${sub.name}`,
		singularName: '',
		namespaced: resource.namespaced,
		...(sub.kindGroup === undefined ? {} : { group: sub.kindGroup }),
		...(sub.kindVersion === undefined ? {} : { version: sub.kindVersion }),
		kind: sub.kind,
		verbs: sub.verbs,
	};
}

/** Kinds that upstream stores in another version or under another name than it serves them. */
const STORED_AS: Readonly<Record<string, string>> = {
	'events.k8s.io/v1/Event': '/v1/Event',
	'admissionregistration.k8s.io/v1/MutatingAdmissionPolicy': 'admissionregistration.k8s.io/v1beta1/MutatingAdmissionPolicy',
	'admissionregistration.k8s.io/v1/MutatingAdmissionPolicyBinding': 'admissionregistration.k8s.io/v1beta1/MutatingAdmissionPolicyBinding',
	'apiextensions.k8s.io/v1/CustomResourceDefinition': 'apiextensions.k8s.io/v1beta1/CustomResourceDefinition',
	'autoscaling/v1/HorizontalPodAutoscaler': 'autoscaling/v2/HorizontalPodAutoscaler',
};

/** Upstream's discovery.StorageVersionHash: the first eight bytes of SHA-256 over "group/version/kind". */
export function storageVersionHash({
	group,
	version,
	kind,
}: {
	readonly group: string;
	readonly version: string;
	readonly kind: string;
}): string {
	const served = `${group}/${version}/${kind}`;
	const stored = STORED_AS[served] ?? served;
	return createHash('sha256').update(stored).digest().subarray(0, 8).toString('base64');
}
