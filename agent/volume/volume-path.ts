/** What a container finds a pod's volumes by. */

export type VolumePath =
	| { readonly kind: 'folder'; readonly path: string; readonly readOnly?: boolean }
	| { readonly kind: 'device'; readonly path: string; readonly readOnly: boolean }
	/** An image that the runtime mounts itself. */
	| { readonly kind: 'image'; readonly image: string };

/** By volume name. */
export type VolumePaths = ReadonlyMap<string, VolumePath>;
