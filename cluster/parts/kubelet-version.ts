/** What node.status.nodeInfo.kubeletVersion says: the API that is spoken. */
export const KUBELET_VERSION = 'v1.36.2';
