/** What discovery shows: the served resources, from the registry and later from custom resource definitions and aggregated servers. */

export interface ServedSubresource {
	/** "status" */
	readonly name: string;
	/** The kind's group, version and kind where it is another one than the parent's: Scale, Eviction, TokenRequest. */
	readonly kind: string;
	readonly kindGroup?: string;
	readonly kindVersion?: string;
	readonly verbs: readonly string[];
}

export interface ServedResource {
	/** '' for core. */
	readonly group: string;
	readonly version: string;
	readonly plural: string;
	readonly singular: string;
	readonly kind: string;
	readonly namespaced: boolean;
	readonly verbs: readonly string[];
	readonly shortNames: readonly string[];
	readonly categories: readonly string[];
	readonly subresources: readonly ServedSubresource[];
	/** False for kinds that are never stored (reviews, bindings). */
	readonly stored: boolean;
}

export interface DiscoverySource {
	/** Another array whenever something changed: documents are kept as long as the array stays the same. Versions of a group come in order of preference. */
	resources(): readonly ServedResource[];
}

/** Upstream's order of groups; others follow by name. */
const GROUP_ORDER = [
	'apiregistration.k8s.io',
	'apps',
	'events.k8s.io',
	'authentication.k8s.io',
	'authorization.k8s.io',
	'autoscaling',
	'batch',
	'certificates.k8s.io',
	'networking.k8s.io',
	'policy',
	'rbac.authorization.k8s.io',
	'storage.k8s.io',
	'admissionregistration.k8s.io',
	'apiextensions.k8s.io',
	'scheduling.k8s.io',
	'coordination.k8s.io',
	'node.k8s.io',
	'discovery.k8s.io',
	'resource.k8s.io',
	'flowcontrol.apiserver.k8s.io',
];

export interface ServedVersion {
	readonly version: string;
	readonly resources: readonly ServedResource[];
}

export interface ServedGroup {
	readonly name: string;
	readonly versions: readonly ServedVersion[];
}

/** The resources by group and version, in the order upstream shows them; resources by name. */
export function servedGroups(resources: readonly ServedResource[]): readonly ServedGroup[] {
	const groups = new Map<string, Map<string, ServedResource[]>>();
	for (const resource of resources) {
		const versions = groups.get(resource.group) ?? new Map<string, ServedResource[]>();
		const list = versions.get(resource.version) ?? [];
		list.push(resource);
		versions.set(resource.version, list);
		groups.set(resource.group, versions);
	}
	const rank = (name: string): number => (GROUP_ORDER.includes(name) ? GROUP_ORDER.indexOf(name) : GROUP_ORDER.length);
	return [...groups]
		.sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1))
		.map(([name, versions]) => ({
			name,
			versions: [...versions]
				.sort(([a], [b]) => compareVersions(a, b))
				.map(([version, list]) => ({ version, resources: list.toSorted((a, b) => (a.plural < b.plural ? -1 : 1)) })),
		}));
}

/** Kubernetes' version priority: stable before beta before alpha, higher numbers first, anything else last by name. */
export function compareVersions(a: string, b: string): number {
	const left = parse(a);
	const right = parse(b);
	if (left === undefined || right === undefined) return left === right ? (a < b ? -1 : 1) : left === undefined ? 1 : -1;
	return right.stability - left.stability || right.major - left.major || right.minor - left.minor;
}

function parse(version: string): { readonly stability: number; readonly major: number; readonly minor: number } | undefined {
	const [match, major, stage, minor] = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version) ?? [];
	if (match === undefined) return undefined;
	return { stability: stage === undefined ? 2 : stage === 'beta' ? 1 : 0, major: Number(major), minor: Number(minor ?? 0) };
}
