/** The cluster as a library: start one from a program, follow its progress, take it down. */
export type { ClusterOptions } from './options.ts';
export type { ClusterEvent } from './events.ts';
export type { Access } from './kubeconfig.ts';
export { runCluster, type ClusterDeps } from './run.ts';
export { takeDown, type TakeDownDeps } from './take-down.ts';
export { readClusterStatus, type ClusterStatus } from './status.ts';
export { kubeconfigText } from './kubeconfig.ts';
