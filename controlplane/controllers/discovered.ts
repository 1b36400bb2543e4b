/** What the API server serves, for controllers that act on every kind (namespace, garbage collector). */
import type { Resource } from '../../api/resource.ts';
import { AppError } from '../../base/errors.ts';
import { readText } from '../../base/lines.ts';
import type { Client } from '../../client/client.ts';

export interface DiscoveredResource extends Resource {
	readonly verbs: readonly string[];
}

interface DiscoveryList {
	readonly items: readonly {
		readonly metadata?: { readonly name?: string };
		readonly versions?: readonly {
			readonly version: string;
			readonly freshness?: string;
			readonly resources?: readonly {
				readonly resource: string;
				readonly responseKind?: { readonly kind: string };
				readonly scope: string;
				readonly verbs: readonly string[];
				readonly subresources?: readonly { readonly subresource: string }[];
			}[];
		}[];
	}[];
}

const ACCEPT = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** Every resource once, in its group's preferred version. AppError Unavailable where discovery cannot be read. */
export async function discover(client: Client, signal: AbortSignal): Promise<readonly DiscoveredResource[]> {
	return (await readBoth(client, signal)).flatMap(preferred);
}

export interface Discovered {
	readonly resources: readonly DiscoveredResource[];
	/** All that are shown, of named groups as "apps/v1". */
	readonly versions: ReadonlySet<string>;
	/** Versions ("metrics.k8s.io/v1beta1") of servers behind this one that could not be asked. */
	readonly stale: readonly string[];
}

/** As `discover`, without what is only known from earlier. */
export async function discoverFresh(client: Client, signal: AbortSignal): Promise<Discovered> {
	const lists = await readBoth(client, signal);
	return {
		resources: lists.map(freshOf).flatMap(preferred),
		versions: new Set(lists.flatMap((list) => versionsOf(list, () => true))),
		stale: lists.flatMap((list) => versionsOf(list, isStale)).toSorted(),
	};
}

type DiscoveryVersion = NonNullable<DiscoveryList['items'][number]['versions']>[number];

function isStale({ freshness }: DiscoveryVersion): boolean {
	return freshness === 'Stale';
}

function freshOf({ items }: DiscoveryList): DiscoveryList {
	return { items: items.map((group) => ({ ...group, versions: (group.versions ?? []).filter((version) => !isStale(version)) })) };
}

function versionsOf({ items }: DiscoveryList, isMeant: (version: DiscoveryVersion) => boolean): readonly string[] {
	return items.flatMap(({ metadata, versions = [] }) => versions.filter(isMeant).map(({ version }) => `${metadata?.name}/${version}`));
}

/** Every resource in every version that serves it. */
export async function discoverAll(client: Client, signal: AbortSignal): Promise<readonly DiscoveredResource[]> {
	return (await readBoth(client, signal)).flatMap((list) => [...all(list)]);
}

function readBoth(client: Client, signal: AbortSignal): Promise<readonly DiscoveryList[]> {
	return Promise.all(['/api', '/apis'].map((path) => read(client, path, signal)));
}

async function read(client: Client, path: string, signal: AbortSignal): Promise<DiscoveryList> {
	const answer = await client.transport.request({ method: 'GET', path, headers: { accept: ACCEPT } }, signal);
	const text = await readText(answer.body);
	if (answer.status !== 200) throw new AppError('Unavailable', `Cannot read ${path}: the server answers ${answer.status}`);
	return JSON.parse(text) as DiscoveryList;
}

/** Pure. A resource that several versions of a group serve counts in the first of them. */
export function preferred(list: DiscoveryList): readonly DiscoveredResource[] {
	const found = new Map<string, DiscoveredResource>();
	for (const resource of all(list)) {
		const key = `${resource.group}/${resource.plural}`;
		if (!found.has(key)) found.set(key, resource);
	}
	return [...found.values()];
}

function* all(list: DiscoveryList): Generator<DiscoveredResource> {
	for (const group of list.items)
		for (const version of group.versions ?? [])
			for (const resource of version.resources ?? [])
				yield {
					group: group.metadata?.name ?? '',
					version: version.version,
					kind: resource.responseKind?.kind ?? '',
					plural: resource.resource,
					namespaced: resource.scope === 'Namespaced',
					subresources: (resource.subresources ?? []).map((s) => s.subresource),
					verbs: resource.verbs,
				};
}
