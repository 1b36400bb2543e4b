/** Definitions of custom resources for tables of tests: their schemas, and what validation tells of one. */
import type { KubeObject } from '../../api/resource.ts';
import { validateCreate } from '../../api/validation/validation.ts';

export const names = { plural: 'as', kind: 'A', singular: 'a', listKind: 'AList' };
export const object = (properties: object, more: object = {}): object => ({ type: 'object', properties, ...more });
/** The schema of a whole resource. */
export const root = object;

/** A definition of one version; what is told of it, without the values of whole schemas. */
export function told(schema: object, version: object = {}, spec: object = {}): readonly string[] {
	const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, ...version }];
	const definition = {
		metadata: { name: 'as.x.io' },
		spec: { group: 'x.io', scope: 'Cluster', names, versions, conversion: { strategy: 'None' }, ...spec },
		status: { storedVersions: ['v1'], acceptedNames: names },
	} as unknown as KubeObject;
	return validateCreate('apiextensions.k8s.io', 'v1', 'CustomResourceDefinition', definition, false).map(({ field, message }) =>
		`${field}: ${message.replace(/Invalid value: [[{].*[}\]]: /, '')}`.replaceAll('spec.validation.openAPIV3Schema', '$'),
	);
}
