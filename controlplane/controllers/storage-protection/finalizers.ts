/** An object with a finalizer more or less. Pure. */
import type { KubeObject } from '../../../api/resource.ts';

export function withFinalizer<T extends KubeObject>(object: T, finalizer: string): T {
	return { ...object, metadata: { ...object.metadata, finalizers: [...(object.metadata.finalizers ?? []), finalizer] } };
}

export function withoutFinalizer<T extends KubeObject>(object: T, finalizer: string): T {
	return { ...object, metadata: { ...object.metadata, finalizers: (object.metadata.finalizers ?? []).filter((f) => f !== finalizer) } };
}
