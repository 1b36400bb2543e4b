/** DefaultIngressClass: an ingress that names no class gets the default one. */
import type { Ingress } from '../../../../api/gen/types.ts';
import { INGRESS_CLASSES } from '../../../../api/resources.ts';
import type { AdmissionAttributes, AdmissionPlugin, ObjectReader } from '../../contracts.ts';
import { newestMarked } from '../../../../api/storage/newest-marked.ts';
import { isFor, written } from '../target.ts';

const INGRESS_ANNOTATION = 'kubernetes.io/ingress.class';
const MARKS = ['ingressclass.kubernetes.io/is-default-class'];

export class DefaultIngressClass implements AdmissionPlugin {
	readonly name = 'DefaultIngressClass';
	readonly #objects: ObjectReader;

	constructor(objects: ObjectReader) {
		this.#objects = objects;
	}

	handles(attributes: AdmissionAttributes): boolean {
		return isFor(attributes, 'networking.k8s.io', 'ingresses') && attributes.operation === 'CREATE';
	}

	mutate(attributes: AdmissionAttributes): void {
		const ingress = written<Ingress>(attributes);
		if (ingress.spec?.ingressClassName !== undefined || ingress.metadata.annotations?.[INGRESS_ANNOTATION] !== undefined) return;
		const found = newestMarked(this.#objects.list(INGRESS_CLASSES), MARKS);
		if (found !== undefined) ingress.spec = { ...ingress.spec, ingressClassName: found.metadata.name };
	}
}
