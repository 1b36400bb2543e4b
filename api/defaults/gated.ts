/** Fields of features that are off, which the API server drops from whatever it is sent, unless the object has them already. */
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
	'resource/v1.Device': ['nodeAllocatableResourceMappings'],
	'resource/v1.DeviceAttribute': ['bools', 'ints', 'strings', 'versions'],
	'storage/v1.CSIDriverSpec': ['preventPodSchedulingIfMissing'],
};

/** Types whose fields are one feature: where one of them is in use, all are. */
const ONE_FEATURE = new Set(['resource/v1.DeviceAttribute']);

/**
 * In place. A pointer to a struct that is empty then goes, too, where it says nothing by itself.
 * @param old what is replaced: a field that it has anywhere is in use, and stays
 */
export function dropGated({ group, version, kind }: KindName, object: object, old?: object): void {
	const type = schemaOfKind(group, version, kind);
	if (type === undefined || !reaches(type)) return;
	let found: ReadonlySet<string> | undefined;
	walk(type, object as Json, (feature) => (found ??= usedIn(type, old as Json | undefined)).has(feature));
}

const featureOf = (type: StructType, field: string): string => (ONE_FEATURE.has(type.name) ? type.name : `${type.name}.${field}`);
const isThere = (value: unknown): boolean => value !== undefined && value !== null;

/** Pointers that are nothing without what is dropped. */
const EMPTIED = new Set(['lifecycle']);

function walk(type: StructType, object: Json, isUsed: (feature: string) => boolean): void {
	for (const field of GATED[type.name] ?? []) if (!isThere(object[field]) || !isUsed(featureOf(type, field))) delete object[field];
	eachInner(type, object, (inner, value, name, isAlone) => {
		const had = Object.keys(value).length;
		walk(inner, value, isUsed);
		if (isAlone && EMPTIED.has(name) && had > 0 && Object.keys(value).length === 0) delete object[name];
	});
}

function usedIn(type: StructType, object: Json | undefined, found = new Set<string>()): ReadonlySet<string> {
	if (object === undefined) return found;
	for (const field of GATED[type.name] ?? []) if (isThere(object[field])) found.add(featureOf(type, field));
	eachInner(type, object, (inner, value) => void usedIn(inner, value, found));
	return found;
}

/** Visits the structs within which something may be gated. */
function eachInner(type: StructType, object: Json, visit: (type: StructType, value: Json, name: string, isAlone: boolean) => void): void {
	for (const { name, shape, type: inner } of type.fields.values()) {
		const value = object[name];
		if (!isThere(value) || inner.form !== 'struct' || !reaches(inner)) continue;
		if (shape === 'list') for (const item of value as Json[]) visit(inner, item, name, false);
		else if (shape === 'map') for (const item of Object.values(value as Record<string, Json>)) visit(inner, item, name, false);
		else visit(inner, value as Json, name, true);
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
