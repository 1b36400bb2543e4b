/** The namespace of what belongs to the cluster itself. */
export const KUBE_SYSTEM = 'kube-system';
