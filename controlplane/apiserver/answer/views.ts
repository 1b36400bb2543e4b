/** Views of objects that every kind has: metadata only. */
import type { ListMeta } from '../../../api/gen/types.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { StatusError } from '../../../api/status.ts';
import type { Kind } from '../registry/kinds.ts';
import type { Listed } from '../registry/list.ts';
import type { Wanted } from './accept.ts';

/** What views have to know of a kind. */
export interface Viewed {
	readonly resource: Pick<Kind['resource'], 'group' | 'kind'>;
	readonly strategy: Pick<Kind['strategy'], 'fieldAnnotation'>;
	readonly custom?: Kind['custom'];
	readonly conversion?: Kind['conversion'];
	/** Whose columns its tables have, where they are not its kind's. */
	readonly printer?: string;
	/** Where upstream has its type, where that is not told by its group. */
	readonly goPackage?: string;
}

export function partial(kind: Viewed, { metadata }: KubeObject, version: string): object {
	return {
		kind: 'PartialObjectMetadata',
		apiVersion: `meta.k8s.io/${version}`,
		metadata: withoutAnnotation(metadata, kind.strategy.fieldAnnotation),
	};
}

function withoutAnnotation(metadata: KubeObject['metadata'], name: string | undefined): KubeObject['metadata'] {
	if (name === undefined || metadata.annotations?.[name] === undefined) return metadata;
	const { annotations, ...others } = metadata;
	const kept = Object.entries(annotations).filter(([key]) => key !== name);
	return kept.length === 0 ? others : { ...others, annotations: Object.fromEntries(kept) };
}

/** Upstream has no list where there is nothing to list. */
export function partialList(kind: Viewed, objects: readonly KubeObject[], list: Listed | undefined, version: string): object {
	return {
		kind: 'PartialObjectMetadataList',
		apiVersion: `meta.k8s.io/${version}`,
		...(list === undefined ? { metadata: {} } : listTail(list)),
		items: objects.length === 0 ? null : objects.map((o) => partial(kind, o, version)),
	};
}

/** A stored object in the version asked for. */
export function inVersion(kind: Viewed, stored: KubeObject): KubeObject {
	return kind.conversion === undefined ? stored : kind.conversion.fromStored(stored);
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

/** A list view asked of one object, or the other way round; upstream names its Go type. */
export function notAcceptableView(kind: Viewed, { view }: Wanted): StatusError {
	const isList = view === 'metadata';
	const list = isList ? 'List' : '';
	const { group } = kind.resource;
	const folder = kind.goPackage ?? (group === '' || group === 'events.k8s.io' ? 'core' : group.split('.')[0]);
	if (kind.custom !== undefined && !isList)
		return new StatusError({ metadata: {}, status: 'Failure', message: 'content is not a list', code: 500 });
	const type = kind.custom === undefined ? `${folder}.${kind.resource.kind}${list}` : `unstructured.Unstructured${list}`;
	const asked = isList ? 'PartialObjectMetadata' : 'PartialObjectMetadataList';
	const message = `you requested ${asked}, but the requested object is ${isList ? 'a list' : 'not a list'} (*${type})`;
	return new StatusError({ metadata: {}, status: 'Failure', message, reason: 'NotAcceptable', code: 406 });
}
