/** Fields of features that are off, which the API server drops from whatever it is sent. */
import { schemaOfKind, type StructType } from '../schema.ts';
import type { KindName } from '../kind-name.ts';

type Json = Record<string, unknown>;

/** By the contract's type. */
const GATED: Readonly<Record<string, readonly string[]>> = {
	'core/v1.PodSpec': ['schedulingGroup'],
	'core/v1.PodStatus': ['nodeAllocatableResourceClaimStatuses'],
	'core/v1.Lifecycle': ['stopSignal'],
	'core/v1.VolumeMountStatus': ['volumeStatus'],
	'core/v1.VolumeProjection': ['clusterTrustBundle', 'podCertificate'],
	'apps/v1.RollingUpdateStatefulSetStrategy': ['maxUnavailable'],
	'core/v1.NodeSpec': ['configSource'],
	'coordination/v1.LeaseSpec': ['strategy', 'preferredHolder'],
	'discovery/v1.Endpoint': ['deprecatedTopology'],
	'resource/v1.Device': ['nodeAllocatableResourceMappings'],
	'resource/v1.DeviceAttribute': ['bools', 'ints', 'strings', 'versions'],
	'storage/v1.CSIDriverSpec': ['preventPodSchedulingIfMissing'],
};

/** In place. Structs that are empty then go too where nothing else is said by them. */
export function dropGated({ group, version, kind }: KindName, object: object): void {
	const type = schemaOfKind(group, version, kind);
	if (type !== undefined && reaches(type)) walk(type, object as Json);
}

/** Pointers that are nothing without what is dropped. */
const EMPTIED = new Set(['lifecycle']);

function walk(type: StructType, object: Json): void {
	for (const field of GATED[type.name] ?? []) delete object[field];
	for (const { name, shape, type: inner } of type.fields.values()) {
		const value = object[name];
		if (value === undefined || value === null || inner.form !== 'struct' || !reaches(inner)) continue;
		if (shape === 'list') for (const item of value as Json[]) walk(inner, item);
		else if (shape === 'map') for (const item of Object.values(value as Record<string, Json>)) walk(inner, item);
		else {
			const had = Object.keys(value as Json).length;
			walk(inner, value as Json);
			if (EMPTIED.has(name) && had > 0 && Object.keys(value as Json).length === 0) delete object[name];
		}
	}
}

const known = new Map<StructType, boolean>();

function reaches(type: StructType): boolean {
	return known.get(type) ?? search(type, new Set());
}

function search(type: StructType, seen: Set<StructType>): boolean {
	const answer = known.get(type);
	if (answer !== undefined) return answer;
	if (seen.has(type)) return false;
	const isFirst = seen.size === 0;
	seen.add(type);
	const found =
		GATED[type.name] !== undefined || [...type.fields.values()].some((field) => field.type.form === 'struct' && search(field.type, seen));
	// A no that was found on the way may have been cut short by a type that contains itself.
	if (found || isFirst) known.set(type, found);
	return found;
}
