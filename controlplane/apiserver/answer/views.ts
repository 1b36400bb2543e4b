/** Views of objects that every kind has: metadata only. */
import type { ListMeta } from '../../../api/gen/types.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { StatusError } from '../../../api/status.ts';
import type { Listed } from '../registry/list.ts';
import type { Wanted } from './accept.ts';

export function partial({ metadata }: KubeObject, version: string): object {
	return { kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${version}`, metadata };
}

export function partialList(objects: readonly KubeObject[], list: Listed | undefined, version: string): object {
	return {
		kind: 'PartialObjectMetadataList',
		apiVersion: `meta.k8s.io/${version}`,
		...(list === undefined ? { metadata: {} } : listTail(list)),
		items: objects.map((o) => partial(o, version)),
	};
}

export function listTail(list: Listed): { readonly metadata: ListMeta } {
	return {
		metadata: {
			resourceVersion: String(list.revision),
			...(list.continue === '' ? {} : { continue: list.continue }),
			...(list.remaining === undefined ? {} : { remainingItemCount: list.remaining }),
		},
	};
}

/** A list view asked of one object. */
export function notAcceptableView({ view }: Wanted): StatusError {
	const message = `you requested ${view === 'metadataList' ? 'PartialObjectMetadataList' : view}, but the requested object is not a list`;
	return new StatusError({ metadata: {}, status: 'Failure', message, reason: 'NotAcceptable', code: 406 });
}
