/** How many pods the controllers of some pods want: built-in workloads from their informers, any other by its scale subresource. */
import type { OwnerReference, Pod, Scale } from '../../../api/gen/types.ts';
import type { KubeObject, Resource } from '../../../api/resource.ts';
import { DEPLOYMENTS, REPLICA_SETS, REPLICATION_CONTROLLERS, STATEFUL_SETS } from '../../../api/resources.ts';
import { AppError, codeOf } from '../../../base/errors.ts';
import type { Client } from '../../../client/client.ts';
import type { Informers } from '../../../client/informers.ts';
import { discover, type DiscoveredResource } from '../discovered.ts';
import { controllerOf } from '../owned.ts';

interface Scaled extends KubeObject {
	readonly spec?: { readonly replicas?: number | undefined } | undefined;
}

export interface ExpectedScale {
	readonly scale: number;
	/** Pods without a controller count for nothing. */
	readonly unmanaged: readonly string[];
}

/** Known to have a scale, without being discovered. */
const WITH_SCALE: readonly Resource[] = [REPLICA_SETS, STATEFUL_SETS, REPLICATION_CONTROLLERS, DEPLOYMENTS];

interface Found {
	readonly uid: string;
	readonly replicas: number;
}

/** What is served; asked for once, and only where it must be known. */
type Served = () => Promise<readonly DiscoveredResource[]>;

export class Scales {
	readonly #client: Client;
	readonly #informers: Informers;

	constructor(client: Client, informers: Informers) {
		this.#client = client;
		this.#informers = informers;
	}

	/** The sum over all controllers of the pods. AppError FailedPrecondition for a controller without scale. */
	async of(pods: readonly Pod[], signal: AbortSignal): Promise<ExpectedScale> {
		const byUid = new Map<string, number>();
		const unmanaged: string[] = [];
		let discovered: ReturnType<Served> | undefined;
		const served: Served = () => (discovered ??= discover(this.#client, signal));
		for (const pod of pods) {
			const ref = controllerOf(pod);
			if (ref === undefined) unmanaged.push(pod.metadata.name ?? '');
			else if (!byUid.has(ref.uid)) {
				const found = await this.#find(ref, pod.metadata.namespace ?? '', served, signal);
				if (found === undefined) throw new AppError('FailedPrecondition', `found no controllers for pod "${pod.metadata.name}"`);
				byUid.set(found.uid, found.replicas);
			}
		}
		return { scale: [...byUid.values()].reduce((sum, n) => sum + n, 0), unmanaged };
	}

	async #find(ref: OwnerReference, namespace: string, served: Served, signal: AbortSignal): Promise<Found | undefined> {
		const group = ref.apiVersion.includes('/') ? ref.apiVersion.slice(0, ref.apiVersion.indexOf('/')) : '';
		// As upstream: what the informers do not know is asked for its scale.
		return this.#ofInformers(ref, group, namespace) ?? (await this.#other(ref, await this.#scaled(ref, group, served), namespace, signal));
	}

	#ofInformers(ref: OwnerReference, group: string, namespace: string): Found | undefined {
		if (ref.kind === 'ReplicationController' && group === '') return this.#known(REPLICATION_CONTROLLERS, ref, namespace);
		if (ref.kind === 'StatefulSet' && group === 'apps') return this.#known(STATEFUL_SETS, ref, namespace);
		if (ref.kind !== 'ReplicaSet' || group !== 'apps') return undefined;
		const set = this.#informers.get(REPLICA_SETS).lister.get(`${namespace}/${ref.name}`);
		const owner = set?.metadata.uid === ref.uid ? controllerOf(set) : undefined;
		if (owner?.kind !== 'Deployment') return this.#known(REPLICA_SETS, ref, namespace);
		return owner.apiVersion.startsWith('apps/') ? this.#known(DEPLOYMENTS, owner, namespace) : undefined;
	}

	#known(resource: Resource<Scaled>, ref: OwnerReference, namespace: string): Found | undefined {
		const owner = this.#informers.get(resource).lister.get(`${namespace}/${ref.name}`);
		return owner === undefined || owner.metadata.uid !== ref.uid ? undefined : { uid: ref.uid, replicas: owner.spec?.replicas ?? 1 };
	}

	/** The resource of an owner. AppError FailedPrecondition where there is none, or none with a scale. */
	async #scaled(ref: OwnerReference, group: string, served: Served): Promise<Resource> {
		const isOf = (r: Resource): boolean => r.group === group && r.kind === ref.kind;
		const known = WITH_SCALE.find(isOf);
		if (known !== undefined) return known;
		const resource = (await served()).find(isOf);
		if (resource === undefined)
			throw new AppError('FailedPrecondition', `no matches for kind "${ref.kind}" in version "${ref.apiVersion}"`);
		const name = `${resource.plural}${group === '' ? '' : `.${group}`}`;
		if (!resource.subresources.includes('scale'))
			throw new AppError('FailedPrecondition', `${name} does not implement the scale subresource`);
		return resource;
	}

	async #other(ref: OwnerReference, resource: Resource, namespace: string, signal: AbortSignal): Promise<Found | undefined> {
		try {
			const options = { subresource: 'scale', signal };
			const scale = (await this.#client.get(resource, namespace === '' ? ref.name : `${namespace}/${ref.name}`, options)) as Scale;
			return scale.metadata.uid === ref.uid ? { uid: ref.uid, replicas: scale.spec?.replicas ?? 0 } : undefined;
		} catch (error) {
			if (codeOf(error) === 'NotFound') return undefined;
			throw error;
		}
	}
}
