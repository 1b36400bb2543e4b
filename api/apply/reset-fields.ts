/** Fields that a write of a resource or subresource puts back, and which its manager therefore never owns: the strategies' GetResetFields, by kind. */
import { FieldSet } from './field-set.ts';
import type { PathElement } from './path-element.ts';

/** What of a set of fields a write can own. */
export interface FieldFilter {
	filter(set: FieldSet): FieldSet;
	/** The one version for whose managers this holds; all of them where absent. */
	readonly only?: string | undefined;
}

/** A write that puts nothing back. */
export const NOTHING_RESET: FieldFilter = { filter: (set) => set };

const pathOf = (text: string): readonly PathElement[] => text.split('/').map((name) => `f:${name}`);

/** All but these paths and what is below. */
function reset(...paths: readonly string[]): FieldFilter {
	const gone = FieldSet.of(...paths.map(pathOf));
	return { filter: (set) => set.without(gone) };
}

type BySubresource = Readonly<Record<string, FieldFilter>>;

/** The general rule: the main resource leaves status alone, the status subresource the spec. */
const GENERAL: BySubresource = { '': reset('status'), status: reset('spec') };
/** Their status subresource leaves metadata alone, too. */
const STATUS_ONLY: BySubresource = { ...GENERAL, status: reset('spec', 'metadata') };

/** By "group/Kind", where the general rule does not hold. */
const SPECIAL: Readonly<Record<string, BySubresource>> = {
	'/Namespace': { ...GENERAL, finalize: reset('status') },
	'/Pod': {
		...GENERAL,
		status: reset('spec', 'metadata/deletionTimestamp', 'metadata/ownerReferences'),
	},
	'apps/Deployment': { ...GENERAL, status: reset('spec', 'metadata/labels') },
	'certificates.k8s.io/CertificateSigningRequest': {
		'': reset('spec', 'status'),
		status: reset('spec', 'status/conditions'),
		approval: reset('spec', 'status/certificate'),
	},
	'admissionregistration.k8s.io/ValidatingAdmissionPolicy': STATUS_ONLY,
	'apiregistration.k8s.io/APIService': STATUS_ONLY,
	'flowcontrol.apiserver.k8s.io/FlowSchema': STATUS_ONLY,
	'flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration': STATUS_ONLY,
	'networking.k8s.io/ServiceCIDR': STATUS_ONLY,
	'resource.k8s.io/ResourceClaim': STATUS_ONLY,
	'storage.k8s.io/VolumeAttachment': STATUS_ONLY,
};

export function resetFieldsOf(group: string, kind: string, subresource: string): FieldFilter {
	return (SPECIAL[`${group}/${kind}`] ?? GENERAL)[subresource] ?? NOTHING_RESET;
}

/** Custom resources: without the status subresource nothing is put back. The main resource of a version knows of no other version. */
export function customResetFields(hasStatus: boolean, subresource: string, apiVersion?: string): FieldFilter {
	const found = hasStatus ? STATUS_ONLY[subresource] : undefined;
	if (found === undefined) return NOTHING_RESET;
	return subresource === '' ? { ...found, only: apiVersion } : found;
}
