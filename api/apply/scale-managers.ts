/** managedFields of an object's scale: who owns the replicas, there and back (apimachinery managedfields.ScaleHandler). */
import type { ManagedFieldsEntry } from '../gen/types.ts';
import { FieldSet } from './field-set.ts';
import { managerKey, readManagers, writeManagers, type Manager, type Managers } from './managers.ts';
import { fieldElement } from './path-element.ts';

const SCALE_VERSION = 'autoscaling/v1';
const IN_SCALE = FieldSet.of(['f:spec', 'f:replicas']);

export interface ScaleParent {
	readonly entries: readonly ManagedFieldsEntry[] | undefined;
	/** The version of the request. */
	readonly apiVersion: string;
	/** Where the replicas stand, by every version of the kind; entries of another version are forgotten. */
	readonly paths: Readonly<Record<string, readonly string[] | undefined>>;
}

/** The entries that own the replicas, as owners of the scale's. */
export function toScale({ entries, paths }: ScaleParent): ManagedFieldsEntry[] {
	const out = new Map<string, Manager>();
	for (const manager of managersOf(entries).values()) {
		const replicas = setAt(paths[manager.apiVersion]);
		if (replicas === undefined || !has(manager.fields, replicas)) continue;
		const entry: Manager = { ...manager, apiVersion: SCALE_VERSION, fields: IN_SCALE };
		out.set(managerKey(entry), entry);
	}
	return writeManagers(out);
}

/** The parent's entries after its scale was written: who lost the replicas there loses them here, who has them gets an entry. */
export function toParent(
	{ entries, apiVersion, paths }: ScaleParent,
	ofScale: readonly ManagedFieldsEntry[] | undefined,
): ManagedFieldsEntry[] {
	const parents = managersOf(entries);
	const scales = new Map(managersOf(ofScale));
	const out = new Map<string, Manager>();
	for (const [key, manager] of parents) {
		if (!Object.hasOwn(paths, manager.apiVersion)) continue;
		const replicas = setAt(paths[manager.apiVersion]);
		if (replicas === undefined || !has(manager.fields, replicas) || scales.delete(key)) out.set(key, manager);
		else {
			const fields = manager.fields.difference(replicas);
			if (!fields.isEmpty) out.set(key, { ...manager, fields });
		}
	}
	const replicas = setAt(paths[apiVersion]);
	for (const [key, manager] of scales)
		if (replicas !== undefined && has(manager.fields, IN_SCALE))
			out.set(key, { ...manager, apiVersion, time: parents.get(key)?.time, fields: replicas });
	return writeManagers(out);
}

function managersOf(entries: readonly ManagedFieldsEntry[] | undefined): Managers {
	return readManagers(entries) ?? new Map();
}

function setAt(path: readonly string[] | undefined): FieldSet | undefined {
	return path === undefined ? undefined : FieldSet.of(path.map(fieldElement));
}

function has(fields: FieldSet, path: FieldSet): boolean {
	return !fields.intersection(path).isEmpty;
}
