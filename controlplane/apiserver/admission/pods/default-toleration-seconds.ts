/** DefaultTolerationSeconds: pods stay five minutes on a node that is not ready or not reachable, unless they say otherwise. */
import type { Pod, Toleration } from '../../../../api/gen/types.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../contracts.ts';
import { isPod, written } from '../target.ts';

const SECONDS = 300;
const KEYS = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'] as const;

export class DefaultTolerationSeconds implements AdmissionPlugin {
	readonly name = 'DefaultTolerationSeconds';

	handles(attributes: AdmissionAttributes): boolean {
		return isPod(attributes) && (attributes.operation === 'CREATE' || attributes.operation === 'UPDATE');
	}

	mutate(attributes: AdmissionAttributes): void {
		const spec = written<Pod>(attributes).spec;
		if (spec === undefined) return;
		const added = KEYS.filter((key) => !(spec.tolerations ?? []).some((t) => covers(t, key)));
		if (added.length > 0)
			spec.tolerations = [
				...(spec.tolerations ?? []),
				...added.map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: SECONDS })),
			];
	}
}

function covers({ key = '', effect = '' }: Toleration, taint: string): boolean {
	return (key === '' || key === taint) && (effect === '' || effect === 'NoExecute');
}
