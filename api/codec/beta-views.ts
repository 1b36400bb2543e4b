/** Metadata as clients of before Kubernetes 1.15 ask for it, meta.k8s.io/v1beta1: the types of v1, but for the list's wire numbers. */
import { schemaOfKind, type StructType } from '../schema.ts';

const LIST = 'PartialObjectMetadataList';
const VIEWS = ['PartialObjectMetadata', LIST];

let list: StructType | undefined;

/** Undefined for other kinds, which have no v1beta1. */
export function betaView(kind: string): StructType | undefined {
	if (!VIEWS.includes(kind)) return undefined;
	const type = schemaOfKind('meta.k8s.io', 'v1', kind) as StructType;
	return kind === LIST ? (list ??= withItemsFirst(type)) : type;
}

/** The items are the first field, the list's own metadata the second: in v1 it is the other way round. */
function withItemsFirst(type: StructType): StructType {
	const wire = type.wire.map((entry) => ({ ...entry, number: 3 - entry.number }));
	return { ...type, wire: wire.sort((a, b) => a.number - b.number) };
}
