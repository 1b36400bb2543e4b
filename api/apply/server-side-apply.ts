/** Server-side apply: merges a configuration into the live object, finds conflicts, and drops what its manager no longer asks for. */
import type { KubeObject } from '../resource.ts';
import { StatusError } from '../status.ts';
import { check } from './check.ts';
import { compare } from './compare.ts';
import { applyConflict, type Conflict } from './conflicts.ts';
import type { FieldSet } from './field-set.ts';
import { lastAppliedFields, UPGRADING_MANAGER, withLastApplied } from './last-applied.ts';
import { managerKey, readManagers, writeManagers, type Manager, type Managers } from './managers.ts';
import { merge } from './merge.ts';
import { remove } from './remove.ts';
import type { FieldFilter } from './reset-fields.ts';
import { setOf } from './set-of.ts';
import { sameJson } from '../same-json.ts';
import type { Fields, ObjectShape } from './shape.ts';
import { changesSeen, giveUp, plain, STRIPPED, trackUpdate } from './update.ts';

export interface ApplyInput {
	/** Undefined when the apply creates the object. In the version of the request. */
	readonly live: KubeObject | undefined;
	/** As sent: not defaulted. */
	readonly config: KubeObject;
	readonly manager: string;
	readonly subresource: string;
	readonly force: boolean;
	/** RFC 3339. */
	readonly now: string;
	readonly reset: FieldFilter;
	/** The live object's fields of a manager, in the version of this request; only for kinds with several versions. */
	readonly convertFields?: (fields: FieldSet, from: string) => FieldSet | undefined;
}

/** Manager of everything set before the first apply, where nothing was tracked. */
const BEFORE_FIRST_APPLY = 'before-first-apply';

/**
 * The merged object with its managedFields; still to be defaulted and validated. Throws StatusError Conflict, and one with code 500 for a
 * configuration that does not fit its kind.
 * A result with the same content as the live object means that nothing but managedFields may have changed.
 */
export function serverSideApply(kind: ObjectShape, input: ApplyInput): KubeObject {
	const { live, config, manager, subresource, force, now, reset, convertFields } = input;
	const apiVersion = config.apiVersion ?? '';
	const complaint = check(kind.shape, config, false);
	if (complaint !== undefined) throw untyped(config, 'failed to create typed patch object', complaint, ':');
	const liveFields = live === undefined ? { ...kind.empty(), apiVersion, kind: config.kind } : plain(live);
	let managers =
		live === undefined ? new Map<string, Manager>() : (readManagers(live.metadata.managedFields) ?? new Map<string, Manager>());
	if (convertFields !== undefined) managers = converted(managers, apiVersion, convertFields);
	if (managers.size === 0 && live !== undefined) {
		const misfit = kind.isLoose === true ? check(kind.shape, liveFields, true) : undefined;
		if (misfit !== undefined)
			throw untyped(live, 'failed to create manager for existing fields: failed to convert new object', `to smd typed: ${misfit}`);
		const tracked = trackUpdate(kind, { old: undefined, new: withoutManagers(live), manager: BEFORE_FIRST_APPLY, subresource, now, reset });
		managers = new Map(readManagers(tracked));
	}
	const self: Manager = {
		manager,
		operation: 'Apply',
		apiVersion,
		subresource,
		time: now,
		fields: reset.filter(setOf(kind.shape, config)),
	};
	const key = managerKey(self);
	const last = managers.get(key);
	const next = new Map(managers);
	next.set(key, { ...self, time: last?.time });
	const merged = merge(kind.shape, liveFields, config) as Fields;
	const result = last === undefined ? merged : prune(kind, merged, next, last.fields);
	const comparison = compare(kind.shape, liveFields, result);
	if (!force) {
		const own = manager === UPGRADING_MANAGER ? lastAppliedFields(kind, liveFields, apiVersion) : undefined;
		const seen = changesSeen(comparison, reset);
		refuseConflicts(next, key, (other) => {
			const { added, modified } = seen(other);
			const changed = modified.union(added);
			return own === undefined ? changed : changed.difference(own);
		});
	}
	const left = new Map(giveUp(kind, next, comparison, reset, key));
	const changed = !sameJson(liveFields, result);
	// What nobody owns still holds what it stands on while the object is pruned.
	const fields = self.fields.difference(STRIPPED);
	if (fields.isEmpty) left.delete(key);
	else left.set(key, { ...self, fields, time: changed || live === undefined ? now : last?.time });
	const entries = writeManagers(left);
	const metadata = { ...(result['metadata'] as KubeObject['metadata']) };
	delete metadata.managedFields;
	if (manager === UPGRADING_MANAGER) {
		const annotations = withLastApplied(metadata.annotations, config);
		if (annotations !== undefined) metadata.annotations = annotations as Record<string, string>;
	}
	if (entries.length > 0) metadata.managedFields = entries;
	return { ...result, metadata };
}

/** Removes what this manager applied last time, does not apply now, and nobody else owns. */
function prune(kind: ObjectShape, merged: Fields, managers: Managers, last: FieldSet): Fields {
	const { shape } = kind;
	const named = (set: FieldSet): FieldSet => set.withNamedFields(shape);
	const without = (gone: FieldSet): Fields => (remove(shape, merged, gone) ?? {}) as Fields;
	const bare = without(named(last));
	let owned: FieldSet | undefined;
	for (const { fields } of managers.values()) owned = owned === undefined ? fields : owned.union(fields);
	const all = named(setOf(shape, merged));
	const bareSet = named(setOf(shape, bare));
	const kept = owned === undefined ? bareSet : bareSet.union(named(owned));
	const withOwned = without(all.difference(kept));
	const dangling = all.difference(named(setOf(shape, withOwned))).intersection(named(last));
	return without(dangling);
}

function refuseConflicts(managers: Managers, key: string, changedFor: (manager: Manager) => FieldSet): void {
	const conflicts: Conflict[] = [];
	for (const [other, manager] of managers) {
		if (other === key) continue;
		const fields = manager.fields.intersection(changedFor(manager));
		if (!fields.isEmpty) conflicts.push({ manager: { ...manager, time: undefined }, fields });
	}
	if (conflicts.length > 0) throw applyConflict(conflicts);
}

function converted(
	managers: Managers,
	apiVersion: string,
	convert: (fields: FieldSet, from: string) => FieldSet | undefined,
): Map<string, Manager> {
	const out = new Map<string, Manager>();
	for (const [key, manager] of managers) {
		const fields = manager.apiVersion === apiVersion ? manager.fields : convert(manager.fields, manager.apiVersion);
		if (fields !== undefined && !fields.isEmpty) out.set(key, { ...manager, fields });
	}
	return out;
}

function withoutManagers(object: KubeObject): KubeObject {
	return plain(object) as unknown as KubeObject;
}

function untyped(object: KubeObject, what: string, complaint: string, colon = ''): StatusError {
	const message = `${what} (${nameOf(object)})${colon} ${complaint}`;
	return new StatusError({ metadata: {}, status: 'Failure', message, code: 500 });
}

/** As Go prints it: what is no text counts as none. */
function nameOf({ apiVersion = '', kind = '', metadata }: KubeObject): string {
	const group = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
	const text = (given: unknown): string => (typeof given === 'string' ? given : '');
	return `${text((metadata as KubeObject['metadata'] | undefined)?.namespace)}/${text((metadata as KubeObject['metadata'] | undefined)?.name)}; ${group}, Kind=${kind}`;
}
