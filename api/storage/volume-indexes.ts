/** By what volumes are found for claims; informers of binder and scheduler have these indexes. Pure. */
import type { PersistentVolume } from '../gen/types.ts';
import { keyOf, type Key } from '../resource.ts';
import { classOfVolume } from './class.ts';

/** The claim that the volume names. */
export function claimKeyOf({ spec }: PersistentVolume): readonly Key[] {
	const { namespace, name = '' } = spec?.claimRef ?? {};
	return name === '' ? [] : [keyOf({ metadata: { namespace, name } })];
}

/** The class of a volume that names no claim. */
export function openClassOf(volume: PersistentVolume): readonly string[] {
	return volume.spec?.claimRef === undefined ? [classOfVolume(volume)] : [];
}
