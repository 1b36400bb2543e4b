/** metadata.managedFields as a table of managers, and back. */
import type { ManagedFieldsEntry } from '../gen/types.ts';
import { FieldSet } from './field-set.ts';

export interface Manager {
	readonly manager: string;
	readonly operation: 'Apply' | 'Update';
	readonly apiVersion: string;
	readonly subresource: string;
	/** RFC 3339; absent for one whose last write changed nothing. */
	readonly time: string | undefined;
	readonly fields: FieldSet;
}

export type Managers = ReadonlyMap<string, Manager>;

/** Upstream keeps this many managers with operation Update; the oldest are merged into `ancient-changes`. */
const MAX_UPDATE_MANAGERS = 10;
const ANCIENT = 'ancient-changes';

/** Entries of one manager are one where this agrees; an apply keeps its identity over versions. */
export function managerKey({ manager, operation, apiVersion, subresource }: Omit<Manager, 'fields' | 'time'>): string {
	return JSON.stringify([operation, manager, subresource, operation === 'Apply' ? '' : apiVersion]);
}

/** Undefined: the entries cannot be understood. */
export function readManagers(entries: readonly ManagedFieldsEntry[] | undefined): Managers | undefined {
	const out = new Map<string, Manager>();
	for (const entry of entries ?? []) {
		const { manager = '', operation, apiVersion = '', subresource = '', time, fieldsType, fieldsV1 } = entry;
		if (operation !== 'Apply' && operation !== 'Update') return undefined;
		if (fieldsType !== 'FieldsV1' || apiVersion === '') return undefined;
		const fields = FieldSet.fromFieldsV1(fieldsV1);
		if (fields === undefined) return undefined;
		const read: Manager = { manager, operation, apiVersion, subresource, time: time ?? undefined, fields };
		// Of entries with one identity the last one counts.
		out.set(managerKey(read), read);
	}
	return out;
}

/** In upstream's order: by operation, time, manager, apiVersion, subresource. */
export function writeManagers(managers: Managers): ManagedFieldsEntry[] {
	return [...managers.values()].sort(order).map(entryOf);
}

export function entryOf({ manager, operation, apiVersion, subresource, time, fields }: Manager): ManagedFieldsEntry {
	return {
		manager,
		operation,
		apiVersion,
		...(time === undefined ? {} : { time }),
		fieldsType: 'FieldsV1',
		fieldsV1: fields.toFieldsV1(),
		...(subresource === '' ? {} : { subresource }),
	};
}

function order(a: Manager, b: Manager): number {
	return (
		byText(a.operation, b.operation) ||
		byText(a.time ?? '', b.time ?? '') ||
		byText(a.manager, b.manager) ||
		byText(a.apiVersion, b.apiVersion) ||
		byText(a.subresource, b.subresource)
	);
}

function byText(a: string, b: string): number {
	return a < b ? -1 : a > b ? 1 : 0;
}

/** Merges the oldest Update managers of a version once there are too many. */
export function capManagers(managers: Managers): Managers {
	const updates = [...managers.values()].filter((m) => m.operation === 'Update').sort(order);
	if (updates.length <= MAX_UPDATE_MANAGERS) return managers;
	let left = updates.length;
	/** Of each version, oldest first. */
	const buckets = new Map<string, Manager[]>();
	for (const m of updates) {
		if (left <= MAX_UPDATE_MANAGERS) break;
		const bucket = buckets.get(m.apiVersion);
		if (bucket === undefined) {
			buckets.set(m.apiVersion, [m]);
			continue;
		}
		left--;
		bucket.push(m);
	}
	const out = new Map(managers);
	for (const bucket of buckets.values()) {
		// The only one of its version is merged with nothing, and keeps its name.
		if (bucket.length < 2) continue;
		for (const m of bucket) out.delete(managerKey(m));
		const { apiVersion, operation, time } = bucket.at(-1) as Manager;
		const identity = { manager: ANCIENT, operation, apiVersion, subresource: '' };
		const key = managerKey(identity);
		const all = [...bucket, out.get(key)].filter((m) => m !== undefined);
		out.set(key, { ...identity, time, fields: unionOf(all.map(({ fields }) => fields)) });
	}
	return out;
}

/** By halves: one after the other, all that was joined would be copied each time. */
function unionOf(sets: readonly FieldSet[]): FieldSet {
	const [first = new FieldSet()] = sets;
	if (sets.length < 2) return first;
	const half = sets.length >> 1;
	return unionOf(sets.slice(0, half)).union(unionOf(sets.slice(half)));
}
