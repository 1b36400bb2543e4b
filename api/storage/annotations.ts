/** Annotations by which binder, scheduler and provisioners of volumes speak to each other (component-helpers storage/volume). */

/** On a claim: its binding is done, both ways; what is missing from then on is lost. */
export const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';
/** On a claim or volume: it was the binder that chose the other one, so it may take that back. */
export const BOUND_BY_CONTROLLER = 'pv.kubernetes.io/bound-by-controller';
/** On a claim of a class that waits for its first consumer: the node that the scheduler chose. */
export const SELECTED_NODE = 'volume.kubernetes.io/selected-node';
/** On a claim: who is to make its volume. */
export const STORAGE_PROVISIONER = 'volume.kubernetes.io/storage-provisioner';
export const BETA_STORAGE_PROVISIONER = 'volume.beta.kubernetes.io/storage-provisioner';
/** On a volume: who made it. */
export const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by';
/** On a volume that is being resized: the capacity of before, which its claim keeps until the file system has grown. */
export const PRE_RESIZE_CAPACITY = 'volume.alpha.kubernetes.io/pre-resize-capacity';
/** The provisioner of classes whose volumes people make. */
export const NO_PROVISIONER = 'kubernetes.io/no-provisioner';

export function hasAnnotation(
	object: { readonly metadata: { readonly annotations?: Record<string, string> | undefined } },
	name: string,
): boolean {
	return object.metadata.annotations?.[name] !== undefined;
}
