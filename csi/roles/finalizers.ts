/** Finalizers of objects, added and removed by JSON patches that fail where the list is another than the one that was seen. */
import { hasFinalizer } from '../../api/finalizers.ts';
import type { KubeObject, Resource } from '../../api/resource.ts';
import { keyOf } from '../../api/resource.ts';
import { ignore } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';

/** The object with the finalizer; the same one if it has it. */
export async function addFinalizer<T extends KubeObject>(
	client: Client,
	resource: Resource<T>,
	object: T,
	finalizer: string,
	signal: AbortSignal,
): Promise<T> {
	if (hasFinalizer(object, finalizer)) return object;
	const has = (object.metadata.finalizers?.length ?? 0) > 0;
	const body = has
		? [{ op: 'add', path: '/metadata/finalizers/-', value: finalizer }]
		: [
				{ op: 'test', path: '/metadata/finalizers', value: null },
				{ op: 'add', path: '/metadata/finalizers', value: [finalizer] },
			];
	return client.patch(resource, keyOf(object), { type: 'json', body }, { signal });
}

/** The object without the finalizer; one that is gone needs nothing. */
export async function removeFinalizer<T extends KubeObject>(
	client: Client,
	resource: Resource<T>,
	object: T,
	finalizer: string,
	signal: AbortSignal,
): Promise<T> {
	const at = object.metadata.finalizers?.indexOf(finalizer) ?? -1;
	if (at < 0) return object;
	const path = `/metadata/finalizers/${at}`;
	const body = [
		{ op: 'test', path, value: finalizer },
		{ op: 'remove', path },
	];
	return (await client.patch(resource, keyOf(object), { type: 'json', body }, { signal }).catch(ignore('NotFound'))) ?? object;
}
