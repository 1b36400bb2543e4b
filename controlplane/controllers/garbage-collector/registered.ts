/** What definitions and APIServices say is served, beside what discovery shows: it may be a moment behind, or a server unavailable. Pure. */
import type { APIService, CustomResourceDefinition } from '../../../api/gen/types.ts';
import type { Resource } from '../../../api/resource.ts';
import type { Discovered } from '../discovered.ts';

export interface Registered {
	readonly definitions: readonly CustomResourceDefinition[];
	readonly services: readonly APIService[];
}

/** Names what should be served by now and is not shown as such: no change of an object will tell when it is. */
export function missingIn(found: Discovered, { definitions, services }: Registered): readonly string[] {
	const remote = remoteVersions(services);
	const shown = new Map(found.resources.map((r) => [`${r.group}/${r.plural}`, r.version]));
	return [
		...services
			.filter(({ status }) => isTrue(status?.conditions, 'Available'))
			.flatMap((service) => [...remoteVersions([service])])
			.filter((version) => !found.versions.has(version) || found.stale.includes(version)),
		...definitions.flatMap((definition) => {
			const { group, names } = definition.spec;
			const name = `${group}/${names.plural}`;
			const [versions, version = ''] = [servedBy(definition, remote), shown.get(name)];
			return versions.length === 0 || versions.includes(version) || remote.has(`${group}/${version}`) ? [] : [name];
		}),
	];
}

/** Whether what is not shown is only unavailable, or shown a moment later; otherwise it is served no more. */
export function isRegistered({ group, version, plural }: Resource, found: Discovered, { definitions, services }: Registered): boolean {
	const name = `${group}/${version}`;
	if (found.stale.includes(name)) return true;
	const remote = remoteVersions(services);
	if (remote.has(name)) return !found.versions.has(name);
	return definitions.some(
		(definition) =>
			definition.spec.group === group && definition.spec.names.plural === plural && servedBy(definition, remote).includes(version),
	);
}

/** Those that another server has. */
function remoteVersions(services: readonly APIService[]): ReadonlySet<string> {
	return new Set(services.flatMap(({ spec }) => (spec?.service === undefined ? [] : [`${spec.group ?? ''}/${spec.version ?? ''}`])));
}

/** The versions of a definition in which this server has its kind. */
function servedBy({ spec, status }: CustomResourceDefinition, remote: ReadonlySet<string>): readonly string[] {
	if (!isTrue(status?.conditions, 'Established')) return [];
	return spec.versions.flatMap(({ name, served }) => (served && !remote.has(`${spec.group}/${name}`) ? [name] : []));
}

function isTrue(conditions: readonly { readonly type: string; readonly status: string }[] | undefined, type: string): boolean {
	return conditions?.some((condition) => condition.type === type && condition.status === 'True') === true;
}
