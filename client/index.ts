/** The public API of this folder, as the package exports it ("kubeling/client"). */
export type { Client, DeleteOptions, List, ListOptions, Patch, WatchEvent, WatchOptions, WriteOptions } from './client.ts';
export type { Transport, TransportRequest, TransportResponse } from './transport.ts';
export { TransportMetrics } from './transport-metrics.ts';
export { createTransport, type TransportOptions } from './http2.ts';
export { createClient, type RestOptions } from './rest.ts';
export { kubeconfigPaths, loadKubeconfig, mergeKubeconfigs, parseKubeconfig, type Kubeconfig } from './kubeconfig.ts';
export { accessFromKubeconfig, inClusterAccess, type Access } from './credentials.ts';
export { reflect, type ReflectOptions, type ReflectorEvent } from './reflector.ts';
export { type Change, type IndexFunction, type Lister } from './cache.ts';
export { createInformer, type Informer, type InformerOptions, type Selection } from './informer.ts';
export { Informers, type InformersOptions } from './informers.ts';
export { createWorkQueue, type Again, type WorkQueue, type WorkQueueOptions } from './workqueue.ts';
export { createController, keysFrom, type Controller, type ControllerOptions, type KeySource, type Reconcile } from './controller.ts';
export { createRecorder, referenceTo, type EventRecorder, type RecorderOptions } from './events.ts';
export { createLeaderElection, type LeaderOptions } from './leader.ts';
