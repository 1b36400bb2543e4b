/** A ReplicationController seen as a ReplicaSet, and its status back. Pure. */
import type { ReplicaSet, ReplicaSetStatus, ReplicationController } from '../../../api/gen/types.ts';
import type { Lister } from '../../../client/cache.ts';

/** Each is converted once for every version of it. */
export function asReplicaSets(controllers: Lister<ReplicationController>): Lister<ReplicaSet> {
	const converted = new WeakMap<ReplicationController, ReplicaSet>();
	const convert = (rc: ReplicationController): ReplicaSet => {
		let rs = converted.get(rc);
		if (rs === undefined) converted.set(rc, (rs = asReplicaSet(rc)));
		return rs;
	};
	return {
		get(key) {
			const rc = controllers.get(key);
			return rc === undefined ? undefined : convert(rc);
		},
		list: (namespace) => controllers.list(namespace).map(convert),
		byIndex: (index, value) => controllers.byIndex(index, value).map(convert),
	};
}

export function asReplicaSet({ spec, ...rest }: ReplicationController): ReplicaSet {
	return { ...rest, spec: { ...spec, selector: spec?.selector === undefined ? {} : { matchLabels: spec.selector } } } as ReplicaSet;
}

export function ofReplicationController({ spec, ...rest }: ReplicaSet, status: ReplicaSetStatus): ReplicationController {
	const { selector, ...others } = spec ?? { selector: {} };
	return { ...rest, spec: { ...others, selector: selector.matchLabels }, status } as ReplicationController;
}

/** The older kind does not count pods that are going. */
export function withoutTerminating({ terminatingReplicas: _, ...status }: ReplicaSetStatus): ReplicaSetStatus {
	return status;
}
