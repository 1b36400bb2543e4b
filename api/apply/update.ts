/** Tracks who set which field on create, update and every patch but apply: metadata.managedFields of the new object. */
import type { ManagedFieldsEntry } from '../gen/types.ts';
import type { KubeObject } from '../resource.ts';
import { check } from './check.ts';
import { compare, type Comparison } from './compare.ts';
import { FieldSet } from './field-set.ts';
import { capManagers, entryOf, managerKey, readManagers, writeManagers, type Manager, type Managers } from './managers.ts';
import { newFields } from './new-fields.ts';
import type { FieldFilter } from './reset-fields.ts';
import { sameJson } from '../same-json.ts';
import type { Fields, ObjectShape } from './shape.ts';

export interface UpdateInput {
	/** Undefined on create. */
	readonly old: KubeObject | undefined;
	readonly new: KubeObject;
	readonly manager: string;
	readonly subresource: string;
	/** RFC 3339. */
	readonly now: string;
	/** What this write puts back (`resetFieldsOf`). */
	readonly reset: FieldFilter;
}

/** System fields of metadata that nobody owns. */
const META: readonly string[] = [
	'name',
	'namespace',
	'creationTimestamp',
	'selfLink',
	'uid',
	'clusterName',
	'generation',
	'managedFields',
	'resourceVersion',
];
const STRIPPED = FieldSet.of(['f:apiVersion'], ['f:kind'], ['f:metadata'], ...META.map((name) => ['f:metadata', `f:${name}`]));

/** The managedFields that the new object gets; it must be in canonical form (as decoded and defaulted), as must the old one. */
export function trackUpdate(kind: ObjectShape, input: UpdateInput): ManagedFieldsEntry[] {
	const { old, new: next, manager, subresource, now, reset } = input;
	const apiVersion = next.apiVersion ?? '';
	const known = startingManagers(old?.metadata.managedFields, next.metadata.managedFields, subresource !== '');
	if (old !== undefined && known.size === 0) return []; // untracked objects stay so until their first apply
	if (kind.isLoose === true && [next, old].some((object) => object !== undefined && isMisfit(kind, object))) return [];
	const { fields, out } = old === undefined && known.size === 0 ? created(kind, next) : changed(kind, old, next, known, reset);
	const taken = reset.filter(fields);
	if (!taken.isEmpty) {
		const self: Manager = { manager, operation: 'Update', apiVersion, subresource, time: now, fields: taken };
		// Of most objects that are created.
		if (out.size === 0) return [entryOf(self)];
		const key = managerKey(self);
		const previous = out.get(key);
		const all = new Map(out).set(key, previous === undefined ? self : { ...self, fields: taken.union(previous.fields) });
		return writeManagers(capManagers(all));
	}
	return writeManagers(capManagers(out));
}

/** Fields of such an object cannot be told: it is left without managers, as upstream has it. */
function isMisfit(kind: ObjectShape, object: KubeObject): boolean {
	return check(kind.shape, plain(object), true) !== undefined;
}

/** What a write set, and what the other managers are left with. */
interface Tracked {
	readonly fields: FieldSet;
	readonly out: Managers;
}

const NOBODY: Managers = new Map();

function created(kind: ObjectShape, next: KubeObject): Tracked {
	const fields = newFields(kind.shape, kind.empty(), ownable(next));
	const isMember = fields.child('f:metadata')?.own === true;
	return { fields: isMember ? fields.difference(STRIPPED) : fields, out: NOBODY };
}

/** What of a new object somebody may own. */
function ownable(object: KubeObject): Fields {
	const out: Record<string, unknown> = {};
	for (const name in object) if (name !== 'apiVersion' && name !== 'kind') out[name] = object[name as keyof KubeObject];
	const metadata: Record<string, unknown> = {};
	for (const name in object.metadata) if (!META.includes(name)) metadata[name] = object.metadata[name as keyof KubeObject['metadata']];
	out['metadata'] = metadata;
	return out;
}

