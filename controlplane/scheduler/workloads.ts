/** Which pods go with a pod: those that its services, and the set that it is of, select (upstream's helper.DefaultSelector). */
import type { LabelSelector, Pod, ReplicaSet, ReplicationController, Service, StatefulSet } from '../../api/gen/types.ts';
import { keyOf } from '../../api/resource.ts';
import { REPLICA_SETS, REPLICATION_CONTROLLERS, SERVICES, STATEFUL_SETS } from '../../api/resources.ts';
import { matchesLabels } from '../../api/selector/label.ts';
import type { Informer } from '../../client/informer.ts';
import type { Informers } from '../../client/informers.ts';

/** Undefined where nothing goes with it. */
export type SiblingsOf = (pod: Pod) => LabelSelector | undefined;

interface Followed {
	readonly services: Informer<Service>;
	readonly controllers: Informer<ReplicationController>;
	readonly replicaSets: Informer<ReplicaSet>;
	readonly statefulSets: Informer<StatefulSet>;
}

export class SchedulerWorkloads {
	readonly #informers: Informers;
	#followed: Followed | undefined;

	constructor(informers: Informers) {
		this.#informers = informers;
	}

	/** From now on they are known; a cluster of one node has no use for them. */
	follow(): void {
		const informers = this.#informers;
		this.#followed ??= {
			services: informers.get(SERVICES),
			controllers: informers.get(REPLICATION_CONTROLLERS),
			replicaSets: informers.get(REPLICA_SETS),
			statefulSets: informers.get(STATEFUL_SETS),
		};
	}

	/** What is followed by now is known. */
	async synced(signal: AbortSignal): Promise<void> {
		await Promise.all(Object.values(this.#followed ?? {}).map((informer: Pick<Informer<Service>, 'synced'>) => informer.synced(signal)));
	}

	readonly siblingsOf: SiblingsOf = (pod) => {
		if (this.#followed === undefined) return undefined;
		const services = this.#followed.services.lister.list(pod.metadata.namespace);
		return merged([...services.flatMap(({ spec }) => ofService(spec?.selector, pod)), ...this.#ofOwner(pod, this.#followed)]);
	};

	#ofOwner(pod: Pod, { controllers, replicaSets, statefulSets }: Followed): readonly LabelSelector[] {
		const owner = pod.metadata.ownerReferences?.find((ref) => ref.controller === true);
		if (owner === undefined) return [];
		const key = keyOf({ metadata: { namespace: pod.metadata.namespace, name: owner.name } });
		switch (`${owner.apiVersion} ${owner.kind}`) {
			case 'v1 ReplicationController':
				return [{ matchLabels: controllers.lister.get(key)?.spec?.selector }];
			case 'apps/v1 ReplicaSet':
				return [replicaSets.lister.get(key)?.spec?.selector ?? {}];
			case 'apps/v1 StatefulSet':
				return [statefulSets.lister.get(key)?.spec?.selector ?? {}];
			default:
				return [];
		}
	}
}

function ofService(selector: Readonly<Record<string, string>> | undefined, pod: Pod): readonly LabelSelector[] {
	return selector !== undefined && matchesLabels(selector, pod.metadata.labels ?? {}) ? [{ matchLabels: { ...selector } }] : [];
}

/** All of them at once: since all select the pod, they do not contradict each other. */
function merged(selectors: readonly LabelSelector[]): LabelSelector | undefined {
	const matchLabels = Object.assign({}, ...selectors.map((s) => s.matchLabels)) as Record<string, string>;
	const matchExpressions = selectors.flatMap((s) => s.matchExpressions ?? []);
	return Object.keys(matchLabels).length + matchExpressions.length === 0 ? undefined : { matchLabels, matchExpressions };
}
