/** Whether something still has to happen before an object may go. Pure. */
import type { KubeObject } from './resource.ts';

export function hasFinalizer({ metadata }: KubeObject, finalizer: string): boolean {
	return metadata.finalizers?.includes(finalizer) === true;
}
