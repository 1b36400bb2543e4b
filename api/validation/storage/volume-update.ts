/** Updates of PersistentVolumes: where they are kept, and who reaches them, stays (core ValidatePersistentVolumeUpdate). */
import { fieldForbidden, invalidValue } from '../../field-error.ts';
import type { NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, PersistentVolume, VolumeNodeAffinity } from '../../gen/types.ts';
import { jsonDiff } from '../../internal/diff.ts';
import { internalForm } from '../../internal/form.ts';
import { immutable, same, type Errors } from '../rule.ts';
import { hasWrongNodeValue } from '../selectors.ts';
import { persistentVolume, volume } from './persistent-volume.ts';

export function persistentVolumeUpdate(out: Errors, object: PersistentVolume, old: PersistentVolume): void {
	// Upstream's strategy checks it as on create before its rule for updates does so again.
	const values = hasWrongNodeValue(old.spec?.nodeAffinity?.required) ? 'any' : 'checked';
	persistentVolume(out, object, values);
	volume(out, object, values);
	const [after, before] = [sourceOf(object, expandable(object, old)), sourceOf(old, false)];
	if (!same(after, before)) {
		const text = 'spec.persistentvolumesource is immutable after creation';
		out.push(fieldForbidden('spec.persistentvolumesource', `${text}\n${jsonDiff(before, after)}`));
	}
	immutable(out, 'volumeMode', object.spec?.volumeMode, old.spec?.volumeMode);
	const [affinity, oldAffinity] = [object.spec?.nodeAffinity, old.spec?.nodeAffinity];
	if (oldAffinity !== undefined && !same(affinity, renewed(oldAffinity, affinity))) {
		const shown = affinity === undefined ? null : internalForm('core/v1.VolumeNodeAffinity', affinity);
		out.push(invalidValue('nodeAffinity', shown, 'field is immutable, except for updating from beta label to GA'));
	}
	if (old.spec?.volumeAttributesClassName !== undefined && object.spec?.volumeAttributesClassName === undefined)
		out.push(fieldForbidden('spec.volumeAttributesClassName', 'update from non-nil value to nil is forbidden'));
}

/** A secret for expansion may be added. */
function expandable(object: PersistentVolume, old: PersistentVolume): boolean {
	return old.spec?.csi !== undefined && old.spec.csi.controllerExpandSecretRef === undefined && object.spec?.csi !== undefined;
}

const NO_SOURCE: ReadonlySet<string> = new Set([
	'Capacity',
	'AccessModes',
	'ClaimRef',
	'PersistentVolumeReclaimPolicy',
	'StorageClassName',
	'MountOptions',
	'VolumeMode',
	'NodeAffinity',
	'VolumeAttributesClassName',
]);

function sourceOf({ spec = {} }: PersistentVolume, withoutExpansion: boolean): object {
	const { csi } = spec;
	const given = withoutExpansion && csi !== undefined ? { ...spec, csi: { ...csi, controllerExpandSecretRef: undefined } } : spec;
	const form = internalForm('core/v1.PersistentVolumeSpec', given) as object;
	return Object.fromEntries(Object.entries(form).filter(([key]) => !NO_SOURCE.has(key)));
}

/** Labels that have a stable name by now, by their old one. */
const STABLE: Readonly<Record<string, string>> = {
	'beta.kubernetes.io/arch': 'kubernetes.io/arch',
	'beta.kubernetes.io/os': 'kubernetes.io/os',
	'beta.kubernetes.io/instance-type': 'node.kubernetes.io/instance-type',
	'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
	'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
};

/** The old affinity with the stable names that the new one has in the same places. */
function renewed(old: VolumeNodeAffinity, now: VolumeNodeAffinity | undefined): VolumeNodeAffinity {
	const [before, after] = [termsOf(old), termsOf(now)];
	const terms = before?.map((term, i) => {
		const other = after?.[i];
		const requirements = (list: readonly NodeSelectorRequirement[] | undefined, others: readonly NodeSelectorRequirement[] | undefined) =>
			list?.map((one, at) => (isRenewed(one, others?.[at]) ? { ...one, key: others?.[at]?.key ?? '' } : one));
		const { matchExpressions, matchFields } = term;
		return {
			...term,
			...(matchExpressions === undefined ? {} : { matchExpressions: requirements(matchExpressions, other?.matchExpressions) }),
			...(matchFields === undefined ? {} : { matchFields: requirements(matchFields, other?.matchFields) }),
		};
	});
	return terms === undefined ? old : ({ ...old, required: { ...old.required, nodeSelectorTerms: terms } } as VolumeNodeAffinity);
}

/** A label without a stable name may lose its name: upstream looks it up in a table of Go, which has the empty text for it. */
function isRenewed(old: NodeSelectorRequirement, now: NodeSelectorRequirement | undefined): boolean {
	return now !== undefined && (now.key ?? '') === (STABLE[old.key] ?? '');
}

/** Objects are looked at that may lack what they must have. */
function termsOf(affinity: VolumeNodeAffinity | undefined): readonly NodeSelectorTerm[] | undefined {
	return (affinity?.required as Partial<NodeSelector> | undefined)?.nodeSelectorTerms;
}
