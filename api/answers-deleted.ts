/** Kinds of which DELETE answers the object that is gone, not a Status (upstream's ReturnDeletedObject); by group and plural. */
export const ANSWERS_DELETED: ReadonlySet<string> = new Set([
	...['persistentvolumeclaims', 'persistentvolumes', 'pods', 'podtemplates', 'resourcequotas', 'serviceaccounts', 'services'].map(
		(p) => `/${p}`,
	),
	...['deviceclasses', 'resourceclaims', 'resourceclaimtemplates', 'resourceslices'].map((p) => `resource.k8s.io/${p}`),
	...['csidrivers', 'csinodes', 'storageclasses', 'volumeattachments', 'volumeattributesclasses'].map((p) => `storage.k8s.io/${p}`),
]);
