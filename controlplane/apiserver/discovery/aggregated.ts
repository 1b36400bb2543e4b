/** Aggregated discovery: everything under /api or /apis in one document, apidiscovery.k8s.io v2 (and v2beta1, which kubectl up to 1.29 asks for). Pure. */
import type { ServedGroup, ServedResource, ServedSubresource, ServedVersion } from './source.ts';

export type AggregatedVersion = 'v2' | 'v2beta1';

export function aggregated(groups: readonly ServedGroup[], version: AggregatedVersion): object {
	return {
		kind: 'APIGroupDiscoveryList',
		apiVersion: `apidiscovery.k8s.io/${version}`,
		metadata: {},
		items: groups.map((group) => ({
			metadata: group.name === '' ? {} : { name: group.name },
			versions: group.versions.map((served) => ({
				version: served.version,
				...resourcesOf(served),
			})),
		})),
	};
}

function resourcesOf({ resources, remote }: ServedVersion): object {
	if (remote === undefined) return { resources: resources.map(describe), freshness: 'Current' };
	return { ...(remote.resources.length === 0 ? {} : { resources: remote.resources }), freshness: remote.freshness };
}

function describe(resource: ServedResource): object {
	const { kind, custom } = resource;
	// Only of custom kinds upstream says again what they are of; their status comes first.
	const kindOf = custom ? { group: resource.group, version: resource.version } : { group: '', version: '' };
	const inOrder = resource.subresources.toSorted((a, b) => (a.name < b.name === custom ? 1 : -1));
	const subresources = inOrder.map((sub) => describeSubresource(sub, kindOf));
	return {
		resource: resource.plural,
		responseKind: { ...kindOf, kind },
		scope: resource.namespaced ? 'Namespaced' : 'Cluster',
		singularResource: resource.singular,
		verbs: resource.verbs,
		...(resource.shortNames.length === 0 ? {} : { shortNames: resource.shortNames }),
		...(resource.categories.length === 0 ? {} : { categories: resource.categories }),
		...(subresources.length === 0 ? {} : { subresources }),
	};
}

function describeSubresource(sub: ServedSubresource, { group, version }: { readonly group: string; readonly version: string }): object {
	return {
		subresource: sub.name,
		responseKind: { group: sub.kindGroup ?? group, version: sub.kindVersion ?? version, kind: sub.kind },
		verbs: sub.verbs,
	};
}
