/** What discovery shows: the served resources, from the registry, from custom resource definitions and from aggregated servers. */
import type { APIResourceDiscovery } from '../../../api/gen/types.ts';

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
	/** Made by a definition. */
	readonly custom: boolean;
}

export interface DiscoverySource {
	/** Another array whenever something changed: documents are kept as long as the array stays the same. Versions of a group come in order of preference. */
	resources(): readonly ServedResource[];
}

/** A group version that another server serves, as discovery shows it. */
export interface RemoteVersion {
	readonly group: string;
	readonly version: string;
	/** Stale: the server could not be asked last time. */
	readonly freshness: 'Current' | 'Stale';
	readonly resources: readonly APIResourceDiscovery[];
}

/** What APIServices say of the order of groups and versions, and what is served elsewhere. */
export interface AggregatedSource {
	/** Another number whenever something changed. */
	readonly revision: number;
	remoteVersions(): readonly RemoteVersion[];
	groupPriority(group: string): number;
	versionPriority(group: string, version: string): number;
}

export interface ServedVersion {
	readonly version: string;
	readonly resources: readonly ServedResource[];
	/** Set where another server has them. */
	readonly remote?: RemoteVersion | undefined;
}

export interface ServedGroup {
	readonly name: string;
	readonly versions: readonly ServedVersion[];
}

/** The resources by group and version, in the order upstream shows them; resources by name. */
export function servedGroups(resources: readonly ServedResource[], aggregated: AggregatedSource): readonly ServedGroup[] {
	const groups = new Map<string, Map<string, ServedResource[]>>();
	const versionsOf = (group: string): Map<string, ServedResource[]> => {
		const known = groups.get(group) ?? new Map<string, ServedResource[]>();
		groups.set(group, known);
		return known;
	};
	for (const resource of resources) {
		const versions = versionsOf(resource.group);
		const list = versions.get(resource.version);
		if (list === undefined) versions.set(resource.version, [resource]);
		else list.push(resource);
	}
	const remote = new Map(aggregated.remoteVersions().map((one) => [`${one.group}/${one.version}`, one]));
	for (const { group, version } of remote.values()) versionsOf(group).set(version, []);
	const priority = (group: string, version: string): number => aggregated.versionPriority(group, version);
	return [...groups]
		.sort(([a], [b]) => aggregated.groupPriority(b) - aggregated.groupPriority(a) || (a < b ? -1 : 1))
		.map(([name, versions]) => ({
			name,
			versions: [...versions]
				.sort(([a], [b]) => priority(name, b) - priority(name, a) || compareVersions(a, b))
				.map(([version, list]) => ({
					version,
					resources: list.toSorted((a, b) => (a.plural < b.plural ? -1 : 1)),
					remote: remote.get(`${name}/${version}`),
				})),
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
