/** PodTopologyLabels: a pod that gets a node takes the labels of its zone and region, so that containers can read them. */
import type { Binding, Pod } from '../../../../api/gen/types.ts';
import { NODES } from '../../../../api/resources.ts';
import { REGION_LABEL, ZONE_LABEL } from '../../../../api/topology-labels.ts';
import type { AdmissionAttributes, AdmissionPlugin, ObjectReader } from '../../contracts.ts';
import { isFor, isPod, written } from '../target.ts';

const LABELS = [ZONE_LABEL, REGION_LABEL];

export class PodTopologyLabels implements AdmissionPlugin {
	readonly name = 'PodTopologyLabels';
	readonly #objects: ObjectReader;

	constructor(objects: ObjectReader) {
		this.#objects = objects;
	}

	handles(attributes: AdmissionAttributes): boolean {
		return attributes.operation === 'CREATE' && (isPod(attributes) || isFor(attributes, '', 'pods', 'binding'));
	}

	mutate(attributes: AdmissionAttributes): void {
		const name = nodeName(attributes);
		const labels = name === '' ? {} : (this.#objects.get(NODES, name)?.metadata.labels ?? {});
		const own = Object.fromEntries(LABELS.flatMap((key) => (labels[key] === undefined ? [] : [[key, labels[key]]])));
		const meta = attributes.object?.metadata;
		if (meta !== undefined && Object.keys(own).length > 0) meta.labels = { ...meta.labels, ...own };
	}
}

/** '' for none. */
function nodeName(attributes: AdmissionAttributes): string {
	if (isPod(attributes)) return written<Pod>(attributes).spec?.nodeName ?? '';
	const { target } = written<Partial<Binding>>(attributes);
	return target?.kind === 'Node' ? (target.name ?? '') : '';
}
