/** Fields that a write of a resource or subresource puts back, and which its manager therefore never owns. */
import { FieldSet } from './field-set.ts';

const of = (...paths: readonly string[]): FieldSet => FieldSet.of(...paths.map((path) => path.split('/').map((name) => `f:${name}`)));

const NOTHING = new FieldSet();
const STATUS = of('status');
const SPEC = of('spec');

/** By "group/Kind", where the rule below does not hold: [main, status]. */
const SPECIAL: Readonly<Record<string, readonly [FieldSet, FieldSet]>> = {
	'/Pod': [STATUS, of('spec', 'metadata/deletionTimestamp', 'metadata/ownerReferences')],
	'/PersistentVolumeClaim': [STATUS, SPEC],
	'apps/Deployment': [STATUS, of('spec', 'metadata/labels')],
	'apps/DaemonSet': [STATUS, SPEC],
	'certificates.k8s.io/CertificateSigningRequest': [of('spec', 'status'), SPEC],
	'apiextensions.k8s.io/CustomResourceDefinition': [STATUS, of('metadata', 'spec')],
	'apiregistration.k8s.io/APIService': [STATUS, of('metadata', 'spec')],
	'networking.k8s.io/NetworkPolicy': [STATUS, SPEC],
};

/** The general rule: the main resource leaves status alone, the status subresource everything else. */
export function resetFieldsOf(group: string, kind: string, subresource: string): FieldSet {
	const [main, status] = SPECIAL[`${group}/${kind}`] ?? [STATUS, SPEC];
	return subresource === '' ? main : subresource === 'status' ? status : NOTHING;
}