function changed(kind: ObjectShape, old: KubeObject | undefined, next: KubeObject, known: Managers, reset: FieldFilter): Tracked {
	const comparison = compare(kind.shape, old === undefined ? kind.empty() : plain(old), plain(next));
	const out = giveUp(kind, known, comparison, reset, undefined);
	return { fields: comparison.modified.union(comparison.added).difference(STRIPPED), out };
}

/** The object without its managedFields, as updateManagedFields leaves it: a write that changes nothing else keeps its times too. */
export function updateManagedFields<T extends KubeObject>(kind: ObjectShape, input: UpdateInput & { readonly new: T }): T {
	const entries = trackUpdate(kind, input);
	const { managedFields: _, ...metadata } = input.new.metadata;
	const made: T = { ...input.new, metadata: entries.length === 0 ? metadata : { ...metadata, managedFields: entries } };
	return input.old === undefined ? made : keepTimes(input.old, made);
}

/** Takes over the old managedFields where the two objects differ in nothing but the times in them. */
function keepTimes<T extends KubeObject>(old: KubeObject, made: T): T {
	const timeless = (entries: readonly ManagedFieldsEntry[] | undefined): unknown => (entries ?? []).map(({ time: _, ...entry }) => entry);
	const before = old.metadata.managedFields;
	const after = made.metadata.managedFields;
	if (before === undefined || after === undefined || sameJson(before, after)) return made;
	if (!sameJson(timeless(before), timeless(after)) || !sameJson(unversioned(old), unversioned(made))) return made;
	return { ...made, metadata: { ...made.metadata, managedFields: before } };
}

function unversioned(object: KubeObject): Fields {
	const { managedFields: _, resourceVersion: __, ...metadata } = object.metadata;
	return { ...object, metadata };
}

/** The object without managedFields. */
export function plain(object: KubeObject): Fields {
	const { managedFields: _, ...metadata } = object.metadata;
	return { ...object, metadata };
}

/** What the request says, where it says anything sensible; `[]` and `[{}]` clear it all. */
function startingManagers(
	old: readonly ManagedFieldsEntry[] | undefined,
	asked: readonly ManagedFieldsEntry[] | undefined,
	ignoreAsked: boolean,
): Managers {
	if (old === undefined && asked === undefined) return NOBODY;
	const stored = (): Managers => readManagers(old) ?? new Map();
	if (ignoreAsked) return stored();
	if (asked?.length === 0) return new Map();
	if (asked?.length === 1 && Object.values(asked[0] as object).every((v) => v === undefined || v === '' || v === null)) return new Map();
	const managers = readManagers(asked);
	return managers === undefined || managers.size === 0 ? stored() : managers;
}

/** What a write changed as far as it counts for a manager: what the write put back was not changed, to managers of the versions that know of it. */
export function changesSeen(comparison: Comparison, reset: FieldFilter): (manager: Manager) => Comparison {
	const { added, modified, removed } = comparison;
	const without = { added: reset.filter(added), modified: reset.filter(modified), removed: reset.filter(removed) };
	return ({ apiVersion }) => (reset.only === undefined || reset.only === apiVersion ? without : comparison);
}

/** Takes from every manager but one what changed or went; managers in a version that the kind does not have are forgotten. */
export function giveUp(
	kind: ObjectShape,
	managers: Managers,
	comparison: Comparison,
	reset: FieldFilter,
	except: string | undefined,
): Managers {
	const seen = changesSeen(comparison, reset);
	const out = new Map<string, Manager>();
	for (const [key, manager] of managers) {
		if (key !== except && kind.hasVersion?.(manager.apiVersion) === false) continue;
		const { added, modified, removed } = seen(manager);
		const changed = modified.union(added);
		const fields = key === except ? manager.fields : manager.fields.difference(manager.fields.intersection(changed)).difference(removed);
		if (!fields.isEmpty) out.set(key, { ...manager, fields });
	}
	return out;
}

export { STRIPPED };
