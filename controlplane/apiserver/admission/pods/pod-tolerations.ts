/** PodTolerationRestriction: pods get the tolerations of their namespace, or of the cluster, and may have only those of its list. */
import type { Pod, Toleration } from '../../../../api/gen/types.ts';
import { qosClass } from '../../../../api/pod/qos.ts';
import { NAMESPACES } from '../../../../api/resources.ts';
import { unknownFailure } from '../../../../api/status.ts';
import { messageOf } from '../../../../base/errors.ts';
import type { AdmissionAttributes, AdmissionPlugin, ObjectReader } from '../../contracts.ts';
import { parseTolerations } from './given-tolerations.ts';
import { covers, merged } from './merged-tolerations.ts';
import { isPod, written } from '../target.ts';

/** podtolerationrestriction.admission.k8s.io/v1alpha1 Configuration: of the cluster, where a namespace says nothing. */
export interface ClusterTolerations {
	readonly default?: readonly Toleration[] | undefined;
	readonly whitelist?: readonly Toleration[] | undefined;
}

const PREFIX = 'scheduler.alpha.kubernetes.io/';

export function podTolerationRestriction(objects: ObjectReader, cluster: ClusterTolerations = {}): AdmissionPlugin {
	const ofNamespace = (namespace: string, what: string): readonly Toleration[] | undefined =>
		parsed(objects.get(NAMESPACES, namespace)?.metadata.annotations?.[PREFIX + what]);
	const check = (attributes: AdmissionAttributes): void => {
		const { tolerations = [] } = written<Pod>(attributes).spec ?? {};
		if (tolerations.length === 0) return;
		const own = ofNamespace(attributes.namespace, 'tolerationsWhitelist');
		const allowed = own ?? cluster.whitelist ?? [];
		if (allowed.length === 0 || tolerations.every((one) => allowed.some((other) => covers(other, one)))) return;
		const scope = own === undefined ? 'cluster' : 'namespace';
		throw unknownFailure(`pod tolerations (possibly merged with namespace default tolerations) conflict with its ${scope} whitelist`);
	};
	return {
		name: 'PodTolerationRestriction',
		handles: (attributes) => isPod(attributes) && (attributes.operation === 'CREATE' || attributes.operation === 'UPDATE'),
		mutate(attributes) {
			const pod = written<Pod>(attributes);
			const { spec } = pod;
			if (spec === undefined) return;
			const extra =
				attributes.operation === 'CREATE' ? [...(ofNamespace(attributes.namespace, 'defaultTolerations') ?? cluster.default ?? [])] : [];
			if (qosClass(pod) !== 'BestEffort')
				extra.push({ key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' });
			if (extra.length > 0) spec.tolerations = merged([...(spec.tolerations ?? []), ...extra]);
			check(attributes);
		},
		validate: check,
	};
}

/** Undefined: nothing is said; '' says none. */
function parsed(text: string | undefined): readonly Toleration[] | undefined {
	if (text === undefined) return undefined;
	if (text === '') return [];
	try {
		return parseTolerations(text);
	} catch (error) {
		throw unknownFailure(messageOf(error));
	}
}
