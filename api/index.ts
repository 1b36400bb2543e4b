/** What programs on this package need of the Kubernetes API, as the package exports it ("kubeling/api"): types, kinds, keys, errors. */
export type * from './gen/types.ts';
export * from './gen/resources.ts';
export { resourceByKind, resourceByPlural } from './resources.ts';
export { apiVersionOf, keyOf, splitKey, type Key, type KubeObject, type Resource } from './resource.ts';
export { StatusError } from './status.ts';
