/** TaintNodesByCondition: a new node takes no pods until it is seen to be ready. */
import type { Node } from '../../../../api/gen/types.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../contracts.ts';
import { isFor, written } from '../target.ts';

const TAINT = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

export class TaintNodesByCondition implements AdmissionPlugin {
	readonly name = 'TaintNodesByCondition';

	handles(attributes: AdmissionAttributes): boolean {
		return isFor(attributes, '', 'nodes') && attributes.operation === 'CREATE';
	}

	mutate(attributes: AdmissionAttributes): void {
		const node = written<Node>(attributes);
		const taints = node.spec?.taints ?? [];
		if (!taints.some((t) => t.key === TAINT.key && t.effect === TAINT.effect))
			node.spec = { ...node.spec, taints: [...taints, { ...TAINT }] };
	}
}
