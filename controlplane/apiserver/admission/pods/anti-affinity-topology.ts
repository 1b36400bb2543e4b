/** LimitPodHardAntiAffinityTopology: a pod may keep others off its node, but not off a whole zone. */
import type { Pod } from '../../../../api/gen/types.ts';
import { forbidden } from '../../../../api/status.ts';
import { PODS } from '../../../../api/resources.ts';
import type { AdmissionPlugin } from '../../contracts.ts';
import { isPod, written } from '../target.ts';

const HOSTNAME = 'kubernetes.io/hostname';

export function antiAffinityTopology(): AdmissionPlugin {
	return {
		name: 'LimitPodHardAntiAffinityTopology',
		handles: (attributes) => isPod(attributes) && (attributes.operation === 'CREATE' || attributes.operation === 'UPDATE'),
		validate(attributes) {
			const { metadata, spec } = written<Pod>(attributes);
			const terms = spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
			const wide = terms.find(({ topologyKey }) => topologyKey !== HOSTNAME);
			if (wide === undefined) return;
			const why = `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${wide.topologyKey} but only key ${HOSTNAME} is allowed`;
			throw forbidden(PODS, metadata.name ?? '', why);
		},
	};
}
