/** What an aggregated server says it serves: from its aggregated discovery, or from the plain document of the group version. */
import type { APIResource, APIResourceDiscovery, APIResourceList, APISubresourceDiscovery, APIService } from '../../../api/gen/types.ts';
import { groupVersionPath } from './group-version.ts';
import type { RemoteServer } from './remote-server.ts';

const AGGREGATED = ['v2', 'v2beta1'].map((v) => `application/json;g=apidiscovery.k8s.io;v=${v};as=APIGroupDiscoveryList`).join(',');
const TIMEOUT_MS = 5000;

interface Aggregated {
	readonly kind?: string;
	readonly items?: readonly {
		readonly metadata?: { readonly name?: string };
		readonly versions?: readonly { readonly version?: string; readonly resources?: readonly APIResourceDiscovery[] }[];
	}[];
}

/** Rejects when the server cannot say. */
export async function remoteResources(
	service: APIService,
	server: RemoteServer,
	signal: AbortSignal,
): Promise<readonly APIResourceDiscovery[]> {
	const { group = '', version = '' } = service.spec ?? {};
	const all = await server.get(service, '/apis', AGGREGATED, TIMEOUT_MS, signal);
	if (all.status === 200 && String(all.headers['content-type']).includes('as=APIGroupDiscoveryList')) {
		const { items = [] } = JSON.parse(all.body.toString()) as Aggregated;
		const found = items.find(({ metadata }) => metadata?.name === group)?.versions?.find((one) => one.version === version);
		if (found !== undefined) return found.resources ?? [];
	}
	const plain = await server.get(service, groupVersionPath(group, version), 'application/json', TIMEOUT_MS, signal);
	if (plain.status !== 200) throw new Error(`${groupVersionPath(group, version)} was answered with ${plain.status}`);
	const list = JSON.parse(plain.body.toString()) as APIResourceList;
	if (list.kind !== 'APIResourceList') throw new Error(`${groupVersionPath(group, version)} was answered with no APIResourceList`);
	return fromPlain(list);
}

/** The plain document as aggregated discovery has it (upstream's ConvertGroupVersionIntoToDiscovery). Pure. */
export function fromPlain(list: APIResourceList): readonly APIResourceDiscovery[] {
	const out = new Map<string, APIResourceDiscovery>();
	const plain = list.resources ?? [];
	for (const resource of plain) {
		if (resource.name.includes('/')) continue;
		out.set(resource.name, {
			resource: resource.name,
			responseKind: kindIn(resource),
			scope: resource.namespaced ? 'Namespaced' : 'Cluster',
			singularResource: resource.singularName,
			verbs: resource.verbs,
			...(resource.shortNames === undefined ? {} : { shortNames: resource.shortNames }),
			...(resource.categories === undefined ? {} : { categories: resource.categories }),
		});
	}
	for (const one of plain) {
		const [parent = '', subresource] = one.name.split('/', 2);
		if (subresource === undefined) continue;
		// A subresource may have no parent of its own (pods.metrics.k8s.io/…): it is shown under its name.
		const whole: APIResourceDiscovery = out.get(parent) ?? {
			resource: parent,
			scope: one.namespaced ? 'Namespaced' : 'Cluster',
			responseKind: { group: '', version: '', kind: '' },
			singularResource: '',
			verbs: [],
		};
		const made: APISubresourceDiscovery = {
			subresource,
			responseKind: kindIn(one),
			verbs: one.verbs,
		};
		out.set(parent, { ...whole, subresources: [...(whole.subresources ?? []), made] });
	}
	return [...out.values()];
}

/** Of the resource's own group and version where the document says none. */
function kindIn({ group = '', version = '', kind }: APIResource): {
	readonly group: string;
	readonly version: string;
	readonly kind: string;
} {
	return { group, version, kind };
}
