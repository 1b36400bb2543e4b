/** ExtendedResourceToleration: a pod that asks for a device bears the taint that keeps other pods off the nodes that have it. */
import type { Pod, Toleration } from '../../../../api/gen/types.ts';
import { sameJson } from '../../../../api/same-json.ts';
import { isExtendedResource } from '../../../../api/validation/pod/resources.ts';
import type { AdmissionPlugin } from '../../contracts.ts';
import { isPod, written } from '../target.ts';

export function extendedResourceToleration(): AdmissionPlugin {
	return {
		name: 'ExtendedResourceToleration',
		handles: (attributes) => isPod(attributes) && (attributes.operation === 'CREATE' || attributes.operation === 'UPDATE'),
		mutate(attributes) {
			const { spec } = written<Pod>(attributes);
			if (spec === undefined) return;
			const asked = [...(spec.containers ?? []), ...(spec.initContainers ?? [])].flatMap(({ resources }) =>
				Object.keys(resources?.requests ?? {}),
			);
			for (const key of new Set(asked.filter(isExtendedResource).toSorted()))
				spec.tolerations = withToleration(spec.tolerations ?? [], { key, operator: 'Exists', effect: 'NoSchedule' });
		},
	};
}

/** In the place of one that differs in how long it counts only. */
function withToleration(tolerations: readonly Toleration[], added: Toleration): Toleration[] {
	const what = ({ key = '', operator = '', effect = '', value = '' }: Toleration): readonly string[] => [key, operator, effect, value];
	const at = tolerations.findIndex((toleration) => sameJson(what(toleration), what(added)));
	return at < 0 ? [...tolerations, added] : tolerations.with(at, added);
}
