/** Which storage class a claim or volume has, which is the default, and whether its volumes are bound only once a pod needs them. Pure. */
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../gen/types.ts';
import type { KubeObject } from '../resource.ts';
import { newestMarked } from './newest-marked.ts';

/** The annotation of before the field; it still wins. */
export const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';
const DEFAULT_MARKS = ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class'];

/** Whether it names a class, be it "", which says that none is wanted. */
export function hasClass(claim: PersistentVolumeClaim): boolean {
	return claim.metadata.annotations?.[CLASS_ANNOTATION] !== undefined || claim.spec?.storageClassName !== undefined;
}

/** "" for none. */
export function classOfClaim(claim: PersistentVolumeClaim): string {
	return claim.metadata.annotations?.[CLASS_ANNOTATION] ?? claim.spec?.storageClassName ?? '';
}

/** "" for none. */
export function classOfVolume(volume: PersistentVolume): string {
	return volume.metadata.annotations?.[CLASS_ANNOTATION] ?? volume.spec?.storageClassName ?? '';
}

export function defaultClass<T extends StorageClass & KubeObject>(classes: readonly T[]): T | undefined {
	return newestMarked(classes, DEFAULT_MARKS);
}

export function waitsForConsumer(storageClass: StorageClass | undefined): boolean {
	return storageClass?.volumeBindingMode === 'WaitForFirstConsumer';
}
